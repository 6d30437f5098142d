package untyped

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

// The sets of element types that rows use.
var (
	floats  = tree.TypesOf(dtype.F16, dtype.BF16, dtype.F32, dtype.F64)
	ints    = tree.TypesOf(dtype.Integers()...)
	bools   = tree.TypesOf(dtype.Bool)
	numbers = floats | ints
	elems   = numbers | bools

	complexes = tree.TypesOf(dtype.C64, dtype.C128)
)

// rows are the rows of the table, by family. The constructors in zops.go,
// docs/ops.md and the names of formulas are made from them.
var rows = [][]tree.Row{arithmetic, comparisons, bitwise, random, rounding, selection, functions, complexRows, reductions, views, sources, unviews, contractions, calls}

// family returns rows with the class of common. A row that does not state its
// number of operands, types, result or shape function gets these from common.
func family(common tree.Row, rows []tree.Row) []tree.Row {
	for i := range rows {
		o := &rows[i]
		o.Class = common.Class
		o.Arity = cmp.Or(o.Arity, common.Arity)
		o.Types = cmp.Or(o.Types, common.Types)
		o.Result = cmp.Or(o.Result, common.Result)
		if o.Shape == nil {
			o.Shape = common.Shape
		}
	}
	return rows
}

// byName maps names to operators. It is initialised before code that looks them up.
var byName = index()

func index() map[string]*tree.Operator {
	m := map[string]*tree.Operator{}
	for _, family := range rows {
		for _, row := range family {
			if m[row.Name] != nil {
				panic("op: two rows are named " + row.Name)
			}
			row.Parts = partsOf(row)
			m[row.Name] = tree.NewOperator(row)
		}
	}
	return m
}

// Table returns the built-in operators, sorted by name.
func Table() []*tree.Operator {
	return slices.SortedFunc(maps.Values(byName), func(a, b *tree.Operator) int { return cmp.Compare(a.Name(), b.Name()) })
}

// Lookup returns the built-in operator of a name, or false if there is none.
func Lookup(name string) (*tree.Operator, bool) {
	o, ok := byName[name]
	return o, ok
}

// Row returns the built-in operator of a name. It panics if there is none.
func Row(name string) *tree.Operator {
	o := byName[name]
	if o == nil {
		panic("op: no row is named " + name)
	}
	return o
}

// Apply returns the node of an element-wise operator.
func Apply(o *tree.Operator, args ...*tree.Node) *tree.Node {
	if o == nil {
		return tree.Apply(o)
	}
	if o.Class() != tree.Elementwise {
		return tree.Errorf(tree.ErrType, o.Constructor(), "is not an element-wise operator")
	}
	return tree.Apply(o, args...)
}

// Call returns the node of the element-wise operator of a name. It panics if there is
// none.
func Call(name string, args ...*tree.Node) *tree.Node { return Apply(Row(name), args...) }

// primitive returns the lowering of one primitive.
func primitive(p prim.Op) Lowering { return func(b *B, x ...V) V { return b.Op(p, x...) } }

// byClass returns a lowering that depends on the class of the first operand's
// type.
func byClass(float, sint, uint func(*B, ...V) V) func(*B, ...V) V {
	return func(b *B, x ...V) V {
		f := uint
		switch {
		case prim.Float.Has(x[0].Type):
			f = float
		case prim.Sint.Has(x[0].Type):
			f = sint
		}
		if f == nil {
			b.Fail(fmt.Errorf("no lowering for %v", x[0].Type))
			return x[0]
		}
		return f(b, x...)
	}
}

func identity(_ *B, x ...V) V { return x[0] }

// B builds the scalar program of an operator; see package prim.
type B = prim.B

// V is a value of such a program.
type V = prim.V
