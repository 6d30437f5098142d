package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan"
)

// A biased step computes matrix products of floats and adds a vector to each row,
// by one call of cuBLASLt. It does not use the epilogues of relu and gelu,
// because they compute other values: the operator relu keeps NaN, and the
// operator gelu uses erf, not tanh.
type biased struct {
	stageOf
	gemm    cu.Gemm
	bias    cu.DevicePtr
	matmul  *cu.Matmul
	cleanup runtime.Cleanup
}

// Plan returns the plan that a GPU runs for pl if cuBLASLt is there and supports
// every product with a bias. It is for plans with the options that [PlanOptions] returns.
func Plan(pl *plan.Plan) *plan.Plan {
	return zero.IfNil(pl).WithEpilogues(func(s *plan.Stage) bool {
		_, err := biasedGemm(s)
		return err == nil
	})
}

// PlanOptions returns what the stages of plans for GPUs may do: cuBLAS scales products
// and adds them to their target.
func PlanOptions() []plan.Option { return []plan.Option{plan.ScaleProducts} }

// PlanOptions is the function of this name.
func (*device) PlanOptions() []plan.Option { return PlanOptions() }

var (
	errBiasedType  = errors.New("cuBLASLt is asked for float32 and float64 only")
	errBiasedStack = errors.New("the matrices of the stack are not at regular distances")
)

// biasedGemm returns the arguments of cuBLASLt for a product with a bias, without
// addresses. It returns an error if one call cannot compute the product.
func biasedGemm(s *plan.Stage) (cu.Gemm, error) {
	if s.Out.Type != dtype.F32 && s.Out.Type != dtype.F64 {
		return cu.Gemm{}, errBiasedType
	}
	a, b, err := matrices(s)
	if err != nil {
		return cu.Gemm{}, err
	}
	g, ok := together(&a, &b)
	if !ok {
		return cu.Gemm{}, errBiasedStack
	}
	return g, nil
}

// take prepares a product with a bias and reports whether it could. If cuBLASLt
// is missing, or does not support the product, the plan has a product and a loop
// instead.
func (p *program) take(s *plan.Stage) bool {
	x := &biased{stageOf: stageOf{p: p, s: s}}
	if err := x.open(); err != nil {
		if p.d.debug.source {
			fmt.Fprintf(os.Stderr, "oneloop: %s: %v is added to the product of %v and %v by a loop: %v\n", p.d.name, s.Bias, s.A, s.B, err)
		}
		return false
	}
	zero.Put(&p.biased, s, x)
	return true
}

func (x *biased) open() (err error) {
	if x.gemm, err = biasedGemm(x.s); err != nil {
		return err
	}
	t := cu.R_32F
	if x.s.Out.Type == dtype.F64 {
		t = cu.R_64F
	}
	d := x.p.d
	lt, err := d.blas.openLt(d)
	if err != nil {
		return err
	}
	at := cu.Alignments{A: alignment(x.s.B), B: alignment(x.s.A), C: alignment(x.s.Out), Bias: alignment(x.s.Bias)}
	err = d.do("preparing a matrix product", func() (err error) {
		x.matmul, err = lt.NewMatmul(t, &x.gemm, cu.EPILOGUE_BIAS, at, workspaceBytes)
		return err
	})
	if err == nil {
		x.cleanup = runtime.AddCleanup(x, func(m *cu.Matmul) { d.deferred.put(m.Destroy) }, x.matmul)
	}
	return err
}

// alignment returns a power of two that divides the address of the array in every
// memory, at most 256. Allocations of the driver begin at multiples of 256,
// temporaries at multiples of 64.
func alignment(a *plan.Array) uint32 {
	base := 256
	if a.Mem == nil {
		base = 64
	}
	at := base | a.Offset*a.Type.Size()
	return uint32(at & -at)
}

func (x *biased) prepare() (int, error) {
	x.gemm.A, x.gemm.B, x.gemm.C = x.p.address(x.s.B), x.p.address(x.s.A), x.p.address(x.s.Out)
	x.bias = x.p.address(x.s.Bias)
	return 0, nil
}

func (x *biased) launch(l *driverStream) error { return x.p.d.blas.multiplyBiased(x.p.d, l, x) }

func (x *biased) state(to []byte) []byte {
	for _, p := range []cu.DevicePtr{x.gemm.A, x.gemm.B, x.gemm.C, x.bias} {
		to = binary.LittleEndian.AppendUint64(to, uint64(p))
	}
	return to
}

// close destroys the descriptors of cuBLASLt.
func (x *biased) close() error {
	x.cleanup.Stop()
	return x.matmul.Destroy()
}

// openLt returns the handle of cuBLASLt, and opens it on the first call. A
// failure is remembered: later calls return the same error.
func (b *blas) openLt(d *device) (*cu.BlasLt, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lt == nil && b.noLt == nil {
		b.noLt = d.do("opening cuBLASLt", func() error {
			h, err := cu.BlasLtCreate()
			if err == nil {
				b.lt = h
			}
			return err
		})
	}
	return b.lt, b.noLt
}

// multiplyBiased queues a product with a bias on l.
func (b *blas) multiplyBiased(d *device, l *driverStream, x *biased) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	w, err := d.workspaceOf(l)
	if err != nil {
		return err
	}
	return x.matmul.Run(&x.gemm, x.bias, w, workspaceBytes, l.stream)
}
