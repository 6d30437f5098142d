// Package paired has what every comparison of alternating programs needs. An error ends the comparison: see package failure.
package paired

import (
	"bytes"
	"math"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/element"
)

// Used returns the CPU time of this thread: other work on the machine does not
// count, except for the caches and the memory that it takes.
func Used() time.Duration { return spent(unix.CLOCK_THREAD_CPUTIME_ID) }

// UsedByAll returns the CPU time of all threads of this process.
func UsedByAll() time.Duration { return spent(unix.CLOCK_PROCESS_CPUTIME_ID) }

var began = time.Now()

// Elapsed returns the time of the clock since the start of the process.
func Elapsed() time.Duration { return time.Since(began) }

// Quiet returns when this process and others, by number, use no processor, or after a
// second. The threads of a library, such as those of OpenMP, often spin for a while after
// their work. Until they sleep, another side has only a part of the processors.
func Quiet(others ...int) {
	const step = 20 * time.Millisecond // the system counts the time of a running thread every 10 ms or more often
	used := func() time.Duration {
		t := UsedByAll()
		for _, pid := range others {
			t += spent(^int32(pid)<<3 | 2) // the clock of that process, see clock_getcpuclockid(3)
		}
		return t
	}
	for range time.Second / step {
		before := used()
		time.Sleep(step)
		if used()-before < step/20 {
			return
		}
	}
}

// spent returns the time of a clock, or 0 if there is no such clock.
func spent(clock int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// Median returns the median of at least one number.
func Median(xs []float64) float64 {
	s := slices.Sorted(slices.Values(xs))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// Difference returns the greatest difference of elements, relative to values of
// at least 1. Elements of other types than floats are equal or differ by infinity.
func Difference(t dtype.Type, x, y []byte) (d float64) {
	if t = t.Part(); !t.IsFloat() { // complex numbers by their parts
		if !bytes.Equal(x, y) {
			return math.Inf(1)
		}
		return 0
	}
	for i := range len(x) / t.Size() {
		p, q := element.Float(t, x, i), element.Float(t, y, i)
		if e := math.Abs(p-q) / math.Max(1, math.Abs(q)); !(e <= d) {
			d = e
		}
	}
	return d
}
