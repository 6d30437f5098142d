package net

import (
	"context"
	"math"
	"slices"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// A Tree returns the outputs of an operator as trees of its inputs. It is called
// also with inputs that have a type and a shape but no elements.
type Tree func(a *Args, in []*tree.Node) []*tree.Node

// engines are the engines of operators that are trees: the options of their
// programs.
var engines = map[string]engine.Options{
	"":       {},
	"BLAS":   {Products: engine.ProductsByBLAS},
	"INTERP": {Backend: "interp"},
}

// The arguments of gradient operators, beside the arguments of the operator itself: the
// number of its inputs, the inputs whose gradients are outputs, and the outputs
// whose gradients are inputs.
const (
	argInputs = "gradient_inputs"
	argWrt    = "gradient_wrt"
	argOf     = "gradient_of"
)

// Define registers operators that a tree defines, for all devices and engines, and
// their gradient operators, whose type ends in Gradient. Infer of the schema must be
// nil. Define panics where [Register] does.
func Define(s Schema, t Tree) {
	s.Infer = t.infer
	define(s, t)
	g := Tree(func(a *Args, in []*tree.Node) []*tree.Node { return t.gradient(&s, a, in) })
	define(Schema{
		Type: s.Type + "Gradient", Doc: "The gradients of " + s.Type + " with respect to some inputs.",
		Inputs: []string{"inputs and gradients of outputs..."}, Outputs: []string{"gradients of inputs..."},
		Args: append(slices.Clone(s.Args), ArgDoc{argInputs, "The number of inputs.", true},
			ArgDoc{argWrt, "The inputs with gradients.", true}, ArgDoc{argOf, "The outputs with gradients.", true}),
		Infer: g.infer,
	}, g)
}

func define(s Schema, t Tree) {
	Register(s)
	for name, o := range engines {
		for _, device := range []string{"cpu", "cuda"} {
			RegisterKernel(Key{s.Type, device, name}, func(ctx context.Context, op *Operator) (Runner, error) {
				return t.compile(ctx, op, o)
			})
		}
	}
}

// gradient differentiates t, which the schema s describes.
func (t Tree) gradient(s *Schema, a *Args, in []*tree.Node) []*tree.Node {
	n, wrt, of := a.Int(argInputs, 0), a.Ints(argWrt), a.Ints(argOf)
	if n < 1 || count("inputs", n, s.Inputs, s.Optional) != nil || n+len(of) != len(in) || slices.ContainsFunc(wrt, func(i int) bool { return i < 0 || i >= n }) {
		a.wrong(argInputs, "the number of inputs")
		return nil
	}
	outs := t(a, in[:n])
	var losses []*tree.Node
	for k, i := range of {
		if i < 0 || i >= len(outs) {
			a.wrong(argOf, "a list of outputs")
			return nil
		}
		losses = append(losses, untyped.Reduce("sum", untyped.Call("mul", outs[i], in[n+k]), untyped.Options{}))
	}
	xs := lists.Map(wrt, func(i int) *tree.Node { return in[i] })
	gs, err := grad.OfNodes(total(losses), xs...)
	if err != nil {
		return []*tree.Node{tree.Failed(err)}
	}
	return gs
}

// abstract is memory without bytes, for trees of which only the shapes count.
type abstract struct{ device string }

func (a *abstract) Device() string { return a.device }

func (a *abstract) Size() int { return math.MaxInt }

// infer returns types and shapes of the trees on inputs without elements.
func (t Tree) infer(a *Args, in []Info) ([]Info, error) {
	nodes := lists.Map(in, func(x Info) *tree.Node {
		return tree.NewLeaf(x.Type, x.Shape, &tree.Leaf{Mem: &abstract{"cpu"}, Strides: x.Shape.Strides()})
	})
	outs, err := t.trees(a, nodes)
	if err != nil {
		return nil, err
	}
	return lists.Map(outs, func(n *tree.Node) Info { return Info{n.DType(), n.Shape()} }), nil
}

// trees calls t, which may be the user's, and returns the first error of a tree.
func (t Tree) trees(a *Args, in []*tree.Node) (outs []*tree.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = tree.NewError(tree.ErrValue, "", "the tree panicked: %v", p)
		}
	}()
	outs = t(a, in)
	if a.Err() != nil {
		return nil, a.Err()
	}
	for _, n := range outs {
		if n.Err() != nil {
			return nil, n.Err()
		}
	}
	return outs, nil
}

// compile returns the program of an operator.
func (t Tree) compile(ctx context.Context, o *Operator, options engine.Options) (Runner, error) {
	in := lists.Make(len(o.in), func(i int) *tree.Node { return o.in[i].Named(o.def.Input[i]).Node() })
	outs, err := t.trees(o.Args(), in)
	if err != nil {
		return nil, err
	}
	stmts := lists.Make(len(outs), func(i int) expr.Statement {
		return expr.Statement{Target: o.out[i].Named(o.def.Output[i]).Node(), Value: outs[i]}
	})
	return engine.CompileWith(ctx, options, engine.Together(stmts...)...)
}
