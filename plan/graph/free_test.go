package graph

import (
	"testing"

	"github.com/oneloop/oneloop/expr/tree"
)

// TestFreeLeavesLargeGraphs frees graphs that became large in one way each. No later
// graph has their memory: it would stay in use, and each Free would clear it.
func TestFreeLeavesLargeGraphs(t *testing.T) {
	const n = 1000
	for name, grow := range map[string]func(g *Graph){
		"room for nodes": func(g *Graph) { g.expect(n) },
		"nodes of trees": func(g *Graph) {
			for range n {
				g.known[&tree.Node{}] = nil
			}
		},
		"memories": func(g *Graph) {
			for range n {
				g.epoch[&named{}] = 1
			}
		},
	} {
		g := New()
		grow(g)
		g.Free()
		if New() == g {
			t.Errorf("%s: the memory of a large graph is used again", name)
		}
	}
}

// A named is a memory that differs from others.
type named struct {
	flat
	_ byte
}
