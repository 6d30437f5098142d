package engine

import (
	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/cpucache"
)

// A sweep is the way of a loop over its units. Loops whose arrays are larger than
// a cache go down and up in turns, so that each begins with what the one before
// has left in the caches: docs/adr/0009. The first goes down: who has filled the
// arrays came last to their ends. Down means in pieces, each of them upwards.
type sweep struct {
	large bool // the arrays are larger than a cache
	step  int  // pieces begin at multiples of it
	// Pieces have near units less than edge from both ends of a part, where the
	// first-level cache keeps something from one sweep to the next, and far units
	// elsewhere.
	near, edge int
	far        int // 0: all sweeps go up, for there is only one piece, or nothing is kept
}

// caches are those of this machine.
var caches = cpucache.Of

// newSweep is that of a loop of n units, of which chunks begin at multiples of
// grain, over arrays of so many bytes, for workers that share them.
func newSweep(n, grain, bytes, workers int, c cpucache.Sizes) sweep {
	share := bytes / max(workers, 1)
	s := sweep{large: c.L1 > 0 && share > c.L1, step: grain}
	if !s.large || n <= s.step {
		return s
	}
	units := func(b int) int {
		u := int(float64(n) * float64(b) / float64(bytes))
		return max((u+s.step-1)/s.step, 1) * s.step
	}
	s.near, s.edge = units(c.L1/3), units(c.L1)
	s.far = units(share)
	if share > c.L2/2 { // not all of it stays there
		s.far = units(max(c.L2/8, share/64))
	}
	return s
}

// turn is the way of the loop's next sweep, after that of the program's last one.
func (s *sweep) turn(down *bool) bool {
	if s.large {
		*down = s.far > 0 && !*down
	}
	return s.far > 0 && *down
}

// pieces does units lo..hi of the part begin..end, upwards or down.
func (s *sweep) pieces(w backend.Worker, lo, hi, begin, end int, down bool) {
	if !down {
		w.Run(lo, hi)
		return
	}
	for lo < hi {
		at := max(s.below(hi, begin, end), lo)
		w.Run(at, hi)
		hi = at
	}
}

// below is where the piece that ends before hi begins.
func (s *sweep) below(hi, begin, end int) int {
	at := hi - s.near
	if begin+s.edge < hi && hi <= end-s.edge {
		at = max(hi-s.far, begin+s.edge)
	}
	return at - at%s.step
}
