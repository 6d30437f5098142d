package op_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

type exps = []expr.Exp[float32]

// TestScanErrors checks that a scan that is wrong gives an error of its kind, which
// names the operator.
func TestScanErrors(t *testing.T) {
	x := engine.MustFromSlice(make([]float32, 12), 3, 4)
	zero := exps{expr.Const[float32](0)}
	same := func(s op.Step[float32]) (next, out exps) { return s.State, s.State }
	var leaked expr.Exp[float32]
	other := op.Scan(zero, exps{x}, op.ScanOptions{}, func(s op.Step[float32]) (next, out exps) {
		leaked = s.State[0]
		return s.State, nil
	})
	if err := other.Last(0).Node().Err(); err != nil {
		t.Fatal(err)
	}
	scan := func(o op.ScanOptions, step func(s op.Step[float32]) (next, out exps)) error {
		return op.Scan(zero, exps{x}, o, step).Out(0).Node().Err()
	}
	for name, c := range map[string]struct {
		err  error
		kind error
		text string
	}{
		"axis":           {scan(op.ScanOptions{Axis: 2}, same), expr.ErrShape, "axis 2 is out of range for rank 2"},
		"length":         {scan(op.ScanOptions{Length: 5}, same), expr.ErrShape, "5 steps, but elements 0 have extent 3 along axis 0"},
		"no elements":    {op.Scan(zero, nil, op.ScanOptions{Length: -1}, same).Out(0).Node().Err(), expr.ErrShape, "the number of steps is -1"},
		"no state":       {op.Scan(nil, exps{x}, op.ScanOptions{}, same).Out(0).Node().Err(), expr.ErrShape, "there is no first state"},
		"state shape":    {op.Scan(exps{engine.MustFromSlice(make([]float32, 3))}, exps{x}, op.ScanOptions{}, same).Out(0).Node().Err(), expr.ErrShape, "elements 0: "},
		"states":         {scan(op.ScanOptions{}, func(op.Step[float32]) (next, out exps) { return nil, nil }), expr.ErrValue, "the step returns 0 states, not 1"},
		"outputs":        {op.Scan(zero, exps{x}, op.ScanOptions{}, same).Out(1).Node().Err(), expr.ErrValue, "output 1 of 1"},
		"nil output":     {scan(op.ScanOptions{}, func(s op.Step[float32]) (next, out exps) { return exps{nil}, nil }), expr.ErrType, "op.Scan: an operand is nil"},
		"nil state":      {op.Scan(exps{nil}, exps{x}, op.ScanOptions{}, same).Out(0).Node().Err(), expr.ErrType, "op.Scan: an operand is nil"},
		"nil elements":   {op.Scan(zero, exps{nil}, op.ScanOptions{}, same).Out(0).Node().Err(), expr.ErrType, "op.Scan: an operand is nil"},
		"larger":         {scan(op.ScanOptions{}, func(s op.Step[float32]) (next, out exps) { return exps{op.Add(s.State[0], x)}, nil }), expr.ErrShape, "state 0 has shape [3 4], not that of a state, [4]"},
		"view":           {scan(op.ScanOptions{}, func(s op.Step[float32]) (next, out exps) { return exps{op.Flip(s.X[0])}, nil }), expr.ErrUnsupported, "state 0 applies Slice to what the step got"},
		"reduction":      {scan(op.ScanOptions{}, func(s op.Step[float32]) (next, out exps) { return exps{op.Sum(s.X[0])}, nil }), expr.ErrUnsupported, "state 0 applies"},
		"another scan":   {scan(op.ScanOptions{}, func(s op.Step[float32]) (next, out exps) { return exps{op.Add(s.State[0], leaked)}, nil }), expr.ErrValue, "state 0 uses a state or an element of another scan"},
		"error of step":  {scan(op.ScanOptions{}, func(s op.Step[float32]) (next, out exps) { return exps{op.Sum(x, op.Axis(7))}, nil }), expr.ErrShape, "axis 7"},
		"type":           {typeOfState(x), expr.ErrType, "state 0 is float32 and becomes float64"},
		"outside":        {func() error { _, err := engine.Eval(op.Neg(leaked)); return err }(), expr.ErrType, "a state or an element is used outside of its step"},
		"hand-made view": {handMade(other.Last(0).Node()), expr.ErrUnsupported, "which is not element-wise"},
		"open":           {open(other.Last(0).Node()), expr.ErrValue, "a state is used outside of its scan"},
	} {
		if !errors.Is(c.err, c.kind) || !strings.Contains(c.err.Error(), c.text) {
			t.Errorf("%s: %v, want %v: %s", name, c.err, c.kind, c.text)
		}
	}
}

func typeOfState(x expr.Exp[float32]) error {
	return untyped.Scan([]*tree.Node{tree.ConstFloat(dtype.F32, 0)}, []*tree.Node{x.Node()}, op.ScanOptions{}, func(_ *tree.Node, s, _ []*tree.Node) (next, out []*tree.Node) {
		return []*tree.Node{untyped.Cast(s[0], dtype.F64)}, s
	}).Out(0).Err()
}

// stateOf returns the state of a scan: a node that no function returns.
func stateOf(n *tree.Node) *tree.Node {
	for n.Op.Class() != tree.Scan {
		n = n.Args[0]
	}
	states, _ := n.ScanStates()
	return states[0]
}

func open(n *tree.Node) error {
	s := stateOf(n)
	y, err := engine.New[float32](s.Shape()...)
	if err != nil {
		return err
	}
	return y.Assign(op.Neg(expr.Of[float32](s)))
}

func handMade(n *tree.Node) error {
	s := stateOf(n)
	y, err := engine.New[float32](s.Shape()...)
	if err != nil {
		return err
	}
	return y.Assign(op.Flip(expr.Of[float32](s)))
}

// TestScanFewSteps checks scans of no step and of one.
func TestScanFewSteps(t *testing.T) {
	for n := range 3 {
		x := engine.MustFromSlice(make([]float32, 2*n), n, 2)
		for i := range x.Data() {
			x.Data()[i] = float32(i + 1)
		}
		r := op.Scan(exps{expr.Const[float32](10)}, exps{x}, op.ScanOptions{}, func(s op.Step[float32]) (next, out exps) {
			return exps{op.Add(s.State[0], s.X[0])}, exps{op.Mul(s.State[0], op.Cast[float32](s.Index))}
		})
		last, err := engine.Eval(r.Last(0))
		if err != nil {
			t.Fatal(err)
		}
		if want := []float32{10, 11, 14}[n]; last.Data()[0] != want || len(last.Data()) != 2 && n > 0 {
			t.Errorf("%d steps: last %v, want %v first", n, last.Data(), want)
		}
		if n > 0 {
			out, err := engine.Eval(r.Out(0))
			if err != nil || len(out.Data()) != 2*n || out.Data()[2*n-1] != []float32{0, 0, 12}[n] {
				t.Errorf("%d steps: outputs %v, %v", n, out, err)
			}
		}
	}
}

// TestTurnedScans compares scans of reversed elements in reverse, in new tensors, in place, added to what is there and along rows of
// narrow integers, with sums from the end.
func TestTurnedScans(t *testing.T) {
	for _, c := range []struct {
		dims  []int
		axis  int
		flips []int
	}{{[]int{7}, 0, []int{0}}, {[]int{40, 33}, 0, []int{0}}, {[]int{30, 150}, 1, []int{1}}, {[]int{5, 6, 7}, 1, []int{0, 1}}, {[]int{9, 20}, 1, []int{0}}, {[]int{1, 12}, 1, []int{0, 1}}} {
		turned[float32](t, c.dims, c.axis, c.flips)
		turned[uint8](t, c.dims, c.axis, c.flips)
		turned[int16](t, c.dims, c.axis, c.flips)
	}
}

func turned[T float32 | uint8 | int16](t *testing.T, dims []int, axis int, flips []int) {
	x := engine.MustFromSlice(make([]T, shape.Shape(dims).Size()), dims...)
	for i := range x.Data() {
		x.Data()[i] = T(i % 7)
	}
	flipped, err := engine.Eval(op.Flip(x, flips...))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := engine.Eval(op.CumSum(flipped, axis))
	if err != nil {
		t.Fatal(err)
	}
	want, err := engine.Eval(op.Flip(sums, flips...)) // of an array
	if err != nil {
		t.Fatal(err)
	}
	e := op.Flip(op.CumSum(op.Flip(x, flips...), axis), flips...)
	got, err := engine.Eval(e)
	if err != nil || !slices.Equal(got.Data(), want.Data()) {
		t.Errorf("%v %v: %v, want %v; %v", dims, flips, got, want, err)
	}
	if err := got.AddAssign(e); err != nil || got.Data()[0] != 2*want.Data()[0] {
		t.Errorf("%v %v, added: %v, want twice %v; %v", dims, flips, got, want, err)
	}
	if err := x.Assign(e); err != nil || !slices.Equal(x.Data(), want.Data()) {
		t.Errorf("%v %v in place: %v, want %v; %v", dims, flips, x, want, err)
	}
}

// TestTurnedParts stores parts of complex numbers that are scans in reverse, in two ways. Each is computed before the other one is stored.
func TestTurnedParts(t *testing.T) {
	z := engine.MustFromSlice([]complex128{1 + 5i, 2 + 6i, 3 + 7i, 4 + 8i}, 2, 2)
	re, im := op.RealPart[float64](z), op.ImagPart[float64](z)
	err := z.Assign(op.Complex[complex128](op.Flip(op.CumSum(im, 0), 0), op.Flip(op.CumSum(re, 1), 1)))
	if want := []complex128{12 + 3i, 14 + 1i, 5 + 7i, 6 + 3i}; err != nil || !slices.Equal(z.Data(), want) {
		t.Errorf("%v, want %v: %v", z, want, err)
	}
}
