package formula

import (
	"math"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
)

// constantArray is a scalar in a shape.
func (b *builder) constantArray(a *ast, v value, t dtype.Type, dims []int) (value, error) {
	n, err := b.as(a, v, t)
	if err != nil {
		return value{}, err
	}
	return b.check(a, op.BroadcastToNode(n, dims), nil)
}

func filled(v int) func(b *builder, c *call) (value, error) {
	return func(b *builder, c *call) (value, error) {
		dims, err := b.integers(c.pos[0], c.args[0], "shape")
		if err != nil {
			return value{}, err
		}
		t, err := b.dtypeArgument(c, 1, dtype.F64)
		if err != nil {
			return value{}, err
		}
		return b.constantArray(c.a, literal(pyInt(v)), t, dims)
	}
}

func full(b *builder, c *call) (value, error) {
	dims, err := b.integers(c.pos[0], c.args[0], "shape")
	if err != nil {
		return value{}, err
	}
	v := c.args[1]
	t, err := b.dtypeArgument(c, 2, v.naturalType())
	if err != nil {
		return value{}, err
	}
	return b.constantArray(c.pos[1], v, t, dims)
}

func filledLike(v int) func(b *builder, c *call) (value, error) {
	return func(b *builder, c *call) (value, error) {
		like, err := b.argument(c, 0)
		if err != nil {
			return value{}, err
		}
		t, err := b.dtypeArgument(c, 1, like.n.DType())
		if err != nil {
			return value{}, err
		}
		return b.constantArray(c.a, literal(pyInt(v)), t, like.n.Shape())
	}
}

func fullLike(b *builder, c *call) (value, error) {
	like, err := b.argument(c, 0)
	if err != nil {
		return value{}, err
	}
	t, err := b.dtypeArgument(c, 2, like.n.DType())
	if err != nil {
		return value{}, err
	}
	return b.constantArray(c.pos[1], c.args[1], t, like.n.Shape())
}

// arange is start, start+step, ... as NumPy computes it: the step is the
// difference of the first two elements.
func arange(b *builder, c *call) (value, error) {
	start, stop, step := c.args[0].s, c.args[1].s, c.args[2].s
	if stop.kind == kNone {
		start, stop = pyInt(0), start
	}
	if step.kind == kNone {
		step = pyInt(1)
	}
	isFloat := start.kind == kFloat || stop.kind == kFloat || step.kind == kFloat
	natural := dtype.I64
	if isFloat {
		natural = dtype.F64
	}
	t, err := b.dtypeArgument(c, 3, natural)
	if err != nil {
		return value{}, err
	}
	count, ok := arangeLength(start, stop, step)
	if !ok || count > math.MaxInt32*1024 || t == dtype.Bool {
		return value{}, b.fail(c.a, expr.ErrValue, "this arange has no possible length or type")
	}
	if isFloat && !t.IsFloat() {
		return value{}, b.fail(c.a, expr.ErrUnsupported, "an arange of floats in %v is not supported", t)
	}
	i := op.IotaNode(int(count))
	if start.kind == kInt && step.kind == kInt && start.i.Sign() == 0 && step.i.IsInt64() && step.i.Int64() == 1 {
		n, err := tree(i).as(t)
		return b.check(c.a, n, err)
	}
	next := start
	if count > 1 {
		if next, err = binaryScalar("+", start, step); err != nil {
			return value{}, b.fail(c.a, expr.ErrValue, "%s", err)
		}
	}
	wide := t.Register()
	var ends [2]*expr.Node
	for k, s := range []scalar{start, next} {
		n, err := scalarNode(s, t)
		if err != nil {
			return b.check(c.a, nil, err)
		}
		ends[k] = cast(n, wide)
	}
	n := op.Apply(operatorRow("mul"), cast(i, wide), op.Apply(operatorRow("sub"), ends[1], ends[0]))
	return b.check(c.a, cast(op.Apply(operatorRow("add"), n, ends[0]), t), nil)
}

// arangeLength is ceil((stop - start) / step), not below 0.
func arangeLength(start, stop, step scalar) (float64, bool) {
	if !step.truth() {
		return 0, false
	}
	d, err := binaryScalar("-", stop, start)
	if err != nil {
		return 0, false
	}
	if d.kind != kFloat && step.kind != kFloat {
		q, err := binaryScalar("//", d, step)
		if err != nil {
			return 0, false
		}
		r, _ := binaryScalar("%", d, step)
		n, ok := q.small()
		return math.Max(float64(n+b2i(r.truth())), 0), ok
	}
	x, err := d.float()
	y, err2 := step.float()
	n := math.Ceil(x / y)
	if n == 0 && x != 0 && !math.Signbit(n) { // an infinite step, or underflow
		n = 1
	}
	return math.Max(n, 0), err == nil && err2 == nil && !math.IsNaN(n)
}

// linspace is num numbers from start to stop.
func linspace(b *builder, c *call) (value, error) {
	var err error
	num, endpoint := 50, true
	if c.set[2] {
		if num, err = b.integer(c.pos[2], c.args[2], "num"); err != nil {
			return value{}, err
		}
	}
	if c.set[3] {
		if endpoint, err = b.truth(c.pos[3], c.args[3], "endpoint"); err != nil {
			return value{}, err
		}
	}
	t, err := b.dtypeArgument(c, 4, dtype.F64)
	if err != nil {
		return value{}, err
	}
	start, err1 := c.args[0].s.float()
	stop, err2 := c.args[1].s.float()
	if err1 != nil || err2 != nil || num < 0 {
		return value{}, b.fail(c.a, expr.ErrValue, "this linspace has no possible length or bound")
	}
	div := num
	if endpoint {
		div--
	}
	i := op.IotaNode(num)
	y := cast(i, dtype.F64)
	first := expr.ConstFloat(dtype.F64, start)
	if div > 0 {
		step := (stop - start) / float64(div)
		if step == 0 {
			y = call2(y, "div", float64(div))
			y = call2(y, "mul", stop-start)
		} else {
			y = call2(y, "mul", step)
		}
	} else {
		y = call2(y, "mul", stop-start)
	}
	v, err := b.row(c.a, "add", y, first)
	if err == nil && endpoint && num > 1 {
		last, lastErr := b.row(c.a, "equal", i, expr.ConstInt(dtype.I64, int64(num-1)))
		if lastErr != nil {
			return value{}, lastErr
		}
		v, err = b.row(c.a, "where", last.n, expr.ConstFloat(dtype.F64, stop), v.n)
	}
	if err != nil || t == dtype.F64 {
		return v, err
	}
	if t.IsInt() { // NumPy rounds down
		if v, err = b.row(c.a, "floor", v.n); err != nil {
			return value{}, err
		}
	}
	return b.check(c.a, cast(v.n, t), nil)
}

// call2 is a float64 row with a scalar.
func call2(n *expr.Node, name string, v float64) *expr.Node {
	o, _ := op.Lookup(name)
	return op.Apply(o, n, expr.ConstFloat(dtype.F64, v))
}

// eye has ones on its k-th diagonal.
func eye(b *builder, c *call) (value, error) {
	n, err := b.integer(c.pos[0], c.args[0], "N")
	if err != nil {
		return value{}, err
	}
	m, k := n, 0
	if c.args[1].kind != vNone {
		if m, err = b.integer(c.pos[1], c.args[1], "M"); err != nil {
			return value{}, err
		}
	}
	if c.set[2] {
		if k, err = b.integer(c.pos[2], c.args[2], "k"); err != nil {
			return value{}, err
		}
	}
	t, err := b.dtypeArgument(c, 3, dtype.F64)
	if err != nil {
		return value{}, err
	}
	rows, err := b.row(c.a, "add", op.NewAxisNode(op.IotaNode(n), 1), expr.ConstInt(dtype.I64, int64(k)))
	if err != nil {
		return value{}, err
	}
	on, err := b.row(c.a, "equal", rows.n, op.IotaNode(m))
	if err != nil {
		return value{}, err
	}
	return b.check(c.a, cast(on.n, t), nil)
}

func asArray(b *builder, c *call) (value, error) {
	t, err := b.dtypeArgument(c, 1, c.args[0].naturalType())
	if err != nil {
		return value{}, err
	}
	n, err := b.as(c.pos[0], c.args[0], t)
	return tree(n), err
}
