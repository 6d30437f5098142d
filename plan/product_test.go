package plan_test

import (
	"fmt"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/fuse"
	"github.com/oneloop/oneloop/shape"
)

// TestStridedOperands counts the stages of products of views: the built-in products
// read any strides, other libraries get a copy.
func TestStridedOperands(t *testing.T) {
	x, w, v := leaf("x", 6, 8), leaf("w", 5, 4), leaf("v", 8)
	even := op.Slice(x, op.Span{}, op.By(op.Span{}, 2))
	turned := op.Slice(op.T(x), op.By(op.Span{}, -2), op.Range(1, 4)) // 4 by 3
	images := leaf("images", 2, 3, 4, 5)
	// The axes are image, channel, element of a window, position.
	windowed := func(x expr.Exp[float32]) expr.Exp[float32] {
		one, two := op.Window{Size: 1}, op.Window{Size: 2}
		return op.Reshape(op.Transpose(op.Windows(x, one, one, two, two), 0, 1, 4, 5, 6, 7, 2, 3), 2, 3, 2, 2, 3, 4)
	}
	windows := windowed(images)
	for _, c := range []struct {
		name        string
		y           leafOf[float32]
		e           expr.Exp[float32]
		ours, other string
	}{
		{"every other column", leaf("y", 6, 5), op.MatMul(even, op.T(w)), "product", "loop product"},
		{"transposed, backward", leaf("y", 5, 3), op.MatMul(w, turned), "product", "loop product"},
		{"both", leaf("y", 6, 3), op.MatMul(even, turned), "product", "loop loop product"},
		{"a backward vector", leaf("y", 6), op.MatMul(x, op.Flip(v, 0)), "product", "loop product"},
		{"a repeated row", leaf("y", 5, 8), op.MatMul(w, op.BroadcastTo(v, 4, 8)), "product", "loop product"},
		{"windows", leaf("y", 2, 6, 12), op.MatMul(leaf("k", 6, 12), op.Reshape(windows, 2, 12, 12)), "product", "loop product"},
		{"windows as rows", leaf("y", 6, 12), op.MatMul(leaf("k", 6, 24), op.Reshape(op.Transpose(windows, 0, 4, 5, 1, 2, 3), 24, 12)), "product", "loop product"},
		{"windows of what is computed", leaf("y", 2, 6, 12), op.MatMul(leaf("k", 6, 12), op.Reshape(windowed(op.Exp(images)), 2, 12, 12)), "loop product", "loop loop product"},
		{"rows", leaf("y", 5, 6), op.MatMul(w, op.T(op.Slice(x, op.Span{}, op.Range(0, 4)))), "product", "product"},
	} {
		for _, options := range [][]plan.Option{{plan.CombineProducts}, nil} {
			p, err := plan.Compile(t.Context(), []expr.Statement{expr.Let(c.y, c.e)}, options...)
			if err != nil {
				t.Fatal(err)
			}
			want := c.other
			if options != nil {
				want = c.ours
			}
			if got := stages(p); got != want {
				t.Errorf("%s, %d options: stages %s, want %s", c.name, len(options), got, want)
			}
		}
	}
}

// TestHalfOperands counts the stages of products of halves: the built-in products
// convert them as they pack, if they use them often.
func TestHalfOperands(t *testing.T) {
	for n, ours := range map[int]string{200: "product loop", 5: "loop loop product loop"} {
		x, w := typed[expr.Float16]("x", 200, 8), typed[expr.Float16]("w", n, 8)
		for want, options := range map[string][]plan.Option{ours: {plan.CombineProducts}, "loop loop product loop": nil} {
			p, err := plan.Compile(t.Context(), []expr.Statement{expr.Let(typed[expr.Float16]("y", 200, n), op.MatMul(x, op.T(w)))}, options...)
			if err != nil {
				t.Fatal(err)
			}
			if got := stages(p); got != want {
				t.Errorf("%d columns, %d options: stages %s, want %s", n, len(options), got, want)
			}
		}
	}
}

// TestReshapedOperands tests that a product reads what an earlier one had computed as a
// matrix, without a copy and without several axes for its rows.
func TestReshapedOperands(t *testing.T) {
	h := op.Exp(leaf("x", 2, 3, 8))
	rows := op.Reshape(op.MatMul(h, leaf("w", 8, 4)), 6, 4)
	for _, options := range [][]plan.Option{{plan.CombineProducts}, nil} {
		p, err := plan.Compile(t.Context(), []expr.Statement{
			expr.Let(leaf("y", 2, 3, 5), op.MatMul(op.MatMul(h, leaf("w", 8, 4)), leaf("u", 4, 5))),
			expr.Let(leaf("z", 8, 4), op.MatMul(op.T(op.Reshape(h, 6, 8)), op.Exp(rows))),
			expr.Let(leaf("v", 8, 4), op.MatMul(op.T(op.Reshape(h, 6, 8)), rows)),
		}, options...)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := stages(p), "loop product product product loop product product"; got != want {
			t.Errorf("%d options: stages %s, want %s", len(options), got, want)
		}
		for i, s := range p.Stages {
			if s.B != nil && (len(s.A.Shape) > len(s.ShapeA) || len(s.B.Shape) > len(s.ShapeB)) {
				t.Errorf("stage %d reads operands of shapes %v and %v as matrices", i, s.A.Shape, s.B.Shape)
			}
		}
	}
}

// TestColumnsOfWindows tests that the gradient of a convolution by its weights reads padded images with many channels whose
// channels, the columns of the product, are neighbours in memory, and that those with few channels have neighbouring positions.
func TestColumnsOfWindows(t *testing.T) {
	for channels, strides := range map[int][2]int{8: {8, 1}, 3: {1, 49}} {
		arrays := fmt.Sprintf("x 2x%dx5x5 float32\nw 4x%dx3x3 float32\ng 2x4x5x5 float32", channels, channels)
		stmts := statements(t, arrays, "y = grad(sum(conv(x, w, 1, 1)*g), w)")
		p, err := plan.Compile(t.Context(), stmts, plan.CombineProducts)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Stages {
			if s.B == nil {
				continue
			}
			_, terms := fuse.MatrixAxes(s.B.Shape, s.ShapeB)
			if got := [2]int{s.B.Strides[terms-1], s.B.Strides[len(s.B.Strides)-1]}; terms != 3 || got != strides {
				t.Errorf("%d channels: %d axes of terms, strides %v, want %v", channels, terms, got, strides)
			}
			if want := (shape.Shape{4, 2, 5, 5}); s.A.Mem == nil || !s.A.Shape.Equal(want) {
				t.Errorf("%d channels: the left operand has shape %v, but the adjoint in memory has %v", channels, s.A.Shape, want)
			}
		}
	}
}
