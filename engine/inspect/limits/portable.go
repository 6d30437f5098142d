package limits

import (
	"sync/atomic"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
)

// The probes in plain Go, for machines without machine code.

// sink uses the results, so that the compiler does not remove the probes.
var sink atomic.Uint64

// goMove goes over arrays of so many bytes each, in blocks that stay in the
// first-level cache.
func goMove(t Traffic, a *args, bytes int) {
	var piece [512]uint64
	for i := range piece {
		piece[i] = ^uint64(0)
	}
	for at := 0; at < bytes; at += 8 * len(piece) {
		n := min(len(piece), (bytes-at)/8)
		view := func(k int) []uint64 { return unsafe.Slice((*uint64)(unsafe.Add(a.array[k], at)), n) }
		for k := range t.Reads {
			if k == 0 {
				copy(piece[:n], view(0))
				continue
			}
			and(piece[:n], view(k))
		}
		for k := range t.Updates {
			and(view(t.Reads+k), piece[:n])
		}
		for k := range t.Writes {
			copy(view(t.Reads+t.Updates+k), piece[:n])
		}
	}
	sink.Store(piece[0])
}

func and(x, y []uint64) {
	y = y[:len(x)]
	for i := range x {
		x[i] &= y[i]
	}
}

// goFlops is the number of floating-point operations of goMultiply.
const goFlops = 2 * 8 * 10_000

func goMultiply(t dtype.Type) {
	if t == dtype.F64 {
		goChains[float64]()
	} else {
		goChains[float32]()
	}
}

func goChains[T float32 | float64]() {
	var a, b, c, d, e, f, g, h T
	x := T(sink.Load() & 1)
	for range 10_000 {
		a, b, c, d = a*x+x, b*x+x, c*x+x, d*x+x
		e, f, g, h = e*x+x, f*x+x, g*x+x, h*x+x
	}
	sink.Store(uint64(a+b+c+d+e+f+g+h) & 1)
}
