package host

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/gemm"
	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/fuse"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// newProduct returns the step of a stack of matrix products. It is a loop whose units are
// tiles of the results.
func (p *Program) newProduct(s *plan.Stage) (step, error) {
	if p.BLAS != nil && (s.Out.Type == dtype.F32 || s.Out.Type == dtype.F64) {
		return newBLAS(s)
	}
	problem, err := problemOf(s)
	if err != nil {
		return nil, err
	}
	d := newProductLoop(s, &problem, p.place)
	d.inst = gemm.New(p.Backend.Name(), problem, &d.binding, p.Threads)
	d.plan(p)
	return &d, nil
}

// newProductLoop returns a step for a product, with the places of its operands and
// of its scalars.
func newProductLoop(s *plan.Stage, problem *gemm.Problem, at func(*plan.Array) place) loopStep {
	d := loopStep{s: s, binding: ir.Binding{Bufs: make([]ir.BufBind, 3)}}
	if problem.Scaled {
		d.binding.Scalars = []uint64{s.Alpha.Bits, s.Beta.Bits}
		for i, o := range []*plan.Scalar{s.Alpha, s.Beta} {
			if o.Cell != nil {
				d.cells = append(d.cells, scalarCell{i, o.Cell})
			}
		}
	}
	d.places = []bufPlace{{0, at(s.A)}, {1, at(s.B)}, {2, at(s.Out)}}
	return d
}

// problemOf returns the products of a stage. A vector is a matrix of one row if
// it is the left operand, and of one column if it is the right one.
func problemOf(s *plan.Stage) (gemm.Problem, error) {
	a, b := s.A, s.B
	ra, rb := len(s.ShapeA), len(s.ShapeB)
	d := gemm.Problem{Type: s.Out.Type, M: 1, N: 1, K: s.ShapeA[ra-1]}
	d.A, d.GridA = operandOf(a, s.ShapeA, true)
	d.B, d.GridB = operandOf(b, s.ShapeB, false)
	if ra > 1 {
		d.M = s.ShapeA[ra-2]
	}
	if rb > 1 {
		d.N = s.ShapeB[rb-1]
	}
	d.Vector = d.M == 1 || d.N == 1
	if a.Type.IsHalf() {
		d.HalfA = a.Type
	}
	if b.Type.IsHalf() {
		d.HalfB = b.Type
	}
	batchA, batchB := s.ShapeA[:max(ra-2, 0)], s.ShapeB[:max(rb-2, 0)]
	batch, err := shape.Broadcast(batchA, batchB)
	if err != nil {
		return d, err
	}
	if err := hostmem.Reserve(3 * batch.Size() * int(unsafe.Sizeof(0))); err != nil {
		return d, outOfMemory(err)
	}
	stA, _ := a.Strides[:len(batchA)].BroadcastTo(batchA, batch)
	stB, _ := b.Strides[:len(batchB)].BroadcastTo(batchB, batch)
	shape.Each(batch, stA, 0, func(off int) { d.OffA = append(d.OffA, off) })
	shape.Each(batch, stB, 0, func(off int) { d.OffB = append(d.OffB, off) })
	d.Save = [...]gemm.Save{expr.Set: gemm.Set, expr.Plus: gemm.Add, expr.Minus: gemm.Sub, expr.Times: gemm.Mul, expr.Over: gemm.Div}[s.Saver]
	d.Scaled = s.Alpha != nil
	out := s.Out.Strides
	if shape.IsContiguous(s.Out.Shape, out) {
		return d, nil
	}
	if rb > 1 {
		d.C.Col, out = out[len(out)-1], out[:len(out)-1]
	}
	if ra > 1 {
		d.C.Row, out = out[len(out)-1], out[:len(out)-1]
	}
	shape.Each(batch, out, 0, func(off int) { d.OffC = append(d.OffC, off) })
	return d, nil
}

// operandOf returns the matrix of an operand, whose stack of matrices has a shape, or its grid if it has more axes.
func operandOf(a *plan.Array, s shape.Shape, left bool) (m gemm.Matrix, g *gemm.Grid) {
	r := len(a.Shape)
	if r == len(s) {
		return gemm.Matrix{Row: a.Strides[max(r-2, 0)], Col: a.Strides[r-1]}, nil
	}
	stack, rows := fuse.MatrixAxes(a.Shape, s)
	terms, others := axesOf(a, stack, stack+rows), axesOf(a, stack+rows, r)
	if left {
		terms, others = others, terms
	}
	return m, gemm.NewGrid(terms, others, a.Type.Size())
}

// axesOf returns axes from to to of an array.
func axesOf(a *plan.Array, from, to int) (axes []gemm.Axis) {
	for i := from; i < to; i++ {
		axes = append(axes, gemm.Axis{Extent: a.Shape[i], Stride: a.Strides[i]})
	}
	return axes
}
