package plan

import (
	"slices"

	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// Limits of tiles.
const (
	// tileBytes is the size of a row of a block.
	tileBytes = 1 << 10
	// mostTileBytes is the size of a row of the result that needs no blocks.
	mostTileBytes = 16 << 10
	// leastTile is the size of one matrix, and leastTiles the size of all, in bytes, from which
	// tiles pay. Smaller ones stay in a first-level cache anyway.
	leastTile  = 4 << 10
	leastTiles = 64 << 10
	// mostTileTerms is the largest number of terms for which they pay: for more, a pass
	// over the result is a small part of the time of the product.
	mostTileTerms = 8 << 10
)

// tile makes chains of products and the loops after them, which run on tiles. If always
// is set, it also makes those that do not pay.
func tile(stages []*Stage, always bool) (out []*Stage) {
	if !slices.ContainsFunc(stages, func(s *Stage) bool { return s.Kind == Product }) {
		return stages
	}
	for i := 0; i < len(stages); i++ {
		s := stages[i]
		if s.Kind == Product {
			if t := tiled(stages[i:], always); t != nil {
				s = t
				i += len(t.Parts) - 1
			}
		}
		out = append(out, s)
	}
	return out
}

// tiled returns the chain of the first stage, a product, and the loops after it; or nil.
func tiled(stages []*Stage, always bool) *Stage {
	p := stages[0]
	if !chains(p) || len(p.B.Shape) < 2 || !tilesPay(p, always) {
		return nil
	}
	rows, n := graph.LoopShape(p.outRows()), p.columns()
	if p.whole(nil) || len(rows) == 0 || n < 2 || p.ShapeA[len(p.ShapeA)-2] < 2 {
		return nil
	}
	parts := []*Stage{p}
	for _, s := range stages[1:] {
		more := append(slices.Clip(parts), s)
		if s.Kind != Loop || !chains(s) || s.Raises() || !follows(parts, s) || overlap(s.Writes, p.Reads) || !s.hasRows(rows) || !alignedTiles(more, rows) {
			break
		}
		parts = more
	}
	if len(parts) == 1 {
		return nil
	}
	t := &Tiles{Rows: shape.Shape(rows).Size(), Columns: n}
	size := p.Out.Type.Size()
	if cuts, inner := columnAxes(parts, rows, n); cuts != nil && (n*size >= 2*tileBytes || always) && n/inner > 1 {
		t.cut(parts, cuts, max(1, min(tileBytes/size/inner, (n/inner+1)/2)), inner)
	} else if n*size > mostTileBytes {
		return nil
	}
	c := &Stage{Kind: Chain, Why: "its loops run on what the product has just stored", Parts: parts, Tiles: t}
	for i, s := range parts {
		if i > 0 && t.Columns == n {
			k, loop := *s.Kernel, *s
			k.InOrder, loop.Kernel = true, &k
			parts[i] = &loop
		}
		c.Writes = c.outside(c.Writes, s.Writes)
		c.Reads = c.outside(c.Reads, slices.DeleteFunc(slices.Clone(s.Reads), func(a *Array) bool { return i > 0 && a.Overlaps(p.Out) }))
	}
	return c
}

// tilesPay reports whether tiles of a product pay.
func tilesPay(p *Stage, always bool) bool {
	size := p.Out.Type.Size()
	matrix := p.ShapeA[len(p.ShapeA)-2] * p.columns() * size
	return always || matrix >= leastTile && p.Out.Shape.Size()*size >= leastTiles && p.ShapeA[len(p.ShapeA)-1] <= mostTileTerms
}

// alignedTiles reports whether each loop accesses what another part writes only in the
// rows that it computes.
func alignedTiles(parts []*Stage, rows []int) bool {
	return apart(parts, func(i int, w *Array) bool { return i == 0 || parts[i].within(w, rows) })
}

// columnAxes returns for each loop of parts the outermost axis of the n columns, and the number
// of columns of one position. It returns nil if a loop does more than compute each element of
// the rows from those of other parts at its place.
func columnAxes(parts []*Stage, rows []int, n int) (cuts []int, within int) {
	var axes [][]int32
	for _, s := range parts[1:] {
		k := s.Kernel
		list := s.mainAxes()[len(rows):]
		if kind, loop := bound.UnitsOf(k); kind == bound.RowUnits && len(list) == 0 {
			list = inner(k, loop)
		}
		size := lists.Product(s.Extents, list)
		if len(list) == 0 || size != n || len(k.Reducers) > 0 || slices.ContainsFunc(k.Bufs, func(b ir.Buf) bool { return b.Mode == ir.Row }) {
			return nil, 0
		}
		axes, cuts = append(axes, list), append(cuts, int(list[0]))
		if size /= s.Extents[list[0]]; len(axes) > 1 && size != within {
			return nil, 0
		}
		within = size
	}
	for i, s := range parts {
		for _, w := range s.Writes {
			for j, t := range parts[1:] {
				if i != j+1 && !t.atPlace(w, rows, axes[j]) || i > 0 && !parts[i].atPlace(w, rows, axes[i-1]) {
					return nil, 0
				}
			}
		}
	}
	return cuts, within
}

// inner returns the axes of the only loop in a loop, or nil.
func inner(k *ir.Kernel, loop int32) (axes []int32) {
	if len(k.Loops) != 2 {
		return nil
	}
	for _, in := range k.Regions[k.Loops[loop].Body].Code {
		if in.Op == ir.For {
			axes = k.Loops[in.Aux].Axes
		}
	}
	return axes
}

// atPlace reports whether a loop accesses the elements of w only at its row and column, which
// some axes are.
func (s *Stage) atPlace(w *Array, rows []int, columns []int32) bool {
	steps, step := make([]int, len(s.Extents)), 1 // by axis
	for _, x := range slices.Backward(columns) {
		steps[x] = step
		step *= s.Extents[x]
	}
	main := s.mainAxes()
	for i := range s.Kernel.Access {
		a := &s.Kernel.Access[i]
		if x := s.Bufs[a.Buf].Array; x == nil || !x.Overlaps(w) {
			continue
		}
		at, ok := s.inRow(a, w, rows)
		if !ok || at.C != 0 {
			return false
		}
		for d, c := range at.Coef {
			if c != steps[d] && !slices.Contains(main[:len(rows)], int32(d)) {
				return false
			}
		}
	}
	return true
}

// cut divides the columns of the loops into blocks of size positions of an axis, which have
// within columns each.
func (t *Tiles) cut(parts []*Stage, axes []int, size, within int) {
	n := t.Columns / within
	t.Columns = size * within
	for i, s := range parts[1:] {
		old := s.Kernel
		k, out := *old, *s
		w := newBlocker(s, &k, &out, axes[i], n, size)
		_, main := bound.UnitsOf(old)
		l := &k.Loops[main]
		l.Axes = append([]int32{int32(out.cut.block)}, l.Axes...)
		for i := range w.k.Access {
			w.k.Access[i].Coords = w.exprs(w.k.Access[i].Coords)
		}
		w.indices()
		parts[i+1] = &out
	}
}
