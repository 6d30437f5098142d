package plan

import (
	"slices"

	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/shape"
)

// inPlace makes products store to the target of the loop after them, in place of a
// temporary that only this loop reads, element by element.
func inPlace(stages []*Stage) {
	for i := 0; i+1 < len(stages); i++ {
		p, l := stages[i], stages[i+1]
		if p.Kind != Product || l.Kind != Loop || l.Prescan || l.Raises() || p.Out.Mem != nil || len(l.Writes) != 1 {
			continue
		}
		t, w := p.Out, l.Writes[0]
		if w.Mem == nil || w.Type != t.Type || w.Shape.Size() != t.Shape.Size() || !shape.IsContiguous(w.Shape, w.Strides) ||
			slices.ContainsFunc(l.Reads, w.Overlaps) || slices.ContainsFunc(p.Reads, w.Overlaps) || !l.elementwise(t, w) ||
			slices.ContainsFunc(stages, func(s *Stage) bool { return s != p && s != l && s.uses(t) }) {
			continue
		}
		product, loop := *p, *l
		product.Out = in(t, w)
		product.Writes = []*Array{product.Out}
		product.Why += "; the next stage reads its result in the target"
		product.Reads = slices.Clone(p.Reads)
		loop.Bufs, loop.Reads = slices.Clone(l.Bufs), slices.Clone(l.Reads)
		for k, o := range l.Bufs {
			if o.Array != nil && o.Array.Overlaps(t) {
				loop.Bufs[k].Array = in(o.Array, w)
			}
		}
		for k, a := range l.Reads {
			if a.Overlaps(t) {
				loop.Reads[k] = in(a, w)
			}
		}
		stages[i], stages[i+1] = &product, &loop
	}
}

// in returns a view of a temporary as the same view of array w.
func in(a, w *Array) *Array {
	b := *a
	b.Mem, b.Temp, b.Offset, b.Name = w.Mem, 0, a.Offset+w.Offset, w.Name
	return &b
}

// elementwise reports whether a loop loads the elements of t, and stores those of w,
// at one position: no element of t is loaded after the element of w at its position
// is stored.
func (s *Stage) elementwise(t, w *Array) bool {
	space := bound.NewSpace(&s.Kernel.Index, s.Extents, s.Params)
	var first *bound.Form
	for i := range s.Kernel.Access {
		a := &s.Kernel.Access[i]
		o := &s.Bufs[a.Buf]
		if o.Array == nil || !o.Array.Overlaps(t) && !o.Array.Overlaps(w) {
			continue
		}
		from := t
		if o.Array.Mem != nil {
			from = w
		}
		at, ok := s.offset(space, a, o.Array.Offset-from.Offset)
		if !ok || o.Array.Type != t.Type {
			return false
		}
		if first == nil {
			first = &at
		} else if at.C != first.C || !slices.Equal(at.Coef, first.Coef) {
			return false
		}
	}
	return true
}
