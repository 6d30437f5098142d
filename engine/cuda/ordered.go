package cuda

import (
	"encoding/binary"

	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/internal/gemm"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan"
)

// ordered is a step of matrix products by a kernel with the bits of the CPU, for floats
// where the plan asks for the order of the
// interpreter.
type ordered struct {
	p     *program
	name  string
	s     *plan.Stage
	a, b  matrix
	args  [][]byte // the arguments, one for each product
	queue []*cu.Launch
}

// The numbers of product.cuh: of the rows, and of the columns, of the results that a
// thread block computes, of terms in its shared memory, and of its threads.
const (
	productTile  = 64
	productDepth = 16
	productBlock = 256
)

// productKernel returns the kernel for elements of type t, and whether they are those of
// products with a vector. Wrapping sums and products of signed integers have the bits of
// unsigned ones.
func (p *program) productKernel(t dtype.Type, vector bool) (kernelText, error) {
	element, sum := cType(t), cType(t)
	if !t.IsFloat() {
		element = keyType(t.Size())
		sum = keyType(max(t.Size(), 4))
	}
	entry, block, chains := "oneloop_product", gemm.Block, 1
	if vector {
		entry, block, chains = "oneloop_vector", gemm.VectorBlock, gemm.Lanes(t.Size())
	}
	return p.text("a matrix product of "+t.String(), "product", []string{entry}, "T "+element, "W "+sum,
		define("FLOATS", truth(t.IsFloat()).add), define("BLOCK", block), define("SECTION", gemm.Section), define("CHAINS", chains))
}

func (p *program) newOrdered(name string, s *plan.Stage, a, b matrix) (step, error) {
	x := &ordered{p: p, name: name, s: s, a: a, b: b}
	if a.rows*b.cols == 0 {
		return x, nil
	}
	vector := s.Out.Type.IsFloat() && (a.rows == 1 || b.cols == 1)
	k, err := p.productKernel(s.Out.Type, vector)
	if err != nil {
		return nil, err
	}
	blocks := (a.rows + productTile - 1) / productTile * ((b.cols + productTile - 1) / productTile)
	shared := 2 * productDepth * (productTile + 1) * max(s.Out.Type.Size(), 4)
	if vector {
		blocks, shared = (max(a.rows, b.cols)+productBlock-1)/productBlock, 0
	}
	for range a.offsets {
		arg := make([]byte, 3*8)
		for _, v := range []int{a.rows, b.cols, a.cols, a.row, a.col, b.row, b.col} {
			arg = binary.LittleEndian.AppendUint64(arg, uint64(v))
		}
		x.args = append(x.args, arg)
		x.queue = append(x.queue, cu.NewLaunch(k.module.entries[0], cu.Dim3{X: blocks, Y: 1, Z: 1}, cu.Dim3{X: productBlock, Y: 1, Z: 1}, shared, arg))
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

func (x *ordered) bind(_, _ cu.DevicePtr) {}

func (x *ordered) launch(l *driverStream) error {
	for _, q := range x.queue {
		if err := q.Run(l.stream); err != nil {
			return err
		}
	}
	return nil
}

func (x *ordered) launches() int { return len(x.queue) }

func (x *ordered) state(to []byte) []byte {
	for _, arg := range x.args {
		to = append(to, arg...)
	}
	return to
}

func (x *ordered) raises() bool { return false }

func (x *ordered) String() string { return x.name }
