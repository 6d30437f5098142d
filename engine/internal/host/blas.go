package host

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/oneloop/oneloop/engine/internal/gemm"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan"
)

// A blasStep computes a stack of matrix products of floats with the BLAS that is
// registered with gonum. That library determines the order of summation.
type blasStep struct {
	s    *plan.Stage
	p    gemm.Problem
	a, b blasMatrix
}

// A blasMatrix is the layout of a matrix in the terms of BLAS.
type blasMatrix struct {
	trans blas.Transpose
	ld    int
}

func newBLAS(s *plan.Stage) (step, error) {
	p, err := problemOf(s)
	if err != nil {
		return nil, err
	}
	return &blasStep{s, p, blasLayout(p.M, p.K, p.A), blasLayout(p.K, p.N, p.B)}, nil
}

// blasLayout returns the transpose flag and the leading dimension of a matrix. The
// plan uses BLAS layouts only, so the matrix has both.
func blasLayout(rows, cols int, m gemm.Matrix) blasMatrix {
	if (m.Col == 1 || cols <= 1) && (m.Row >= cols || rows <= 1) {
		return blasMatrix{blas.NoTrans, max(m.Row, cols, 1)}
	}
	return blasMatrix{blas.Trans, max(m.Col, rows, 1)}
}

func (d *blasStep) run(ctx context.Context, p *Program) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d.p.K == 0 {
		clear(p.bytes(d.s.Out))
		return nil
	}
	if d.p.M*d.p.N == 0 {
		return nil
	}
	for i := range d.p.OffA {
		if err := ctx.Err(); err != nil {
			return err
		}
		q := &d.p
		if q.Type == dtype.F32 {
			a, b, c := blasOperands[float32](d, p, i)
			blas32.Implementation().Sgemm(d.a.trans, d.b.trans, q.M, q.N, q.K, 1, a, d.a.ld, b, d.b.ld, 0, c, q.N)
		} else {
			a, b, c := blasOperands[float64](d, p, i)
			blas64.Implementation().Dgemm(d.a.trans, d.b.trans, q.M, q.N, q.K, 1, a, d.a.ld, b, d.b.ld, 0, c, q.N)
		}
	}
	return nil
}

func (*blasStep) bind(*Program) {}

func (*blasStep) forget() {}

// blasOperands returns the operands and the result of product i. The slices of
// operands extend to the end of their memory; BLAS gets the sizes separately.
func blasOperands[T float32 | float64](d *blasStep, p *Program, i int) (a, b, c []T) {
	c = dtype.Slice[T](p.bytes(d.s.Out))[i*d.p.M*d.p.N:][:d.p.M*d.p.N]
	return blasOperand[T](p, d.s.A, d.p.OffA[i]), blasOperand[T](p, d.s.B, d.p.OffB[i]), c
}

func blasOperand[T float32 | float64](p *Program, a *plan.Array, off int) []T {
	if a.Mem != nil {
		return dtype.Slice[T](p.Bytes(a.Mem))[a.Offset+off:]
	}
	return dtype.Slice[T](p.arena[p.Plan.Temps[a.Temp].Offset:])[a.Offset+off:]
}
