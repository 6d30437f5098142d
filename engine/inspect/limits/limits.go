// Package limits measures the limits of a machine: how fast it reads and writes
// memory of a given size, and how many floating-point operations it executes in
// a second. The probes are machine code where the machine allows it, and plain
// Go elsewhere. The result is the highest rate of several samples, because a
// disturbance only makes a sample slower.
package limits

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/zero"
)

// A Traffic is the access pattern of a probe, which goes through arrays of one
// size at the same time. A rate counts each element that the program reads, and
// each that it writes, once, as STREAM does. It does not count the lines that the
// processor reads before it writes them.
type Traffic struct {
	Reads   int  // arrays that are only read
	Updates int  // arrays that are read and written
	Writes  int  // arrays that are only written
	Stream  bool // stores to the written arrays bypass the caches
}

// The named probes.
var (
	Read   = Traffic{Reads: 1}
	Copy   = Traffic{Reads: 1, Writes: 1} // a[i] = b[i]
	Triad  = Traffic{Reads: 2, Writes: 1} // a[i] = b[i] op c[i]
	Update = Traffic{Reads: 1, Updates: 1}
)

// MaxArrays is the largest number of arrays of a probe.
const MaxArrays = 9

// Arrays returns the number of arrays.
func (t Traffic) Arrays() int { return t.Reads + t.Updates + t.Writes }

// streams returns the number of arrays that are read plus the number that are
// written.
func (t Traffic) streams() int { return t.Reads + 2*t.Updates + t.Writes }

// fit returns t without the arrays that exceed the limit of a probe.
func (t Traffic) fit() Traffic {
	for t.Arrays() > MaxArrays {
		most := max(t.Reads, t.Updates, t.Writes)
		switch most {
		case t.Reads:
			t.Reads--
		case t.Updates:
			t.Updates--
		default:
			t.Writes--
		}
	}
	if t.Arrays() == 0 {
		t = Read
	}
	t.Stream = t.Stream && t.Writes > 0
	return t
}

// A Machine measures. Until Close it holds memory for the probes, and their
// machine code. One goroutine uses it at a time.
type Machine struct {
	// Budget is the approximate time of one measurement. It takes at least two
	// samples.
	Budget time.Duration

	code  *code // nil for plain Go
	mem   []byte
	free  func()
	ready int // bytes of mem that touch has written
}

// New returns a Machine for working sets of at most so many bytes.
func New(bytes int) (*Machine, error) {
	bytes = max(bytes, minimum)
	mem, free, err := reserve(bytes + MaxArrays*stagger)
	if err != nil {
		return nil, fmt.Errorf("limits: %w", err)
	}
	return &Machine{Budget: 4 * time.Millisecond, mem: mem, free: free, code: newCode()}, nil
}

// Close releases memory and code. A second call does nothing.
func (m *Machine) Close() {
	if m == nil || m.free == nil {
		return
	}
	m.code.release()
	m.free()
	m.mem, m.code, m.free = nil, nil, nil
}

// How returns the kind of the probes: "avx512", "avx2" or "Go".
func (m *Machine) How() string {
	if m == nil || m.code == nil {
		return "Go"
	}
	return m.code.isa
}

// Largest returns the largest working set that can be measured, in bytes.
func (m *Machine) Largest() int { return max(len(zero.IfNil(m).mem)-MaxArrays*stagger, 0) }

const (
	// block is the number of bytes of each array that one call of a probe covers.
	// That takes some microseconds, because the runtime cannot interrupt machine
	// code.
	block = 64 << 10
	// unit is the number of bytes of each array in one iteration of a probe.
	unit = 512
	// minimum is the smallest working set, in bytes.
	minimum = MaxArrays * unit
	// stagger is the distance between arrays, in bytes. A load waits for earlier
	// stores with the same offset in a page, so the arrays begin at different
	// offsets.
	stagger = 1024
)

// Bandwidth returns the rate, in bytes per second, at which threads go through
// arrays of so many bytes together. Each thread has a part of each array. The rate of
// a machine that New did not make, or after Close, is 0.
func (m *Machine) Bandwidth(t Traffic, bytes, threads int) float64 {
	if m.Largest() == 0 {
		return 0
	}
	threads, t = min(max(threads, 1), m.Largest()/unit), t.fit()
	bytes = min(max(bytes, minimum), m.Largest())
	each := max(bytes/t.Arrays()/threads/unit*unit, unit) // bytes of each array for a thread
	for each*t.Arrays()*threads > m.Largest() && threads > 1 {
		threads--
	}
	m.touch(min(each*t.Arrays()*threads+MaxArrays*stagger, len(m.mem)))
	array := each * threads
	// A sample repeats short passes, so that its start and end do not count.
	passes := max(1, (2<<20)/(each*t.streams()))
	best := 0.
	for _, probe := range m.code.memory(t, bytes) {
		jobs := make([]func(passes int), threads)
		for i := range jobs {
			var a args
			for k := range t.Arrays() {
				at := t.Arrays() - 1 - k // the written arrays come first
				a.array[k] = unsafe.Pointer(&m.mem[at*(array+stagger)+i*each])
			}
			jobs[i] = func(passes int) { pass(probe, t, a, each, passes) }
		}
		best = max(best, m.fastest(jobs, passes))
	}
	return float64(array*t.streams()) * best
}

// Flops returns the number of floating-point operations per second that threads
// reach on vectors of t, F32 or F64. The probe is independent fused
// multiply-adds, which count as two.
func (m *Machine) Flops(t dtype.Type, threads int) float64 {
	probe := m.code.arithmetic(t)
	flops := float64(goFlops)
	if probe != nil {
		flops = 2 * chains * iterations * float64(m.code.vector/t.Size())
	}
	jobs := make([]func(int), max(threads, 1))
	for i := range jobs {
		jobs[i] = func(passes int) {
			for range passes {
				if probe == nil {
					goMultiply(t)
					continue
				}
				var a args
				probe.Call(unsafe.Pointer(&a))
			}
		}
	}
	return float64(len(jobs)) * flops * m.fastest(jobs, 20)
}

// fastest runs jobs at the same time, so many passes in a sample. It returns the
// highest number of passes per second.
func (m *Machine) fastest(jobs []func(passes int), passes int) float64 {
	g := startGang(jobs)
	defer g.stop()
	start := time.Now()
	best := g.run(1) // loads the caches
	for n := 1; n < 2 || time.Since(start) < m.Budget; n++ {
		best = max(best, g.run(passes))
	}
	return best
}

// touch writes to each page of the first bytes of the memory, so that the system
// maps it.
func (m *Machine) touch(bytes int) {
	for i := m.ready; i < bytes; i += 4096 {
		m.mem[i] = 1
	}
	m.ready = max(m.ready, bytes)
}
