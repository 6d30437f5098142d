package untyped

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// The rows of scans. They are in no table: a scan is made of several nodes.
var (
	stateRow = tree.NewOperator(tree.Row{Name: "state", GoName: "Scan", Class: tree.State, Arity: 1, Shape: tree.StateShape})
	scanRow  = tree.NewOperator(tree.Row{Name: "scan", Class: tree.Scan, Arity: -1, Result: tree.ResultFirst, Shape: tree.ScanShape})
	// stepRow is what a step gets for a state, an element and its index. Scan
	// replaces it.
	stepRow = tree.NewOperator(tree.Row{
		Name: "step", GoName: "Scan", Class: tree.State, Shape: tree.StateShape,
		Err: errors.New("a state or an element is used outside of its step"),
	})
)

// ScanOptions says how a scan goes through its elements.
type ScanOptions struct {
	Axis    int  // of the elements and of the outputs; negative ones count from the last
	Length  int  // the number of steps; 0: the extent of the elements along the axis
	Reverse bool // from the end of the axis to its start
}

// A StepFunc returns the next states and the outputs of a step at a position.
type StepFunc func(index *tree.Node, state, x []*tree.Node) (next, out []*tree.Node)

// A ScanResult holds the results of Scan.
type ScanResult struct {
	last, out []*tree.Node
	err       *tree.Node // a node with an error, or nil
}

// Out returns output i of all steps; see [Scanned.Out].
func (r *ScanResult) Out(i int) *tree.Node { return r.pick("output", zero.IfNil(r).out, i) }

// Last returns state i after the last step; see [Scanned.Last].
func (r *ScanResult) Last(i int) *tree.Node { return r.pick("state", zero.IfNil(r).last, i) }

func (r *ScanResult) pick(what string, list []*tree.Node, i int) *tree.Node {
	switch {
	case r != nil && r.err != nil:
		return r.err
	case i < 0 || i >= len(list):
		return tree.Errorf(tree.ErrValue, "Scan", "%s %d of %d", what, i, len(list))
	}
	return list[i]
}

// Scan is op.Scan for untyped trees, and for states and elements of several
// types.
func Scan(first, elements []*tree.Node, o ScanOptions, step StepFunc) *ScanResult {
	s := scan{reverse: o.Reverse}
	if step == nil {
		return failedScan(tree.ErrValue, "the step is nil")
	}
	if err := s.shapes(first, elements, o); err != nil {
		return &ScanResult{err: err}
	}
	return s.trace(first, elements, step)
}

func failedScan(kind error, format string, args ...any) *ScanResult {
	return &ScanResult{err: tree.Errorf(kind, "Scan", format, args...)}
}

// failed returns a node with the error of n.
func failed(n *tree.Node) *tree.Node {
	if n == nil || n.Absent() {
		return tree.Errorf(tree.ErrType, "Scan", "an operand is nil")
	}
	return n
}

// A scan is the state of Scan.
type scan struct {
	axis, length int
	reverse      bool
	step         shape.Shape // of a state
	full         shape.Shape // with the axis
}

// shapes finds the axis, the number of steps and the shape of a step.
func (s *scan) shapes(first, elements []*tree.Node, o ScanOptions) *tree.Node {
	fail := func(format string, args ...any) *tree.Node {
		return tree.Errorf(tree.ErrShape, "Scan", format, args...)
	}
	if len(first) == 0 {
		return fail("there is no first state")
	}
	for _, list := range [][]*tree.Node{first, elements} {
		for _, n := range list {
			if n.Err() != nil {
				return failed(n)
			}
		}
	}
	var err error
	for i, f := range first {
		if s.step, err = shape.Broadcast(s.step, f.Shape()); err != nil {
			return fail("first state %d: %s", i, err)
		}
	}
	rank := len(s.step) + 1
	if len(elements) > 0 {
		rank = len(elements[0].Shape())
	}
	if s.axis, err = shape.Axis(o.Axis, rank); err != nil {
		return fail("%s", err)
	}
	s.length = o.Length
	for i, x := range elements {
		dims := x.Shape()
		switch {
		case len(dims) != rank:
			return fail("elements of rank %d and of rank %d", rank, len(dims))
		case i == 0 && o.Length == 0:
			s.length = dims[s.axis]
		}
		if dims[s.axis] != s.length {
			return fail("%d steps, but elements %d have extent %d along axis %d", s.length, i, dims[s.axis], s.axis)
		}
		if s.step, err = shape.Broadcast(s.step, replaced(dims, s.axis, nil)); err != nil {
			return fail("elements %d: %s", i, err)
		}
	}
	switch {
	case len(s.step) != rank-1:
		return fail("states of rank %d do not fit elements of rank %d", len(s.step), rank)
	case s.length < 0:
		return fail("the number of steps is %d", s.length)
	}
	s.full = s.with(s.length)
	if err := s.full.Check(); err != nil {
		return fail("%s", err)
	}
	return nil
}

// with returns the shape of a step with an axis of extent n.
func (s *scan) with(n int) shape.Shape {
	return append(append(s.step[:s.axis:s.axis], n), s.step[s.axis:]...)
}

// trace calls the step and closes its trees over the states.
func (s *scan) trace(first, elements []*tree.Node, step StepFunc) *ScanResult {
	l := lifter{scan: s, made: map[*tree.Node]*tree.Node{}, depends: map[*tree.Node]bool{}}
	place := func(t dtype.Type, sh shape.Shape, full *tree.Node) *tree.Node {
		p := tree.Untyped(stepRow, sh, t)
		l.made[p], l.depends[p] = full, true
		return p
	}
	states, args := make([]*tree.Node, len(first)), make([]*tree.Node, len(first))
	for i, f := range first {
		f = Reshape(BroadcastTo(f, s.step), s.with(1))
		states[i] = f // one step or none carries nothing
		if s.length > 1 {
			states[i] = tree.ApplyWith(stateRow, tree.Attributes{Axes: []int{s.axis}, Ints: []int{s.length, scalar.FromBool[int](s.reverse)}}, f)
		}
		args[i] = place(f.DType(), s.step, states[i])
	}
	x := lists.Map(elements, func(e *tree.Node) *tree.Node { return place(e.DType(), replaced(e.Shape(), s.axis, nil), e) })
	next, out := step(place(dtype.I64, nil, vectorAlong(Iota(s.length), s.axis, len(s.full))), args, x)
	if len(next) != len(first) {
		return failedScan(tree.ErrValue, "the step returns %d states, not %d", len(next), len(first))
	}
	r := &ScanResult{}
	values := make([]*tree.Node, len(next))
	for i, n := range next {
		values[i] = l.result(fmt.Sprintf("state %d", i), n)
		if err := values[i].Err(); err != nil {
			return &ScanResult{err: values[i]}
		}
		if n.DType() != first[i].DType() {
			return failedScan(tree.ErrType, "state %d is %v and becomes %v", i, first[i].DType(), n.DType())
		}
	}
	loop := Loop{s.axis, values, states}
	for i, n := range out {
		v := l.result(fmt.Sprintf("output %d", i), n)
		if s.length > 1 {
			v = loop.All(v)
		}
		r.out = append(r.out, v)
	}
	for i, v := range values {
		switch s.length {
		case 0:
			v = states[i]
		case 1:
		default:
			v = loop.Last(v)
		}
		r.last = append(r.last, Reshape(v, s.step))
	}
	return r
}

// A Loop has the trees of a scan's step. Package grad makes scans of it.
type Loop struct {
	Axis         int
	Next, States []*tree.Node
}

// NewState returns a state that a scan carries along the axis of n, which is of class
// Scan, from the end at which n stops to the end at which it starts. first has size 1
// along the axis.
func NewState(n, first *tree.Node) *tree.Node {
	if n == nil || n.Err() != nil || n.Op.Class() != tree.Scan {
		return tree.Errorf(tree.ErrType, "NewState", "the operand is no scan")
	}
	states, _ := n.ScanStates()
	return tree.ApplyWith(stateRow, tree.Attributes{Axes: n.Axes, Ints: []int{states[0].Ints[0], 1 - states[0].Ints[1]}}, first)
}

// All returns a value of the step for all steps.
func (l Loop) All(v *tree.Node) *tree.Node { return l.close(v, 0) }

// Last returns a value of the step in the last step. The axis keeps size 1.
func (l Loop) Last(v *tree.Node) *tree.Node { return l.close(v, 1) }

func (l Loop) close(v *tree.Node, last int) *tree.Node {
	args := append(append([]*tree.Node{v}, l.Next...), l.States...)
	return tree.ApplyWith(scanRow, tree.Attributes{Axes: []int{l.Axis}, Ints: []int{last}}, args...)
}

// A lifter copies trees of a step. The copies have the axis of the scan: they are
// the values of all steps.
type lifter struct {
	*scan
	made    map[*tree.Node]*tree.Node
	depends map[*tree.Node]bool // on what the step got
}

// result returns a tree of the step with the shape of all steps.
func (l *lifter) result(what string, n *tree.Node) *tree.Node {
	if n.Err() != nil {
		return failed(n)
	}
	if s, err := shape.Broadcast(n.Shape(), l.step); err != nil || !s.Equal(l.step) {
		return tree.Errorf(tree.ErrShape, "Scan", "%s has shape %v, not that of a state, %v", what, n.Shape(), l.step)
	}
	var bad *tree.Node
	tree.Walk(n, func(n *tree.Node) {
		if _, known := l.depends[n]; known || bad != nil {
			return
		}
		depends := slices.ContainsFunc(n.Args, func(a *tree.Node) bool { return l.depends[a] })
		l.depends[n] = depends
		switch {
		case n.Op == stepRow:
			bad = tree.Errorf(tree.ErrValue, "Scan", "%s uses a state or an element of another scan", what)
		case depends && n.Op.Class() != tree.Elementwise:
			bad = tree.Errorf(tree.ErrUnsupported, "Scan", "%s applies %s to what the step got; a step has element-wise operators only", what, n.Op.Constructor())
		case depends:
			l.made[n] = tree.ApplyWith(n.Op, *n.Attributes, lists.Map(n.Args, l.lift)...)
		}
	})
	if bad != nil {
		return bad
	}
	n = l.lift(n)
	if n.Shape().Equal(l.full) { // a view of a state is an error
		return n
	}
	return BroadcastTo(n, l.full)
}

// lift returns the copy of n. A tree that is the same in each step gets an axis of
// size 1, where its rank reaches the axis of the scan.
func (l *lifter) lift(n *tree.Node) *tree.Node {
	if m := l.made[n]; m != nil {
		return m
	}
	m, s := n, n.Shape()
	if at := l.axis - (len(l.step) - len(s)); at > 0 {
		m = Reshape(n, append(append(s[:at:at], 1), s[at:]...))
	}
	l.made[n] = m
	return m
}

// accumulate returns the composition of a scan whose state is its output: a value
// combined with each element by row. It begins with the identity of a reduction.
func accumulate(row, reduction string) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node {
		a, axis := oneLine(o, x[0])
		t := a.DType()
		if t.IsComplex() {
			r := accumulateComplex(row, Call("real", a), Call("imag", a), axis)
			return Complex(r.Out(0), r.Out(1))
		}
		wide := t.Register()
		r := Scan([]*tree.Node{tree.NewConst(wide, ir.ReductionByName(reduction).Identity(wide))}, []*tree.Node{Cast(a, wide)}, ScanOptions{Axis: axis},
			func(_ *tree.Node, state, x []*tree.Node) (next, out []*tree.Node) {
				s := Call(row, state[0], x[0])
				return []*tree.Node{s}, []*tree.Node{s}
			})
		return Cast(r.Out(0), t)
	}
}

// withoutNaN returns the composition build with v in the place of NaN.
func withoutNaN(v float64, build func(o Options, x ...*tree.Node) *tree.Node) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node {
		a := x[0]
		if t := a.DType(); t.IsFloat() || t.IsComplex() {
			a = Call("where", Call("isnan", a), like(a, v), a)
		}
		return build(o, a)
	}
}

// unwrap finds the differences of neighbours of at least o.Numbers[0], or of half the period
// o.Numbers[1] if that is NaN. To the elements after each it adds a multiple of the period with which
// the difference is at most half the period. A positive difference of just half the period stays,
// unless integers have no such half.
func unwrap(o Options, x ...*tree.Node) *tree.Node {
	p, jump, period := x[0], math.NaN(), 2*math.Pi
	if len(o.Numbers) == 2 {
		jump, period = o.Numbers[0], o.Numbers[1]
	}
	axis := o.axis(-1, len(p.Shape()))
	switch {
	case !(period > 0) || math.IsInf(period, 0):
		return tree.Errorf(tree.ErrValue, "", "the period %v is not above 0", period)
	case math.IsNaN(jump):
		jump = period / 2
	}
	half := like(p, period/2)
	if p.DType().IsInt() {
		half = tree.ConstInt(p.DType(), int64(period)/2)
	}
	low, d := Call("neg", half), diff(Options{Axes: []int{axis}}, p, nil, nil)
	near := Call("add", Call("mod", Call("sub", d, low), like(p, period)), low)
	if !p.DType().IsInt() || math.Mod(period, 2) == 0 {
		up := Call("logical_and", Call("equal", near, low), Call("greater", d, like(p, 0)))
		near = Call("where", up, half, near)
	}
	wide := d
	if d.DType().IsInt() { // a jump may lie between integers
		wide = Cast(d, dtype.F64)
	}
	correction := Call("where", Call("less", Call("abs", wide), like(wide, jump)), like(p, 0), Call("sub", near, d))
	corrections := accumulate("add", "sum")(Options{Axes: []int{axis}}, correction)
	rest := Call("add", cut(p, axis, shape.From(1)), corrections)
	return Concat(axis, []*tree.Node{cut(p, axis, shape.Until(1)), rest})
}
