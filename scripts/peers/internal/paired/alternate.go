package paired

import (
	"time"

	"github.com/oneloop/oneloop/internal/failure"
)

// A Side runs its work reps times, and returns how long that took.
type Side func(reps int) time.Duration

// Repeated returns the side that calls run, by a clock.
func Repeated(clock func() time.Duration, run func() error) Side {
	return func(reps int) time.Duration {
		start := clock()
		for range reps {
			failure.Check(run())
		}
		return clock() - start
	}
}

// Rounds says how sides alternate.
type Rounds struct {
	N      int
	Sample time.Duration // of each side in a round, at least; 0: one run
	// Warm returns how often a side runs before the runs that count, which fills the caches and wakes
	// its threads.
	Warm  func(side, reps int) int
	Quiet func() // is called before each side
}

// Alternate runs all sides once a round, and returns the nanoseconds of a run, by side and round.
// Each side comes after both of its neighbours.
func Alternate(sides []Side, r Rounds) [][]float64 {
	turn := func(s Side, reps, warm int) time.Duration {
		r.Quiet()
		if warm > 0 {
			s(warm)
		}
		return s(reps)
	}
	times, reps := make([][]float64, len(sides)), make([]int, len(sides))
	for i, s := range sides {
		reps[i] = 1
		for range 2 { // a first run is slower than the others
			d := turn(s, reps[i], 0)
			if reps[i] = max(1, int(r.Sample*time.Duration(reps[i])/max(d, 1))); r.Sample == 0 {
				break
			}
		}
	}
	for round := range r.N {
		for k := range sides {
			i := (round + k) % len(sides)
			if round%2 == 1 {
				i = len(sides) - 1 - i
			}
			d := turn(sides[i], reps[i], r.Warm(i, reps[i]))
			times[i] = append(times[i], float64(d)/float64(reps[i]))
		}
	}
	return times
}
