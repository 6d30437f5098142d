package limits

import (
	"math"
	"sync/atomic"
	"testing"
	"time"
)

func TestPerSecond(t *testing.T) {
	at := func(ms ...int) (out []span) {
		zero := time.Unix(0, 0)
		for i := 0; i < len(ms); i += 2 {
			out = append(out, span{zero.Add(time.Duration(ms[i]) * time.Millisecond), zero.Add(time.Duration(ms[i+1]) * time.Millisecond)})
		}
		return out
	}
	for _, c := range []struct {
		spans []span
		want  float64
	}{
		{at(0, 10), 100},
		{at(0, 10, 0, 20), 75},         // half the time together: the mean of the rates
		{at(0, 10, 100, 110), 1 / .11}, // one after the other: the rate in the whole time
		{at(5, 10, 0, 10), 150},
	} {
		if got := perSecond(c.spans); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%v: %v, want %v", c.spans, got, c.want)
		}
	}
}

// TestGang checks that every job does its passes in every round.
func TestGang(t *testing.T) {
	var n [3]atomic.Int64
	jobs := make([]func(int), len(n))
	for i := range jobs {
		jobs[i] = func(passes int) { n[i].Add(int64(passes)) }
	}
	g := startGang(jobs)
	for range 50 {
		g.run(3)
	}
	g.stop()
	for i := range n {
		if got := n[i].Load(); got != 150 {
			t.Errorf("job %d: %d passes", i, got)
		}
	}
}
