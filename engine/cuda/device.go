package cuda

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/internal/zero"
)

func init() { driver.Register("cuda", &gpus{}) }

// gpus are the GPUs of the machine. The first Open of an index opens its GPU.
type gpus struct {
	mu   sync.Mutex
	open map[int]*device
}

func (g *gpus) Count() (int, error) {
	host := &device{name: "cuda"}
	if err := cu.Init(0); err != nil {
		return 0, host.fail("initialising the driver", err)
	}
	n, err := cu.DeviceGetCount()
	if err == nil && n == 0 {
		err = cu.ERROR_NO_DEVICE
	}
	return n, host.fail("counting GPUs", err)
}

func (g *gpus) DebugWords() []string { return []string{"cuda", "cuda=DIR", "sync"} }

func (g *gpus) Open(index int) (driver.Device, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if d := g.open[index]; d != nil {
		return d, nil
	}
	if n, err := g.Count(); err != nil {
		return nil, err
	} else if index < 0 || index >= n {
		host := &device{name: fmt.Sprintf("cuda:%d", index)}
		return nil, host.fail("opening", fmt.Errorf("there are %d GPUs: %w", n, cu.ERROR_INVALID_DEVICE))
	}
	d, err := newDevice(index)
	if err != nil {
		return nil, err
	}
	zero.Put(&g.open, index, d)
	return d, nil
}

// A device is one GPU, with its primary context. It lives as long as the
// process.
type device struct {
	name    string
	index   int
	gpu     cu.Device
	ctx     cu.Context
	arch    int // 90 is sm_90
	limit   cudagen.Device
	pool    cu.MemPool // 0 if there are no pools
	main    cu.Stream  // the stream that allocates and frees
	code    *compiler
	modules modules
	debug   debugging
	ranges  bool // a profiler asks for ranges of NVTX

	capturing sync.RWMutex // read-locked during a capture, locked to unload modules

	dead     atomic.Pointer[Error]
	deferred deferred

	mu            sync.Mutex
	driverStreams []*driverStream // all
	idle          []*driverStream
	events        []cu.Event // not used

	blas blas
}

// newDevice opens GPU index. The driver is initialised.
func newDevice(index int) (*device, error) {
	d := &device{name: fmt.Sprintf("cuda:%d", index), index: index, debug: debugFlags(), ranges: cu.RangesWanted(), modules: modules{limit: moduleLimit}}
	if err := d.setUp(); err != nil {
		return nil, d.fail("opening", err)
	}
	return d, nil
}

func (d *device) setUp() (err error) {
	if d.gpu, err = cu.DeviceGet(d.index); err != nil {
		return err
	}
	major, minor, err := d.gpu.ComputeCapability()
	if err != nil {
		return err
	}
	d.arch = 10*major + minor
	if d.limit.SMs, err = d.gpu.Attribute(cu.MULTIPROCESSOR_COUNT); err != nil {
		return err
	}
	if d.limit.Shared, err = d.gpu.Attribute(cu.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN); err != nil {
		return err
	}
	if d.code, err = newCompiler(d.arch); err != nil {
		return err
	}
	if d.ctx, err = cu.DevicePrimaryCtxRetain(d.gpu); err != nil {
		return err
	}
	if err = d.setUpMain(); err != nil {
		_ = cu.DevicePrimaryCtxRelease(d.gpu) // the first error tells the cause
	}
	return err
}

// setUpMain sets up what needs the context: the pool and the main stream.
func (d *device) setUpMain() (err error) {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	if err := d.setUpPool(); err != nil {
		return err
	}
	d.main, err = cu.StreamCreate(cu.STREAM_NON_BLOCKING)
	return err
}

// Name returns the name of the device, such as "cuda:0".
func (d *device) Name() string { return d.name }

// String returns the product name, the architecture and the number of
// multiprocessors. If the driver does not tell the product name, its error stands
// there.
func (d *device) String() string {
	product, err := d.gpu.Name()
	if err != nil {
		product = err.Error()
	}
	return fmt.Sprintf("%s, sm_%d, %d multiprocessors", product, d.arch, d.limit.SMs)
}

// enter locks the goroutine to its thread and makes the context current, until
// leave. It returns an error if the device is lost.
func (d *device) enter() error {
	if err := d.alive(); err != nil {
		return err
	}
	runtime.LockOSThread()
	if err := cu.CtxSetCurrent(d.ctx); err != nil {
		runtime.UnlockOSThread()
		return d.fail("making the context current", err)
	}
	return nil
}

func (d *device) leave() { runtime.UnlockOSThread() }

// await is do for work that f queues on the main stream. It waits for that.
func (d *device) await(doing string, f func() error) error {
	return d.do(doing, func() error {
		if err := f(); err != nil {
			return err
		}
		return d.main.Synchronize()
	})
}

// do calls f with the context current. An error of f becomes an error of the
// device.
func (d *device) do(doing string, f func() error) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	return d.fail(doing, f())
}
