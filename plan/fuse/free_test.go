package fuse

import (
	"testing"

	"github.com/oneloop/oneloop/plan/graph"
)

// TestFreeLeavesLargeFusers frees fusers that became large. No later fuser has their
// memory: it would stay in use, and each Free would clear it.
func TestFreeLeavesLargeFusers(t *testing.T) {
	const n = 1000
	for name, grow := range map[string]func(f *Fuser){
		"values": func(f *Fuser) {
			for range n {
				f.fresh()
			}
		},
		"nodes":  func(f *Fuser) { f.walk.first = make([]*Value, 0, n) },
		"places": func(f *Fuser) { f.walk.places = make([]place, 0, n) },
	} {
		g := graph.New()
		f := New(t.Context(), g, May{})
		grow(f)
		f.Free()
		if New(t.Context(), g, May{}) == f {
			t.Errorf("%s: the memory of a large fuser is used again", name)
		}
	}
}
