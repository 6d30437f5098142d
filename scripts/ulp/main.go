// Command ulp measures the lowerings of mathematical functions.
//
//	go run ./scripts/ulp -fn exp -type f32            # all 2^32 arguments
//	go run ./scripts/ulp -fn exp,log -every 61        # every 61st
//	go run ./scripts/ulp -fn all -type f32 -md        # rows for docs/accuracy.md
//	go run ./scripts/ulp -fn exp -c > exp.c           # the lowering in C, see c.go
//
// The error is the distance from the reference in units of the last place (ULP) of the
// reference. Results whose error is above 1 ULP are counted as failures. The reference
// for float32 is Go's package math in float64, whose error of at most a few float64 ULP
// is 2^-28 of a float32 ULP.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/failure"
)

func main() {
	defer failure.Exit()
	defer failure.In("ulp")
	fn := flag.String("fn", "all", "functions, separated by commas, or all")
	typ := flag.String("type", "f32", "element type: f32")
	every := flag.Uint64("every", 1, "test every n-th bit pattern")
	md := flag.Bool("md", false, "print Markdown rows")
	inC := flag.Bool("c", false, "print the lowering as C instead")
	eval := flag.Bool("eval", false, "read arguments from standard input, as hexadecimal bits, and print results")
	flag.Parse()
	if *eval {
		evaluate(os.Stdin, os.Stdout, *fn, *typ)
		return
	}
	if *typ != "f32" && !*inC {
		failure.Check(errors.New("only f32 has a reference here; for f64 see scripts/goldens/measure.py"))
	}
	var names []string
	if *fn == "all" {
		for n := range untyped.Lowerings() {
			if references[n] != nil {
				names = append(names, n)
			}
		}
		sort.Strings(names)
	} else {
		names = strings.Split(*fn, ",")
	}
	bad := false
	for _, n := range names {
		if *inC {
			failure.Check(printC(os.Stdout, n, failure.Must(dtype.Parse(*typ))))
			continue
		}
		r := sweep(n, *every)
		bad = bad || r.failures > 0
		hot, cold := r.p.Cost()
		x := math.Float32frombits(r.at)
		if *md {
			fmt.Printf("| %s | float32 | %d | %.3f | %x | %d |\n", n, r.samples, r.worst, x, r.failures)
			continue
		}
		fmt.Printf("%-8s f32: %d arguments, worst %.4f ULP at %x (%#08x), %d failures", n, r.samples, r.worst, x, r.at, r.failures)
		if r.failures > 0 {
			fmt.Printf(" (first %x)", math.Float32frombits(r.first))
		}
		fmt.Printf(", %d + %d instructions, sum %016x\n", hot, cold, r.sum)
	}
	if bad {
		os.Exit(1)
	}
}

type result struct {
	p                 *prim.Program
	samples, failures uint64
	worst             float64
	at, first         uint32
	sum               uint64 // of the results, to compare with other implementations
}

const block = 2048

// sweep compares every n-th float32 argument with the reference.
func sweep(name string, every uint64) result {
	lower, ref := untyped.Lowerings()[name], references[name]
	if lower == nil || ref == nil {
		failure.Check(fmt.Errorf("no function %q", name))
	}
	p := failure.Must(prim.NewProgram([]dtype.Type{dtype.F32}, lower))
	workers := uint64(runtime.GOMAXPROCS(0))
	out := make([]result, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			defer failure.Exit()
			defer failure.In("ulp")
			out[w].part(name, w, workers, every)
		})
	}
	wg.Wait()
	r := result{p: p}
	for _, o := range out {
		r.sum += o.sum
		r.samples += o.samples
		if o.failures > 0 && r.failures == 0 {
			r.first = o.first
		}
		r.failures += o.failures
		if o.worst > r.worst {
			r.worst, r.at = o.worst, o.at
		}
	}
	return r
}

// part compares every workers-th block of arguments with the reference, from block w on. It runs the
// program that the engine compiles, whose bits are those of the lowering.
func (r *result) part(name string, w, workers, every uint64) {
	ctx, ref := context.Background(), references[name]
	x, y := failure.Must(engine.New[float32](block)), failure.Must(engine.New[float32](block))
	p := failure.Must(engine.Compile(ctx, expr.Let(y, expr.Of[float32](untyped.Apply(untyped.Row(name), expr.NodeOf(x))))))
	samples := (1<<32 + every - 1) / every
	for first := w * block; first < samples; first += workers * block {
		for i := range x.Data() {
			x.Data()[i] = math.Float32frombits(uint32((first + uint64(i)) * every))
		}
		failure.Check(p.Run(ctx))
		for i, got := range y.Data()[:min(block, samples-first)] {
			r.check(math.Float32bits(x.Data()[i]), math.Float32bits(got), ref)
		}
	}
}

func (r *result) check(x, got uint32, ref func(float64) float64) {
	r.samples++
	if got&0x7fffffff > 0x7f800000 {
		got = 0x7fc00000
	}
	r.sum += uint64(got) * uint64(x|1)
	want := ref(float64(math.Float32frombits(x)))
	g := math.Float32frombits(got)
	if want != want || g != g {
		if (want != want) != (g != g) {
			r.fail(x, math.Inf(1))
		}
		return
	}
	near := float32(want)
	if n := math.Float32bits(near); got == n {
		if got&0x7fffffff >= 0x7f800000 || want == float64(g) {
			return
		}
	} else if near == 0 || g == 0 { // signs of zero count
		if got&0x7fffffff > 1 || n&0x7fffffff > 1 || (got^n)>>31 != 0 {
			r.fail(x, math.Inf(1))
			return
		}
	}
	e := err(g, want)
	if e > 1 {
		r.fail(x, e)
	}
	if e > r.worst {
		r.worst, r.at = e, x
	}
}

func (r *result) fail(x uint32, e float64) {
	if r.failures == 0 {
		r.first = x
	}
	r.failures++
	if e > r.worst {
		r.worst, r.at = e, x
	}
}

// err is the distance of g from want in units of the last place of want, in a
// float32 of any exponent range upwards (infinity counts as 2^128).
func err(g float32, want float64) float64 {
	v := float64(g)
	if math.IsInf(v, 0) {
		v = math.Copysign(0x1p128, v)
	}
	if math.IsInf(want, 0) {
		want = math.Copysign(0x1p128, want)
	}
	e := max(math.Ilogb(want), -126)
	if want == 0 {
		e = -126
	}
	return math.Abs(v-want) * math.Ldexp(1, 23-e)
}
