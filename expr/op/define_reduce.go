package op

import (
	"fmt"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

// DefineReduction returns a reduction of numbers or bools. It fuses, and has the same
// bits on every back end, like the built-in ones.
//
// Every accumulator begins with identity, a constant of type t. The program
// combine combines an accumulator x[0] with x[1], an element or an accumulator
// of later elements; all have one type. docs/numerics.md states the order. The
// reduction of no elements is identity.
//
// The plan compiler calls combine and identity for each element type; a half is
// a float32 there. The reduction takes a type if both programs fit it. The
// options Doc, On, Derivative and Finish apply. If the programs fit no type, a
// use of the operator gives expr.ErrType.
func DefineReduction(name string, identity func(b *B, t dtype.Type) V, combine func(b *B, x ...V) V, opts ...DefineOption) *tree.Operator {
	o := complete(&tree.Row{Name: name, GoName: name, Class: tree.Reduction, Arity: 1, ULP: -1}, opts)
	if identity == nil || combine == nil {
		o.Err = fmt.Errorf("a reduction needs an identity and a program that combines")
		return tree.NewOperator(*o)
	}
	row := prim.ReductionRow{Name: name, Doc: o.Doc, Order: prim.Num, Combine: combine}
	asked, bits := o.Types, map[dtype.Type]uint64{}
	o.Types = 0
	for _, t := range dtype.Real() {
		if asked != 0 && !asked.Has(t) {
			continue
		}
		b, err := checkReduction(t.Register(), identity, combine)
		if err == nil && t == dtype.Bool {
			o.Types |= tree.TypesOf(t)
			o.Bools = reduceBytes(name, b, combine)
		} else if err == nil {
			o.Types |= tree.TypesOf(t)
			row.Types |= prim.ClassOf(t.Register())
			bits[t.Register()] = b
		} else if asked != 0 || o.Err == nil {
			o.Err = fmt.Errorf("the program does not fit %v: %w", t, err)
		}
	}
	if asked == 0 && o.Types != 0 {
		o.Err = nil
	}
	if f := o.Finish; f != nil {
		if f.Types() != 0 {
			o.Types &= f.Types()
		}
		if f.Class() != tree.Elementwise || f.Arity() != 1 || o.Types == 0 || f.Err() != nil {
			o.Err = fmt.Errorf("%s is no element-wise operator of one operand of these types", f.Name())
		}
	}
	row.Identity = func(t dtype.Type) uint64 { return bits[t] }
	o.Reduce = prim.NewReduction(row)
	o.Pair = untyped.PairOf(o.Reduce)
	return tree.NewOperator(*o)
}

// reduceBytes returns the reduction of bytes, 0 or 1, by a program over bools. Back
// ends have programs over numbers.
func reduceBytes(name string, identity uint64, combine func(b *B, x ...V) V) *tree.Operator {
	r := prim.NewReduction(prim.ReductionRow{
		Name: name, Types: prim.Uint, Order: prim.Num, Identity: func(dtype.Type) uint64 { return identity },
		Combine: func(b *B, x ...V) V {
			zero, one := b.Int(x[0].Type, 0), b.Int(x[0].Type, 1)
			return b.Select(combine(b, b.Ne(x[0], zero), b.Ne(x[1], zero)), one, zero)
		},
	})
	return tree.NewOperator(tree.Row{Name: name, GoName: name, Class: tree.Reduction, Arity: 1, Types: tree.TypesOf(dtype.U8), Reduce: r, Pair: untyped.PairOf(r), ULP: -1})
}

// checkReduction returns the identity of register type t, or an error if a
// program does not fit the type.
func checkReduction(t dtype.Type, identity func(b *B, t dtype.Type) V, combine func(b *B, x ...V) V) (bits uint64, err error) {
	start, err := prim.NewProgram(nil, func(b *B, _ ...V) V { return identity(b, t) })
	if err != nil {
		return 0, fmt.Errorf("the identity: %w", err)
	}
	pair, err := prim.NewProgram([]dtype.Type{t, t}, combine)
	if err != nil {
		return 0, err
	}
	if start.Result() != t || pair.Result() != t {
		return 0, fmt.Errorf("the identity is of type %v and the result of type %v", start.Result(), pair.Result())
	}
	return start.Call(), nil
}

// Finish sets an element-wise operator of one operand that is applied to the
// result of a user-defined reduction: sqrt for the root of a sum of squares.
// The derivative of the reduction is the derivative of the part before it.
func Finish(o *tree.Operator) DefineOption { return func(r *tree.Row) { r.Finish = o } }

// Reduce returns a user-defined reduction of a.
func Reduce[T expr.Elem](o *tree.Operator, a expr.Exp[T], opts ...ReduceOption) expr.Exp[T] {
	return expr.Of[T](untyped.ReduceBy(o, expr.NodeOf(a), options(opts)))
}

// ReduceStates returns the reduction f of a. The result carries an error if f yields
// another type than R.
func ReduceStates[R, T expr.Elem](f Reducer, a expr.Exp[T], opts ...ReduceOption) expr.Exp[R] {
	return expr.Of[R](untyped.ReduceStates(f, expr.NodeOf(a), options(opts)))
}
