package cuda

import (
	"cmp"
	"unsafe"

	"github.com/oneloop/oneloop/engine/cuda/cu"
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
