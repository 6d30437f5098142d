package cuda

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/shape"
)

// A matrix is the layout of a stack of matrices. Strides and offsets are in
// elements.
type matrix struct {
	rows, cols int
	row, col   int // strides
	array      *plan.Array
	offsets    []int // one for each matrix of the stack
}

// stored returns the layout for BLAS: NoTrans if the rows are contiguous, Trans
// if the columns are, and the leading dimension in elements.
func (m *matrix) stored() (trans cu.Transpose, ld int) {
	if (m.col == 1 || m.cols <= 1) && (m.row >= m.cols || m.rows <= 1) {
		return cu.NoTrans, max(m.row, m.cols, 1)
	}
	return cu.Trans, max(m.col, m.rows, 1)
}

// matrices returns the layouts of the operands of a product. A vector is a matrix
// of one row on the left, and of one column on the right.
func matrices(s *plan.Stage) (a, b matrix, err error) {
	ra, rb := len(s.A.Shape), len(s.B.Shape)
	a = matrix{rows: 1, cols: s.A.Shape[ra-1], row: 0, col: s.A.Strides[ra-1], array: s.A}
	if ra > 1 {
		a.rows, a.row = s.A.Shape[ra-2], s.A.Strides[ra-2]
	}
	b = matrix{rows: s.B.Shape[rb-1], cols: 1, row: s.B.Strides[rb-1], col: 0, array: s.B}
	if rb > 1 {
		b = matrix{rows: s.B.Shape[rb-2], cols: s.B.Shape[rb-1], row: s.B.Strides[rb-2], col: s.B.Strides[rb-1], array: s.B}
	}
	batchA, batchB := s.A.Shape[:max(ra-2, 0)], s.B.Shape[:max(rb-2, 0)]
	batch, err := shape.Broadcast(batchA, batchB)
	if err != nil {
		return a, b, err
	}
	stA, _ := s.A.Strides[:len(batchA)].BroadcastTo(batchA, batch)
	stB, _ := s.B.Strides[:len(batchB)].BroadcastTo(batchB, batch)
	a.offsets, b.offsets = offsets(batch, stA), offsets(batch, stB)
	return a, b, nil
}

// offsets returns the offset of each matrix of a stack, in elements.
func offsets(s shape.Shape, st shape.Strides) (out []int) {
	shape.Each(s, st, 0, func(offset int) { out = append(out, offset) })
	return out
}

// regular returns the distance between neighbours if all distances are equal and
// not negative.
func regular(offsets []int) (step int, ok bool) {
	if len(offsets) < 2 {
		return 0, true
	}
	step = offsets[1] - offsets[0]
	for i := range offsets[1:] {
		if offsets[i+1]-offsets[i] != step {
			return 0, false
		}
	}
	return step, step >= 0
}

// A product is a step of matrix products of floats by cuBLAS, which is
// column-major. A row-major matrix read column-major is its transpose, and
// row-major C = A B is column-major C' = B' A'. So the step exchanges the
// operands and needs no copies.
//
// cuBLAS scales the sums and adds them to the result, where the stage says so.
type product struct {
	stageOf
	a, b  matrix
	gemms []cu.Gemm
}

func (p *program) newProduct(i int, s *plan.Stage) (step, error) {
	a, b, err := matrices(s)
	if err != nil {
		return nil, err
	}
	name := stageName(i, fmt.Sprintf("product of %v and %v", s.A, s.B))
	if p.plan.ProductsInOrder || s.Out.Type != dtype.F32 && s.Out.Type != dtype.F64 {
		return p.newOrdered(name, s, a, b)
	}
	x := &product{stageOf: stageOf{p, name, s}, a: a, b: b}
	if a.rows*b.cols*len(a.offsets) == 0 || a.cols == 0 { // no elements, or all zeros: launch clears them
		return x, nil
	}
	all, ok := together(&a, &b)
	if len(s.A.Shape) == 2 && len(s.B.Shape) == 2 { // the result may be columns of a larger matrix
		all.LdC = max(s.Out.Strides[0], b.cols)
	}
	if ok {
		x.gemms = []cu.Gemm{all}
	} else {
		all.Batch = 1
		for range a.offsets {
			x.gemms = append(x.gemms, all)
		}
	}
	return x, p.d.blas.open(p.d)
}

// together returns a stack of products as one call, without addresses. ok is
// false if the matrices of an operand do not have one common distance.
func together(a, b *matrix) (g cu.Gemm, ok bool) {
	transA, ldA := a.stored()
	transB, ldB := b.stored()
	stepA, okA := regular(a.offsets)
	stepB, okB := regular(b.offsets)
	return cu.Gemm{
		TransA: transB, TransB: transA, M: b.cols, N: a.rows, K: a.cols, LdA: ldB, LdB: ldA, LdC: b.cols,
		StrideA: int64(stepB), StrideB: int64(stepA), StrideC: int64(a.rows * b.cols), Batch: len(a.offsets), Alpha: 1,
	}, okA && okB
}

func (x *product) prepare() (int, error) {
	size := cu.DevicePtr(x.s.Out.Type.Size())
	a, b, c := x.p.address(x.a.array), x.p.address(x.b.array), x.p.address(x.s.Out)
	alpha, beta := scales(x.s)
	for i := range x.gemms {
		g := &x.gemms[i]
		g.Alpha, g.Beta = alpha, beta
		g.A = b + cu.DevicePtr(x.b.offsets[i])*size
		g.B = a + cu.DevicePtr(x.a.offsets[i])*size
		g.C = c + cu.DevicePtr(i*x.a.rows*x.b.cols)*size
	}
	return 0, nil
}

// scales returns alpha and beta of a product for this run. The difference has the
// opposite alpha.
func scales(s *plan.Stage) (alpha, beta float64) {
	alpha, beta = 1, 0
	if s.Saver != expr.Set {
		beta = 1
	}
	if s.Alpha != nil {
		alpha = valueOf(s.Alpha, s.Out.Type)
		if s.Saver != expr.Set {
			beta = valueOf(s.Beta, s.Out.Type)
		}
	}
	if s.Saver == expr.Minus {
		alpha = -alpha
	}
	return alpha, beta
}

// valueOf returns a scalar of type t, float32 or float64.
func valueOf(s *plan.Scalar, t dtype.Type) float64 {
	bits := s.Bits
	if s.Cell != nil {
		bits = s.Cell.Load()
	}
	if t == dtype.F32 {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

func (x *product) launch(l *driverStream) error {
	if len(x.gemms) == 0 {
		n := x.s.Out.Bytes()
		if n == 0 {
			return nil
		}
		return cu.MemsetD8Async(x.p.address(x.s.Out), 0, int64(n), l.stream)
	}
	return x.p.d.blas.multiply(x.p.d, l, x.s.Out.Type, x.gemms)
}

func (x *product) launches() int { return max(len(x.gemms), 1) }

func (x *product) state(to []byte) []byte {
	to = binary.LittleEndian.AppendUint64(to, uint64(x.p.address(x.s.Out)))
	for i := range x.gemms {
		to = binary.LittleEndian.AppendUint64(to, uint64(x.gemms[i].A))
		to = binary.LittleEndian.AppendUint64(to, uint64(x.gemms[i].B))
		to = binary.LittleEndian.AppendUint64(to, math.Float64bits(x.gemms[i].Alpha))
		to = binary.LittleEndian.AppendUint64(to, math.Float64bits(x.gemms[i].Beta))
	}
	return to
}

// blas has the handles of cuBLAS and cuBLASLt of a GPU. One goroutine uses them
// at a time.
type blas struct {
	mu     sync.Mutex
	handle *cu.Blas
	lt     *cu.BlasLt
	noLt   error // the error of opening cuBLASLt, which is tried once
}

// workspaceBytes is the size of a workspace: what cuBLAS recommends for Hopper,
// more than it recommends for other GPUs.
const workspaceBytes = 32 << 20

// open opens cuBLAS on the first call.
func (b *blas) open(d *device) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.handle != nil {
		return nil
	}
	return d.do("opening cuBLAS for a matrix product", func() (err error) {
		h, err := cu.BlasCreate()
		if err == nil {
			b.handle = h
		}
		return err
	})
}

// workspaceOf returns the workspace of l for cuBLAS, and allocates it on the
// first call. Two driverStreams never share a workspace.
func (d *device) workspaceOf(l *driverStream) (cu.DevicePtr, error) {
	if l.workspace != 0 {
		return l.workspace, nil
	}
	w, err := d.obtain(workspaceBytes)
	if err != nil {
		return 0, err
	}
	l.workspace = w
	return w, nil
}

// multiply queues products on l.
func (b *blas) multiply(d *device, l *driverStream, t dtype.Type, gemms []cu.Gemm) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	w, err := d.workspaceOf(l)
	if err != nil {
		return err
	}
	if err := b.handle.On(l.stream, w, workspaceBytes); err != nil {
		return err
	}
	for i := range gemms {
		var err error
		if t == dtype.F64 {
			err = b.handle.Dgemm(&gemms[i])
		} else {
			err = b.handle.Sgemm(&gemms[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}
