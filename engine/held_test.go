package engine_test

import (
	"math"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestHeld tests that a later statement loads a value that an earlier one has
// stored, and computes it again where the array has been overwritten.
func TestHeld(t *testing.T) {
	made := func() []*engine.Tensor[float64] {
		out := make([]*engine.Tensor[float64], 3)
		for i := range out {
			out[i] = engine.FromFunc(func(at []int) float64 { return math.Sin(float64(4*at[0] + at[1] + 64*i)) }, 16, 16)
		}
		return out
	}
	type tensors = []*engine.Tensor[float64]
	tests := []struct {
		name   string
		stages int
		stmts  func(v tensors) []expr.Statement
	}{
		{"product and its sum", 2, func(v tensors) []expr.Statement {
			p := op.MatMul(v[0], v[0])
			return []expr.Statement{expr.Let(v[1], p), expr.Let(v[2], op.Sum(op.Exp(p), op.KeepDims()))}
		}},
		{"product and a map of it", 2, func(v tensors) []expr.Statement {
			p := op.MatMul(v[0], v[0])
			return []expr.Statement{expr.Let(v[1], p), expr.Let(v[2], op.Exp(p))}
		}},
		{"a map and a product of it", 2, func(v tensors) []expr.Statement {
			p := op.Tanh(v[0])
			return []expr.Statement{expr.Let(v[1], p), expr.Let(v[2], op.MatMul(p, p))}
		}},
		{"overwritten", 3, func(v tensors) []expr.Statement {
			p := op.MatMul(v[0], v[0])
			return []expr.Statement{expr.Let(v[1], p), expr.Let(v[1].Transpose(), v[0]), expr.Let(v[2], op.Exp(p))}
		}},
		{"overwritten by the reader", 2, func(v tensors) []expr.Statement {
			p := op.MatMul(v[0], v[0])
			return []expr.Statement{expr.Let(v[1], p), expr.Let(v[1], op.Transpose(p))}
		}},
		{"overwritten in the same loop", 2, func(v tensors) []expr.Statement {
			p := op.Tanh(v[0])
			return []expr.Statement{expr.Let(v[1], p), expr.Let(v[1], op.Square(v[2])), expr.Let(v[2].Index(0), op.Sum(p, op.Axis(1)))}
		}},
		{"overwritten by parts of the reader", 3, func(v tensors) []expr.Statement {
			p := op.Tanh(v[0])
			return []expr.Statement{expr.Let(v[1], p), expr.Let(op.Into(0, v[1].Slice(0, 8), v[1].Slice(8, 16)), op.Flip(p, 0))}
		}},
		{"an operand overwritten", 3, func(v tensors) []expr.Statement {
			p := op.MatMul(v[0], v[0])
			return []expr.Statement{expr.Let(v[1], p), expr.Let(v[0], op.Exp(v[0])), expr.Let(v[2], op.MatMul(v[0], v[0]))}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, want := made(), made()
			p, err := engine.Compile(t.Context(), tt.stmts(got)...)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(p.Plan().Stages); n != tt.stages {
				t.Errorf("%d stages, want %d:\n%v", n, tt.stages, p)
			}
			if err := p.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, s := range tt.stmts(want) {
				if err := engine.Run(t.Context(), s); err != nil {
					t.Fatal(err)
				}
			}
			for i := range got {
				if got[i].String() != want[i].String() {
					t.Errorf("array %d is\n%v, want\n%v", i, got[i], want[i])
				}
			}
		})
	}
}
