package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unsafe"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/inspect/limits"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/failure"
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

// usual are the shapes that the command compares by default, in the form of parse.
const usual = `256x256x256nn 512x512x512nn 1024x1024x1024nn 2048x2048x2048nn 4096x4096x4096nn 1000x1000x1000nt
	1000x1000x1000tn 1000x1000x1000tt 1000000x8x8nn 64x100000x64nn 64x64x100000nn 64x64x100000tn
	100000x64x64nn 100000x100x100nn 100000x48x300nn 100000x32x32nn 100000x10x200nn 100000x20x20nn
	layer:256x256x256nn layer:512x512x512nn layer:1024x1024x1024nn layer:2048x2048x2048nn 8x1597x2000nn
	8x5000x2nt 16x5095x2tt 673x2x108nt 64x14438x22nn 1024x1024x1nn 300x1x300nn 300x1x300tn 1x300x300nn 1x300x300nt
	5x1024x1024nt 1000x1x1000nn 2000x1x2000nn 2000x1x2000tn 1x2000x2000nn 1x2000x2000nt 2048x1x2048tn
	64x1x100000tn 100000x1x64nn 1x1x1000nn 1x1x100000nn 10000*20x1x20nn 10000*1x20x20nn 10000*5x5x5nn
	10000*7x7x7nn 10000*8x8x8nn 10000*8x8x8nt 10000*9x9x9nn 10000*12x12x12nn 10000*16x16x16nn
	10000*20x20x20nn 10000*20x20x20nt 10000*24x24x24nn 10000*32x32x32nn 10000*48x48x48nn 10000*64x64x64nn
	1000*100x100x30nn`

// parse returns the shapes of a list, which has commas or spaces between them: 2x1000x1000nt, 100*8x8x8nn for
// several products, and layer:8x8x8nn for a layer. It leaves out those that do not match.
func parse(list, match string) (out []product) {
	want := failure.Must(regexp.Compile(match))
	for _, text := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		c := product{batch: 1}
		text, c.layer = strings.CutPrefix(text, "layer:")
		if batch, shape, many := strings.Cut(text, "*"); many {
			c.batch, text = failure.Must(strconv.Atoi(batch)), shape
		}
		if _, err := fmt.Sscanf(text, "%dx%dx%d%s", &c.m, &c.n, &c.k, &c.trans); err != nil || len(c.trans) != 2 {
			failure.Check(fmt.Errorf("shape %q", text))
		}
		if want.MatchString(c.String()) {
			out = append(out, c)
		}
	}
	return out
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
func array(typ dtype.Type, batch, rows, cols int, trans byte) *engine.Array {
	if trans == 't' {
		rows, cols = cols, rows
	}
	shape := []int{rows, cols}
	if batch > 1 {
		shape = []int{batch, rows, cols}
	}
	a := failure.Must(engine.NewArray(typ, shape...))
	b, r := a.Memory().Bytes(), rand.New(rand.NewPCG(1, 1))
	for i := range len(b) / typ.Size() {
		if typ == dtype.F32 {
			dtype.Slice[float32](b)[i] = r.Float32() - .5
		} else {
			dtype.Slice[float64](b)[i] = r.Float64() - .5
		}
	}
	return a
}

// row measures a product and prints the line of the table.
func (c product) row(ctx context.Context, in contest) {
	a := array(in.typ, c.batch, c.m, c.k, c.trans[0])
	b := array(in.typ, c.batch, c.k, c.n, c.trans[1])
	y := array(in.typ, c.batch, c.m, c.n, 'n')
	bias := array(in.typ, 1, 1, c.n, 'n')
	p := c.compile(ctx, in, map[string]*engine.Array{"a": a, "b": b, "y": y, "bias": bias})
	clock := paired.Used
	if in.threads > 1 {
		clock = paired.Elapsed
	}
	ours := paired.Repeated(clock, func() error { return p.Run(ctx) })
	ours(1)
	mine := slices.Clone(y.Memory().Bytes())
	sides := []paired.Side{ours}
	for _, l := range in.peers {
		l.setThreads(int32(in.threads))
		j := c.job(l, in.typ, a, b, y)
		if c.layer {
			j.bias = unsafe.Pointer(&bias.Memory().Bytes()[0])
		}
		theirs := func(reps int) time.Duration {
			start := clock()
			in.shim[in.typ](uint(reps), j)
			return clock() - start
		}
		clear(y.Memory().Bytes())
		theirs(1)
		if d := paired.Difference(in.typ, mine, y.Memory().Bytes()) / math.Sqrt(float64(c.k)); !(d < 1e-4) {
			failure.Check(fmt.Errorf("%v: the results differ by %g", c, d))
		}
		sides = append(sides, theirs)
	}
	times := in.alternate(sides)
	runtime.KeepAlive([]*engine.Array{a, b, y, bias})
	c.print(in, times)
}

func (c product) compile(ctx context.Context, in contest, arrays map[string]*engine.Array) *engine.Program {
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
	nodes := map[string]*tree.Node{}
	for name, x := range arrays {
		nodes[name] = x.Named(name).Node()
	}
	unit := failure.Must(failure.Must(formula.Parse("y = "+text)).BuildFor(nodes, nil))
	return failure.Must(engine.CompileWith(ctx, engine.Options{Threads: in.threads, Backend: in.backend}, unit.Statements...))
}

func (c product) job(l *library, typ dtype.Type, a, b, y *engine.Array) *job {
	at := func(a *engine.Array) unsafe.Pointer { return unsafe.Pointer(&a.Memory().Bytes()[0]) }
	j := &job{
		m: int64(c.m), n: int64(c.n), k: int64(c.k), ldA: int64(c.k), ldB: int64(c.n), ldC: int64(c.n),
		batch: int64(c.batch), strideA: int64(c.m * c.k), strideB: int64(c.k * c.n), strideC: int64(c.m * c.n),
		a: at(a), b: at(b), c: at(y), gemm: l.gemm[typ], gemv: l.gemv[typ],
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
func (in contest) alternate(sides []paired.Side) [][]float64 {
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
