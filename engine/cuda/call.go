package cuda

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/shape"
)

// placed returns pl with stages of Go functions that say where they run.
func placed(pl *plan.Plan) *plan.Plan {
	out := *pl
	out.Stages = slices.Clone(pl.Stages)
	for i, s := range out.Stages {
		if s.Kind == plan.Call {
			c := *s
			if hasKernels(s) {
				c.Why += "; kernels of its own carry it out"
			} else {
				c.Why += "; it runs on the CPU, between copies of its operands and of its result"
			}
			out.Stages[i] = &c
		}
	}
	return &out
}

// A hostCall is a stage of a Go function. It waits for the stages before it, fetches
// the operands, runs the function on the CPU, and uploads the result.
type hostCall struct {
	stageOf
	fn   func(*tree.Call) error
	call tree.Call
}

func (p *program) newHostCall(name string, s *plan.Stage) (*hostCall, error) {
	c := &hostCall{stageOf: stageOf{p, name, s}, call: host.NewCall(s)}
	var err error
	c.fn, err = host.NewFunction(s)
	return c, err
}

func (c *hostCall) prepare() (int, error) { return 0, nil }

func (c *hostCall) launch(l *driverStream) error {
	if err := l.wait(); err != nil {
		return err
	}
	for i, a := range c.s.Args {
		first, mem, err := c.fetch(a)
		if err != nil {
			return err
		}
		c.call.Args[i].Ptr = unsafe.Add(unsafe.Pointer(unsafe.SliceData(mem)), -first)
	}
	out, err := hostmem.Allocate(c.s.Out.Bytes())
	if err != nil {
		return tree.NewError(tree.ErrOutOfMemory, "", "%s", err)
	}
	if c.s.Work != nil {
		if c.call.Work, err = hostmem.Allocate(c.s.Work.Bytes()); err != nil {
			return tree.NewError(tree.ErrOutOfMemory, "", "%s", err)
		}
	}
	c.call.Out.Ptr = unsafe.Pointer(unsafe.SliceData(out))
	defer func() {
		for i := range c.call.Args {
			c.call.Args[i].Ptr = nil
		}
		c.call.Out.Ptr, c.call.Work = nil, nil
	}()
	if err := host.Guard(c.s.Node.Op, func() error { return c.fn(&c.call) }); err != nil {
		return &host.Fault{Call: err, Node: c.s.Node}
	}
	if err := cu.MemcpyHtoDAsync(c.p.address(c.s.Out), c.call.Out.Ptr, int64(len(out)), l.stream); err != nil {
		return err
	}
	err = l.wait()
	runtime.KeepAlive(out)
	return err
}

// fetch returns the bytes from the lowest to the highest element of an array, and
// the position of the lowest relative to the first element.
func (c *hostCall) fetch(a *plan.Array) (first int, mem []byte, err error) {
	lo, hi := shape.Bounds(a.Shape, a.Strides, 0)
	if lo > hi {
		return 0, nil, nil
	}
	size := a.Type.Size()
	if mem, err = hostmem.Allocate((hi + 1 - lo) * size); err != nil {
		return 0, nil, tree.NewError(tree.ErrOutOfMemory, "", "%s", err)
	}
	from := c.p.address(a) + cu.DevicePtr(lo*size)
	return lo * size, mem, cu.MemcpyDtoH(unsafe.Pointer(unsafe.SliceData(mem)), from, int64(len(mem)))
}

func (c *hostCall) state(to []byte) []byte { return to }

func (c *hostCall) raises() bool { return true }

// An argumentUpload writes the arguments of a kernel to memory of the GPU if they
// are too large to be passed. Each launch of a small kernel passes a part of them
// and stores it. So the stream orders the writes, a graph can capture them, and
// they need no pinned memory.
type argumentUpload struct {
	args   []byte // the bytes to write, 8-byte words
	passed []byte // the argument of the kernel: the address of args on the GPU
	parts  [][]byte
	queue  []*cu.Launch
}

const (
	partHead  = 16
	partWords = 510 // so that a part has 4 KB
	partBytes = 8 * partWords
)

// uploadSource is the CUDA C++ of the kernel that stores one part.
var uploadSource = fmt.Sprintf(`struct args { unsigned long long *to, words, part[%d]; };
extern "C" __global__ void carry(const __grid_constant__ args p) {
	for (unsigned int i = threadIdx.x; i < p.words; i += blockDim.x) p.to[i] = p.part[i];
}
`, partWords)

// uploadBlock is the number of threads of an upload launch, which has one block.
const uploadBlock = 128

// newArgumentUpload returns an upload of args, which consist of 8-byte words. The
// holder h keeps its kernel loaded.
func (d *device) newArgumentUpload(h *holder, args []byte) (*argumentUpload, error) {
	m, err := d.source(h, "the arguments of a kernel", uploadSource, "carry")
	if err != nil {
		return nil, err
	}
	c := &argumentUpload{args: args, passed: make([]byte, 8)}
	for range (len(args) + partBytes - 1) / partBytes {
		part := make([]byte, partHead+partBytes)
		c.parts = append(c.parts, part)
		c.queue = append(c.queue, cu.NewLaunch(m.entries[0], cu.Dim3{X: 1, Y: 1, Z: 1}, cu.Dim3{X: uploadBlock, Y: 1, Z: 1}, 0, part))
	}
	return c, nil
}

// bind copies the current arguments into the launches, for the address to.
func (c *argumentUpload) bind(to cu.DevicePtr) {
	binary.LittleEndian.PutUint64(c.passed, uint64(to))
	for i, part := range c.parts {
		n := copy(part[partHead:], c.args[i*partBytes:])
		binary.LittleEndian.PutUint64(part, uint64(to)+uint64(i*partBytes))
		binary.LittleEndian.PutUint64(part[8:], uint64(n/8))
	}
}
