package engine_test

import (
	"context"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// Complex values that are moved, added or negated are joined where no other statement is in the program. They have the same bits as the
// parts apart.
func TestComplexJoined(t *testing.T) {
	testJoined[complex64, float32](t)
	testJoined[complex128, float64](t)
}

func testJoined[T complex64 | complex128, R float32 | float64](t *testing.T) {
	t.Helper()
	type exp = expr.Exp[T]
	make := func(seed uint64, dims ...int) exp {
		x := engine.Zeros[T](dims...)
		for i, v := range complexes(len(x.Data()), seed) {
			x.Data()[i] = T(v)
		}
		return x
	}
	a, b, long, index := make(1, 10, 42), make(2, 10, 42), make(3, 1000, 3), engine.MustFromSlice([]int64{3, -1, 0, 41, 3})
	for name, e := range map[string]exp{
		"added":        op.Add(op.Flip(a, 1), op.Neg(b)),
		"transposed":   op.Transpose(a),
		"broadcast":    op.Sub(a, op.Reshape(op.Index(b, 1, 3), 10, 1)),
		"repeated":     op.BroadcastTo(op.Reshape(op.Index(b, 1, 3), 10, 1), 4, 10, 7),
		"reshaped":     op.Reshape(op.Slice(a, op.Span{}, op.By(op.Span{}, 2)), 21, 10),
		"taken":        op.Take(a, index, 1),
		"taken twice":  op.Add(op.Take(a, index, 1), op.Take(b, index, 1)),
		"rolled":       op.Roll(a, 5, 1),
		"concatenated": op.Concat(1, a, op.Transpose(op.Reshape(b, 42, 10))),
		"chosen":       op.Where(op.Less(op.Arange[float64](0, 42, 1), op.Full[float64](20)), op.Flip(a, 0), b),
		"rounded":      op.Where(op.Less(op.Arange[float64](0, 42, 1), op.Full[float64](20)), op.Rint(a), b),
		"of parts":     op.Where(op.Less(op.RealPart[R](a), op.ImagPart[R](a)), a, b),
		"padded":       op.Pad(a, [][2]int{{1, 2}, {3, 0}}, 0),
		"sum":          op.Sum(long, op.Axis(0)),
		"sums":         op.Sum(op.Reshape(long, 10, 50, 3, 2), op.Axis(0), op.Axis(1)),
		"sum of rows":  op.Sum(long, op.Axis(1)),
		"one column":   op.Sum(op.Reshape(long, 3000, 1), op.Axis(0)),
		"middle":       op.Sum(op.Reshape(long, 10, 100, 3), op.Axis(1)),
		"product":      op.MatMul(op.Transpose(a), op.Flip(b, 1)),
	} {
		var first []T
		for _, backend := range engine.Backends() {
			dims := e.Node().Shape()
			joined, apart, squares := engine.Zeros[T](dims...), engine.Zeros[T](dims...), engine.Zeros[T](dims...)
			for _, statements := range [][]expr.Statement{{expr.Let(joined, e)}, {expr.Let(apart, e), expr.Let(squares, op.Square[T](apart))}} {
				p, err := engine.CompileWith(context.Background(), engine.Options{Backend: backend}, statements...)
				if err == nil {
					err = p.Run(context.Background())
				}
				if err != nil {
					t.Fatalf("%s on %s: %v", name, backend, err)
				}
			}
			if first == nil {
				first = apart.Data()
			}
			for i, v := range joined.Data() {
				if v != first[i] || apart.Data()[i] != first[i] {
					t.Fatalf("%s on %s: element %d is %v joined, %v apart, and %v on the first back end", name, backend, i, v, apart.Data()[i], first[i])
				}
			}
		}
	}
}
