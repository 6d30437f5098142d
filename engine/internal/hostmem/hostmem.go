// Package hostmem allocates memory of the host. It returns an error if the process
// cannot have a block. Without this check, a block that is too large ends a Go
// program with a fatal error, or the system kills the process when it touches the
// pages.
//
// The rule: the package refuses a block that is larger than the memory available
// now. On Linux that is the least of
//
//   - the system's MemAvailable,
//   - what the memory control groups of the process have left,
//   - what debug.SetMemoryLimit (GOMEMLIMIT) has left,
//   - what the limit of the address space (ulimit -v) has left,
//
// of which what the process has allocated and not touched yet is subtracted. On
// other systems only the size of the address space and GOMEMLIMIT count.
//
// Reading these numbers takes about 50 µs. So each reading grants an eighth of the
// memory available, and blocks within the grant need no reading.
package hostmem

import (
	"fmt"
	"math"
	"math/bits"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"unsafe"
)

// alignment of blocks in bytes: a cache line, and the widest vector.
const alignment = 64

// MaxSize is the largest size of a block in bytes. For larger ones Go panics.
const MaxSize = 1<<(31+16*(^uint(0)>>63)) - 1 - alignment

// An Error is the refusal of a block.
type Error struct {
	Size      int // size of the block in bytes; -1 if the number overflowed
	Available int // bytes that the process can have
}

func (e *Error) Error() string {
	if e.Size == -1 {
		return "more bytes than there are addresses cannot be allocated"
	}
	if e.Size < 0 || e.Size > MaxSize {
		return fmt.Sprintf("%d bytes cannot be allocated", e.Size)
	}
	return fmt.Sprintf("%d bytes cannot be allocated: %d are available", e.Size, e.Available)
}

// Allocate returns size zero bytes, aligned to 64 bytes. The error is an *Error.
func Allocate(size int) ([]byte, error) {
	if err := Reserve(size); err != nil {
		return nil, err
	}
	b := make([]byte, size+alignment)
	preferHugePages(b)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (alignment - 1)
	return b[skip : int(skip)+size : int(skip)+size], nil
}

// Reserve returns an *Error if the process cannot have size bytes more. If it
// returns nil, it has counted the bytes as allocated, and the caller should
// allocate them.
func Reserve(size int) error {
	if size < 0 || size > MaxSize {
		return &Error{Size: size}
	}
	if grant.left.Add(-int64(size)) >= 0 {
		return nil
	}
	return grant.renew(size)
}

// ReserveFor is Reserve for n*size bytes plus the sum of rows. The product and the
// sum may overflow an int.
func ReserveFor(n, size int, rows []int) error {
	hi, lo := bits.Mul64(uint64(n), uint64(size))
	for _, row := range rows {
		var carry uint64
		lo, carry = bits.Add64(lo, uint64(row), 0)
		hi += carry
	}
	if hi != 0 || lo > MaxSize {
		return &Error{Size: -1}
	}
	return Reserve(int(lo))
}

// grant holds the number of bytes that Reserve grants before the next reading.
var grant granted

type granted struct {
	left atomic.Int64
	mu   sync.Mutex
}

// renew reads how many bytes are available. If size bytes are, it grants them and
// an eighth of the rest; otherwise it returns an *Error and grants nothing.
func (g *granted) renew(size int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	free := available()
	if size > free && size-free <= mapped() {
		debug.FreeOSMemory() // garbage counts as allocated until a collection
		free = available()
	}
	if size > free {
		g.left.Store(0)
		return &Error{Size: size, Available: free}
	}
	g.left.Store(int64((free - size) / 8))
	return nil
}

// available returns the number of bytes that the process can still have. Tests
// replace it.
var available = func() int {
	mapped := int64(mapped())
	free := systemAvailable(mapped)
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		free = min(free, limit-mapped)
	}
	if math.MaxInt == math.MaxInt32 { // such systems leave 2 to 4 GiB of addresses to a process
		free = min(free, 1<<31-mapped)
	}
	return int(min(max(free, 0), math.MaxInt))
}

// mapped returns the number of bytes that Go has mapped and not returned to the
// system.
func mapped() int {
	samples := [...]metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples[:])
	return int(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}
