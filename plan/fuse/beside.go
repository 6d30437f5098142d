package fuse

import (
	"slices"

	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/shape"
)

// The limits of beside.
const (
	widePart = 16 // the fewest elements of a row of a wide part
	fewRows  = 32 // the most rows for which a stage takes longer than a single element of each, or two that load nothing
	// shortRun is the work of a run of about 3 us, in bytes that are accessed. A longer run is worth several workers.
	shortRun = 300e3
	// opBytes is the work of an operation on a byte of a value.
	opBytes = .4
	// Rows of more than shortMoved and at most longMoved bytes whose parts are only moved are stored in the order of memory: a stage for
	// each part would bring lines to the first level again. Loops over parts of shorter rows store several rows with one vector, and
	// those of longer ones meet few lines.
	shortMoved = 64
	longMoved  = 8 << 10
	mostArrays = 5 // that have such rows, so that each has a register for its address
)

// beside makes one stage of neighbouring steps that store parts of the same rows, such as the borders and the inside of a
// stencil, if that takes less time. The stage has a loop over the rows, and in it a loop for each part.
func beside(steps []*Step) []*Step {
	if len(steps) < 2 {
		return steps
	}
	var out []*Step
	for len(steps) > 0 {
		n, axis := 1, continuesAlong(steps)
		for axis >= 0 && n < len(steps) && continuesAlong(steps[n-1:]) == axis {
			n++
		}
		if n > 1 && !pays(steps[:n], axis) {
			n = 1
		}
		if n > 1 {
			join(steps[:n], axis)
		}
		out, steps = append(out, steps[0]), steps[n:]
	}
	return out
}

// continuesAlong returns the axis along which the roots of the second step begin where those of the first one end, in the same rows, or -1:
// if there is none, or if one of these steps is no map or can fail. A row has the axes from that one on, several only if it is moved.
func continuesAlong(steps []*Step) (axis int) {
	other := func(s *Step) bool {
		return s.Task != Store || s.Loop.Nest.Kind != Map || s.Loop.Fails || s.Loop.Faults != nil || len(s.Loop.sides) > 0
	}
	if len(steps) < 2 || slices.ContainsFunc(steps[:2], other) || len(steps[0].Loop.Roots) != len(steps[1].Loop.Roots) {
		return -1
	}
	a, b := steps[0].Loop, steps[1].Loop
	last := len(a.Roots[0].Target.Shape) - 1
	for axis = last; axis >= 0; axis-- {
		next := true
		for i := range a.Roots {
			next = next && follows(a.Roots[i].Target, b.Roots[i].Target, axis)
		}
		if next && (axis == last || a.moves(axis) && b.moves(axis)) {
			break
		}
	}
	return axis
}

// follows reports whether the rows of y begin where those of x end along an axis.
func follows(x, y *graph.Array, axis int) bool {
	return x.Mem == y.Mem && x.Temp == y.Temp && len(x.Shape) == len(y.Shape) && axis < len(x.Shape) && slices.Equal(x.Strides, y.Strides) &&
		slices.Equal(x.Shape[:axis], y.Shape[:axis]) && slices.Equal(x.Shape[axis+1:], y.Shape[axis+1:]) && y.Offset == x.Offset+x.Shape[axis]*x.Strides[axis]
}

// moves reports whether a loop only moves elements of rows, or repeats one. The elements of a row from an axis on are contiguous.
func (l *Loop) moves(axis int) bool {
	for i, r := range l.Roots {
		a, t := l.Values[i].Load, r.Target
		repeats := a == nil && len(l.loads) == 0 && r.Value.Work < graph.KeepCost
		if !contiguous(t, axis) || !repeats && (a == nil || !a.Shape.Equal(t.Shape) || !contiguous(a, axis) && a.Strides[len(t.Shape)-1] != 0) {
			return false
		}
	}
	return true
}

// contiguous reports whether the elements of a row are contiguous.
func contiguous(a *graph.Array, axis int) bool {
	return axis < len(a.Shape) && shape.IsContiguous(a.Shape[axis:], a.Strides[axis:])
}

// pays reports whether parts take less time as one stage: a run is short, and there is one row, or a row has a wide part and single
// elements, or parts are only moved. A loop down a column of single elements takes time for each step, but two elements have loops that
// store many rows at once.
func pays(parts []*Step, axis int) bool {
	rows, row, widest, singles, work, narrow, moved := 1, 0, 0, 0, 0., true, true
	var arrays []*graph.Array
	add := func(a *graph.Array) {
		if !slices.ContainsFunc(arrays, func(x *graph.Array) bool { return x.Mem == a.Mem && x.Temp == a.Temp }) {
			arrays = append(arrays, a)
		}
	}
	for _, s := range parts {
		t := s.Loop.Roots[0].Target
		n := s.Loop.row(axis)
		rows, row = t.Shape[:axis].Size(), row+n*t.Type.Size()
		narrow, moved = narrow && min(widest, n) <= 1, moved && s.Loop.moves(axis)
		if widest = max(widest, n); n == 1 && len(s.Loop.loads) > 0 {
			singles++
		}
		accesses := float64(len(s.Loop.loads))
		for _, v := range s.Loop.loads {
			add(v.Load)
		}
		for _, r := range s.Loop.Roots {
			add(r.Target)
			accesses += 1 + opBytes*float64(r.Value.Work)
		}
		work += accesses * float64(t.Shape.Size()*t.Type.Size())
	}
	if rows > 1 && moved && len(arrays) <= mostArrays && shortMoved < row && row <= longMoved {
		return true
	}
	return work <= shortRun && (rows == 1 || narrow && widest >= widePart && (rows <= fewRows || singles > 1))
}

// join makes the loops of parts those of the first. The longest one comes first: workers divide a loop that comes before all stores.
func join(parts []*Step, axis int) {
	var loops []*Loop
	for _, s := range parts {
		l := s.Loop
		dims, outer := l.Nest.Outer, len(graph.LoopShape(l.Roots[0].Target.Shape[:axis]))
		l.Nest = Nest{Kind: Rows, Outer: dims[:outer:outer], Inner: dims[outer:], StoresInner: len(dims) > outer}
		loops = append(loops, l)
	}
	slices.SortStableFunc(loops, func(a, b *Loop) int { return b.row(axis) - a.row(axis) })
	parts[0].Loop, parts[0].Beside = loops[0], loops[1:]
}

// row returns the number of elements of a row of the roots, which has the axes from one on.
func (l *Loop) row(axis int) int { return l.Roots[0].Target.Shape[axis:].Size() }
