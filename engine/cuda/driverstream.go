package cuda

import (
	"cmp"
	"slices"
	"sync"

	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/internal/lists"
)

// A driverStream is a stream of the CUDA driver, with the workspace of cuBLAS. One
// goroutine uses it at a time. A run that the caller waits for borrows one.
type driverStream struct {
	stream    cu.Stream
	workspace cu.DevicePtr // memory for cuBLAS; 0 until the first product

	mu      sync.Mutex
	running []*program // started since the last wait
}

// maxRunning is the largest number of programs that a driverStream names in an
// error.
const maxRunning = 16

func (d *device) newDriverStream() (*driverStream, error) {
	s, err := cu.StreamCreate(cu.STREAM_NON_BLOCKING)
	if err != nil {
		return nil, err
	}
	l := &driverStream{stream: s}
	d.mu.Lock()
	d.driverStreams = append(d.driverStreams, l)
	d.mu.Unlock()
	return l, nil
}

// borrow returns an idle driverStream, or a new one.
func (d *device) borrow() (*driverStream, error) {
	if l, ok := takeLast(d, &d.idle); ok {
		return l, nil
	}
	return d.newDriverStream()
}

// takeLast takes the last element out of a list of d, which d.mu guards.
func takeLast[T any](d *device, list *[]T) (x T, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(*list); n > 0 {
		x, ok, *list = (*list)[n-1], true, (*list)[:n-1]
	}
	return x, ok
}

// giveBack makes a borrowed driverStream idle. All of its work has ended.
func (d *device) giveBack(l *driverStream) {
	d.mu.Lock()
	d.idle = append(d.idle, l)
	d.mu.Unlock()
}

// retire destroys a driverStream that is not borrowed. Its work has ended.
func (d *device) retire(l *driverStream) (err error) {
	d.mu.Lock()
	d.driverStreams = slices.DeleteFunc(d.driverStreams, func(x *driverStream) bool { return x == l })
	d.mu.Unlock()
	if l.workspace != 0 {
		err = d.free(l.workspace)
	}
	return cmp.Or(err, l.stream.Destroy())
}

func (l *driverStream) noteLaunch(p *program) {
	l.mu.Lock()
	if len(l.running) < maxRunning {
		l.running = append(l.running, p)
	}
	l.mu.Unlock()
}

// wait waits until all work of the driverStream has ended.
func (l *driverStream) wait() error {
	if err := l.stream.Synchronize(); err != nil {
		return err
	}
	l.mu.Lock()
	clear(l.running)
	l.running = l.running[:0]
	l.mu.Unlock()
	return nil
}

func (l *driverStream) runningKernels() (names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.running {
		names = lists.Union(names, p.kernels())
	}
	return names
}
