package cuda

import (
	"slices"
	"sync"

	"github.com/oneloop/oneloop/engine/cuda/cu"
)

// A lane is a stream of the driver with what programs on it need. One goroutine
// uses it at a time; runs that are waited for borrow one.
type lane struct {
	stream    cu.Stream
	workspace cu.DevicePtr // of cuBLAS; 0 until it is needed

	mu     sync.Mutex
	flying []*program // started and not waited for
}

// maxFlying bounds what is remembered of a lane, for error messages.
const maxFlying = 16

func (d *device) newLane() (*lane, error) {
	s, err := cu.StreamCreate(cu.STREAM_NON_BLOCKING)
	if err != nil {
		return nil, err
	}
	l := &lane{stream: s}
	d.mu.Lock()
	d.lanes = append(d.lanes, l)
	d.mu.Unlock()
	return l, nil
}

// borrow is an idle lane, or a new one.
func (d *device) borrow() (*lane, error) {
	d.mu.Lock()
	if n := len(d.idle); n > 0 {
		l := d.idle[n-1]
		d.idle = d.idle[:n-1]
		d.mu.Unlock()
		return l, nil
	}
	d.mu.Unlock()
	return d.newLane()
}

// giveBack returns a borrowed lane, on which nothing is left to be done.
func (d *device) giveBack(l *lane) {
	d.mu.Lock()
	d.idle = append(d.idle, l)
	d.mu.Unlock()
}

// retire releases a lane that is not borrowed. Its work has ended.
func (d *device) retire(l *lane) (err error) {
	d.mu.Lock()
	d.lanes = slices.DeleteFunc(d.lanes, func(x *lane) bool { return x == l })
	d.mu.Unlock()
	if l.workspace != 0 {
		err = d.free(l.workspace)
	}
	return first(err, l.stream.Destroy())
}

func (l *lane) takeOff(p *program) {
	l.mu.Lock()
	if len(l.flying) < maxFlying {
		l.flying = append(l.flying, p)
	}
	l.mu.Unlock()
}

// wait waits for all work of the lane.
func (l *lane) wait() error {
	if err := l.stream.Synchronize(); err != nil {
		return err
	}
	l.mu.Lock()
	clear(l.flying)
	l.flying = l.flying[:0]
	l.mu.Unlock()
	return nil
}

func (l *lane) inFlight() (names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.flying {
		for _, n := range p.kernels() {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}
