package gemm

import (
	"sync"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/hostmem"
)

// A scratch is the memory of one worker for packed operands, and for sums that are
// not kept in the result, and for converted halves.
type scratch struct{ a, b, sums, section, wide []byte }

const (
	// packA and packB are the largest sizes of packed blocks of A and B, in bytes. That
	// of A stays in a second-level cache of 2 MiB. Kernels read a strip of B for all its
	// rows, so that of B may be in the third level; A is packed again for each.
	packA = 512 << 10
	packB = 8 << 20
	// cachedB is the largest block of B that stays in a first-level cache, beside A and C.
	cachedB = 32 << 10
	// spare is what strips of columns may need more.
	spare = 64 << 10
)

// scratches are those that no worker has.
var scratches struct {
	sync.Mutex
	list []*scratch
}

// takeScratch returns a scratch that no other worker has until give.
func takeScratch() *scratch {
	l := &scratches
	l.Lock()
	defer l.Unlock()
	if n := len(l.list); n > 0 {
		s := l.list[n-1]
		l.list = l.list[:n-1]
		return s
	}
	return &scratch{}
}

func (s *scratch) give() {
	l := &scratches
	l.Lock()
	l.list = append(l.list, s)
	l.Unlock()
}

// hugePage is the size of a huge page. Packed blocks in one page do not evict each other
// from the second-level cache, as those in small pages may, which are anywhere in memory.
const hugePage = 2 << 20

// usualB is the size of the packed blocks of B that most products need, in bytes.
const usualB = 1 << 20

// blocks makes memory for usual blocks, in one huge page if the system has one.
func (s *scratch) blocks() {
	const sizeA = packA + spare
	both, err := hostmem.Allocate(2 * hugePage)
	if err != nil {
		s.a, s.b = aligned(sizeA), aligned(usualB)
		return
	}
	at := -int(uintptr(unsafe.Pointer(&both[0]))) & (hugePage - 1)
	s.a, s.b = both[at:at+sizeA:at+sizeA], both[at+sizeA:at+sizeA+usualB]
}

// ofA returns memory for a block of A.
func (s *scratch) ofA() unsafe.Pointer {
	if s.a == nil {
		s.blocks()
	}
	return unsafe.Pointer(&s.a[0])
}

// ofB returns memory for a block of B of n bytes. It is larger than most need, so that
// few products allocate.
func (s *scratch) ofB(n int) unsafe.Pointer {
	if s.b == nil {
		s.blocks()
	}
	if n > len(s.b) {
		n = max(n, packB+spare)
		var err error
		if s.b, err = hostmem.Allocate(n); err != nil {
			s.b = aligned(n)
		}
	}
	return unsafe.Pointer(&s.b[0])
}

// room returns memory for n bytes, at *b.
func room(b *[]byte, n int) unsafe.Pointer {
	if len(*b) < n {
		*b = aligned(n)
	}
	return unsafe.Pointer(unsafe.SliceData(*b))
}

// aligned allocates n bytes at the beginning of a cache line.
func aligned(n int) []byte {
	const line = 64
	b := make([]byte, n+line)
	at := -int(uintptr(unsafe.Pointer(&b[0]))) & (line - 1)
	return b[at : at+n : at+n]
}
