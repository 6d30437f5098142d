package engine

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/shape"
)

// A productStep is a stack of matrix products. Floats go to the BLAS registered
// with gonum (blas32.Use, blas64.Use), whose order of summation is gonum's own
// by default; integers are summed here, wrapping.
type productStep struct {
	s          *plan.Stage
	m, n, k    int
	a, b       matrix
	batch      shape.Shape
	offA, offB []int // of each product of the stack, in elements
}

// A matrix is how a stack of matrices is laid out.
type matrix struct {
	row, col int // strides
	trans    blas.Transpose
	ld       int
}

func (p *Program) newProduct(s *plan.Stage) (step, error) {
	d := &productStep{s: s, m: 1, n: 1}
	a, b := s.A, s.B
	ra, rb := len(a.Shape), len(b.Shape)
	d.k = a.Shape[ra-1]
	if ra > 1 {
		d.m = a.Shape[ra-2]
		d.a = layout(d.m, d.k, a.Strides[ra-2], a.Strides[ra-1])
	} else {
		d.a = layout(1, d.k, d.k*max(a.Strides[0], 1), a.Strides[0])
	}
	if rb > 1 {
		d.n = b.Shape[rb-1]
		d.b = layout(d.k, d.n, b.Strides[rb-2], b.Strides[rb-1])
	} else {
		d.b = layout(d.k, 1, b.Strides[0], 1)
	}
	batchA, batchB := a.Shape[:max(ra-2, 0)], b.Shape[:max(rb-2, 0)]
	var err error
	if d.batch, err = shape.Broadcast(batchA, batchB); err != nil {
		return nil, err
	}
	stA, _ := a.Strides[:len(batchA)].BroadcastTo(batchA, d.batch)
	stB, _ := b.Strides[:len(batchB)].BroadcastTo(batchB, d.batch)
	each(d.batch, stA, 0, func(off int) { d.offA = append(d.offA, off) })
	each(d.batch, stB, 0, func(off int) { d.offB = append(d.offB, off) })
	return d, nil
}

// layout finds the transpose flag and leading dimension of a matrix with the
// given strides; a vector of a stride is a matrix with one row or column.
func layout(rows, cols, row, col int) matrix {
	m := matrix{row: row, col: col, trans: blas.NoTrans, ld: max(row, cols, 1)}
	if !((col == 1 || cols <= 1) && (row >= cols || rows <= 1)) {
		m.trans, m.ld = blas.Trans, max(col, rows, 1)
	}
	return m
}

func (d *productStep) run(ctx context.Context, p *Program) error {
	out := p.bytes(d.s.Out)
	if d.k == 0 {
		clear(out)
		return nil
	}
	for i := range d.offA {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch d.s.Out.Type {
		case dtype.F32:
			a, b, c := operandsOf[float32](d, p, i)
			blas32.Implementation().Sgemm(d.a.trans, d.b.trans, d.m, d.n, d.k, 1, a, d.a.ld, b, d.b.ld, 0, c, max(d.n, 1))
		case dtype.F64:
			a, b, c := operandsOf[float64](d, p, i)
			blas64.Implementation().Dgemm(d.a.trans, d.b.trans, d.m, d.n, d.k, 1, a, d.a.ld, b, d.b.ld, 0, c, max(d.n, 1))
		case dtype.I8:
			multiply[int8](d, p, i)
		case dtype.I32:
			multiply[int32](d, p, i)
		case dtype.I64:
			multiply[int64](d, p, i)
		case dtype.U8:
			multiply[uint8](d, p, i)
		case dtype.U32:
			multiply[uint32](d, p, i)
		case dtype.U64:
			multiply[uint64](d, p, i)
		}
	}
	return nil
}

func (*productStep) forget() {}

// operandsOf are the operands and the result of product i. Operand slices reach to
// the end of their memory; BLAS is told how much of it counts.
func operandsOf[T dtype.Elem](d *productStep, p *Program, i int) (a, b, c []T) {
	c = dtype.Slice[T](p.bytes(d.s.Out))[i*d.m*d.n:][:d.m*d.n]
	return from[T](p, d.s.A, d.offA[i]), from[T](p, d.s.B, d.offB[i]), c
}

func from[T dtype.Elem](p *Program, a *plan.Array, off int) []T {
	b := p.arena
	if a.Mem != nil {
		b = a.Mem.(*Memory).data
	} else {
		b = b[p.plan.Temps[a.Temp].Offset:]
	}
	return dtype.Slice[T](b)[a.Offset+off:]
}

func multiply[T dtype.Int](d *productStep, p *Program, i int) {
	a, b, c := operandsOf[T](d, p, i)
	clear(c)
	for r := range d.m {
		row := c[r*d.n:][:d.n]
		for k := range d.k {
			x := a[r*d.a.row+k*d.a.col]
			at := k * d.b.row
			for j := range row {
				row[j] += x * b[at]
				at += d.b.col
			}
		}
	}
}
