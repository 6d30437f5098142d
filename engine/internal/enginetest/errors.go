package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
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

// Errors tests statements that cannot be evaluated. The error must have the right
// kind and name the line that made the statement, and no memory may change.
func Errors(t *testing.T, o Options) {
	t.Run("kinds", func(t *testing.T) { suite{t, o}.each(errorKinds) })
	t.Run("context", func(t *testing.T) { cancelled(suite{t, o}) })
	t.Run("devices", func(t *testing.T) { suite{t, o}.each(devices) })
	t.Run("tensors", func(t *testing.T) { tensorErrors(t) })
}

// A failing is a statement with an error, and the line that made it.
type failing struct {
	name string
	kind error
	stmt expr.Statement
	line int
}

func here() int {
	_, _, line, _ := runtime.Caller(1)
	return line
}

func errorKinds(b backend) {
	f := engine.MustFromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	g := engine.MustFromSlice([]float32{1, 2, 3, 4}, 4)
	i := engine.MustFromSlice([]int32{1, 2, 3}, 3)
	flags := engine.MustFromSlice([]bool{true, false, true}, 3)
	e := engine.Zeros[float32](0, 3)
	row := engine.Zeros[float32](3)
	var none *engine.Tensor[float32]
	var noExp expr.Exp[float32]
	var noParam *expr.Param[float32]
	cases := []failing{
		{"broadcast", tree.ErrShape, expr.Let(f, op.Add(f, g)), here()},
		{"broadcast, deep", tree.ErrShape, expr.Let(f, op.Exp(op.Mul(f, op.Sub(f, g)))), here()},
		{"too large a value", tree.ErrShape, expr.Let[float32](row, f), 0},
		{"axis", tree.ErrShape, expr.Let(f, op.Sum(f, op.Axis(2))), here()},
		{"axis twice", tree.ErrShape, expr.Let(f, op.Sum(f, op.Axis(0, -2))), here()},
		{"permutation", tree.ErrShape, expr.Let(f, op.Transpose[float32](f, 0, 0)), here()},
		{"reshape", tree.ErrShape, expr.Let(f, op.Reshape[float32](f, 4)), here()},
		{"broadcast to", tree.ErrShape, expr.Let(f, op.BroadcastTo[float32](g, 2, 3)), here()},
		{"concat", tree.ErrShape, expr.Let(f, op.Concat[float32](0, f, g)), here()},
		{"pad", tree.ErrShape, expr.Let(f, op.Pad[float32](f, [][2]int{{1, 1}}, 0)), here()},
		{"negative pad", tree.ErrShape, expr.Let(f, op.Pad[float32](g, [][2]int{{-1, 1}}, 0)), here()},
		{"windows", tree.ErrShape, expr.Let(f, op.Windows[float32](g, op.Window{Size: 5})), here()},
		{"inner dimensions", tree.ErrShape, expr.Let(f, op.MatMul[float32](f, f)), here()},
		{"index", tree.ErrIndex, expr.Let[float32](row, op.Index[float32](f, 0, 2)), here()},
		{"maximum of nothing", tree.ErrShape, expr.Let[float32](row, op.Max(e, op.Axis(0))), here()},
		{"minimum of nothing", tree.ErrShape, expr.Let[float32](row, op.Min(e, op.Axis(0))), here()},
		{"mean of nothing", tree.ErrShape, expr.Let[float32](row, op.Mean(e, op.Axis(0))), here()},
		{"argmax of nothing", tree.ErrShape, expr.Let(engine.Zeros[int64](3), op.ArgMax(e, op.Axis(0))), here()},
		{"take of nothing", tree.ErrShape, expr.Let(engine.Zeros[float32](3, 3), op.Take[float32](e, op.Cast[int64](i), 0)), here()},
		{"nil tensor", tree.ErrType, expr.Let(f, op.Add[float32](f, none)), here()},
		{"nil target", tree.ErrType, expr.Let[float32](none, f), 0},
		{"nil expression", tree.ErrType, expr.Let(f, noExp), 0},
		{"nil operand", tree.ErrType, expr.Let(f, op.Exp(noExp)), here()},
		{"nil parameter", tree.ErrType, expr.Let(f, op.Add[float32](f, noParam)), here()},
		{"no statement", tree.ErrType, expr.Statement{}, 0},
		{"fraction", tree.ErrType, expr.Let(i, op.Scale(.5, i)), here()},
		{"scalar out of range", tree.ErrType, expr.Let(engine.Zeros[int8](3), op.AddScalar(engine.Zeros[int8](3), 200)), here()},
		{"element type", tree.ErrType, expr.Let(f, expr.Of[float32](i.Node())), here()},
		{"types differ", tree.ErrType, expr.Statement{Target: f.Node(), Value: untyped.Apply(untyped.Row("add"), f.Node(), i.Node())}, here()},
		{"value of another type", tree.ErrType, expr.Statement{Target: f.Node(), Value: i.Node()}, 0},
		{"condition", tree.ErrType, expr.Statement{Target: f.Node(), Value: untyped.Apply(untyped.Row("where"), f.Node(), f.Node(), f.Node())}, here()},
		{"exponential of integers", tree.ErrType, expr.Statement{Target: i.Node(), Value: untyped.Apply(untyped.Row("exp"), i.Node())}, here()},
		{"sum of bools", tree.ErrType, expr.Statement{Target: flags.Node(), Value: untyped.Reduce("sum", flags.Node(), untyped.Options{})}, here()},
		{"saver of bools", tree.ErrType, expr.Statement{Saver: expr.Plus, Target: flags.Node(), Value: flags.Node()}, 0},
		{"accumulator", tree.ErrType, expr.Let(engine.Zeros[int64](), op.Sum(engine.Zeros[int64](3), op.AccumFloat64())), here()},
		{"target is a tree", tree.ErrType, expr.Statement{Target: op.Exp(f).Node(), Value: f.Node()}, 0},
		{"target overlaps itself", tree.ErrShape, set(array(engine.MemoryOf(make([]byte, 64)), dtype.F32, shape.Shape{2, 3}, shape.Strides{0, 1}, 0).Node(), f.Node()), 0},
		{"target is a concatenation of other shapes", tree.ErrShape, expr.Let(op.Into[float32](0, f, g), op.Full[float32](0)), here()},
	}
	data := append([]float32(nil), f.Data()...)
	for _, c := range cases {
		err := b.run(c.stmt)
		var e *tree.Error
		switch {
		case !errors.Is(err, c.kind):
			b.Errorf("%s: error is %v, want %v", c.name, err, c.kind)
		case !errors.As(err, &e):
			b.Errorf("%s: the error is a %T", c.name, err)
		case strings.Contains(err.Error(), "\n"):
			b.Errorf("%s: the error has several lines: %q", c.name, err)
		case c.line != 0 && (e.File != "errors.go" || e.Line != c.line):
			b.Errorf("%s: the error names %s:%d, not errors.go:%d: %v", c.name, e.File, e.Line, c.line, err)
		}
		if fmt.Sprint(f.Data()) != fmt.Sprint(data) {
			b.Errorf("%s: the target has changed", c.name)
			copy(f.Data(), data)
		}
		// If one statement has an error, the program does not run.
		if err := b.run(expr.Let(f, op.AddScalar(f, 1)), c.stmt); !errors.Is(err, c.kind) || f.Data()[0] != data[0] {
			b.Errorf("%s as second statement: error is %v, first element %v", c.name, err, f.Data()[0])
			copy(f.Data(), data)
		}
	}
}

// cancelled runs with a context that is cancelled before the run, or during it.
func cancelled(s suite) {
	r := newRand(1)
	x := place(r, dtype.F64, packed, tame, 150, 401).Node()
	out := blank(r, dtype.F64, 150, 401).Node()
	st := set(out, apply("pow", apply("exp", x), apply("sin", x)))
	want := evaluate(st.Value)
	for _, b := range s.backends() {
		b.cancelled(st, want)
	}
}

func (b backend) cancelled(st expr.Statement, want *value) {
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := compile(done, b.o, st); !errors.Is(err, context.Canceled) {
		b.Errorf("compiled with a cancelled context: %v", err)
	}
	out := st.Target
	for _, n := range []int{1, 3} {
		b.o.Threads = n
		p := b.compile(st)
		before := read(out)
		if err := p.Run(done); !errors.Is(err, context.Canceled) {
			b.Errorf("run with a cancelled context: %v", err)
		}
		if d := differ(read(out), before); d != "" {
			b.Errorf("a run that was cancelled before it began has stored: %s", d)
		}
		soon, stop := context.WithTimeout(ctx, 1e6) // a millisecond
		if err := p.Run(soon); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			b.Errorf("cancelled while running: %v", err)
		}
		stop()
		if err := p.Run(ctx); err != nil {
			b.Errorf("after a cancelled run: %v", err)
		}
		if d := differ(read(out), want); d != "" {
			b.Errorf("after a cancelled run: %s", d)
		}
		write(out, before)
	}
	r := newRand(2)
	small := set(blank(r, dtype.F32, 3).Node(), place(r, dtype.F32, packed, tame, 3).Node())
	if err := b.compile(small).Run(done); !errors.Is(err, context.Canceled) {
		b.Errorf("a small program run with a cancelled context: %v", err)
	}
}

// elsewhere is memory of a device that does not exist.
type elsewhere struct{}

func (elsewhere) Device() string { return "elsewhere:0" }
func (elsewhere) Size() int      { return 1 << 20 }

func devices(b backend) {
	o := b.o
	o.Backend = "no such backend"
	x := engine.Zeros[float32](3)
	if _, err := compile(ctx, o, expr.Let[float32](x, x)); o.Device == nil && !errors.Is(err, tree.ErrDevice) {
		b.Errorf("a backend that does not exist: %v", err)
	}
	far := tree.NewLeaf(dtype.F32, shape.Shape{3}, &tree.Leaf{Mem: elsewhere{}, Strides: shape.Strides{1}})
	for _, st := range []expr.Statement{
		set(x.Node(), far), set(far, x.Node()), set(far, far), set(x.Node(), apply("add", x.Node(), far)),
		set(x.Node(), untyped.Reduce("sum", far, untyped.Options{})), set(concat(0, x.Node(), far), untyped.Index(x.Node(), 0, 0)),
	} {
		if err := b.run(st); !errors.Is(err, tree.ErrDevice) {
			b.Errorf("arrays of different devices: %v in %v", err, st)
		}
	}
}

// tensorErrors tests the errors of making arrays and views.
func tensorErrors(t *testing.T) {
	var none *engine.Tensor[float32]
	x := engine.Zeros[float32](4, 6)
	second := func(_ any, err error) error { return err }
	for _, c := range []struct {
		name string
		kind error
		err  error
	}{
		{"negative extent", tree.ErrShape, second(engine.New[float32](2, -1))},
		{"huge", tree.ErrShape, second(engine.New[float32](math.MaxInt/2, 8))},
		{"too much memory", tree.ErrOutOfMemory, second(engine.New[float64](min(1<<44, math.MaxInt/8)))},
		{"length", tree.ErrShape, second(engine.FromSlice([]float32{1, 2, 3}, 2, 2))},
		{"outside", tree.ErrShape, second(engine.ArrayOf(engine.MemoryOf(make([]byte, 12)), dtype.F32, shape.Shape{4}, shape.Strides{1}, 0))},
		{"before", tree.ErrShape, second(engine.ArrayOf(engine.MemoryOf(make([]byte, 12)), dtype.F32, shape.Shape{3}, shape.Strides{-1}, 1))},
		{"no type", tree.ErrType, second(engine.ArrayOf(engine.MemoryOf(make([]byte, 12)), dtype.Invalid, shape.Shape{3}, shape.Strides{1}, 0))},
		{"other type", tree.ErrType, second(engine.TensorOf[int32](x.Array()))},
		{"nil array", tree.ErrType, second(engine.TensorOf[int32](nil))},
		{"assign nil", tree.ErrType, none.Assign(x)},
		{"assign to nil", tree.ErrType, x.Assign(none)},
		{"rebind", tree.ErrShape, engine.MemoryOf(make([]byte, 12)).Rebind(make([]byte, 8))},
	} {
		if !errors.Is(c.err, c.kind) {
			t.Errorf("%s: error is %v, want %v", c.name, c.err, c.kind)
		}
	}
}
