package tree_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// constant returns a scalar as text, or "error".
func constant(n *tree.Node) string {
	if n.Err() != nil {
		if !errors.Is(n.Err(), expr.ErrType) {
			return n.Err().Error()
		}
		return "error"
	}
	return n.String()
}

func TestConstFloat(t *testing.T) {
	for _, c := range []struct {
		t    dtype.Type
		v    float64
		want string
	}{
		{dtype.F64, .1, "0.1"},
		{dtype.F32, .1, "0.1"},
		{dtype.F32, 1e39, "+Inf"},
		{dtype.F16, .1, "0.099975586"},
		{dtype.F16, 65520, "+Inf"},
		{dtype.F16, 65519.9999999, "65504"},
		{dtype.F16, 1.00048828125001, "1.0009766"}, // of float32 it is the middle between two halves
		{dtype.F16, -1.00048828124999, "-1"},
		{dtype.BF16, 1.0117187499999998, "1.0078125"},
		{dtype.BF16, 1.01171875, "1.015625"},
		{dtype.F16, 0x1.0000000000001p-25, "5.9604645e-08"},
		{dtype.BF16, .1, "0.100097656"},
		{dtype.I8, 127, "127"},
		{dtype.I8, 128, "error"},
		{dtype.I8, -128, "-128"},
		{dtype.I8, -129, "error"},
		{dtype.I8, .5, "error"},
		{dtype.U8, 255, "255"},
		{dtype.U8, 256, "error"},
		{dtype.U8, -1, "error"},
		{dtype.I32, math.MaxInt32, "2147483647"},
		{dtype.I32, math.MaxInt32 + 1, "error"},
		{dtype.U32, math.MaxUint32, "4294967295"},
		{dtype.I64, -0x1p63, "-9223372036854775808"},
		{dtype.I64, 0x1p63, "error"},
		{dtype.U64, 0x1p63, "9223372036854775808"},
		{dtype.U64, 0x1p64, "error"},
		{dtype.I64, math.Inf(1), "error"},
		{dtype.I64, math.NaN(), "error"},
		{dtype.Bool, 1, "True"},
		{dtype.Bool, 0, "False"},
		{dtype.Bool, 2, "error"},
	} {
		if got := constant(tree.ConstFloat(c.t, c.v)); got != c.want {
			t.Errorf("%v %v is %s, want %s", c.t, c.v, got, c.want)
		}
	}
}

func TestConstInt(t *testing.T) {
	for _, c := range []struct {
		t    dtype.Type
		v    int64
		want string
	}{
		{dtype.I8, -128, "-128"},
		{dtype.I8, 128, "error"},
		{dtype.U8, 255, "255"},
		{dtype.U8, 256, "error"},
		{dtype.U8, -1, "error"},
		{dtype.I32, math.MinInt32, "-2147483648"},
		{dtype.I32, math.MinInt32 - 1, "error"},
		{dtype.U32, math.MaxUint32, "4294967295"},
		{dtype.U32, math.MaxUint32 + 1, "error"},
		{dtype.I64, math.MinInt64, "-9223372036854775808"},
		{dtype.U64, math.MaxInt64, "9223372036854775807"},
		{dtype.U64, -1, "error"},
		{dtype.F32, 3, "3"},
		{dtype.F16, 2049, "2048"},
		{dtype.Bool, 1, "True"},
		{dtype.Bool, 2, "error"},
	} {
		if got := constant(tree.ConstInt(c.t, c.v)); got != c.want {
			t.Errorf("%v %d is %s, want %s", c.t, c.v, got, c.want)
		}
	}
}

func TestKinds(t *testing.T) {
	x, y := leaf[float32]("x", 4, 4), leaf[float32]("y", 4, 4)
	for _, c := range []struct {
		e    expr.Exp[float32]
		want tree.Kind
		text string
	}{
		{x, tree.RValue, "RValue"},
		{op.Add[float32](x, y), tree.Map, "Map"},
		{op.T[float32](x), tree.Chainer, "Chainer"},
		{op.Exp(op.T[float32](x)), tree.Chainer, "Chainer"},
		{op.Sum[float32](x), tree.Complex, "Complex"},
		{op.Add(op.T[float32](x), op.Dot[float32](x, y)), tree.Complex, "Complex"},
		{op.GoFunc("f", func(v float32) float32 { return v })(x), tree.Complex, "Complex"},
		{op.Scale(2, op.Full[float32](3)), tree.Map, "Map"},
	} {
		if got := c.e.Node().Kind(); got != c.want || got.String() != c.text {
			t.Errorf("%v has kind %v, want %v", c.e.Node(), got, c.want)
		}
	}
}

func TestApply(t *testing.T) {
	f, d := leaf[float32]("f", 2), leaf[float64]("d", 2)
	i, b := leaf[int32]("i", 2), leaf[bool]("b", 2)
	deep := leaf[float32]("deep", make([]int, shape.MaxRank)...)
	node := func(name string, args ...*tree.Node) *tree.Node {
		return tree.Apply(row(t, name), args...)
	}
	for name, c := range map[string]struct {
		n    *tree.Node
		kind error
		text string
	}{
		"too few":       {node("add", f.n), expr.ErrType, "oneloop: op.Add: the number of operands is 1, not 2"},
		"none":          {node("concat"), expr.ErrType, "oneloop: op.Concat: takes at least one operand"},
		"mixed":         {node("add", f.n, d.n), expr.ErrType, "oneloop: op.Add: operands of types float32 and float64 differ"},
		"integers":      {node("exp", i.n), expr.ErrType, "oneloop: op.Exp: elements of type int32 are not supported"},
		"condition":     {node("where", f.n, f.n, f.n), expr.ErrType, "oneloop: op.Where: the condition has elements of type float32, not bool"},
		"where":         {node("where", b.n, f.n, d.n), expr.ErrType, "oneloop: op.Where: operands of types float32 and float64 differ"},
		"bools":         {node("add", b.n, b.n), expr.ErrType, "oneloop: op.Add: elements of type bool are not supported"},
		"products":      {node("matmul", f.n, leaf[float32]("g", 3).n), expr.ErrShape, "oneloop: op.MatMul: inner dimensions of [2] and [3] differ"},
		"rank":          {op.NewAxis[float32](deep, 0).Node(), expr.ErrShape, "oneloop: op.NewAxis: rank 65 is above the largest, 64"},
		"empty maximum": {op.Max[float32](leaf[float32]("e", 0)).Node(), expr.ErrShape, "oneloop: op.Max: an empty axis has no max"},
		"too large":     {op.BroadcastTo[float32](f, math.MaxInt/8, 2).Node(), expr.ErrShape, fmt.Sprintf("oneloop: op.BroadcastTo: shape [%d 2] has too many elements", math.MaxInt/8)},
	} {
		err := c.n.Err()
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want a %v", name, err, c.kind)
			continue
		}
		var e *tree.Error
		if errors.As(err, &e); "oneloop: op."+e.Op+": "+e.Msg != c.text {
			t.Errorf("%s: got %q, want %q", name, err, c.text)
		}
	}
	for name, c := range map[string]struct {
		n     *tree.Node
		typ   dtype.Type
		shape []int
	}{
		"broadcast":   {op.Add[float32](leaf[float32]("x", 3, 1), leaf[float32]("y", 4)).Node(), dtype.F32, []int{3, 4}},
		"scalar":      {op.Add[float32](f, op.Full[float32](1)).Node(), dtype.F32, []int{2}},
		"comparison":  {op.Less[float32](f, f).Node(), dtype.Bool, []int{2}},
		"where":       {op.Where[float32](b, f, f).Node(), dtype.F32, []int{2}},
		"cast":        {op.Cast[int8](f).Node(), dtype.I8, []int{2}},
		"position":    {op.ArgMax[float32](leaf[float32]("x", 3, 4), op.Axis(0)).Node(), dtype.I64, []int{4}},
		"kept":        {op.Sum[float32](leaf[float32]("x", 3, 4), op.Axis(1), op.KeepDims()).Node(), dtype.F32, []int{3, 1}},
		"empty sum":   {op.Sum[float32](leaf[float32]("x", 0, 4)).Node(), dtype.F32, nil},
		"empty max":   {op.Max[float32](leaf[float32]("x", 0, 4), op.Axis(1)).Node(), dtype.F32, []int{0}}, // nothing is wanted
		"empty extra": {op.Add[float32](leaf[float32]("x", 0, 1), leaf[float32]("y", 4)).Node(), dtype.F32, []int{0, 4}},
	} {
		if err := c.n.Err(); err != nil || c.n.DType() != c.typ || !c.n.Shape().Equal(c.shape) {
			t.Errorf("%s: got %v%v, %v, want %v%v", name, c.n.DType(), c.n.Shape(), err, c.typ, c.shape)
		}
	}
}

func TestOperator(t *testing.T) {
	for name, want := range map[string]string{"log1p": "Log1p", "broadcast_to": "BroadcastTo", "isnan": "IsNaN", "floor_divide": "FloorDiv"} {
		if got := row(t, name).Constructor(); got != want {
			t.Errorf("the constructor of %s is %s, want %s", name, got, want)
		}
	}
	if got := tree.NewOperator(tree.Row{Name: "_a__b_"}).Constructor(); got != "AB" {
		t.Errorf("odd underscores: %s", got)
	}
	s := tree.TypesOf(dtype.F32, dtype.I8)
	if !s.Has(dtype.I8) || s.Has(dtype.F64) || !reflect.DeepEqual(s.List(), []dtype.Type{dtype.I8, dtype.F32}) {
		t.Errorf("the set holds %v", s.List())
	}
	for class, want := range map[tree.Class]tree.Kind{
		tree.Storage: tree.RValue, tree.Constant: tree.Map, tree.Parameter: tree.Map, tree.Elementwise: tree.Map,
		tree.View: tree.Chainer, tree.Reduction: tree.Complex, tree.Contraction: tree.Complex, tree.Opaque: tree.Complex,
	} {
		if got := tree.NewOperator(tree.Row{Class: class}).Kind(); got != want {
			t.Errorf("class %d has kind %v, want %v", class, got, want)
		}
	}
}

// Nodes that the plan compiler makes without operands.
func TestBareNodes(t *testing.T) {
	s := shape.Shape{2, 3}
	v := tree.NewView(row(t, "reshape"), s, dtype.I8, s)
	if v.Kind() != tree.Chainer || v.DType() != dtype.I8 || !v.Shape().Equal(s) || v.Err() != nil {
		t.Errorf("view: %v %v %v", v.Kind(), v.DType(), v.Shape())
	}
	m := tree.Untyped(row(t, "add"), s, dtype.F64)
	if m.Kind() != tree.Map || m.DType() != dtype.F64 || !m.Shape().Equal(s) || m.Err() != nil {
		t.Errorf("map: %v %v %v", m.Kind(), m.DType(), m.Shape())
	}
}
