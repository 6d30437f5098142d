package numpy

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

func callFull(c *call) *tree.Node {
	return untyped.BroadcastTo(c.as(1, c.dtype(2, c.args[1].dtype())), c.integers(0))
}

func callFullLike(c *call) *tree.Node {
	n := c.array(0)
	s := n.Shape()
	if !c.isNone(3) {
		s = c.integers(3)
	}
	return untyped.BroadcastTo(c.as(1, c.dtype(2, n.DType())), s)
}

// callArange returns start, start+step, ... as NumPy computes it: the step is the
// difference of the first two elements.
func callArange(c *call) *tree.Node {
	start, stop, step := c.args[0].s, c.args[1].s, c.args[2].s
	if c.isNone(1) {
		start, stop = syntax.IntNumber(0), start
	}
	if c.isNone(2) {
		step = syntax.IntNumber(1)
	}
	isFloat := max(start.Class, stop.Class, step.Class) == syntax.Float
	t := dtype.I64
	if isFloat {
		t = dtype.F64
	}
	t = c.dtype(3, t)
	n, ok := arangeLength(start, stop, step)
	stopIf(!ok || n > math.MaxInt32*1024 || n > math.MaxInt || t == dtype.Bool, c.at, tree.ErrValue, "this arange has no possible length or type")
	stopIf(isFloat && !fractional(t), c.at, tree.ErrUnsupported, "an arange of floats in %v is not supported", t)
	i := untyped.Iota(int(n))
	if start.Class == syntax.Int && step.Class == syntax.Int && start.I.Sign() == 0 && step.I.IsInt64() && step.I.Int64() == 1 {
		return cast(i, t)
	}
	next := start
	if n > 1 {
		var err error
		if next, err = binaryScalar("+", start, step); err != nil {
			return tree.Errorf(tree.ErrValue, "", "%s", err)
		}
	}
	wide := t.Register()
	first, second := cast(number(start, t), wide), cast(number(next, t), wide)
	return cast(apply("add", apply("mul", cast(i, wide), apply("sub", second, first)), first), t)
}

// arangeLength returns ceil((stop - start) / step), not below 0.
func arangeLength(start, stop, step syntax.Number) (float64, bool) {
	if !step.Truth() {
		return 0, false
	}
	d, err := binaryScalar("-", stop, start)
	if err != nil {
		return 0, false
	}
	if d.Class != syntax.Float && step.Class != syntax.Float {
		q, err := binaryScalar("//", d, step)
		if err != nil {
			return 0, false
		}
		n, ok := q.Small()
		if r, _ := binaryScalar("%", d, step); r.Truth() {
			n++
		}
		return float64(max(n, 0)), ok
	}
	x, err := d.Float64()
	y, err2 := step.Float64()
	n := math.Ceil(x / y)
	if n == 0 && x != 0 && !math.Signbit(n) { // an infinite step, or underflow
		n = 1
	}
	return math.Max(n, 0), err == nil && err2 == nil && !math.IsNaN(n)
}

// callLinspace has numbers of the formula as constants, and other ends as arrays.
func callLinspace(c *call) *tree.Node {
	var y *tree.Node
	if c.args[0].kind == vScalar && c.args[1].kind == vScalar {
		y = untyped.Compose("linspace", c.options())
	} else {
		y = c.spacedArrays()
	}
	if !c.args[5].given {
		return y
	}
	return untyped.Compose("moveaxis", untyped.Options{Axes: []int{0}, Ints: []int{c.integer(5)}}, y)
}

// spacedArrays returns numbers at equal distances from start to stop, which are arrays, along a new first axis. It
// computes as NumPy does, but rounds halves once.
func (c *call) spacedArrays() *tree.Node {
	n, open := c.integer(2), !c.args[3].s.Truth()
	t := promoted(c.operand(0), c.operand(1))
	if !fractional(t) {
		t = dtype.F64
	}
	wide := t.Register()
	start, stop := cast(c.as(0, t), wide), cast(c.as(1, t), wide)
	delta := apply("sub", stop, start)
	if n < 0 || delta.Err() != nil {
		return first(delta, tree.Errorf(tree.ErrValue, "", "%d numbers between two ends do not exist", n))
	}
	i := untyped.Reshape(untyped.Iota(n), slices.Concat(shape.Shape{n}, ones(len(delta.Shape()))))
	at, parts := cast(i, wide), n
	if !open {
		parts--
	}
	y := apply("mul", at, delta)
	if parts > 0 { // a distance may be too small for a float
		count := tree.ConstInt(wide, int64(parts))
		step := apply("div", delta, count)
		y = apply("where", apply("equal", step, zero(wide).n), apply("mul", apply("div", at, count), delta), apply("mul", at, step))
	}
	y = apply("add", y, start)
	if !open && n > 1 {
		y = apply("where", apply("equal", i, tree.ConstInt(dtype.I64, int64(n-1))), stop, y)
	}
	to := c.dtype(4, t)
	if to.IsInt() {
		y = apply("floor", y)
	}
	return cast(y, to)
}
