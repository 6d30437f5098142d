package net

import (
	"cmp"
	"context"
	"hash/fnv"
	"math/rand/v2"

	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// fillTypes are the element types of fillers, by Caffe2's numbers.
var fillTypes = map[int]dtype.Type{1: dtype.F32, 2: dtype.I32, 5: dtype.Bool, 10: dtype.I64, 13: dtype.F64}

// filled returns the type and the shape that a filler makes. Its input gives them if it has one, else its arguments; the argument
// dtype gives the type in both cases.
func filled(a *Args, in []Info) ([]Info, error) {
	outs, err := floats(a, in)
	if err != nil {
		return nil, err
	}
	t, ok := fillTypes[a.Int("dtype", 1)]
	switch {
	case !ok:
		a.wrong("dtype", "a type of fillers")
	case len(in) > 0 && !a.Has("dtype"):
		t = in[0].Type
	}
	outs[0].Type = t
	return outs, nil
}

// fillArgs are the arguments of all fillers.
func fillArgs(more ...ArgDoc) []ArgDoc {
	return append([]ArgDoc{{"shape", "The shape, without an input.", false}, {"dtype", "1: float32, 2: int32, 5: bool, 10: int64, 13: float64. Without it the type of the input, or float32.", false}}, more...)
}

func init() {
	Define(Schema{
		Type: "ConstantFill", Doc: "A constant, in the shape of the input or of an argument.",
		Inputs: []string{"like"}, Optional: 1, Outputs: []string{"Y"}, Args: fillArgs(ArgDoc{"value", "The constant.", false}),
	}, func(a *Args, in []*tree.Node) []*tree.Node {
		var like []Info
		if len(in) > 0 {
			like = []Info{{in[0].DType(), in[0].Shape()}}
		}
		to, err := filled(a, like)
		if err != nil {
			return []*tree.Node{tree.Failed(err)}
		}
		return []*tree.Node{untyped.BroadcastTo(tree.ConstFloat(to[0].Type, a.Float("value", 0)), to[0].Shape)}
	})
	random("UniformFill", "Numbers drawn uniformly.", []ArgDoc{{"min", "The lower bound, 0.", false}, {"max", "The upper bound, 1.", false}},
		func(a *Args) nn.Init { return nn.Uniform(a.Float("min", 0), a.Float("max", 1)) })
	random("GaussianFill", "Numbers of a normal distribution.", []ArgDoc{{"mean", "The mean, 0.", false}, {"std", "The standard deviation, 1.", false}},
		func(a *Args) nn.Init { return nn.Normal(a.Float("mean", 0), a.Float("std", 1)) })
	random("XavierFill", "Numbers drawn uniformly, with a bound by the number of inputs (Glorot, Bengio 2010).", nil,
		func(a *Args) nn.Init { return nn.KaimingUniform(1) })
	Register(Schema{
		Type: "GivenTensorFill", Doc: "Numbers that are given.", Outputs: []string{"Y"},
		Args:  []ArgDoc{{"shape", "The shape.", true}, {"values", "The elements, row-major.", true}},
		Infer: floats,
	})
	RegisterKernel(Key{Type: "GivenTensorFill", Device: "cpu"}, func(_ context.Context, o *Operator) (Runner, error) {
		a := o.Args()
		values := a.Floats("values")
		if a.Err() == nil && len(values) != o.out[0].Shape().Size() {
			return nil, tree.NewError(tree.ErrShape, "", "%d values do not have the shape %v", len(values), o.out[0].Shape())
		}
		return RunFunc(func(context.Context) error {
			x, err := hostElements(o.out[0])
			copy(x, values)
			return err
		}), cmp.Or(a.Err(), o.gapless())
	})
}

// floats returns the shape of fillers of float32.
func floats(a *Args, in []Info) ([]Info, error) {
	if len(in) > 0 {
		if a.Has("shape") {
			a.wrong("shape", "allowed beside an input")
		}
		return []Info{{dtype.F32, in[0].Shape}}, nil
	}
	s, err := newShape(a.Ints("shape"))
	return []Info{{dtype.F32, s}}, err
}

// random registers a filler of float32 that draws. The numbers follow from the seed
// of the device option, the name of the output and the number of the run.
func random(typ, doc string, args []ArgDoc, init func(a *Args) nn.Init) {
	Register(Schema{
		Type: typ, Doc: doc, Inputs: []string{"like"}, Optional: 1, Outputs: []string{"Y"},
		Args: append([]ArgDoc{{"shape", "The shape, without an input.", false}}, args...), Infer: floats,
	})
	RegisterKernel(Key{Type: typ, Device: "cpu"}, func(_ context.Context, o *Operator) (Runner, error) {
		a := o.Args()
		h := fnv.New64a()
		h.Write([]byte(o.def.Output[0]))
		r := rand.New(rand.NewPCG(uint64(*zero.IfNil(o.option.RandomSeed)), h.Sum64()))
		draw := init(a)(r, o.out[0].Shape()...)
		return RunFunc(func(context.Context) error {
			x, err := hostElements(o.out[0])
			for i := range x {
				x[i] = float32(draw())
			}
			return err
		}), cmp.Or(a.Err(), o.gapless())
	})
}
