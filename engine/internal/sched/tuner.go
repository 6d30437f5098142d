package sched

import (
	"math"
	"time"
)

// shares are the levels of a tuner: the least work of a loop, in nanoseconds, that the caller
// shares with helpers. An offer and the wait for the last chunk cost about 300 ns. The first
// bound is for caches that the cores share. Elsewhere each line that another core wrote takes
// several times as long, and the loops after a shared one read such lines.
var shares = [...]float64{2e3, 20e3, 100e3, 1e6}

// A tuner finds the level at which the runs of a program take the least time. Sometimes it
// times some runs at the level in use, and then some at another level. The runs follow each other:
// after a pause helpers sleep and caches have other data, so a trial begins anew.
type tuner struct {
	level  int // of this run
	best   int // of all runs but trials
	next   int // level to try next
	left   int // runs until the next trial
	rest   int // of the length of a trial; the time between trials
	length int // runs of a phase of this trial
	phase  phase
	works  uint // bit k: a loop has at least the work of level k, and less than that of k+1
	timing bool
	began  time.Time
	last   time.Time // the end of the last timed run
	// Of this phase.
	runs  int
	spent time.Duration
	least [2]time.Duration // of the runs: one alone can be an outlier
	base  time.Duration    // the second least time at the level in use
}

type phase int

const (
	settling phase = iota // runs at the level in use
	atBest                // times it
	warming               // runs at another level, for helpers to wake and for the caches
	trying                // times the other level
)

const (
	// A phase has at least so many runs and so much time. Helpers wake within that time.
	phaseRuns = 3
	phaseTime = 200 * time.Microsecond
	// Between trials are at least leastRest times as many runs as in the last one. The rest
	// doubles after a trial that does not find a better level.
	leastRest = 4
	mostRest  = 512
	// better is the ratio of times from which another level is better.
	better = .96
	// A level that shares less and takes so much of the time twice is not better.
	worse = 1.25
	// mostGap is the longest time between two runs of a trial.
	mostGap = time.Millisecond
)

// Begin is called before each run of the program, and End after it.
func (j *Job) Begin() {
	if t := &j.tuner; j.slots != nil {
		if t.left--; t.left <= 0 {
			t.timing, t.began = true, time.Now()
			if t.began.Sub(t.last) > mostGap {
				t.restart()
			}
		}
	}
}

// End is called after each run of the program.
func (j *Job) End() {
	if t := &j.tuner; t.timing {
		t.timing, t.last = false, time.Now()
		t.ended(t.last.Sub(t.began))
	}
}

// saw notes the work of a loop.
func (t *tuner) saw(work float64) {
	if t.timing {
		t.works |= 1 << band(work)
	}
}

// band is the number of levels that share work, less one.
func band(work float64) (k int) {
	for k+1 < len(shares) && work >= shares[k+1] {
		k++
	}
	return k
}

// ended notes that a run took the time d.
func (t *tuner) ended(d time.Duration) {
	switch {
	case t.runs == 0:
		t.least = [2]time.Duration{d, math.MaxInt64}
	case d < t.least[0]:
		t.least = [2]time.Duration{d, t.least[0]}
	default:
		t.least[1] = min(t.least[1], d)
	}
	t.runs++
	t.spent += d
	if t.level > t.best && t.runs > 1 && float64(t.least[0]) > worse*float64(t.base) {
		t.pause()
		return
	}
	if t.runs < phaseRuns || t.spent < phaseTime {
		return
	}
	least := t.least[1]
	t.length, t.runs, t.spent = t.runs, 0, 0
	switch t.phase {
	case settling:
		t.phase = atBest
	case atBest:
		t.base = least
		if !t.choose() {
			t.pause()
		}
	case warming:
		t.phase = trying
	case trying:
		if float64(least) < better*float64(t.base) {
			t.best, t.rest = t.level, 0
		}
		t.pause()
	}
}

// restart begins a trial anew.
func (t *tuner) restart() {
	t.level, t.phase, t.runs, t.spent = t.best, settling, 0, 0
}

// pause ends a trial.
func (t *tuner) pause() {
	t.restart()
	t.works = 0
	t.rest = min(max(2*t.rest, leastRest), mostRest)
	t.left = t.rest * t.length
}

// choose begins the trial of the next lower level at which other loops are shared than at the best.
// It returns false if there is none.
func (t *tuner) choose() bool {
	for range shares {
		t.next = (t.next + len(shares) - 1) % len(shares)
		if lo, hi := min(t.next, t.best), max(t.next, t.best); t.works>>lo&(1<<(hi-lo)-1) != 0 {
			t.level, t.phase = t.next, warming
			return true
		}
	}
	return false
}
