package sched

import (
	"testing"
	"time"
)

// TestTunerPause tests that a trial begins anew after a pause: the runs before it say nothing
// about those after it.
func TestTunerPause(t *testing.T) {
	j := Job{slots: make([]slot, 2)}
	tune := &j.tuner
	run := func() {
		j.Begin()
		tune.saw(50e3)
		j.End()
	}
	for tune.phase != warming {
		run()
		tune.spent = phaseTime
	}
	if tune.level == tune.best {
		t.Fatal("no trial")
	}
	tune.last = tune.last.Add(-2 * mostGap)
	run()
	if tune.level != tune.best || tune.phase != settling || tune.runs != 1 {
		t.Errorf("level %d, best %d, phase %d, %d runs", tune.level, tune.best, tune.phase, tune.runs)
	}
}

// TestTuner tests that a tuner finds the best level, finds another one when the times change,
// and tries others in few runs.
func TestTuner(t *testing.T) {
	var tune tuner
	tune.level = 0
	run := func(runs int, works []float64, took func(level int) time.Duration) (others int) {
		for range runs {
			if tune.left--; tune.left <= 0 {
				tune.timing = true
				for _, w := range works {
					tune.saw(w)
				}
				tune.timing = false
				tune.ended(took(tune.level))
			}
			if tune.level != tune.best {
				others++
			}
		}
		return others
	}
	works := []float64{5e3, 50e3}
	for _, c := range []struct{ best, worse int }{{2, 0}, {0, 2}, {1, 0}, {2, 1}} {
		took := func(level int) time.Duration {
			if min(level, 2) == c.best { // at level 2 no loop is shared
				return 100 * time.Microsecond
			}
			return 150 * time.Microsecond
		}
		run(20_000, works, took)
		if min(tune.best, 2) != c.best {
			t.Errorf("level %d, want %d", tune.best, c.best)
		}
		if others := run(20_000, works, took); others > 200 {
			t.Errorf("best level %d: %d of 20000 runs are trials", c.best, others)
		}
	}
	tune = tuner{}
	if others := run(40, works, func(level int) time.Duration { return time.Duration(100+level) * time.Microsecond * 3 / 2 }); others < 4 {
		t.Errorf("%d of 40 runs are trials of levels that take as long", others)
	}
	tune = tuner{}
	if others := run(40, works, func(level int) time.Duration { return time.Duration(1+level) * 100 * time.Microsecond }); others > 4 {
		t.Errorf("%d of 40 runs are trials of levels that take longer", others)
	}
	run(2000, []float64{5e6}, func(int) time.Duration { return 5 * time.Millisecond })
	if others := run(20_000, []float64{5e6}, func(int) time.Duration { return 5 * time.Millisecond }); others != 0 {
		t.Errorf("%d trials of levels that change nothing", others)
	}
}
