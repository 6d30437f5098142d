package randir

import (
	"fmt"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
)

// load makes a load from a new array of the right size.
func (g *generator) load(t dtype.Type) int {
	rank := g.r.IntN(4)
	var coords []string
	var shape []int
	bounds := g.r.IntN(3)
	fill := -1
	if bounds == 1 {
		for _, v := range g.values {
			if v.t == t {
				fill = v.id
			}
		}
		if fill < 0 {
			bounds = 0
		}
	}
	for range rank {
		var s string
		var lo, hi int
		index := -1
		for _, v := range g.values {
			if v.t == dtype.I64 {
				index = v.id
			}
		}
		switch {
		case bounds > 0 && index >= 0 && g.r.IntN(2) == 0:
			s, lo, hi = fmt.Sprintf("%%%d", index), 0, g.r.IntN(20)
			if g.r.IntN(2) == 0 {
				s += fmt.Sprintf("+%d", g.r.IntN(5)-2)
			}
		default:
			s, lo, hi = g.ix(g.r.IntN(4))
		}
		switch {
		case bounds == 0 && lo < 0:
			s, hi = fmt.Sprintf("%s+%d", s, -lo), hi-lo
		case bounds > 0:
			hi = max(0, min(hi, 60)-g.r.IntN(4))
			if g.r.IntN(3) == 0 {
				s = fmt.Sprintf("%s+%d", s, g.r.IntN(7)-3)
			}
		}
		coords = append(coords, s)
		shape = append(shape, hi+1)
	}
	size := 1
	for _, e := range shape {
		size *= e
	}
	if size > 200000 {
		coords, shape = nil, nil
	}
	b := g.newBuf(g.memory(t), "in", shape)
	id := g.def(t)
	suffix := ""
	switch bounds {
	case 1:
		suffix = fmt.Sprintf(" else %%%d", fill)
	case 2:
		suffix = " clamp"
	}
	g.line("%%%d = load %s b%d[%s]%s", id, t.Short(), b, strings.Join(coords, ", "), suffix)
	return id
}
