package plan

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/internal/lists"
)

// align is the alignment of temporaries in the arena, in bytes.
const align = 64

// placeTemps makes the temporaries of arrays, and sets their offsets in the arena. Temporaries whose
// lifetimes do not overlap may share memory. Temporaries that no stage uses get
// none.
func (p *Plan) placeTemps(arrays []*Array) {
	p.Temps = lists.Map(arrays, func(a *Array) *Temp { return &Temp{Array: a, first: -1} })
	for i, s := range p.Stages {
		for _, a := range s.Writes {
			if a.Mem == nil && p.Temps[a.Temp].first < 0 {
				p.Temps[a.Temp].first = i
			}
		}
		for _, list := range [][]*Array{s.Writes, s.Reads} {
			for _, a := range list {
				if a.Mem == nil {
					p.Temps[a.Temp].last = i
				}
			}
		}
	}
	var placed []*Temp
	for _, t := range p.Temps {
		if t.first < 0 {
			continue
		}
		size := (t.Array.Bytes() + align - 1) / align * align
		busy := lists.Where(placed, func(o *Temp) bool { return o.first <= t.last && t.first <= o.last })
		slices.SortFunc(busy, func(a, b *Temp) int { return cmp.Compare(a.Offset, b.Offset) })
		for _, o := range busy {
			if t.Offset+size <= o.Offset {
				break
			}
			t.Offset = max(t.Offset, o.Offset+(o.Array.Bytes()+align-1)/align*align)
		}
		placed = append(placed, t)
		p.Arena = max(p.Arena, t.Offset+size)
	}
}
