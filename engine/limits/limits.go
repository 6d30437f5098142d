// Package limits measures what a machine can do at most: how fast memory of a
// given size is read and written, and how many floating-point operations there
// are in a second. The probes are machine code where it can be made, and plain
// Go elsewhere. The highest rate of several samples counts: what disturbs a
// sample only makes it slower.
package limits

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
)

// A Traffic is what a probe does with memory: it goes through arrays of one
// size, side by side. Rates count each element that the program reads and each
// that it writes once, as STREAM does: not the lines that the processor reads
// because they are written to.
type Traffic struct {
	Reads   int  // arrays that are only read
	Updates int  // arrays that are read and written
	Writes  int  // arrays that are only written
	Stream  bool // stores to the latter bypass the caches
}

// The probes that have names.
var (
	Read   = Traffic{Reads: 1}
	Copy   = Traffic{Reads: 1, Writes: 1} // a[i] = b[i]
	Triad  = Traffic{Reads: 2, Writes: 1} // a[i] = b[i] op c[i]
	Update = Traffic{Reads: 1, Updates: 1}
)

// MaxArrays is the largest number of arrays of a probe.
const MaxArrays = 9

// Arrays is the number of arrays.
func (t Traffic) Arrays() int { return t.Reads + t.Updates + t.Writes }

// streams is the number of arrays read, and written.
func (t Traffic) streams() int { return t.Reads + 2*t.Updates + t.Writes }

// fit is t with arrays left out until a probe can have the rest.
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

// A Machine measures. It holds memory for the probes and, where they are
// machine code, the code; both until Close. It is not for concurrent use.
type Machine struct {
	// Budget is the time that one measurement takes, about: at least two
	// samples are taken.
	Budget time.Duration

	code  *code // nil: plain Go
	mem   []byte
	free  func()
	ready int // bytes of mem that have been touched
}

// New reserves memory for probes of so many bytes at most.
func New(bytes int) (*Machine, error) {
	bytes = max(bytes, minimum)
	mem, free, err := reserve(bytes + MaxArrays*stagger)
	if err != nil {
		return nil, fmt.Errorf("limits: %w", err)
	}
	return &Machine{Budget: 4 * time.Millisecond, mem: mem, free: free, code: newCode()}, nil
}

// Close gives memory and code back.
func (m *Machine) Close() {
	m.code.release()
	m.free()
	m.mem, m.code = nil, nil
}

// How says what the probes are made of: "avx512", "avx2" or "Go".
func (m *Machine) How() string {
	if m.code == nil {
		return "Go"
	}
	return m.code.isa
}

// Largest is the largest working set that can be measured, in bytes.
func (m *Machine) Largest() int { return len(m.mem) - MaxArrays*stagger }

const (
	// block is what one call of a probe does to each array: some microseconds,
	// since machine code cannot be interrupted.
	block = 64 << 10
	// unit is the granule of the probes: bytes of each array in one iteration.
	unit = 512
	// minimum is the smallest working set.
	minimum = MaxArrays * unit
	// stagger is between arrays: a load waits for the stores before it that have
	// the same place in a page. So those that are written lie a little behind.
	stagger = 1024
)

// Bandwidth is the rate, in bytes a second, at which threads move arrays that
// have so many bytes together, each thread its part of them.
func (m *Machine) Bandwidth(t Traffic, bytes, threads int) float64 {
	threads, t = max(threads, 1), t.fit()
	bytes = min(max(bytes, minimum), m.Largest())
	each := max(bytes/t.Arrays()/threads/unit*unit, unit) // of an array, for a thread
	for each*t.Arrays()*threads > m.Largest() && threads > 1 {
		threads--
	}
	m.touch(min(each*t.Arrays()*threads+MaxArrays*stagger, len(m.mem)))
	array := each * threads
	// Short passes are repeated, so that starting and ending does not count.
	passes := max(1, (2<<20)/(each*t.streams()))
	best := 0.
	for _, probe := range m.code.memory(t, bytes) {
		jobs := make([]func(passes int), threads)
		for i := range jobs {
			var a args
			for k := range t.Arrays() {
				at := t.Arrays() - 1 - k // those that are written come first
				a.array[k] = unsafe.Pointer(&m.mem[at*(array+stagger)+i*each])
			}
			jobs[i] = func(passes int) { pass(probe, t, a, each, passes) }
		}
		best = max(best, m.fastest(jobs, passes))
	}
	return float64(array*t.streams()) * best
}

// Flops is the number of floating-point operations in a second that threads
// reach with independent fused multiply-adds, which count as two, on vectors
// of t, F32 or F64.
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

// fastest runs jobs side by side, so many passes at a time, and returns the
// highest number of passes in a second.
func (m *Machine) fastest(jobs []func(passes int), passes int) float64 {
	g := startGang(jobs)
	defer g.stop()
	start := time.Now()
	best := g.run(1) // it warms the caches up
	for n := 1; n < 2 || time.Since(start) < m.Budget; n++ {
		best = max(best, g.run(passes))
	}
	return best
}

// touch makes the first bytes of the memory real: pages of their own.
func (m *Machine) touch(bytes int) {
	for i := m.ready; i < bytes; i += 4096 {
		m.mem[i] = 1
	}
	m.ready = max(m.ready, bytes)
}
