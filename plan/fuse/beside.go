package fuse

import (
	"slices"

	"github.com/oneloop/oneloop/plan/graph"
)

// The limits of beside.
const (
	widePart = 16 // the fewest elements of a row of a wide part
	fewRows  = 32 // the most rows for which a stage takes longer than a single element of each, or two that load nothing
	// shortRun is the work of a run of about 3 us, in bytes that are accessed. A longer run is worth several workers.
	shortRun = 300e3
	// opBytes is the work of an operation on a byte of a value.
	opBytes = .4
)

// beside makes one stage of neighbouring steps that store parts of the same rows, such as the borders and the inside of a
// stencil, if that takes less time. The stage has a loop over the rows, and in it a loop for each part.
func beside(steps []*Step) []*Step {
	if len(steps) < 2 {
		return steps
	}
	var out []*Step
	for len(steps) > 0 {
		n := 1
		for n < len(steps) && continues(steps[n-1], steps[n]) {
			n++
		}
		if n > 1 && !pays(steps[:n]) {
			n = 1
		}
		if n > 1 {
			join(steps[:n])
		}
		out, steps = append(out, steps[0]), steps[n:]
	}
	return out
}

// continues reports whether the roots of b begin where those of a end, in the same rows, and both are maps that cannot fail.
func continues(a, b *Step) bool {
	other := func(s *Step) bool {
		return s.Task != Store || s.Loop.Nest.Kind != Map || s.Loop.Fails || s.Loop.Faults != nil || len(s.Loop.sides) > 0
	}
	if other(a) || other(b) || len(a.Loop.Roots) != len(b.Loop.Roots) {
		return false
	}
	for i, r := range a.Loop.Roots {
		x, y := r.Target, b.Loop.Roots[i].Target
		last := len(x.Shape) - 1
		if last < 0 || x.Mem != y.Mem || x.Temp != y.Temp || len(y.Shape) != len(x.Shape) || !slices.Equal(x.Shape[:last], y.Shape[:last]) ||
			!slices.Equal(x.Strides, y.Strides) || y.Offset != x.Offset+x.Shape[last]*x.Strides[last] {
			return false
		}
	}
	return true
}

// pays reports whether parts take less time as one stage: a run is short, and there is one row, or a row has a wide part and single
// elements. A loop down a column of single elements takes time for each step, but two elements have loops that
// store many rows at once.
func pays(parts []*Step) bool {
	rows, widest, singles, work := 1, 0, 0, 0.
	for _, s := range parts {
		t := s.Loop.Roots[0].Target
		n := s.Loop.row()
		rows = t.Shape[:len(t.Shape)-1].Size()
		if rows > 1 && min(widest, n) > 1 {
			return false
		}
		if widest = max(widest, n); n == 1 && len(s.Loop.loads) > 0 {
			singles++
		}
		accesses := float64(len(s.Loop.loads))
		for _, r := range s.Loop.Roots {
			accesses += 1 + opBytes*float64(r.Value.Work)
		}
		work += accesses * float64(t.Shape.Size()*t.Type.Size())
	}
	return work <= shortRun && (rows == 1 || widest >= widePart && (rows <= fewRows || singles > 1))
}

// join makes the loops of parts those of the first. The longest one comes first: workers divide a loop that comes before all stores.
func join(parts []*Step) {
	var loops []*Loop
	for _, s := range parts {
		l := s.Loop
		t := l.Roots[0].Target
		dims, outer := l.Nest.Outer, len(graph.LoopShape(t.Shape[:len(t.Shape)-1]))
		l.Nest = Nest{Kind: Rows, Outer: dims[:outer:outer], Inner: dims[outer:], StoresInner: len(dims) > outer}
		loops = append(loops, l)
	}
	slices.SortStableFunc(loops, func(a, b *Loop) int { return b.row() - a.row() })
	parts[0].Loop, parts[0].Beside = loops[0], loops[1:]
}

// row returns the number of elements of a row of the roots.
func (l *Loop) row() int {
	s := l.Roots[0].Target.Shape
	return s[len(s)-1]
}
