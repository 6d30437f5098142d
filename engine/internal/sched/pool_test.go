package sched

import (
	"bytes"
	"context"
	"runtime/pprof"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// goroutines returns the profile of all goroutines.
func goroutines() string {
	var b bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&b, 1)
	return b.String()
}

// TestHelpersHaveNoLabels tests that helpers do not keep the labels of the goroutine
// that plans the first loop.
func TestHelpersHaveNoLabels(t *testing.T) {
	p := NewPool()
	p.Processors = func() int { return 3 }
	pprof.Do(context.Background(), pprof.Labels("user", "planner"), func(context.Context) {
		planned(p, 3, &counter{units: make([]int, 10_000), grain: 1}, 0)
	})
	if n := len(p.helpers()); n != 2 {
		t.Fatalf("there are %d helpers", n)
	}
	for try := 0; strings.Contains(goroutines(), `"user":"planner"`); try++ {
		if try == 30_000 {
			t.Fatal("a helper has a label of its caller:\n", goroutines())
		}
		time.Sleep(time.Millisecond) // a helper removes the labels when it begins
	}
}

// TestNoHelpersOfBubbles tests that a pool starts no helpers in a synctest bubble,
// starts them outside of one, and that the loops of a bubble use those.
func TestNoHelpersOfBubbles(t *testing.T) {
	p := NewPool()
	p.Processors = func() int { return 3 }
	c := &counter{units: make([]int, 10_000), grain: 1}
	inside := func(want int) {
		synctest.Test(t, func(t *testing.T) {
			l, j := planned(p, 3, c, 0)
			if n := len(p.helpers()); n != want {
				t.Errorf("there are %d helpers, want %d", n, want)
			}
			for range 10 {
				if err := c.run(l, j); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	inside(0)
	planned(p, 3, c, 0)
	inside(2)
}

// TestBackoff tests that a long wait for a helper keeps callers from helpers for as long
// as the wait, that waits which follow each other keep them for longer, and that a wait
// of a unit's time keeps them from nothing.
func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &backoff{start: time.Now()}
		time.Sleep(time.Second)
		is := func(want time.Duration) { // the length of the backoff
			t.Helper()
			began := time.Now()
			for !b.over() {
				time.Sleep(time.Millisecond)
			}
			if got := time.Since(began); got != want {
				t.Errorf("the backoff took %v, want %v", got, want)
			}
		}
		b.waited(50*time.Microsecond, 0)
		is(0)
		b.waited(10*time.Millisecond, 10*time.Millisecond)
		is(0)
		b.waited(10*time.Millisecond, time.Millisecond)
		is(10 * time.Millisecond)
		for _, times := range []time.Duration{2, 4, 8, 16, 32, 32} {
			time.Sleep(times * time.Millisecond)
			b.waited(10*time.Millisecond, 0)
			is(times * 10 * time.Millisecond)
		}
		time.Sleep(2 * time.Second)
		b.waited(10*time.Millisecond, 0)
		is(10 * time.Millisecond)
	})
}
