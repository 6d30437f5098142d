package cuda

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// A Pinned is memory of the host that GPUs copy to and from without the processor.
// Upload and Download on a stream queue such a copy at once, and it overlaps the
// runs of other streams. Other memory of the host goes through buffers, which a
// goroutine fills.
type Pinned[T expr.Elem] struct {
	d    *device
	data []T
}

// Pin returns n zeros in pinned memory. Every GPU can use it; gpu allocates it. The
// system cannot move pinned memory to a disk, so programs should have little of it.
// The error matches expr.ErrOutOfMemory if the system cannot pin so much,
// expr.ErrValue if n is negative, and expr.ErrDevice if gpu is no GPU.
func Pin[T expr.Elem](gpu driver.Device, n int) (*Pinned[T], error) {
	d, ok := gpu.(*device)
	if !ok {
		return nil, errNoGPU()
	}
	if n < 0 {
		return nil, tree.NewError(tree.ErrValue, "", "%d elements of pinned memory", n)
	}
	over, size := bits.Mul64(uint64(n), uint64(unsafe.Sizeof(*new(T))))
	if over != 0 || size > math.MaxInt {
		return nil, tree.NewError(tree.ErrOutOfMemory, "", "%d elements of pinned memory", n)
	}
	p := &Pinned[T]{d: d}
	if n == 0 {
		return p, nil
	}
	err := d.do("pinning", func() error {
		at, err := cu.MemHostAlloc(int64(size), cu.MEMHOSTALLOC_PORTABLE)
		if err != nil {
			return err
		}
		p.data = unsafe.Slice((*T)(at), n)
		clear(p.data)
		pins.add(span{uintptr(at), uintptr(size)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Data returns the elements. [engine.FromSlice] makes a tensor of them.
func (p *Pinned[T]) Data() []T { return zero.IfNil(p).data }

// Free releases the memory. No copy that is queued may use it, and nothing may use
// Data afterwards. A second call does nothing.
func (p *Pinned[T]) Free() error {
	p = zero.IfNil(p)
	if len(p.data) == 0 {
		return nil
	}
	at := unsafe.Pointer(unsafe.SliceData(p.data))
	p.data = nil
	pins.remove(uintptr(at))
	return p.d.do("releasing pinned memory", func() error { return cu.MemFreeHost(at) })
}

// A span is the address and the size of a piece of pinned memory.
type span struct{ at, size uintptr }

// spans are all pinned memory of the process, in the order of addresses.
type spans struct {
	mu   sync.RWMutex
	list []span
}

var pins spans

func (s *spans) find(at uintptr) (int, bool) {
	return slices.BinarySearchFunc(s.list, at, func(x span, at uintptr) int { return cmp.Compare(x.at, at) })
}

func (s *spans) add(x span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, _ := s.find(x.at)
	s.list = slices.Insert(s.list, i, x)
}

func (s *spans) remove(at uintptr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, ok := s.find(at); ok {
		s.list = slices.Delete(s.list, i, i+1)
	}
}

// hold reports whether all of b, which is not empty, is pinned.
func (s *spans) hold(b []byte) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	i, exact := s.find(at)
	if !exact {
		i--
	}
	return i >= 0 && uintptr(len(b)) <= s.list[i].size && at-s.list[i].at <= s.list[i].size-uintptr(len(b))
}
