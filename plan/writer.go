package plan

import (
	"slices"
	"strconv"
	"sync"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/slab"
	"github.com/oneloop/oneloop/plan/fuse"
	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// A writer writes the kernel of a loop. It writes the values at coordinates, and
// remembers those that it wrote. Coordinates are index expressions, one for
// each axis of the node. A view maps coordinates to coordinates of its operands.
type writer struct {
	loop *fuse.Loop
	task fuse.Task
	b    *ir.Builder
	p    *prim.B
	ix   *prim.IxTable
	own  prim.B
	maps graph.Reader // writes the reads of views

	axes    []int // of the kernel, outer then inner
	ops     []Operand
	full    []bool // by buffer: whether all axes have coordinates, also axes of size 1
	params  []int
	scalars []Scalar
	values  []prim.V // of the scalars
	extents []int

	memo    []prim.V               // the last result of each value, by number
	stack   []prim.V               // operands of the nodes that are being written
	reduced map[*graph.Node]prim.V // the reductions of earlier phases
	rows    map[*fuse.Value]int    // the row buffers
	sides   []*fuse.Value          // the side outputs that are stored
	scans   []*fuse.Value          // the scans of the open loop
	carried []carried              // their states

	faults  faults
	origins *graph.Origins // or nil
	lists   slab.Slab[int] // of the stage
	err     error
}

// A carried is a state of a scan in the open loop.
type carried struct {
	state, scan *fuse.Value
	carry, next prim.V
	last        prim.V // after the loop
}

func newWriter(s *fuse.Step) *writer {
	w := writers.Get().(*writer)
	w.loop, w.task, w.b = s.Loop, s.Task, ir.NewBuilder(kernelName(s.Loop))
	w.memo = slices.Grow(w.memo, int(s.Loop.Len))[:s.Loop.Len]
	clear(w.memo)
	cost := 0
	for _, r := range s.Loop.Roots {
		cost += r.Value.Cost
	}
	nest := &s.Loop.Nest
	w.b.Expect(min(cost, 2*graph.MaxCost))
	w.own, w.ix = *prim.NewB(w.b), &w.b.K.Index
	w.p = &w.own
	w.extents, w.ops = w.ints(len(nest.Outer) + len(nest.Inner) + len(s.Beside))[:0], make([]Operand, 0, 4)
	w.addAxes(nest.Outer)
	w.addAxes(nest.Inner)
	w.maps.B, w.maps.Ix = w.b, w.ix
	return w
}

// addAxes adds axes to the kernel and to those of the loop.
func (w *writer) addAxes(extents []int) {
	for _, d := range extents {
		w.axes = append(w.axes, w.b.Axis(numbered(axisNames, len(w.extents))))
		w.extents = append(w.extents, d)
	}
}

// turnTo makes l, which has the same outer axes, the loop that is written.
func (w *writer) turnTo(l *fuse.Loop) {
	w.axes = w.axes[:len(w.loop.Nest.Outer)]
	w.loop = l
	w.addAxes(l.Nest.Inner)
	w.memo = slices.Grow(w.memo[:0], int(l.Len))[:l.Len]
	clear(w.memo)
}

// writers has writers without loops.
var writers = sync.Pool{New: func() any {
	w := &writer{}
	w.maps.Int, w.maps.Value = w.int, func(ix prim.Ix) prim.V { return w.b.Value(ix) }
	return w
}}

// free lets other writers use the memory of w, which may not be used any more. The stage stays.
func (w *writer) free() {
	w.b.Free()
	w.maps.B, w.maps.Ix = nil, nil
	*w = writer{maps: w.maps, axes: w.axes[:0], full: w.full[:0], memo: w.memo[:0], stack: w.stack[:0], values: w.values[:0]}
	writers.Put(w)
}

// ints returns a list of n zeros that the stage may keep.
func (w *writer) ints(n int) []int { return w.lists.List(n, 16) }

// The names of the first axes, buffers and row buffers, in a row.
const (
	axisNames = "i0i1i2i3i4i5i6i7i8i9"
	bufNames  = "b0b1b2b3b4b5b6b7b8b9"
	rowNames  = "r0r1r2r3r4r5r6r7r8r9"
)

// numbered returns name number i of those that begin with names.
func numbered(names string, i int) string {
	if 2*i < len(names) {
		return names[2*i : 2*i+2]
	}
	return names[:1] + strconv.Itoa(i)
}

func (w *writer) outerAxes() []int { return w.axes[:len(w.loop.Nest.Outer)] }
func (w *writer) innerAxes() []int { return w.axes[len(w.loop.Nest.Outer):] }

// at returns coordinates as index expressions.
func (w *writer) at(coords []graph.Coord) []prim.Ix {
	out := make([]prim.Ix, len(coords))
	for i, c := range coords {
		if c == graph.Zero {
			out[i] = w.ix.Const(0)
		} else if out[i] = w.ix.Axis(w.axes[c]); w.loop.Nest.Reversed && int(c) >= len(w.loop.Nest.Outer) {
			out[i] = w.ix.Add(w.ix.Mul(out[i], w.ix.Const(-1)), w.int(w.extents[c]-1))
		}
	}
	return out
}

// aligned returns the coordinates of an operand of shape s after broadcasting.
func (w *writer) aligned(coords []prim.Ix, s shape.Shape) []prim.Ix {
	coords = coords[len(coords)-len(s):]
	if slices.Contains(s, 1) {
		coords = slices.Clone(coords)
		for i, d := range s {
			if d == 1 {
				coords[i] = w.ix.Const(0)
			}
		}
	}
	return coords
}

// int returns the index expression of a run-time integer. 0, 1 and -1 are
// constants.
func (w *writer) int(v int) prim.Ix {
	if v >= -1 && v <= 1 {
		return w.ix.Const(int64(v))
	}
	if i := slices.Index(w.params, v); i >= 0 {
		return w.ix.Param(i)
	}
	w.params = append(w.params, v)
	return w.b.Param()
}

// scalar returns a scalar, which all loops of the kernel share.
func (w *writer) scalar(n *graph.Node, s Scalar) prim.V {
	t := n.Type.Register()
	for i, v := range w.values {
		if v.Type == t && w.scalars[i] == s {
			w.b.Mark(v)
			return v
		}
	}
	v := w.b.Scalar(t)
	w.scalars, w.values = append(w.scalars, s), append(w.values, v)
	return v
}

// load returns an element of an array. Only a guarded load has a fill.
func (w *writer) load(a *Array, coords []prim.Ix, bounds ir.Bounds, fill prim.V) prim.V {
	full := bounds != ir.InBounds
	buf := w.buf(a, full, ir.In)
	if !full {
		coords = dropUnit(coords, a.Shape)
	} else if bounds == ir.Guarded && !fill.Type.Valid() {
		fill = w.p.Bits(a.Type.Register(), 0)
	}
	return w.b.Load(buf, bounds, coords, fill)
}

func (w *writer) store(a *Array, coords []prim.Ix, v prim.V) {
	w.b.Store(w.buf(a, false, ir.Out), dropUnit(coords, a.Shape), v)
}

func dropUnit(coords []prim.Ix, s shape.Shape) []prim.Ix {
	if !slices.Contains(s, 1) {
		return coords
	}
	var out []prim.Ix
	for i, c := range coords {
		if s[i] != 1 {
			out = append(out, c)
		}
	}
	return out
}

// buf returns the number of the kernel's buffer for an array. Arrays that differ by axes of size 1 share it, unless it is full.
func (w *writer) buf(a *Array, full bool, mode ir.Mode) int {
	op := Operand{Array: a, Extents: w.ints(len(a.Shape))[:0], Strides: w.ints(len(a.Shape))[:0]}
	for i, d := range a.Shape {
		if full || d != 1 {
			op.Extents = append(op.Extents, d)
			op.Strides = append(op.Strides, a.Strides[i])
		}
	}
	for i, o := range w.ops {
		if o.Array != nil && w.full[i] == full && o.Array.SameStart(a) && slices.Equal(o.Extents, op.Extents) && slices.Equal(o.Strides, op.Strides) {
			if b := &w.b.K.Bufs[i]; b.Mode != mode {
				b.Mode = ir.InOut
			}
			return i
		}
	}
	return w.add(op, full, ir.Buf{Name: bufNames, Type: a.Type, Mode: mode, Rank: len(op.Extents)})
}

func (w *writer) add(op Operand, full bool, b ir.Buf) int {
	b.Name = numbered(b.Name, len(w.ops))
	w.ops = append(w.ops, op)
	w.full = append(w.full, full)
	return w.b.Buf(b)
}

// rowBuf returns the number of a new row buffer for n.
func (w *writer) rowBuf(n *graph.Node) int {
	axes := lists.Map(w.innerAxes(), func(a int) int32 { return int32(a) })
	return w.add(Operand{}, false, ir.Buf{Name: rowNames, Type: n.Type.Register(), Mode: ir.Row, Rank: len(axes), Axes: axes})
}

// faults tracks the uses of values. A fault counts only if the value is
// demanded: where `where` does not select a value, its faults are ignored. Each
// use is an edge with the condition under which it demands the value.
type faults struct {
	on    bool
	edges map[*fuse.Value][]edge
	roots map[*fuse.Value]bool
	list  []fault
	sites []Fault // all faults that the kernel can raise
	// stored has the sites of the nodes whose faults are stored with them.
	stored map[*graph.Node][]Fault
}

type edge struct {
	user   *fuse.Value
	cond   prim.V // the zero V means always
	negate bool
}

type fault struct {
	value *fuse.Value
	at    prim.V
	kind  ir.FaultKind
}
