package main

import (
	"fmt"

	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
)

// This file has layers beside torch, each with its gradients in one program, as steps of training have them.

// A layer is a function of its operands with gradients by the first of them. call is f in Python, of x, y and z.
type layer struct {
	name, call string
	f          func(x ...exp) exp
	in         [][]int
	by         int
}

// normalized is x with the mean 0 and the variance 1 over axes, as nn.BatchNorm has it.
func normalized(x exp, axes ...int) exp {
	over := []op.ReduceOption{op.Axis(axes...), op.KeepDims()}
	mean := op.Mean(x, over...)
	return op.Div(op.Sub(x, mean), op.Sqrt(op.AddScalar(op.Mean(op.Square(op.Sub(x, mean)), over...), 1e-5)))
}

func batchNorm(channels int) func(x ...exp) exp {
	return func(x ...exp) exp {
		along := func(e exp) exp { return op.Reshape(e, channels, 1, 1) }
		return op.Add(op.Mul(normalized(x[0], 0, 2, 3), along(x[1])), along(x[2]))
	}
}

func init() {
	softmax := func(x ...exp) exp { return op.Softmax(x[0], -1) }
	layers := []layer{
		{"softmax", "F.softmax(x, -1)", softmax, [][]int{{1000, 1000}}, 1},
		{"softmax", "F.softmax(x, -1)", softmax, [][]int{{64, 10}}, 1},
		{"softmax", "F.softmax(x, -1)", softmax, [][]int{{8, 128, 128}}, 1},
		{"softmax", "F.softmax(x, 1)", func(x ...exp) exp { return op.Softmax(x[0], 1) }, [][]int{{8, 21, 64, 64}}, 1},
		{"log_softmax", "F.log_softmax(x, -1)", func(x ...exp) exp { return op.LogSoftmax(x[0], -1) }, [][]int{{1000, 1000}}, 1},
		{"gelu", "F.gelu(x)", func(x ...exp) exp { return op.Gelu(x[0]) }, [][]int{{1000, 1000}}, 1},
		{"gelu_tanh", "F.gelu(x, approximate='tanh')", func(x ...exp) exp { return op.GeluTanh(x[0]) }, [][]int{{1000, 1000}}, 1},
		{"silu", "F.silu(x)", func(x ...exp) exp { return op.SiLU(x[0]) }, [][]int{{1000, 1000}}, 1},
		{"linear", "F.linear(x, y, z)", func(x ...exp) exp { return op.Add(op.MatMul(x[0], op.Transpose(x[1])), x[2]) }, [][]int{{128, 256}, {512, 256}, {512}}, 3},
	}
	attention := func(x ...exp) exp {
		return op.MatMul(op.Softmax(op.Scale(.125, op.MatMul(x[0], op.SwapAxes(x[1], -1, -2))), -1), x[2])
	}
	for _, s := range [][]int{{8, 1024, 64}, {32, 128, 64}, {8, 64, 64}} {
		layers = append(layers, layer{"attention", "F.scaled_dot_product_attention(x[None], y[None], z[None])[0]", attention, [][]int{s, s, s}, 3})
	}
	for _, s := range [][]int{{1000, 1000}, {64, 10}, {256, 30000}} { // random labels are 0 and their neighbours
		layers = append(layers, layer{"cross-entropy", "F.cross_entropy(x, y.abs().long())", func(x ...exp) exp {
			return nn.CrossEntropy[float32]()(x[0], op.Abs(x[1]))
		}, [][]int{s, s[:1]}, 1})
	}
	layers = append(layers, layer{"embedding", "F.embedding((100*y).abs().long(), x)", func(x ...exp) exp {
		return op.Take(x[0], op.Cast[int64](op.Abs(op.Scale(100, x[1]))), 0)
	}, [][]int{{1000, 256}, {1024}}, 1}, layer{"rms_norm", "F.rms_norm(x, [x.shape[1]], y, 1e-5)", func(x ...exp) exp {
		return op.Mul(op.Div(x[0], op.Sqrt(op.AddScalar(op.Mean(op.Square(x[0]), op.Axis(-1), op.KeepDims()), 1e-5))), x[1])
	}, [][]int{{1000, 1000}, {1000}}, 2})
	for _, s := range [][]int{{1000, 1000}, {128, 256}, {1024, 64}, {32, 4096}} {
		layers = append(layers, layer{"layer_norm", "F.layer_norm(x, [x.shape[1]], y, z)", func(x ...exp) exp { return op.LayerNorm(x[0], x[1], x[2], 1e-5) }, [][]int{s, s[1:], s[1:]}, 3})
	}
	for _, s := range [][]int{{8, 64, 56, 56}, {32, 16, 8, 8}, {8, 256, 14, 14}} {
		layers = append(layers, layer{"batch_norm", "F.batch_norm(x, None, None, y, z, True)", batchNorm(s[1]), [][]int{s, s[1:2], s[1:2]}, 3})
	}
	for _, l := range layers {
		l.add()
	}
}

// add adds the case of the layer to the cases.
func (l layer) add() {
	step := func(x ...exp) ([]exp, error) {
		y := l.f(x...)
		all, err := grad.Of(op.Sum(op.Mul(y, x[len(l.in)])), x[:l.by]...)
		return append(all, y), err
	}
	cases = append(cases, workload{
		fmt.Sprintf("step of %s %v", l.name, l.in), fmt.Sprintf("step%d: %s", l.by, l.call), 1, 1e-4,
		assigned(step, append(l.in, shapeOf(l.f, l.in))...),
	})
}
