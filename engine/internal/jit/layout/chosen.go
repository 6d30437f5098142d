package layout

import (
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// An index may select the rows that are laid across vectors. Its offsets are the same along a
// row: code computes those of as many rows as a vector has lanes at once, and reads each row
// under masks.

// elementOps returns the number of instructions for each element of a map whose rows are
// selected, or 0 if an offset is not the same along a row.
func (l *layouter) elementOps(lines []bound.Line) int {
	needed := make([]bool, len(l.ph.Nodes))
	ops := 0
	for k := len(l.ph.Top) - 1; k >= 0; k-- {
		id := l.ph.Top[k]
		n := &l.ph.Nodes[id]
		if n.Op == ir.Cold {
			return 0
		}
		if !needed[id] && (n.Op < prim.NumOps || n.Op == ir.Load) {
			continue
		}
		ops++
		for _, a := range n.Args {
			if a != lower.None {
				needed[a] = true
			}
		}
	}
	rows := rowNodes{l, lines, make([]bool, len(l.ph.Nodes))}
	for i := range l.bp.Sites {
		g := l.bp.Sites[i].Gather
		if g == nil {
			continue
		}
		if !l.bp.LaidUnit(&Site{Line: lines[i]}) {
			return 0
		}
		for _, d := range g.Dims {
			if !rows.has(d.Coord.Node) {
				return 0
			}
		}
	}
	return ops
}

// rowNodes finds the nodes that have one value for each row.
type rowNodes struct {
	*layouter
	lines []bound.Line
	known []bool // nodes that have
}

// has reports whether a node has one value for each row, and follows from contiguous loads.
func (l *rowNodes) has(id int32) bool {
	if l.known[id] {
		return true
	}
	n := &l.ph.Nodes[id]
	switch {
	case n.Op == ir.Load:
		s := Site{Line: l.lines[n.Aux]}
		lo, hi := l.bp.laidRange(&s)
		row := l.bp.LaidRow(&s)
		if l.bp.Sites[n.Aux].Gather != nil || lo != 0 || hi != 0 || row != 0 && row != 1 || l.ph.Conflict(int(n.Aux)) {
			return false
		}
	case n.Op >= prim.NumOps && n.Op != lower.OpCell:
		return false
	}
	for _, a := range n.Args {
		if a != lower.None && !l.has(a) {
			return false
		}
	}
	l.known[id] = true
	return true
}
