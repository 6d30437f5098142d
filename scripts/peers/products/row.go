package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/inspect/limits"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/scripts/peers/internal/paired"
)

// A product is a shape. The letters of trans say of each factor whether it is
// stored by rows, n, or by columns, t.
type product struct {
	m, n, k, batch int
	trans          string
	layer          bool // relu(A @ B + bias); the peers make a second pass over the result
}

func (c product) String() string {
	s := fmt.Sprintf("%dx%dx%d%s", c.m, c.n, c.k, c.trans)
	if c.batch > 1 {
		s = fmt.Sprintf("%d of ", c.batch) + s
	}
	if c.layer {
		s = "relu(" + s + " + bias)"
	}
	return s
}

var cases = []product{
	{256, 256, 256, 1, "nn", false}, {512, 512, 512, 1, "nn", false}, {1024, 1024, 1024, 1, "nn", false},
	{2048, 2048, 2048, 1, "nn", false}, {4096, 4096, 4096, 1, "nn", false},
	{1000, 1000, 1000, 1, "nt", false}, {1000, 1000, 1000, 1, "tn", false},
	{1000, 1000, 1000, 1, "tt", false}, {1000000, 8, 8, 1, "nn", false}, {64, 100000, 64, 1, "nn", false},
	{64, 64, 100000, 1, "nn", false}, {64, 64, 100000, 1, "tn", false}, {100000, 64, 64, 1, "nn", false},
	{100000, 100, 100, 1, "nn", false}, {100000, 48, 300, 1, "nn", false}, {100000, 32, 32, 1, "nn", false},
	{100000, 10, 200, 1, "nn", false}, {100000, 20, 20, 1, "nn", false}, {256, 256, 256, 1, "nn", true},
	{512, 512, 512, 1, "nn", true}, {1024, 1024, 1024, 1, "nn", true}, {2048, 2048, 2048, 1, "nn", true},
	{8, 1597, 2000, 1, "nn", false}, {8, 5000, 2, 1, "nt", false}, {673, 2, 108, 1, "nt", false},
	{64, 14438, 22, 1, "nn", false}, {1024, 1024, 1, 1, "nn", false}, {300, 1, 300, 1, "nn", false},
	{300, 1, 300, 1, "tn", false}, {1, 300, 300, 1, "nn", false}, {1, 300, 300, 1, "nt", false},
	{5, 1024, 1024, 1, "nt", false}, {1000, 1, 1000, 1, "nn", false}, {2000, 1, 2000, 1, "nn", false},
	{2000, 1, 2000, 1, "tn", false}, {1, 2000, 2000, 1, "nn", false}, {1, 2000, 2000, 1, "nt", false},
	{2048, 1, 2048, 1, "tn", false}, {64, 1, 100000, 1, "tn", false}, {100000, 1, 64, 1, "nn", false},
	{1, 1, 1000, 1, "nn", false}, {1, 1, 100000, 1, "nn", false}, {20, 1, 20, 10000, "nn", false},
	{1, 20, 20, 10000, "nn", false}, {5, 5, 5, 10000, "nn", false}, {7, 7, 7, 10000, "nn", false},
	{8, 8, 8, 10000, "nn", false}, {8, 8, 8, 10000, "nt", false}, {9, 9, 9, 10000, "nn", false},
	{12, 12, 12, 10000, "nn", false}, {16, 16, 16, 10000, "nn", false}, {20, 20, 20, 10000, "nn", false},
	{20, 20, 20, 10000, "nt", false}, {24, 24, 24, 10000, "nn", false}, {32, 32, 32, 10000, "nn", false},
	{48, 48, 48, 10000, "nn", false}, {64, 64, 64, 10000, "nn", false},
}

// parse returns the shapes of a list.
func parse(list string) (out []product, err error) {
	for _, text := range strings.Split(list, ",") {
		c := product{batch: 1}
		if batch, shape, many := strings.Cut(text, "*"); many {
			if c.batch, err = strconv.Atoi(batch); err != nil {
				return nil, err
			}
			text = shape
		}
		if _, err := fmt.Sscanf(text, "%dx%dx%d%s", &c.m, &c.n, &c.k, &c.trans); err != nil || len(c.trans) != 2 {
			return nil, fmt.Errorf("shape %q", text)
		}
		out = append(out, c)
	}
	return out, nil
}

// A contest is what the rows of a table share.
type contest struct {
	shim    shim
	peers   []*library
	typ     dtype.Type
	threads int
	backend string
	rounds  int
	machine *limits.Machine
}

// array returns an array of random elements, stored by rows or by columns.
func array(typ dtype.Type, batch, rows, cols int, trans byte) (*engine.Array, error) {
	if trans == 't' {
		rows, cols = cols, rows
	}
	shape := []int{rows, cols}
	if batch > 1 {
		shape = []int{batch, rows, cols}
	}
	a, err := engine.NewArray(typ, shape...)
	if err != nil {
		return nil, err
	}
	b, r := a.Memory().Bytes(), rand.New(rand.NewPCG(1, 1))
	for i := range len(b) / typ.Size() {
		if typ == dtype.F32 {
			dtype.Slice[float32](b)[i] = r.Float32() - .5
		} else {
			dtype.Slice[float64](b)[i] = r.Float64() - .5
		}
	}
	return a, nil
}

// row measures a product and prints the line of the table.
func (c product) row(ctx context.Context, in contest) error {
	a, err := array(in.typ, c.batch, c.m, c.k, c.trans[0])
	if err != nil {
		return err
	}
	b, err := array(in.typ, c.batch, c.k, c.n, c.trans[1])
	if err != nil {
		return err
	}
	y, err := array(in.typ, c.batch, c.m, c.n, 'n')
	if err != nil {
		return err
	}
	bias, err := array(in.typ, 1, 1, c.n, 'n')
	if err != nil {
		return err
	}
	p, err := c.compile(ctx, in, map[string]*engine.Array{"a": a, "b": b, "y": y, "bias": bias})
	if err != nil {
		return err
	}
	clock := paired.Used
	if in.threads > 1 {
		clock = paired.Elapsed
	}
	ours := paired.Repeated(clock, func() error { return p.Run(ctx) })
	if _, err := ours(1); err != nil {
		return err
	}
	mine := slices.Clone(y.Memory().Bytes())
	sides := []paired.Side{ours}
	for _, l := range in.peers {
		l.setThreads(int32(in.threads))
		j := c.job(l, in.typ, a, b, y)
		if c.layer {
			j.bias = unsafe.Pointer(&bias.Memory().Bytes()[0])
		}
		theirs := func(reps int) (time.Duration, error) {
			start := clock()
			in.shim[in.typ](uint(reps), j)
			return clock() - start, nil
		}
		clear(y.Memory().Bytes())
		if _, err := theirs(1); err != nil {
			return err
		}
		if d := paired.Difference(in.typ, mine, y.Memory().Bytes()) / math.Sqrt(float64(c.k)); !(d < 1e-4) {
			return fmt.Errorf("%v: the results differ by %g", c, d)
		}
		sides = append(sides, theirs)
	}
	times, err := in.alternate(sides)
	if err != nil {
		return err
	}
	runtime.KeepAlive([]*engine.Array{a, b, y, bias})
	c.print(in, times)
	return nil
}

func (c product) compile(ctx context.Context, in contest, arrays map[string]*engine.Array) (*engine.Program, error) {
	text := "a @ b"
	if c.trans[0] == 't' {
		text = "a.mT @ b"
	}
	if c.trans[1] == 't' {
		text += ".mT"
	}
	if c.layer {
		text = "maximum(" + text + " + bias, 0)"
	}
	src, err := formula.Parse("y = " + text)
	if err != nil {
		return nil, err
	}
	nodes := map[string]*tree.Node{}
	for name, x := range arrays {
		nodes[name] = x.Named(name).Node()
	}
	unit, err := src.BuildFor(nodes, nil)
	if err != nil {
		return nil, err
	}
	return engine.CompileWith(ctx, engine.Options{Threads: in.threads, Backend: in.backend}, unit.Statements...)
}

func (c product) job(l *library, typ dtype.Type, a, b, y *engine.Array) *job {
	at := func(a *engine.Array) unsafe.Pointer { return unsafe.Pointer(&a.Memory().Bytes()[0]) }
	j := &job{
		m: int64(c.m), n: int64(c.n), k: int64(c.k), ldA: int64(c.k), ldB: int64(c.n), ldC: int64(c.n),
		batch: int64(c.batch), strideA: int64(c.m * c.k), strideB: int64(c.k * c.n), strideC: int64(c.m * c.n),
		a: at(a), b: at(b), c: at(y), gemm: l.gemm[typ],
	}
	if c.trans[0] == 't' {
		j.transA, j.ldA = 1, j.m
	}
	if c.trans[1] == 't' {
		j.transB, j.ldB = 1, j.k
	}
	if l.wide {
		j.wide = 1
	}
	return j
}

// alternate returns the times of each side in each round, in nanoseconds.
func (in contest) alternate(sides []paired.Side) ([][]float64, error) {
	r := paired.Rounds{N: in.rounds, Sample: 20 * time.Millisecond, Quiet: func() {}, Warm: func(int, int) int { return 0 }}
	if in.threads > 1 {
		r.Quiet, r.Warm = func() { paired.Quiet() }, func(_, reps int) int { return reps / 10 }
	}
	return paired.Alternate(sides, r)
}

func (c product) print(in contest, times [][]float64) {
	flops := 2 * float64(c.m) * float64(c.n) * float64(c.k) * float64(c.batch) // divided by nanoseconds: GFLOP/s
	mine := paired.Median(times[0])
	fmt.Printf("| %v | %v | %d | %.1f | %.2f |", c, in.typ, in.threads, flops/mine, flops/mine/(in.machine.Flops(in.typ, 1)/1e9*float64(in.threads)))
	for _, theirs := range times[1:] {
		var ratios []float64
		for i := range theirs {
			ratios = append(ratios, theirs[i]/times[0][i])
		}
		slices.Sort(ratios)
		fmt.Printf(" %.1f | %.2f | %.2f..%.2f |", flops/paired.Median(theirs), paired.Median(ratios), ratios[len(ratios)/4], ratios[len(ratios)*3/4])
	}
	fmt.Println()
}
