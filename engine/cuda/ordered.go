package cuda

import (
	"encoding/binary"
	"fmt"

	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/internal/gemm"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan"
)

// ordered is a step of matrix products by a kernel with the bits of the CPU: of integers,
// which cuBLAS does not have, and of floats where the plan asks for the order of the
// interpreter.
type ordered struct {
	kernels
	a, b matrix
}

// The numbers of product.cuh: of the rows, and of the columns, of the results that a
// thread block computes, of terms in its shared memory, and of its threads.
const (
	productTile  = 64
	productDepth = 16
	productBlock = 256
)

// A productKernel is a kernel, and how its threads share the results of one product.
type productKernel struct {
	entry          cu.Function
	blocks, shared int
}

// kernelOf returns the kernel for elements of type t, and a product of rows x cols.
func (p *program) kernelOf(t dtype.Type, rows, cols int) (k productKernel, err error) {
	if !t.IsFloat() {
		m, err := p.d.source(&p.resources.code, "a matrix product of "+t.String(), fmt.Sprintf(integerSource, unsignedNames[t.Size()]), "product")
		if err != nil {
			return k, err
		}
		return productKernel{m.entries[0], (rows*cols + productBlock - 1) / productBlock, 0}, nil
	}
	entry, block, chains := "oneloop_product", gemm.Block, 1
	k.blocks = (rows + productTile - 1) / productTile * ((cols + productTile - 1) / productTile)
	k.shared = 2 * productDepth * (productTile + 1) * t.Size()
	if rows == 1 || cols == 1 { // a product with a vector
		entry, block, chains = "oneloop_vector", gemm.VectorBlock, gemm.Lanes(t.Size())
		k.blocks, k.shared = (max(rows, cols)+productBlock-1)/productBlock, 0
	}
	text, err := p.text("a matrix product of "+t.String(), "product", []string{entry}, "T "+cType(t),
		define("BLOCK", block), define("SECTION", gemm.Section), define("CHAINS", chains))
	if err == nil {
		k.entry = text.module.entries[0]
	}
	return k, err
}

func (p *program) newOrdered(name string, s *plan.Stage, a, b matrix) (step, error) {
	x := &ordered{kernels: kernels{stageOf: stageOf{p, name, s}}, a: a, b: b}
	if a.rows*b.cols == 0 {
		return x, nil
	}
	k, err := p.kernelOf(s.Out.Type, a.rows, b.cols)
	if err != nil {
		return nil, err
	}
	for range a.offsets {
		arg := make([]byte, 3*8)
		for _, v := range []int{a.rows, b.cols, a.cols, a.row, a.col, b.row, b.col} {
			arg = binary.LittleEndian.AppendUint64(arg, uint64(v))
		}
		x.add(k.entry, k.blocks, productBlock, k.shared, arg)
	}
	return x, nil
}

func (x *ordered) prepare() (int, error) {
	size := cu.DevicePtr(x.s.Out.Type.Size())
	a, b, c := x.p.address(x.a.array), x.p.address(x.b.array), x.p.address(x.s.Out)
	for i, arg := range x.args {
		binary.LittleEndian.PutUint64(arg, uint64(a+cu.DevicePtr(x.a.offsets[i])*size))
		binary.LittleEndian.PutUint64(arg[8:], uint64(b+cu.DevicePtr(x.b.offsets[i])*size))
		binary.LittleEndian.PutUint64(arg[16:], uint64(c+cu.DevicePtr(i*x.a.rows*x.b.cols)*size))
	}
	return 0, nil
}

// integerSource is the CUDA C++ of the kernel, for unsigned elements. Wrapping
// sums and products of signed elements have the same bits.
const integerSource = `typedef %s element;
struct args { const element *a, *b; element *c; long long m, n, k, arow, acol, brow, bcol; };
extern "C" __global__ void product(const __grid_constant__ args p) {
	long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (at >= p.m * p.n) return;
	const element *a = p.a + at / p.n * p.arow, *b = p.b + at %% p.n * p.bcol;
	element sum = 0;
	for (long long i = 0; i < p.k; i++) sum = (element)(sum + a[i * p.acol] * b[i * p.brow]);
	p.c[at] = sum;
}
`

var unsignedNames = map[int]string{1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long long"}
