package cu

import (
	"cmp"
	"runtime"
	"unsafe"

	"github.com/oneloop/oneloop/engine/cuda/internal/dl"
	"github.com/oneloop/oneloop/internal/failure"
)

var cublasLt = &library{
	Library: dl.Library{
		Name:     "libcublasLt",
		Env:      "ONELOOP_LIBCUBLASLT",
		Names:    both("libcublasLt.so.13", "libcublasLt.so.12", "cublasLt64_13.dll", "cublasLt64_12.dll"),
		Pattern:  named("libcublasLt.so*", "cublasLt64_*.dll"),
		Packages: []string{"cu13/lib", "cublas/lib", "cu13/bin/x86_64", "cublas/bin"},
	},
}

// The functions of cuBLASLt that this package calls. Parameters, numbers and
// sizes in this file are those of cublasLt.h of cuBLAS 13.1.0. CUDA 12.6 has the
// same.
var (
	cublasLtCreate                       = cublasLt.need("cublasLtCreate")
	cublasLtDestroy                      = cublasLt.need("cublasLtDestroy")
	cublasLtMatmulDescCreate             = cublasLt.need("cublasLtMatmulDescCreate")
	cublasLtMatmulDescDestroy            = cublasLt.need("cublasLtMatmulDescDestroy")
	cublasLtMatmulDescSetAttribute       = cublasLt.need("cublasLtMatmulDescSetAttribute")
	cublasLtMatrixLayoutCreate           = cublasLt.need("cublasLtMatrixLayoutCreate")
	cublasLtMatrixLayoutDestroy          = cublasLt.need("cublasLtMatrixLayoutDestroy")
	cublasLtMatrixLayoutSetAttribute     = cublasLt.need("cublasLtMatrixLayoutSetAttribute")
	cublasLtMatmulPreferenceCreate       = cublasLt.need("cublasLtMatmulPreferenceCreate")
	cublasLtMatmulPreferenceDestroy      = cublasLt.need("cublasLtMatmulPreferenceDestroy")
	cublasLtMatmulPreferenceSetAttribute = cublasLt.need("cublasLtMatmulPreferenceSetAttribute")
	cublasLtMatmulAlgoGetHeuristic       = cublasLt.need("cublasLtMatmulAlgoGetHeuristic")
	cublasLtMatmul                       = cublasLt.need("cublasLtMatmul")
	cublasLtGetVersion                   = cublasLt.need("cublasLtGetVersion")
	cublasLtGetStatusName                = cublasLt.may("cublasLtGetStatusName")
)

// checkCublasLt is checkCublas of cuBLASLt.
func checkCublasLt(fn []uintptr) error {
	v := int(dl.Call(fn[cublasLtGetVersion]))
	return tooNew("cuBLASLt", v/10000, v/100%100)
}

//go:uintptrescapes
func callCublasLt(s symbol, args ...uintptr) error {
	fn, err := cublasLt.function(s)
	if err != nil {
		return err
	}
	return cublasLt.status(s, cublasLtGetStatusName, dl.Call(fn, args...))
}

// setAttribute sets an attribute. The library takes the address and the size of
// the value.
func setAttribute[T int32 | uint32 | int64 | uint64](s symbol, object, attribute uintptr, value T) error {
	return callCublasLt(s, object, attribute, uintptr(unsafe.Pointer(&value)), unsafe.Sizeof(value))
}

// CublasLtVersion returns the version of cuBLASLt: 130100 is 13.1.0.
func CublasLtVersion() (int, error) {
	fn, err := cublasLt.function(cublasLtGetVersion)
	if err != nil {
		return 0, err
	}
	return int(dl.Call(fn)), nil
}

// A BlasLt is a cuBLASLt handle. It belongs to no context.
type BlasLt struct{ handle uintptr }

// BlasLtCreate returns a handle. A context must be current.
func BlasLtCreate() (*BlasLt, error) {
	h := &BlasLt{}
	return h, callCublasLt(cublasLtCreate, uintptr(unsafe.Pointer(&h.handle)))
}

// Destroy releases the handle.
func (h *BlasLt) Destroy() error { return callCublasLt(cublasLtDestroy, h.handle) }

// A DataType is an element type.
type DataType uintptr

// The types.
const (
	R_32F DataType = 0
	R_64F DataType = 1
)

// An Epilogue is an operation on a product before it is stored.
type Epilogue uint32

// The epilogues that add a vector to each column. RELU_BIAS then stores 0 for
// negative numbers. According to a report in NVIDIA's forum (topic 329783) it
// stores 0 for NaN too; the documentation does not say. GELU_BIAS is the
// approximation by tanh.
const (
	EPILOGUE_BIAS      Epilogue = 4
	EPILOGUE_RELU_BIAS Epilogue = 6
	EPILOGUE_GELU_BIAS Epilogue = 36
)

// Alignments are powers of two, in bytes, at most 256. Each divides all addresses
// that the operand will have.
type Alignments struct{ A, B, C, Bias uint32 }

// A Matmul is a product with an epilogue, prepared by cuBLASLt. One goroutine
// uses it at a time.
type Matmul struct {
	lt          *BlasLt
	desc        uintptr
	a, b, c     uintptr // layouts
	algo        [8]uint64
	alpha, beta float64   // or a float32 in the low half of the bits
	bias        DevicePtr // the address in desc; 0 if unknown
	args        [16]uintptr
}

// NewMatmul prepares C = epilogue(op(A) op(B)) with all fields of g except the
// addresses. If cuBLASLt has no kernel for the device within workspace bytes, the
// error is a *[CublasError].
func (h *BlasLt) NewMatmul(t DataType, g *Gemm, e Epilogue, at Alignments, workspace int64) (*Matmul, error) {
	m := &Matmul{lt: h}
	err := m.describe(t, g, e)
	if err == nil {
		err = m.choose(at, workspace)
	}
	if err != nil {
		_ = m.Destroy() // the first error tells the cause
		return nil, err
	}
	return m, nil
}

// describe creates the descriptors.
func (m *Matmul) describe(t DataType, g *Gemm, e Epilogue) (err error) {
	defer failure.Catch(&err)
	const compute32F, compute64F = 68, 70 // products and sums in full precision
	compute := uintptr(compute32F)
	*(*float32)(unsafe.Pointer(&m.alpha)) = 1
	if t == R_64F {
		compute = compute64F
		m.alpha = 1
	}
	failure.Check(callCublasLt(cublasLtMatmulDescCreate, uintptr(unsafe.Pointer(&m.desc)), compute, uintptr(t)))
	const transA, transB, epilogue = 3, 4, 7
	for _, x := range [][2]uintptr{{transA, uintptr(g.TransA)}, {transB, uintptr(g.TransB)}, {epilogue, uintptr(e)}} {
		failure.Check(setAttribute(cublasLtMatmulDescSetAttribute, m.desc, x[0], uint32(x[1])))
	}
	layout := func(to *uintptr, trans Transpose, rows, cols, ld int, stride int64) {
		if trans == Trans {
			rows, cols = cols, rows
		}
		failure.Check(callCublasLt(cublasLtMatrixLayoutCreate, uintptr(unsafe.Pointer(to)), uintptr(t), uintptr(rows), uintptr(cols), uintptr(ld)))
		if g.Batch == 1 {
			return
		}
		const batchCount, stridedBatchOffset = 5, 6
		failure.Check(setAttribute(cublasLtMatrixLayoutSetAttribute, *to, batchCount, int32(g.Batch)))
		failure.Check(setAttribute(cublasLtMatrixLayoutSetAttribute, *to, stridedBatchOffset, stride))
	}
	layout(&m.a, g.TransA, g.M, g.K, g.LdA, g.StrideA)
	layout(&m.b, g.TransB, g.K, g.N, g.LdB, g.StrideB)
	layout(&m.c, NoTrans, g.M, g.N, g.LdC, g.StrideC)
	return nil
}

// A heuristic is cublasLtMatmulHeuristicResult_t.
type heuristic struct {
	algo      [8]uint64
	workspace uintptr
	state     int32
	waves     float32
	reserved  [4]int32
}

// choose lets cuBLASLt choose the kernel. The choice depends on the alignment of
// the bias, which cuBLASLt reads from the address in the descriptor. It does not
// access that address.
func (m *Matmul) choose(at Alignments, workspace int64) (err error) {
	if err := m.setBias(DevicePtr(at.Bias)); err != nil {
		return err
	}
	var preference uintptr
	if err := callCublasLt(cublasLtMatmulPreferenceCreate, uintptr(unsafe.Pointer(&preference))); err != nil {
		return err
	}
	defer func() {
		err = cmp.Or(err, callCublasLt(cublasLtMatmulPreferenceDestroy, preference))
	}()
	const maxWorkspaceBytes = 1
	if err := setAttribute(cublasLtMatmulPreferenceSetAttribute, preference, maxWorkspaceBytes, uint64(workspace)); err != nil {
		return err
	}
	const minAlignmentBytes = 5 // the attribute of A; B, C and D follow, and D is C
	for i, bytes := range []uint32{at.A, at.B, at.C, at.C} {
		if err := setAttribute(cublasLtMatmulPreferenceSetAttribute, preference, minAlignmentBytes+uintptr(i), bytes); err != nil {
			return err
		}
	}
	var best heuristic
	var found int32
	err = callCublasLt(cublasLtMatmulAlgoGetHeuristic, m.lt.handle, m.desc, m.a, m.b, m.c, m.c, preference, 1,
		uintptr(unsafe.Pointer(&best)), uintptr(unsafe.Pointer(&found)))
	if err != nil {
		return err
	}
	const notSupported = 15
	if found == 0 {
		return cublasLt.status(cublasLtMatmulAlgoGetHeuristic, cublasLtGetStatusName, notSupported)
	}
	m.algo = best.algo
	return cublasLt.status(cublasLtMatmulAlgoGetHeuristic, cublasLtGetStatusName, best.state)
}

func (m *Matmul) setBias(p DevicePtr) error {
	const biasPointer = 8
	m.bias = p
	err := callCublasLt(cublasLtMatmulDescSetAttribute, append(m.args[:0], m.desc, biasPointer, uintptr(unsafe.Pointer(&m.bias)), unsafe.Sizeof(m.bias))...)
	if err != nil {
		m.bias = 0 // unknown, so the next run sets it again
	}
	return err
}

// Run queues the product of the matrices at the addresses of g, with a bias of M
// elements. The workspace has the size for which the product was prepared, and is
// aligned to 256 bytes.
func (m *Matmul) Run(g *Gemm, bias, workspace DevicePtr, bytes int64, s Stream) error {
	if bias != m.bias {
		if err := m.setBias(bias); err != nil {
			return err
		}
	}
	err := callCublasLt(cublasLtMatmul, append(m.args[:0], m.lt.handle, m.desc, uintptr(unsafe.Pointer(&m.alpha)),
		uintptr(g.A), m.a, uintptr(g.B), m.b, uintptr(unsafe.Pointer(&m.beta)), uintptr(g.C), m.c, uintptr(g.C), m.c,
		uintptr(unsafe.Pointer(&m.algo)), uintptr(workspace), uintptr(bytes), uintptr(s))...)
	runtime.KeepAlive(m)
	return err
}

// Destroy releases the descriptors.
func (m *Matmul) Destroy() (err error) {
	for _, x := range []struct {
		destroy symbol
		object  *uintptr
	}{
		{cublasLtMatrixLayoutDestroy, &m.a},
		{cublasLtMatrixLayoutDestroy, &m.b},
		{cublasLtMatrixLayoutDestroy, &m.c},
		{cublasLtMatmulDescDestroy, &m.desc},
	} {
		if *x.object == 0 {
			continue
		}
		err = cmp.Or(err, callCublasLt(x.destroy, *x.object))
		*x.object = 0
	}
	return err
}
