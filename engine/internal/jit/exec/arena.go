package exec

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

const (
	// codeAlign is the alignment of code: a cache line, and the widest
	// constant.
	codeAlign = 64
	// segmentSize is what is asked of the system at a time.
	segmentSize = 1 << 20
	// arenaLimit bounds the segments that exist at a time.
	arenaLimit = 256 << 20
	// arenaGrowth is the growth of the segments, in bytes, after which the arena starts a
	// garbage collection. Most code is released when the collector finds it unreachable. The
	// collector counts a few words of each code only, and would start late by itself.
	arenaGrowth = 8 << 20
	// dirtyLimit is how many bytes of released code are cleaned at a time. To clean
	// interrupts all processors that run the process, and the first time takes
	// milliseconds.
	dirtyLimit = 64 << 10
)

// ErrFull is returned when the code that is alive fills the arena.
var ErrFull = errors.New("exec: the code arena is full")

// pageSize is the granule of protection.
var pageSize = max(os.Getpagesize(), 4096)

// A memory is a method of getting executable memory.
type memory interface {
	// reserve gets a segment of size bytes: where to write and where to run.
	reserve(size int) (write []byte, exec unsafe.Pointer, err error)
	free(write []byte, exec unsafe.Pointer) error
	// begin makes a part of the write side writable, end makes it executable.
	begin(part []byte) error
	end(part []byte) error
	// clean makes sure that no processor runs the code that was in some parts of
	// write sides, also after other code is written there.
	clean(parts [][]byte)
}

// An arena gives parts of segments to its callers.
type arena struct {
	mem     memory
	granule int // of the parts: two of them never share one
	limit   int // of total

	mu       sync.Mutex
	segments []*segment
	total    int // bytes in segments
	mark     int // of total, that asks for a collection
	dirty    []*Code
	dirtied  int // bytes of dirty
}

// A segment is a piece of memory from the system.
type segment struct {
	arena *arena
	write []byte
	exec  unsafe.Pointer
	free  []span // in order of start, none adjacent; no processor runs what is there
}

// A span is a part of a segment.
type span struct{ start, end int }

// A Code is installed machine code, until it is released.
type Code struct {
	entry uintptr
	size  int
	span  span
	seg   *segment

	released atomic.Bool
	recorded atomic.Bool // in the map for perf
}

// Release gives the memory of the code back, which may not be called any more.
func (c *Code) Release() {
	if c.released.Swap(true) {
		panic("exec: Release of released code")
	}
	c.seg.arena.release(c)
}

// Call runs the code from its first byte with args in RDI. args may point to the stack; pointers in the block must be
// declared as such (unsafe.Pointer, not uintptr), or the collector does not
// see what the code uses.
func (c *Code) Call(args unsafe.Pointer) {
	call(c.entry, args)
	runtime.KeepAlive(c)
}

// A Bound is code with the block of its arguments, and words of it that [Put] sets before each call. A function that did both
// would not be inlined, which takes a fourth of the time of a short run. Next is the call after this one, or nil: a loop
// over a list keeps less on the stack than one over a slice, and what it keeps waits for the stores of the loop before.
type Bound struct {
	Code  *Code
	Args  unsafe.Pointer
	Words []Word
	Next  *Bound
}

// Call is [Code.Call] with b.Args, without Put. It keeps only b alive, which is one store to the stack.
func (b *Bound) Call() {
	call(b.Code.entry, b.Args)
	runtime.KeepAlive(b)
}

// A Word is a word of the arguments of code, and what it is at the beginning of each call.
type Word struct {
	At *int
	Is int
}

// Put writes words that differ. A store would wait for those of the loop before. A load does not.
func Put(words []Word) {
	for i := range words {
		if x := &words[i]; *x.At != x.Is {
			*x.At = x.Is
		}
	}
}

func (a *arena) install(code []byte) (*Code, error) {
	size := roundUp(len(code), a.granule)
	a.mu.Lock()
	defer a.mu.Unlock()
	seg, part, err := a.take(size)
	if err != nil {
		return nil, err
	}
	at := seg.write[part.start:part.end]
	if err := a.mem.begin(at); err != nil {
		seg.give(part)
		return nil, err
	}
	n := copy(at, code)
	for i := n; i < len(at); i++ {
		at[i] = breakpoint // nothing of what was there before can be run
	}
	if err := a.mem.end(at); err != nil {
		seg.give(part)
		return nil, err
	}
	entry := uintptr(seg.exec) + uintptr(part.start)
	synchronize(address(at), entry, uintptr(len(at)))
	return &Code{entry: entry, size: len(code), span: part, seg: seg}, nil
}

// take takes a free part of size bytes. If need be, it adds a segment, or cleans what was
// released.
func (a *arena) take(size int) (*segment, span, error) {
	for {
		if seg, part, ok := a.find(size); ok {
			return seg, part, nil
		}
		err := a.grow(size)
		if err != nil && len(a.dirty) == 0 {
			return nil, span{}, err
		}
		if err != nil {
			a.clean()
		}
	}
}

// release takes the memory of c back. It is free once it is clean.
func (a *arena) release(c *Code) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c.entry = 0 // a call of released code faults at a nil address
	a.dirty = append(a.dirty, c)
	if a.dirtied += c.span.end - c.span.start; a.dirtied >= dirtyLimit {
		a.clean()
	}
}

// clean cleans the memory of released code and frees it. It unlocks the arena while it
// cleans, so that others can install code. A segment that falls empty goes back to the
// system if there is another empty one: programs that come and go at the edge of a
// segment do not map and unmap one each time.
func (a *arena) clean() {
	list := a.dirty
	a.dirty, a.dirtied = nil, 0
	a.mu.Unlock()
	parts := make([][]byte, len(list))
	for i, c := range list {
		parts[i] = c.seg.write[c.span.start:c.span.end]
	}
	a.mem.clean(parts)
	a.mu.Lock()
	for _, c := range list {
		c.seg.give(c.span)
		if c.seg.empty() {
			a.unmapBeside(c.seg)
		}
	}
}

// unmapBeside gives another empty segment than seg, which is empty, back to the system.
func (a *arena) unmapBeside(seg *segment) {
	for i, s := range a.segments {
		if s == seg || !s.empty() {
			continue
		}
		a.segments = append(a.segments[:i], a.segments[i+1:]...)
		a.total -= len(s.write)
		a.mark = min(a.mark, a.total)
		// There is nothing to do about an error: the address space is lost.
		_ = a.mem.free(s.write, s.exec)
		return
	}
}

func (s *segment) empty() bool { return len(s.free) == 1 && s.free[0] == (span{0, len(s.write)}) }

// find takes the first free part of size bytes.
func (a *arena) find(size int) (*segment, span, bool) {
	for _, s := range a.segments {
		for i := range s.free {
			f := &s.free[i]
			if f.end-f.start < size {
				continue
			}
			part := span{f.start, f.start + size}
			if f.start += size; f.start == f.end {
				s.free = append(s.free[:i], s.free[i+1:]...)
			}
			return s, part, true
		}
	}
	return nil, span{}, false
}

// grow adds a segment with room for size bytes.
func (a *arena) grow(size int) error {
	size = roundUp(max(size, segmentSize), pageSize)
	if a.total+size > a.limit {
		return ErrFull
	}
	write, exec, err := a.mem.reserve(size)
	if err != nil {
		return err
	}
	a.segments = append(a.segments, &segment{arena: a, write: write, exec: exec, free: []span{{0, size}}})
	a.total += size
	if a.total >= a.mark+arenaGrowth {
		a.mark = a.total
		go runtime.GC()
	}
	return nil
}

// give adds part to the free ones, and joins it with its neighbours.
func (s *segment) give(part span) {
	i := 0
	for i < len(s.free) && s.free[i].start < part.start {
		i++
	}
	before := i > 0 && s.free[i-1].end == part.start
	after := i < len(s.free) && s.free[i].start == part.end
	switch {
	case before && after:
		s.free[i-1].end = s.free[i].end
		s.free = append(s.free[:i], s.free[i+1:]...)
	case before:
		s.free[i-1].end = part.end
	case after:
		s.free[i].start = part.start
	default:
		s.free = append(s.free, span{})
		copy(s.free[i+1:], s.free[i:])
		s.free[i] = part
	}
}

func address(part []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(part))) }

func roundUp(n, to int) int { return (n + to - 1) / to * to }
