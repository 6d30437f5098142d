package op_test

import (
	"reflect"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// TestOperatorsDoNotChange checks that what hands out operators and reductions
// gives nothing with which a caller can change them.
func TestOperatorsDoNotChange(t *testing.T) {
	for _, v := range []any{tree.Operator{}, *ir.ReductionByName("sum")} {
		typ := reflect.TypeOf(v)
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() {
				t.Errorf("%v has the exported field %s", typ, f.Name)
			}
		}
	}
	for _, o := range untyped.Table() {
		row, before := o.Row(), o.Row()
		scramble(reflect.ValueOf(&row).Elem())
		for _, e := range o.Examples() {
			scramble(reflect.ValueOf(&e).Elem())
		}
		if after := o.Row(); !alike(reflect.ValueOf(before), reflect.ValueOf(after)) {
			t.Errorf("%s: %+v became %+v", before.Name, before, after)
		}
	}
	list := ir.Reductions()
	list[0] = nil
	if ir.Reductions()[0] == nil {
		t.Error("the table of reductions has changed")
	}
	row := tree.Row{Name: "mine", Class: tree.View, Examples: []tree.Example{{Axes: []int{1}}}, Routine: &tree.Routine{Base: 1}}
	o := tree.NewOperator(row)
	row.Examples[0].Axes[0], row.Routine.Base = 2, 2
	if o.Examples()[0].Axes[0] != 1 || o.Routine().Base != 1 {
		t.Error("the operator shares memory with the row that it was made of")
	}
}

// scramble clears what v reaches, except through an operator or a reduction.
func scramble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			scramble(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			scramble(v.Index(i))
		}
	case reflect.Pointer:
		if r, ok := v.Interface().(*tree.Routine); ok && r != nil {
			scramble(v.Elem())
		}
	default:
		v.SetZero()
	}
}

// alike reports whether a and b are equal. Functions are equal if both or none
// are nil.
func alike(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Func:
		return a.IsNil() == b.IsNil()
	case reflect.Struct:
		for i := range a.NumField() {
			if !alike(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		for i := range min(a.Len(), b.Len()) {
			if !alike(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return a.Len() == b.Len()
	case reflect.Pointer:
		if r, ok := a.Interface().(*tree.Routine); ok && r != nil {
			return alike(a.Elem(), b.Elem())
		}
	}
	return a.Equal(b)
}

// TestTreesKeepShapes changes the slices that trees were made of.
func TestTreesKeepShapes(t *testing.T) {
	x, key := iota[float64](2, 3), expr.Const[uint64](7)
	first := op.DefineView("first", 1, func(n *tree.Node) (shape.Shape, error) { return shape.Shape{n.Ints[0]}, nil },
		func(g *tree.Gather) op.V { return g.At(0, []prim.Ix{g.Out[0]}) })
	dims := []int{2, 3}
	for name, e := range map[string]expr.Exp[float64]{
		"BroadcastTo": op.BroadcastTo(x, dims...), "Reshape": op.Reshape(x, dims...), "Normal": op.Normal[float64](key, dims...),
		"Gamma": op.Gamma[float64](key, 2, dims...), "ScatterAdd": op.ScatterAdd(iota[int64](2), x, 0, dims...), "View": op.View(first, dims, iota[float64](3)),
	} {
		before := e.Node().Shape().Clone()
		dims[0], dims[1] = 1, 1
		if y, err := engine.Eval(e); err != nil || !y.Shape().Equal(before) {
			t.Errorf("%s: shape %v became %v, %v", name, before, y.Shape(), err)
		}
		dims[0], dims[1] = 2, 3
	}
}
