package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/element"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/scripts/peers/internal/paired"
)

// A contest is a test with its arrays, and the sides that run it.
type contest struct {
	t       *test
	threads int
	memory  [][]byte
	sides   []side
	before  [][]byte // the bytes of the memory before a run
	other   []byte   // is written before each run, if it is not empty
}

// A side is one way to run a test.
type side struct {
	name  string
	exact bool // its result has the bits of the first side
	apart bool // it has another result
	run   paired.Side
	c     bool          // a compiler of C
	pid   int           // of the process, if it may have threads that spin
	own   func() []byte // the result, if it is not in the shared array
	per   []float64     // ns for each element, by round
}

// clock returns the time that counts: the processor time of this thread, or the elapsed time.
var clock = paired.Used

// newContest makes the arrays of t and programs for the back ends.
func newContest(ctx context.Context, t *test, threads int, backends []string) *contest {
	defer failure.In(t.title())
	c := &contest{t: t, threads: threads}
	env := map[string]*tree.Node{}
	rnd := rand.New(rand.NewPCG(1, 1))
	var arrays []*engine.Array
	for i := range t.arrays {
		d := &t.arrays[i]
		a := failure.Must(engine.NewArray(d.typ, d.dims...))
		c.memory = append(c.memory, a.Memory().Bytes())
		d.fill(c.memory[i], rnd)
		c.before = append(c.before, slices.Clone(c.memory[i]))
		a = a.Named(d.name)
		arrays, env[d.name] = append(arrays, a), a.Node()
	}
	for k, b := range backends {
		c.addOurs(ctx, side{name: []string{"oneloop", "interp"}[k], exact: true}, b, t.statements(env, arrays))
	}
	if t.beside != "" {
		c.addOurs(ctx, side{name: "beside", apart: true}, backends[0], assigned(t.beside, env))
	}
	return c
}

// statements returns what test t assigns.
func (t *test) statements(env map[string]*tree.Node, arrays []*engine.Array) []expr.Statement {
	if t.program == "" {
		return assigned(t.text, env)
	}
	return []expr.Statement{statement(t.program, arrays)}
}

func assigned(text string, env map[string]*tree.Node) []expr.Statement {
	return failure.Must(failure.Must(formula.Parse(text)).BuildFor(env, nil)).Statements
}

// addOurs adds side s, a program of oneloop.
func (c *contest) addOurs(ctx context.Context, s side, backend string, statements []expr.Statement) {
	p := failure.Must(engine.CompileWith(ctx, engine.Options{Threads: c.threads, Backend: backend}, statements...))
	s.run = paired.Repeated(clock, func() error { return p.Run(ctx) })
	c.sides = append(c.sides, s)
}

func (a *array) fill(b []byte, rnd *rand.Rand) {
	part := a.typ.Part() // a complex number is two
	n := func() int64 { return int64(a.lo) + rnd.Int64N(int64(a.hi)-int64(a.lo)+1) }
	for i := range len(b) / part.Size() {
		x := 0.
		switch {
		case part.IsFloat():
			x = a.lo + (a.hi-a.lo)*rnd.Float64()
		case part == dtype.Bool:
			x = float64(n() & 1)
		default:
			x = float64(n())
		}
		element.PutFloat(part, b, i, x)
	}
	if a.order != "" {
		a.arrange(b, rnd)
	}
}

// arrange orders the elements of rows, or lets them have few values.
func (a *array) arrange(b []byte, rnd *rand.Rand) {
	row := a.dims[len(a.dims)-1]
	switch a.typ {
	case dtype.F64:
		arrange(dtype.Slice[float64](b), row, a.order, rnd)
	case dtype.F32:
		arrange(dtype.Slice[float32](b), row, a.order, rnd)
	case dtype.I64:
		arrange(dtype.Slice[int64](b), row, a.order, rnd)
	case dtype.I32:
		arrange(dtype.Slice[int32](b), row, a.order, rnd)
	case dtype.I8:
		arrange(dtype.Slice[int8](b), row, a.order, rnd)
	}
}

// addC adds the loop of a compiler of C as a side.
func (c *contest) addC(name string, f loop) {
	at := lists.Map(c.memory, func(m []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(m)) })
	c.sides = append(c.sides, side{name: name, c: true, run: func(reps int) time.Duration {
		var pin runtime.Pinner
		defer pin.Unpin()
		for _, p := range at {
			pin.Pin(p)
		}
		start := clock()
		f(uint(reps), &at[0])
		return clock() - start
	}})
}

// addPython adds NumPy or torch as a side, if it can run the test.
func (c *contest) addPython(p *python) {
	if result := p.load(c.t, c.before); result != nil {
		c.sides = append(c.sides, side{name: p.name, run: p.run, pid: p.PID(), own: func() []byte { return result }})
	}
}

// verify compares the results of all sides with that of the first.
func (c *contest) verify() error {
	var first []byte
	for i := range c.sides {
		s := &c.sides[i]
		for k, m := range c.memory {
			copy(m, c.before[k])
		}
		got := c.memory[0]
		if s.own != nil {
			got = s.own()
		} else {
			s.run(1)
		}
		a := c.t.arrays[0]
		switch {
		case i == 0:
			first = slices.Clone(got)
		case s.apart, c.t.random && !s.exact: // nothing to compare
		case s.exact && !bytes.Equal(first, got) && paired.Difference(a.typ, first, got) != 0:
			return fmt.Errorf("%s: the bits of %s and %s differ", c.t.title(), c.sides[0].name, s.name)
		case !s.exact:
			tolerance := 1e-3 // of sums of float32 in any order
			switch a.typ {
			case dtype.F64, dtype.C128:
				tolerance = 1e-11
			case dtype.F16:
				tolerance = 1. / 512
			case dtype.BF16:
				tolerance = 1. / 64
			}
			if d := paired.Difference(a.typ, first, got); !(d <= tolerance) {
				return fmt.Errorf("%s: the results of %s and %s differ by %g", c.t.title(), c.sides[0].name, s.name, d)
			}
		}
	}
	return nil
}

// quiet waits until the threads of other processes have ended to spin, where our threads need their processors, and writes other data.
func (c *contest) quiet() {
	for i := 0; i < len(c.other); i += 64 {
		c.other[i]++
	}
	var pids []int
	for i := range c.sides {
		if c.sides[i].pid > 0 {
			pids = append(pids, c.sides[i].pid)
		}
	}
	if c.threads > 1 && len(pids) > 0 {
		paired.Quiet(pids...)
	}
}

// measure times all sides in turns.
func (c *contest) measure(rounds int, sample time.Duration) {
	sides := lists.Map(c.sides, func(s side) paired.Side { return s.run })
	times := paired.Alternate(sides, paired.Rounds{N: rounds, Sample: sample, Quiet: c.quiet, Warm: func(i, _ int) int {
		if sample == 0 || c.sides[i].name == "interp" {
			return 0
		}
		return 1
	}})
	n := float64(c.t.elements())
	for i, t := range times {
		for _, ns := range t {
			c.sides[i].per = append(c.sides[i].per, ns/n)
		}
	}
}
