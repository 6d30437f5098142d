package op

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A DefineOption completes the row of a user-defined operator.
type DefineOption func(*tree.Row)

// complete applies options in order and returns what they change. It ignores nil ones.
func complete[R any, O ~func(*R)](r *R, opts []O) *R {
	for _, f := range opts {
		if f != nil {
			f(r)
		}
	}
	return r
}

// ULP states the bound of the error of a user-defined operator, in units in the
// last place.
func ULP(bound float64) DefineOption { return func(o *tree.Row) { o.ULP = bound } }

// Doc describes a user-defined operator in one sentence.
func Doc(text string) DefineOption { return func(o *tree.Row) { o.Doc = text } }

// On restricts a user-defined operator to some element types. Without On it
// takes the types for which its program type-checks.
func On(types ...dtype.Type) DefineOption {
	return func(o *tree.Row) { o.Types = tree.TypesOf(types...) }
}

// Derivative sets the derivative of a user-defined operator. For operand arg
// the rule returns g.Out times the derivative with respect to that operand, as
// a tree:
//
//	func(g *tree.Adjoint, arg int) *tree.Node { return g.Mul(g.Out, g.Op("cos", g.Arg(0))) }
func Derivative(rule tree.Rule) DefineOption { return func(o *tree.Row) { o.Grad = rule } }

// Define returns an element-wise operator with a program over primitives. It
// fuses, and runs on every back end, like the built-in ones. The plan compiler
// calls the program with one value for each operand, all of one type. The
// result must have that type too.
func Define(name string, arity int, lower func(b *B, x ...V) V, opts ...DefineOption) *tree.Operator {
	o := complete(&tree.Row{Name: name, GoName: name, Class: tree.Elementwise, Arity: arity, Lower: lower, ULP: -1}, opts)
	if o.Types == 0 && o.Arity >= 0 && o.Arity <= maxArity {
		o.Types = cmp.Or(supported(o), tree.TypesOf(dtype.Real()...)) // a use says why the program fits no type
	}
	return tree.NewOperator(*o)
}

// maxArity bounds the operands of a user's operator.
const maxArity = 1 << 10

// supported returns the element types for which the program of o is correct.
func supported(o *tree.Row) (s tree.Types) {
	for _, t := range dtype.Real() {
		r := t.Register()
		params := slices.Repeat([]dtype.Type{r}, o.Arity)
		if p, err := prim.NewProgram(params, o.Lower); err == nil && p.Result() == r {
			s |= tree.TypesOf(t)
		}
	}
	return s
}

// Map1 returns a user-defined operator of one operand applied to a.
func Map1[T expr.Elem](o *tree.Operator, a expr.Exp[T]) expr.Exp[T] {
	return expr.Of[T](untyped.Apply(o, expr.NodeOf(a)))
}

// Map2 returns a user-defined operator of two operands applied to a and b.
func Map2[T expr.Elem](o *tree.Operator, a, b expr.Exp[T]) expr.Exp[T] {
	return expr.Of[T](untyped.Apply(o, expr.NodeOf(a), expr.NodeOf(b)))
}

// Map3 returns a user-defined operator of three operands applied to a, b and c.
func Map3[T expr.Elem](o *tree.Operator, a, b, c expr.Exp[T]) expr.Exp[T] {
	return expr.Of[T](untyped.Apply(o, expr.NodeOf(a), expr.NodeOf(b), expr.NodeOf(c)))
}

// DefineView returns a Chainer. result is the shape of its result, and gather
// reads the operands at the coordinates g.Out. It fuses like the built-in ones.
// The integers of a use are in Node.Ints.
func DefineView(name string, arity int, result func(n *tree.Node) (shape.Shape, error), gather func(g *tree.Gather) V, opts ...DefineOption) *tree.Operator {
	row := tree.Row{Name: name, GoName: name, Class: tree.View, Arity: arity, Types: tree.TypesOf(dtype.Real()...), Shape: result, Gather: gather, Fails: true}
	return tree.NewOperator(*complete(&row, opts))
}

// View returns a user-defined Chainer with the integers ints applied to args.
func View[T expr.Elem](o *tree.Operator, ints []int, args ...expr.Exp[T]) expr.Exp[T] {
	if o == nil || o.Class() != tree.View {
		return expr.Of[T](tree.Errorf(tree.ErrType, "View", "the operator is no view"))
	}
	return expr.Of[T](tree.ApplyWith(o, tree.Attributes{Ints: slices.Clone(ints)}, nodes(args)...))
}

// Element is the constraint of Go's own element types. Their values in memory
// are their values in kernels.
type Element interface {
	bool | dtype.Int | float32 | float64
}

// GoFunc returns an element-wise operator of one operand that calls a Go
// function. It runs on the CPU and does not fuse: prefer Define. One goroutine
// calls f for all elements in row-major order. A run whose context is done ends after at
// most 16 more calls.
func GoFunc[T Element](name string, f func(T) T, opts ...DefineOption) func(expr.Exp[T]) expr.Exp[T] {
	row := complete(&tree.Row{Name: name, GoName: name, Class: tree.Opaque, Arity: 1, Types: tree.TypesOf(dtype.Of[T]()), ULP: -1}, opts)
	if f == nil {
		return func(expr.Exp[T]) expr.Exp[T] {
			return expr.Of[T](tree.Errorf(tree.ErrValue, name, "the Go function is nil"))
		}
	}
	row.Routine = &tree.Routine{New: func(*tree.Node) func(*tree.Call) error {
		return func(c *tree.Call) error {
			a, out := tree.Elements[T](&c.Args[0]), tree.Elements[T](&c.Out)
			for i := range out {
				if i%16 == 0 && c.Stopped() {
					break
				}
				out[i] = f(a[i])
			}
			return nil
		}
	}}
	o := tree.NewOperator(*row)
	return func(a expr.Exp[T]) expr.Exp[T] { return expr.Of[T](tree.Apply(o, expr.NodeOf(a))) }
}

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
		if b, err := checkReduction(t.Register(), identity, combine); err == nil && t == dtype.Bool {
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
