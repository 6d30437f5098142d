package sched

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/plan/ir"
)

// A counter is an instance that counts the runs of each unit and records the
// blocks in order.
type counter struct {
	mu     sync.Mutex
	units  []int
	grain  int
	blocks [][2]int
	left   int
	ran    func(left int) // called after each block, unless nil
}

func (c *counter) Units() (n, grain int, cost float64)  { return len(c.units), c.grain, 10 }
func (c *counter) NewWorker() backend.Worker            { return c }
func (c *counter) Begin()                               {}
func (c *counter) Watch(context.Context)                {}
func (c *counter) Finish(w backend.Worker) ir.FaultKind { return ir.NoFault }

func (c *counter) Run(lo, hi int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blocks = append(c.blocks, [2]int{lo, hi})
	for i := lo; i < hi; i++ {
		c.units[i]++
	}
	if c.left -= hi - lo; c.ran != nil {
		c.ran(c.left)
	}
}

// check returns an error unless each unit ran once, in blocks that begin and end
// at multiples of the grain.
func (c *counter) check() error {
	for i, n := range c.units {
		if n != 1 {
			return fmt.Errorf("unit %d was run %d times", i, n)
		}
	}
	for _, p := range c.blocks {
		if p[0]%c.grain != 0 || p[1]%c.grain != 0 && p[1] != len(c.units) || p[0] >= p[1] {
			return fmt.Errorf("block %v of units in steps of %d", p, c.grain)
		}
	}
	return nil
}

func (c *counter) reset() {
	clear(c.units)
	c.blocks, c.left = nil, len(c.units)
}

// TestBlocks tests that the blocks of a part cover each unit once, are in
// descending order, and are small near both ends.
func TestBlocks(t *testing.T) {
	machine := cpucache.Sizes{L1: 48 << 10, L2: 2 << 20}
	for _, n := range []int{1, 63, 64, 65, 10_000, 99_999, 100_000, 3_000_000} {
		for _, grain := range []int{1, 7, 64, 316, 5000} {
			for _, bytes := range []int{72<<10 + 1, 100_000, 800_000, 5 << 20, 1 << 30} {
				s := newTraversal(n, grain, bytes, 1, machine)
				if s.far == 0 {
					if n > grain {
						t.Errorf("%d units in steps of %d, %d bytes do not go down", n, grain, bytes)
					}
					continue
				}
				c := &counter{units: make([]int, n), grain: grain}
				s.blocks(c, 0, n, 0, n, true)
				if err := c.check(); err != nil {
					t.Fatalf("%d units in steps of %d, %d bytes: %v", n, grain, bytes, err)
				}
				if !slices.IsSortedFunc(c.blocks, func(a, b [2]int) int { return b[0] - a[0] }) {
					t.Fatalf("%d units in steps of %d, %d bytes: %v", n, grain, bytes, c.blocks)
				}
				for _, p := range c.blocks {
					if edge := p[1] > n-s.edge || p[0] < s.edge; edge && p[1]-p[0] > s.near+grain {
						t.Fatalf("%d units in steps of %d, %d bytes: a block %v near the end, longer than %d", n, grain, bytes, p, s.near)
					}
				}
			}
		}
	}
	one, four := newTraversal(1<<20, 64, 12<<20, 1, machine), newTraversal(1<<20, 64, 12<<20, 4, machine)
	if one.near != four.near || one.edge != four.edge || one.far != four.far {
		t.Errorf("blocks of one worker are %+v, of four %+v", one, four)
	}
	if s := newTraversal(1000, 64, 48<<10, 1, machine); s.far != 0 {
		t.Errorf("a loop within the first level goes down: %+v", s)
	}
	if s := newTraversal(1000, 64, 1<<20, 1, cpucache.Sizes{}); s.far != 0 {
		t.Errorf("without caches a loop goes down: %+v", s)
	}
}

// planned returns a loop of an instance over arrays of the given number of bytes, and
// its job.
func planned(p *Pool, threads int, inst backend.Instance, bytes int) (*Loop, *Job) {
	l, j := &Loop{}, p.NewJob(threads)
	l.Plan(j, inst, bytes)
	return l, j
}

// run runs the loop and returns an error unless each unit ran once.
func (c *counter) run(l *Loop, j *Job) error {
	c.reset()
	if _, err := l.Run(context.Background(), j); err != nil {
		return err
	}
	return c.check()
}

// TestDirection tests that the direction of loops alternates, with one thread and
// with several, and that each unit runs once.
func TestDirection(t *testing.T) {
	p := NewPool()
	p.Processors = func() int { return 4 }
	p.Caches = func() cpucache.Sizes { return cpucache.Sizes{L1: 1 << 10, L2: 1 << 14, L3: 1 << 17} }
	const n = 10_001
	for threads := 1; threads <= 4; threads++ {
		for _, grain := range []int{1, 64, 300} {
			c := &counter{units: make([]int, n), grain: grain}
			l, j := planned(p, threads, c, 4*n)
			for run := range 50 {
				if err := c.run(l, j); err != nil {
					t.Fatalf("%d threads, run %d: %v", threads, run, err)
				}
				first, last := c.blocks[0], c.blocks[len(c.blocks)-1]
				if down := run%2 == 0; threads == 1 && down != (first[0] > last[0]) && len(c.blocks) > 1 {
					t.Fatalf("run %d: %v", run, c.blocks)
				}
				if run%2 == 0 && len(c.blocks) == 1 {
					t.Fatalf("run %d is one block", run)
				}
			}
		}
	}
}

// A wide is a counter that asks for as few chunks as there are workers.
type wide struct{ counter }

func (*wide) Wide() bool { return true }

// TestWide tests that each worker runs one chunk of an instance that asks for it, however long it
// takes.
func TestWide(t *testing.T) {
	p := NewPool()
	p.Processors = func() int { return 4 }
	p.Caches = func() cpucache.Sizes { return cpucache.Sizes{L1: 1 << 10, L2: 1 << 14, L3: 1 << 17} }
	for threads := 1; threads <= 4; threads++ {
		for _, n := range []int{1, 64, 1000, 100_001} {
			c := &wide{counter{units: make([]int, n), grain: 64}}
			l, j := planned(p, threads, c, 4*n)
			for run := range 8 {
				if err := c.run(l, j); err != nil {
					t.Fatalf("%d threads, run %d: %v", threads, run, err)
				}
				if len(c.blocks) > len(l.workers) {
					t.Fatalf("%d threads, %d units, run %d: %v", threads, n, run, c.blocks)
				}
			}
		}
	}
}

// A whole is a counter whose worker does a run with one call.
type whole struct{ counter }

func (c *whole) NewWorker() backend.Worker { return c }

func (c *whole) RunAll(bool) ir.FaultKind {
	c.Run(0, len(c.units))
	return ir.NoFault
}

func (c *whole) Again() (*exec.Bound, *uint64, bool) { return nil, nil, false }
func (c *whole) Faults() ir.FaultKind                { return ir.NoFault }

// TestWhole tests that one call runs a loop over large arrays that is one block, which goes up, so that the next loop goes down, and no
// loop of several blocks.
func TestWhole(t *testing.T) {
	p := NewPool()
	p.Caches = func() cpucache.Sizes { return cpucache.Sizes{L1: 1 << 10, L2: 1 << 14, L3: 1 << 17} }
	for _, grain := range []int{8, 1000} {
		c := &whole{counter{units: make([]int, 1000), grain: grain}}
		l, j := planned(p, 1, c, 1<<13)
		if one := l.Whole() != nil; one != (grain == 1000) {
			t.Errorf("blocks of %d units: one call for a run: %t", grain, one)
		}
		j.lastDown = grain == 1000
		if k, err := l.Run(context.Background(), j); k != ir.NoFault || err != nil || c.check() != nil || j.lastDown == (grain == 1000) {
			t.Errorf("blocks of %d units: %v, %v, %v, %v", grain, k, err, c.check(), c.blocks)
		}
	}
}

// TestRetract tests that a run retracts all of its offers. There are many helpers,
// half of them are free only at the end, and none accepts.
func TestRetract(t *testing.T) {
	const threads = 512
	p := NewPool()
	p.Processors = func() int { return 1 } // the pool starts no helpers
	list := make([]*helper, threads-1)
	for i := range list {
		list[i] = &helper{parker: newParker()}
	}
	p.list.Store(&list)
	c := &counter{units: make([]int, threads*5000), grain: 1}
	l, j := planned(p, threads, c, 0)
	busy := new(slot)
	for range 3 {
		for _, h := range list[threads/2:] {
			h.mailbox.Store(busy)
		}
		c.ran = func(left int) {
			for _, h := range list[threads/2:] {
				if left < threads*30 { // in each part, less than stealWork
					h.mailbox.CompareAndSwap(busy, nil)
				}
			}
		}
		if err := c.run(l, j); err != nil {
			t.Fatal(err)
		}
		for i, h := range list {
			if h.mailbox.Load() != nil {
				t.Fatalf("helper %d still has an offer", i)
			}
		}
	}
}

// TestParts tests that each worker has a part where the chunks of a loop are as large as possible: about as many units as
// a part has.
func TestParts(t *testing.T) {
	for _, c := range []struct{ n, grain, workers int }{{1000, 512, 2}, {1000, 384, 3}, {1000, 64, 4}, {130, 64, 2}, {500_000, 1, 4}} {
		j := NewPool().NewJob(c.workers)
		j.divide()
		j.loop, j.taken = &Loop{schedule: schedule{n: c.n, grain: c.grain, unit: 100}}, c.workers
		j.cut()
		at := 0
		for i := range j.parts {
			p := &j.parts[i]
			if p.begin != at || p.end <= at || i == c.workers-1 && p.end != c.n {
				t.Errorf("%+v: part %d has units %d to %d", c, i, p.begin, p.end)
			}
			at = p.end
		}
	}
}

// TestShortPart tests that one chunk has a part whose half no other worker would take, and that longer parts are halved.
func TestShortPart(t *testing.T) {
	for _, work := range []float64{stealWork, 1.9 * stealWork, 2.1 * stealWork, 8 * stealWork} {
		j := NewPool().NewJob(2)
		j.divide()
		j.loop, j.taken = &Loop{schedule: schedule{n: 2 * int(work), grain: 1, unit: 1}}, 2
		j.loop.workers = make([]backend.Worker, 2)
		j.loop.chunks()
		j.shared.Store(true)
		j.cut()
		p, lo, hi := j.claim(1, stealWork)
		if p != &j.parts[1] {
			t.Fatalf("the chunk of a part of %g ns is of another part", work)
		}
		if part := p.end - p.begin; hi-lo != part && float64(part) < 2*stealWork || 2*(hi-lo) > part+1 && float64(part) > 4*stealWork {
			t.Errorf("a chunk has %d units of a part of %d", hi-lo, part)
		}
	}
}
