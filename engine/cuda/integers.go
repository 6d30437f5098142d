package cuda

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan"
)

// integers is a step of matrix products of integers, which cuBLAS does not have.
// It has one thread for each element, and wraps as on the host.
type integers struct {
	p     *program
	name  string
	s     *plan.Stage
	a, b  matrix
	args  [][]byte // the arguments, one for each product
	queue []*cu.Launch
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

// integerBlock is the number of threads of a block.
const integerBlock = 256

func (d *device) integerModule(h *holder, t dtype.Type) (*module, error) {
	source := fmt.Sprintf(integerSource, unsignedNames[t.Size()])
	return d.modules.hold(h, sha256.Sum256([]byte(source)), func() (*module, error) {
		return d.load("a matrix product of "+t.String(), source, []string{"product"})
	})
}

func (p *program) newIntegers(name string, s *plan.Stage, a, b matrix) (step, error) {
	x := &integers{p: p, name: name, s: s, a: a, b: b}
	size := a.rows * b.cols
	if size == 0 {
		return x, nil
	}
	m, err := p.d.integerModule(&p.resources.code, s.Out.Type)
	if err != nil {
		return nil, err
	}
	for range a.offsets {
		arg := make([]byte, 3*8)
		for _, v := range []int{a.rows, b.cols, a.cols, a.row, a.col, b.row, b.col} {
			arg = binary.LittleEndian.AppendUint64(arg, uint64(v))
		}
		x.args = append(x.args, arg)
		grid := cu.Dim3{X: (size + integerBlock - 1) / integerBlock, Y: 1, Z: 1}
		x.queue = append(x.queue, cu.NewLaunch(m.entries[0], grid, cu.Dim3{X: integerBlock, Y: 1, Z: 1}, 0, arg))
	}
	return x, nil
}

func (x *integers) prepare() (int, error) {
	size := cu.DevicePtr(x.s.Out.Type.Size())
	a, b, c := x.p.address(x.a.array), x.p.address(x.b.array), x.p.address(x.s.Out)
	for i, arg := range x.args {
		binary.LittleEndian.PutUint64(arg, uint64(a+cu.DevicePtr(x.a.offsets[i])*size))
		binary.LittleEndian.PutUint64(arg[8:], uint64(b+cu.DevicePtr(x.b.offsets[i])*size))
		binary.LittleEndian.PutUint64(arg[16:], uint64(c+cu.DevicePtr(i*x.a.rows*x.b.cols)*size))
	}
	return 0, nil
}

func (x *integers) bind(_, _ cu.DevicePtr) {}

func (x *integers) launch(l *driverStream) error {
	for _, q := range x.queue {
		if err := q.Run(l.stream); err != nil {
			return err
		}
	}
	return nil
}

func (x *integers) launches() int { return len(x.queue) }

func (x *integers) state(to []byte) []byte {
	for _, arg := range x.args {
		to = append(to, arg...)
	}
	return to
}

func (x *integers) raises() bool { return false }

func (x *integers) String() string { return x.name }
