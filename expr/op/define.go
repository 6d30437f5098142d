package op

import (
	"cmp"
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

// complete applies options. It ignores nil ones.
func complete(o *tree.Row, opts []DefineOption) *tree.Row {
	for _, f := range opts {
		if f != nil {
			f(o)
		}
	}
	return o
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
	row := tree.Row{Name: name, GoName: name, Class: tree.View, Arity: arity, Types: tree.TypesOf(dtype.Real()...), Shape: result, Gather: gather}
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
// function. It runs on the CPU and does not fuse: prefer Define.
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
				out[i] = f(a[i])
			}
			return nil
		}
	}}
	o := tree.NewOperator(*row)
	return func(a expr.Exp[T]) expr.Exp[T] { return expr.Of[T](tree.Apply(o, expr.NodeOf(a))) }
}
