package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/scripts/peers/internal/paired"
)

// A contest is a workload of one type and size: arrays that both sides use.
type contest struct {
	w       *workload
	program *engine.Program
	peer    loop
	r, c    int
	arrays  []*engine.Array
	outs    []*engine.Array
	addrs   []uintptr
	scalars []float64
}

// A result is what a contest gave; times are nanoseconds for an element.
type result struct {
	ours, peer    float64 // medians
	ratio, lo, hi float64 // peer / ours, with an interval of 95 %
	rounds        int
}

func newContest(ctx context.Context, w *workload, t dtype.Type, n int, lib library, backend string) (*contest, error) {
	c := &contest{w: w, r: 1, c: n, peer: lib.loop(w.symbol + "_" + map[dtype.Type]string{dtype.F32: "f32", dtype.F64: "f64"}[t])}
	if w.square {
		c.r = min(int(math.Round(math.Sqrt(float64(n)))), 4096)
		c.c = c.r
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	env := map[string]*tree.Node{}
	for _, v := range w.arrays {
		var extents []int
		for _, a := range v.axes {
			extents = append(extents, map[rune]int{'n': n, 'r': c.r, 'c': c.c, '1': 1}[a])
		}
		a, err := engine.NewArray(t, extents...)
		if err != nil {
			return nil, err
		}
		fill(a, func() float64 { return v.lo + (v.hi-v.lo)*rnd.Float64() })
		env[v.name] = a.Named(v.name).Node()
		c.arrays = append(c.arrays, a)
		c.addrs = append(c.addrs, a.Memory().Locate())
		if v.out {
			c.outs = append(c.outs, a)
		}
	}
	for _, s := range w.scalars {
		env[s.name] = tree.ConstFloat(dtype.F64, s.value)
		c.scalars = append(c.scalars, s.value)
	}
	c.scalars = append(c.scalars, 0) // its address is taken
	src, err := formula.Parse(w.text)
	if err != nil {
		return nil, err
	}
	unit, err := src.BuildFor(env, nil)
	if err != nil {
		return nil, err
	}
	c.program, err = engine.CompileWith(ctx, engine.Options{Threads: 1, Backend: backend}, unit.Statements...)
	return c, err
}

// period is the number of distinct values: making random ones takes longer than
// computing with them. It is prime, so that rows differ.
const period = 65_521

// fill sets all elements to values of f.
func fill(a *engine.Array, f func() float64) {
	b := a.Memory().Bytes()
	n := min(period*a.DType().Size(), len(b))
	for i := range n / a.DType().Size() {
		if a.DType() == dtype.F64 {
			dtype.Slice[float64](b)[i] = f()
		} else {
			dtype.Slice[float32](b)[i] = float32(f())
		}
	}
	for at := n; at < len(b); at += n {
		copy(b[at:], b[:n])
	}
}

func (c *contest) ours(ctx context.Context, reps int) error {
	for range reps {
		if err := c.program.Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *contest) theirs(reps int) {
	c.peer(uint(reps), uint(c.r), uint(c.c), &c.addrs[0], &c.scalars[0])
	runtime.KeepAlive(c.arrays)
}

// verify compares one run of each side from the same values. They differ in how
// products are contracted and sums are ordered, and a plain float32 sum of many
// elements is inexact itself.
func (c *contest) verify(ctx context.Context) error {
	var before, mine [][]byte
	for _, a := range c.outs {
		before = append(before, slices.Clone(a.Memory().Bytes()))
	}
	if err := c.ours(ctx, 1); err != nil {
		return err
	}
	for i, a := range c.outs {
		mine = append(mine, slices.Clone(a.Memory().Bytes()))
		copy(a.Memory().Bytes(), before[i])
	}
	c.theirs(1)
	for i, a := range c.outs {
		tolerance := 1e-5
		if a.DType() == dtype.F64 {
			tolerance = 1e-12
		}
		if c.w.symbol == "sumsq" { // one accumulator of float32 can be 10 % off
			tolerance = math.Pow(tolerance, .2)
		}
		if d := paired.Difference(a.DType(), mine[i], a.Memory().Bytes()); !(d <= tolerance) {
			return fmt.Errorf("%s: the results differ by %g", c.w.name, d)
		}
	}
	return nil
}

// measure times both sides in turns, changing which goes first.
func (c *contest) measure(ctx context.Context, budget, sample time.Duration) (result, error) {
	if err := c.verify(ctx); err != nil {
		return result{}, err
	}
	start := paired.Used()
	if err := c.ours(ctx, 1); err != nil {
		return result{}, err
	}
	reps := max(1, int(sample/max(paired.Used()-start, 1)))
	var mine, theirs, ratios []float64
	for end := time.Now().Add(budget); len(mine) < 15 || time.Now().Before(end); {
		var t [2]time.Duration
		for k := range 2 {
			side := (len(mine) + k) % 2
			start := paired.Used()
			if side == 0 {
				if err := c.ours(ctx, reps); err != nil {
					return result{}, err
				}
			} else {
				c.theirs(reps)
			}
			t[side] = paired.Used() - start
		}
		per := float64(reps * c.r * c.c)
		mine = append(mine, float64(t[0])/per)
		theirs = append(theirs, float64(t[1])/per)
		ratios = append(ratios, float64(t[1])/float64(t[0]))
	}
	r := result{ours: paired.Median(mine), peer: paired.Median(theirs), ratio: paired.Median(ratios), rounds: len(mine)}
	r.lo, r.hi = interval(ratios)
	return r, nil
}

// interval holds the median with 95 %: order statistics, by the normal
// approximation of the binomial distribution.
func interval(xs []float64) (lo, hi float64) {
	s := slices.Sorted(slices.Values(xs))
	n := float64(len(s))
	k := max(int(math.Floor(n/2-.98*math.Sqrt(n))), 0)
	return s[k], s[len(s)-1-k]
}

// release lets the memory of a contest go before the next one allocates.
func (c *contest) release() {
	*c = contest{}
	runtime.GC()
}
