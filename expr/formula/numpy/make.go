package numpy

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// callFilled returns a value in a shape.
func callFilled(v int) func(c *call) *tree.Node {
	return func(c *call) *tree.Node {
		return untyped.BroadcastTo(integer(v).as(c.dtype(1, dtype.F64)), c.integers(0))
	}
}

func callFull(c *call) *tree.Node {
	return untyped.BroadcastTo(c.as(1, c.dtype(2, c.args[1].dtype())), c.integers(0))
}

func callFilledLike(v int) func(c *call) *tree.Node {
	return func(c *call) *tree.Node {
		n := c.array(0)
		return untyped.BroadcastTo(integer(v).as(c.dtype(1, n.DType())), c.shapeOr(2, n))
	}
}

func callFullLike(c *call) *tree.Node {
	n := c.array(0)
	return untyped.BroadcastTo(c.as(1, c.dtype(2, n.DType())), c.shapeOr(3, n))
}

// shapeOr returns argument i, a shape, or the shape of n.
func (c *call) shapeOr(i int, n *tree.Node) shape.Shape {
	if c.isNone(i) {
		return n.Shape()
	}
	return c.integers(i)
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
	if !ok || n > math.MaxInt32*1024 || n > math.MaxInt || t == dtype.Bool {
		return tree.Errorf(tree.ErrValue, "", "this arange has no possible length or type")
	}
	if isFloat && !fractional(t) {
		return tree.Errorf(tree.ErrUnsupported, "", "an arange of floats in %v is not supported", t)
	}
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

func callAsArray(c *call) *tree.Node { return c.as(0, c.dtype(1, c.args[0].dtype())) }
