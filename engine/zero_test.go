package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// sliceMemory is a memory that Go cannot compare.
type sliceMemory []int

func (sliceMemory) Device() string { return "cpu" }
func (sliceMemory) Size() int      { return 64 }

// none is a nil context.
var none context.Context

// A misuse is a call on a zero or nil value. It returns the error of the call. If
// the call returns no error, it returns nil if the result is the documented one.
type misuse struct {
	name string
	call func() error
	want error // nil: the call returns the documented value
}

// is returns an error if a value is not the documented one.
func is[T comparable](got, want T) error {
	if got != want {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}

func zeroPrograms() []misuse {
	ctx := context.Background()
	var list []misuse
	for name, p := range map[string]*engine.Program{"nil": nil, "zero": {}} {
		list = append(list, []misuse{
			{name + ".Run", func() error { return p.Run(ctx) }, expr.ErrValue},
			{name + ".Run nil", func() error { return p.Run(none) }, expr.ErrValue},
			{name + ".RunAsync nil", func() error { return p.RunAsync(nil).Wait(ctx) }, expr.ErrValue},
			{name + ".RunAsync", func() error {
				s := engine.NewStream()
				defer s.Close()
				return p.RunAsync(s).Wait(ctx)
			}, expr.ErrValue},
			{name + ".Close", func() error { return p.Close() }, nil},
			{name + ".Plan", func() error { return is(p.Plan(), nil) }, nil},
			{name + ".Backend", func() error { return is(p.Backend(), "") }, nil},
			{name + ".Explain", func() error { return is(p.Explain(), "") }, nil},
			{name + ".String", func() error { return is(p.String(), "") }, nil},
			{name + ".Interpreted", func() error { return is(len(p.Interpreted()), 0) }, nil},
		}...)
	}
	return list
}

func zeroArrays() []misuse {
	var list []misuse
	for name, a := range map[string]*engine.Array{"nil array": nil, "zero array": {}} {
		node := func() error { return a.Node().Err() }
		list = append(list, []misuse{
			{name + ".Node", node, expr.ErrType},
			{name + ".DType", func() error { return is(a.DType(), dtype.Invalid) }, nil},
			{name + ".Shape", func() error { return is(len(a.Shape()), 0) }, nil},
			{name + ".Strides", func() error { return is(len(a.Strides()), 0) }, nil},
			{name + ".Offset", func() error { return is(a.Offset(), 0) }, nil},
			{name + ".Memory", func() error { return is(a.Memory(), nil) }, nil},
			{name + ".Device", func() error { return is(a.Device(), "cpu") }, nil},
			{name + ".IsContiguous", func() error { a.IsContiguous(); return nil }, nil},
			{name + ".Rank, Size, Name", func() error { return is(fmt.Sprint(a.Rank(), a.Size(), a.Name()), "0 0") }, nil},
			{name + ".Index", func() error { _, err := a.Index(0); return err }, expr.ErrType},
			{name + ".Named", func() error { return a.Named("x").Node().Err() }, expr.ErrType},
			{name + ".Contiguous", func() error { _, err := a.Contiguous(); return err }, expr.ErrType},
			{name + ".Bytes", func() error { _, err := a.Bytes(); return err }, expr.ErrType},
			{name + ".Span", func() error { _, err := a.Span(); return err }, expr.ErrType},
			{name + ".Transpose", func() error { _, err := a.Transpose(); return err }, expr.ErrType},
			{name + ".Reshape", func() error { _, err := a.Reshape(1); return err }, expr.ErrType},
			{name + ".To", func() error { _, err := a.To(nil); return err }, expr.ErrType},
			{name + ".String", func() error { return is(strings.Contains(fmt.Sprint(a), "0x"), false) }, nil},
			{"TensorOf " + name, func() error { _, err := engine.TensorOf[float32](a); return err }, expr.ErrType},
		}...)
	}
	return list
}

func zeroTensors() []misuse {
	ctx := context.Background()
	x := engine.Zeros[float32](2)
	var list []misuse
	for name, t := range map[string]*engine.Tensor[float32]{"nil tensor": nil, "zero tensor": {}} {
		list = append(list, []misuse{
			{name + ".Node", func() error { return t.Node().Err() }, expr.ErrType},
			{name + ".Err", t.Err, expr.ErrType},
			{name + ".Array", func() error { t.Array(); return nil }, nil},
			{name + ".Shape", func() error { return is(len(t.Shape()), 0) }, nil},
			{name + ".Device", func() error { return is(t.Device(), "cpu") }, nil},
			{name + ".Named", func() error { return t.Named("x").Err() }, expr.ErrType},
			{name + ".Rank, Size, Name", func() error { return is(fmt.Sprint(t.Rank(), t.Size(), t.Name()), "0 0") }, nil},
			{name + ".Index", func() error { return t.Index(0).Err() }, expr.ErrType},
			{name + ".Clone", func() error { return t.Clone().Err() }, expr.ErrType},
			{name + ".Fill", func() error { return t.Fill(1) }, expr.ErrType},
			{name + ".Set", func() error { t.Set(1, 0); return nil }, expr.ErrType},
			{name + ".All", func() error {
				for range t.All() {
					return errors.New("there is an element")
				}
				return nil
			}, nil},
			{"Eval " + name, func() error { _, err := engine.Eval(t); return err }, expr.ErrType},
			{"EvalInto " + name, func() error { return engine.EvalInto(nil, t) }, expr.ErrType},
			{"Item " + name, func() error { _, err := engine.Item(t); return err }, expr.ErrType},
			{name + ".Data", func() error { return is(len(t.Data()), 0) }, nil},
			{name + ".Values", func() error { return is(len(t.Values()), 0) }, nil},
			{name + ".At", func() error { t.At(0); return nil }, expr.ErrType},
			{name + ".String", func() error { return is(strings.Contains(t.String(), "0x"), false) }, nil},
			{name + " printed", func() error { return is(strings.Contains(fmt.Sprintf("%v %.2f %+v", t, t, t), "0x"), false) }, nil},
			{name + ".Slice", func() error { return t.Slice(0, 1).Err() }, expr.ErrType},
			{name + ".Span", func() error { return t.Span().Err() }, expr.ErrType},
			{name + ".Transpose", func() error { return t.Transpose().Err() }, expr.ErrType},
			{name + ".Reshape", func() error { return t.Reshape(2).Err() }, expr.ErrType},
			{name + ".To", func() error { _, err := t.To(engine.CPU()); return err }, expr.ErrType},
			{name + ".Assign", func() error { return t.Assign(x) }, expr.ErrType},
			{name + ".AddAssign", func() error { return t.AddAssign(x) }, expr.ErrType},
			{name + ".SubAssign", func() error { return t.SubAssign(x) }, expr.ErrType},
			{name + ".MulAssign", func() error { return t.MulAssign(x) }, expr.ErrType},
			{name + ".DivAssign", func() error { return t.DivAssign(x) }, expr.ErrType},
			{name + " assigned", func() error { return x.Assign(t) }, expr.ErrType},
			{name + " in an operator", func() error { return x.Assign(op.Exp(t)) }, expr.ErrType},
			{name + " compiled", func() error { _, err := engine.Compile(ctx, expr.Let(x, t)); return err }, expr.ErrType},
			{name + " target", func() error { return engine.Run(ctx, expr.Let(t, x)) }, expr.ErrType},
		}...)
	}
	return append(list, []misuse{
		{"Assign nil", func() error { return x.Assign(nil) }, expr.ErrType},
		{"Eval nil", func() error { _, err := engine.Eval[float32](nil); return err }, expr.ErrType},
		{"EvalInto nil", func() error { return engine.EvalInto[float32](nil, nil) }, expr.ErrType},
		{"Item nil", func() error { _, err := engine.Item[float32](nil); return err }, expr.ErrType},
	}...)
}

func zeroMemories() []misuse {
	s := shape.Shape{2}
	var list []misuse
	for name, m := range map[string]*engine.Memory{"nil memory": nil, "zero memory": {}} {
		wrong := expr.ErrType
		if m != nil {
			wrong = nil
		}
		list = append(list, []misuse{
			{name + ".Device", func() error { return is(m.Device(), "cpu") }, nil},
			{name + ".Size", func() error { return is(m.Size(), 0) }, nil},
			{name + ".Head", func() error { return is(m.Head(), engine.Uninitialized) }, nil},
			{name + ".Head.String", func() error { _ = m.Head().String(); return nil }, nil},
			{name + ".Locate", func() error { return is(m.Locate(), 0) }, nil},
			{name + ".Bytes", func() error { return is(len(m.Bytes()), 0) }, nil},
			{name + ".Allocation", func() error { return is(m.Allocation(), nil) }, nil},
			{name + ".Host", func() error { _, err := m.Host(); return err }, wrong},
			{name + ".MutableHost", func() error { _, err := m.MutableHost(); return err }, wrong},
			{name + ".OnDevice", func() error { _, err := m.OnDevice(); return err }, []error{expr.ErrDevice, wrong}[btoi(wrong != nil)]},
			{name + ".MutableOnDevice", func() error { _, err := m.MutableOnDevice(); return err }, []error{expr.ErrDevice, wrong}[btoi(wrong != nil)]},
			{name + ".Free", func() error { return m.Free() }, wrong},
			{name + ".Rebind", func() error { return m.Rebind(make([]byte, 8)) }, []error{expr.ErrShape, wrong}[btoi(wrong != nil)]},
			{"ArrayOf " + name, func() error { _, err := engine.ArrayOf(m, dtype.F32, s, nil, 0); return err }, []error{expr.ErrShape, wrong}[btoi(wrong != nil)]},
		}...)
	}
	return append(list, misuse{"Head out of range", func() error { return is(engine.Head(200).String(), "Head(200)") }, nil})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func zeroStreams() []misuse {
	ctx := context.Background()
	with := func(f func(driver.Stream) error) func() error {
		return func() error {
			s := engine.NewStream()
			defer s.Close()
			return f(s)
		}
	}
	x := engine.Zeros[float32](2)
	return []misuse{
		{"Go nil", with(func(s driver.Stream) error { s.Go(nil); return s.Sync(ctx) }), expr.ErrValue},
		{"After nil", with(func(s driver.Stream) error { s.After(nil); return s.Sync(ctx) }), nil},
		{"Sync nil", with(func(s driver.Stream) error { return s.Sync(none) }), expr.ErrValue},
		{"Wait nil", with(func(s driver.Stream) error { return s.Record().Wait(none) }), expr.ErrValue},
		{"Go panics", with(func(s driver.Stream) error {
			s.Go(func(context.Context) error { panic("boom") })
			return s.Sync(ctx)
		}), expr.ErrValue},
		{"closed", func() error {
			s := engine.NewStream()
			return errors.Join(s.Close(), s.Close(), s.Record().Wait(ctx))
		}, expr.ErrDevice},
		{"RunAsync nil", func() error {
			p, err := engine.Compile(ctx, expr.Let(x, op.AddScalar(x, 1)))
			if err != nil {
				return err
			}
			if err := p.RunAsync(nil).Wait(ctx); err != nil {
				return err
			}
			return is(x.At(0), 1)
		}, nil},
	}
}

func zeroFunctions() []misuse {
	ctx := context.Background()
	x := engine.Zeros[float32](2)
	ok := expr.Let(x, op.Exp(x))
	odd := tree.NewLeaf(dtype.F32, shape.Shape{2}, &tree.Leaf{Mem: sliceMemory{1}, Strides: shape.Strides{1}})
	cpu := engine.CPU()
	return []misuse{
		{"Compile nil", func() error { _, err := engine.Compile(none, ok); return err }, expr.ErrValue},
		{"CompileWith nil", func() error { _, err := engine.CompileWith(none, engine.Options{}, ok); return err }, expr.ErrValue},
		{"Run nil", func() error { return engine.Run(none, ok) }, expr.ErrValue},
		{"RunWith nil", func() error { return engine.RunWith(none, engine.Options{}, ok) }, expr.ErrValue},
		{"Run nothing", func() error { return engine.Run(ctx) }, nil},
		{"zero statement", func() error { return engine.Run(ctx, expr.Statement{}) }, expr.ErrType},
		{"zero statement after one", func() error { _, err := engine.Compile(ctx, ok, expr.Statement{}); return err }, expr.ErrType},
		{"statement without value", func() error { return engine.Run(ctx, expr.Statement{Target: x.Node()}) }, expr.ErrType},
		{"statement without target", func() error { return engine.Run(ctx, expr.Statement{Value: x.Node()}) }, expr.ErrType},
		{"Statement.String", func() error { _ = expr.Statement{}.String(); return nil }, nil},
		{"saver out of range", func() error {
			return engine.Run(ctx, expr.Statement{Saver: 77, Target: x.Node(), Value: x.Node()})
		}, expr.ErrValue},
		{"negative threads", func() error { return engine.RunWith(ctx, engine.Options{Threads: -1}, ok) }, expr.ErrValue},
		{"unknown backend", func() error { return engine.RunWith(ctx, engine.Options{Backend: "abacus"}, ok) }, expr.ErrDevice},
		{"incomparable memory", func() error { return engine.Run(ctx, expr.Statement{Target: odd, Value: odd}) }, expr.ErrType},
		{"incomparable memories", func() error { return engine.Run(ctx, expr.Statement{Target: x.Node(), Value: odd}) }, expr.ErrType},
		{"NewArray without type", func() error { _, err := engine.NewArray(0, 2); return err }, expr.ErrType},
		{"ArrayOf without type", func() error {
			_, err := engine.ArrayOf(engine.MemoryOf(nil), dtype.Invalid, shape.Shape{0}, nil, 0)
			return err
		}, expr.ErrType},
		{"NewMemory -1", func() error { _, err := engine.NewMemory(-1); return err }, expr.ErrOutOfMemory},
		{"NewMemory most", func() error { _, err := engine.NewMemory(math.MaxInt); return err }, expr.ErrOutOfMemory},
		{"NewSyncedMemory nil", func() error { _, err := engine.NewSyncedMemory(nil, 8); return err }, nil},
		{"MemoryOf nil", func() error { return is(engine.MemoryOf(nil).Size(), 0) }, nil},
		{"FromSlice nil", func() error { _, err := engine.FromSlice[float32](nil); return err }, nil},
		{"CPU.Alloc -1", func() error { _, err := cpu.Alloc(-1); return err }, expr.ErrOutOfMemory},
		{"CPU.Free nil", func() error { return cpu.Free(nil) }, nil},
		{"CPU.Upload nil", func() error { return cpu.Upload(nil, nil, nil) }, expr.ErrDevice},
		{"CPU.Download nil", func() error { return cpu.Download(nil, nil, nil) }, expr.ErrDevice},
	}
}

// TestZeroValues calls everything exported on zero and nil values. Each call must
// return an error of the package or the documented value.
func TestZeroValues(t *testing.T) {
	for _, list := range [][]misuse{zeroPrograms(), zeroArrays(), zeroTensors(), zeroMemories(), zeroStreams(), zeroFunctions()} {
		for _, m := range list {
			t.Run(m.name, func(t *testing.T) {
				defer func() {
					p := recover()
					if p == nil {
						return
					}
					if err, ok := p.(*tree.Error); ok && errors.Is(err, m.want) {
						return // as At documents
					}
					t.Fatalf("panic: %v", p)
				}()
				if err := m.call(); !errors.Is(err, m.want) || m.want == nil && err != nil {
					t.Errorf("got %v, want %v", err, m.want)
				}
			})
		}
	}
}

// TestForgedLeaves makes views with strides and offsets that leave the memory.
func TestForgedLeaves(t *testing.T) {
	m, err := engine.NewMemory(64)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		s      shape.Shape
		st     shape.Strides
		offset int
	}{
		{shape.Shape{2}, shape.Strides{math.MinInt}, 0},
		{shape.Shape{2}, shape.Strides{math.MaxInt}, 1},
		{shape.Shape{3}, shape.Strides{math.MinInt}, 0},
		{shape.Shape{3, 3}, shape.Strides{math.MaxInt/2 + 1, math.MaxInt/2 + 1}, 0},
		{shape.Shape{5, 5}, shape.Strides{1 << (strconv.IntSize - 2), -1 << (strconv.IntSize - 2)}, 0},
		{shape.Shape{2}, shape.Strides{1}, math.MaxInt},
		{shape.Shape{2}, shape.Strides{1}, math.MinInt},
		{shape.Shape{2}, shape.Strides{-1}, 0},
		{shape.Shape{2}, shape.Strides{1}, 15},
		{shape.Shape{2}, shape.Strides{}, 0},
		{shape.Shape{2}, shape.Strides{1, 1}, 0},
		{shape.Shape{1 << (strconv.IntSize - 2)}, shape.Strides{1}, 0},
		{shape.Shape{-1}, nil, 0},
	} {
		if _, err := engine.ArrayOf(m, dtype.F32, c.s, c.st, c.offset); !errors.Is(err, expr.ErrShape) {
			t.Errorf("shape %v, strides %v, offset %d: %v", c.s, c.st, c.offset, err)
		}
	}
	for _, c := range []struct {
		s      shape.Shape
		st     shape.Strides
		offset int
	}{
		{shape.Shape{16}, nil, 0},
		{shape.Shape{16}, shape.Strides{-1}, 15},
		{shape.Shape{1 << (strconv.IntSize - 24)}, shape.Strides{0}, 15},
		{shape.Shape{1, 1}, shape.Strides{math.MinInt, math.MaxInt}, 15},
		{shape.Shape{0, 5}, shape.Strides{math.MinInt, math.MaxInt}, 0},
	} {
		if _, err := engine.ArrayOf(m, dtype.F32, c.s, c.st, c.offset); err != nil {
			t.Errorf("shape %v, strides %v, offset %d: %v", c.s, c.st, c.offset, err)
		}
	}
}
