package cuda

import (
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
	if err := host.Guard(c.s, func() error { return c.fn(&c.call) }); err != nil {
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
