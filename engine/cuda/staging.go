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

// stageBytes is the size of each of the two pinned buffers of a stream. It is
// large enough that the cost of starting a copy does not matter.
const stageBytes = 4 << 20

// A stage copies Go memory in the order of a stream. It alternates between two
// pinned buffers, so that it fills one while the GPU copies the other.
type stage struct {
	buf  [2]unsafe.Pointer
	done [2]cu.Event
	used [2]bool
}

func (s *stage) open() (err error) {
	for i := range s.buf {
		if s.done[i] == 0 { // an earlier open may have made it and failed at the buffer
			if s.done[i], err = cu.EventCreate(cu.EVENT_DISABLE_TIMING); err != nil {
				return err
			}
		}
		if s.buf[i] == nil {
			if s.buf[i], err = cu.MemHostAlloc(stageBytes, cu.MEMHOSTALLOC_PORTABLE); err != nil {
				return err
			}
		}
	}
	return nil
}

// next returns buffer i after its last copy has ended.
func (s *stage) next(i int) ([]byte, error) {
	if s.used[i] {
		s.used[i] = false
		if err := s.done[i].Synchronize(); err != nil {
			return nil, err
		}
	}
	return unsafe.Slice((*byte)(s.buf[i]), stageBytes), nil
}

// upload returns when all of src is in pinned memory or on the device.
func (s *stage) upload(to cu.Stream, dst cu.DevicePtr, src []byte) error {
	if err := s.open(); err != nil {
		return err
	}
	for k := 0; len(src) > 0; k++ {
		i := k % 2
		b, err := s.next(i)
		if err != nil {
			return err
		}
		n := copy(b, src)
		if err := cu.MemcpyHtoDAsync(dst, s.buf[i], int64(n), to); err != nil {
			return err
		}
		if err := s.done[i].Record(to); err != nil {
			return err
		}
		s.used[i] = true
		src, dst = src[n:], dst+cu.DevicePtr(n)
	}
	return nil
}

// download returns when all of dst is written.
func (s *stage) download(from cu.Stream, dst []byte, src cu.DevicePtr) error {
	if err := s.open(); err != nil {
		return err
	}
	start := func(i, at int) error {
		if at >= len(dst) {
			return nil
		}
		if _, err := s.next(i); err != nil {
			return err
		}
		if err := cu.MemcpyDtoHAsync(s.buf[i], src+cu.DevicePtr(at), int64(min(stageBytes, len(dst)-at)), from); err != nil {
			return err
		}
		s.used[i] = true
		return s.done[i].Record(from)
	}
	if err := start(0, 0); err != nil {
		return err
	}
	for k := 0; k*stageBytes < len(dst); k++ {
		if err := start((k+1)%2, (k+1)*stageBytes); err != nil {
			return err
		}
		b, err := s.next(k % 2)
		if err != nil {
			return err
		}
		copy(dst[k*stageBytes:], b)
	}
	return nil
}

// close releases the buffers, which no copy uses.
func (s *stage) close() (err error) {
	for i := range s.buf {
		if s.buf[i] != nil {
			err = cmp.Or(err, cu.MemFreeHost(s.buf[i]))
		}
		if s.done[i] != 0 {
			err = cmp.Or(err, s.done[i].Destroy())
		}
	}
	*s = stage{}
	return err
}

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
