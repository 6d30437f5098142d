package acceptance

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan"
)

// E keeps the expressions of the cases readable.
type E[T expr.Float] = expr.Exp[T]

// num is a scalar of the case's type.
func num[T expr.Float](v float64) E[T] { return op.Full[T](v) }

// A program is one variant of a case, ready to run.
type program struct {
	stmts []expr.Statement
	times int                // runs; 0 is 1
	loop  bool               // the plan must be a single loop without temporaries
	check func(t *testing.T) // looks at the results; may be nil
}

// lengths are those that cases of any length run with. A million takes long and
// has a function of its own.
var lengths = []int{1, 7, 4097}

// run builds and runs a case in every layout, for each length (0 where the case
// has its own).
func run[T expr.Float](t *testing.T, build func(w *world[T]) program, lengths ...int) {
	t.Helper()
	if lengths == nil {
		lengths = []int{0}
	}
	threads := []int{1, 2, 4}
	if !testlevel.Deep() {
		threads = []int{1, 4}
	}
	for _, l := range []layout{contiguous, strided, transposed} {
		for _, n := range lengths {
			t.Run(fmt.Sprintf("%v/%v/%d", dtype.Of[T](), l, n), func(t *testing.T) {
				variant(t, l, n, threads, build)
			})
		}
	}
}

// million runs a case at its greatest length, in one layout.
func million[T expr.Float](t *testing.T, build func(w *world[T]) program) {
	t.Helper()
	if !testlevel.Deep() {
		return
	}
	t.Run(fmt.Sprintf("%v/1000000", dtype.Of[T]()), func(t *testing.T) {
		variant(t, contiguous, 1_000_000, []int{4}, build)
	})
}

// variant runs a case naively, then fused on each backend with each number of
// threads.
func variant[T expr.Float](t *testing.T, l layout, n int, threads []int, build func(w *world[T]) program) {
	t.Helper()
	slow := &world[T]{t: t, layout: l, n: n}
	p := build(slow)
	var steps naive
	for _, s := range p.stmts {
		if err := steps.statement(s); err != nil {
			t.Fatal("naive:", err)
		}
	}
	for range max(p.times, 1) {
		for _, s := range steps.programs {
			if err := s.Run(context.Background()); err != nil {
				t.Fatal("naive:", err)
			}
		}
	}
	slow.checkGaps("naive")
	if p.check != nil {
		p.check(t)
	}
	for _, o := range options(threads, n < 1_000_000) {
		fused := &world[T]{t: t, layout: l, n: n}
		p := build(fused)
		prog, err := engine.CompileWith(context.Background(), o, p.stmts...)
		if err != nil {
			t.Fatal(err)
		}
		if why := prog.Interpreted(); len(why) > 0 {
			t.Errorf("left to the interpreter: %v", why)
		}
		if p.loop && !oneLoop(prog.Plan()) {
			t.Errorf("the plan is not one loop:\n%s", prog.Explain())
		}
		for range max(p.times, 1) {
			if err := prog.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		fused.checkGaps("fused")
		for i := range fused.outs {
			same(t, fmt.Sprintf("output %d on %s, %d threads", i, o.Backend, o.Threads), fused.outs[i], slow.outs[i])
		}
		if p.check != nil {
			p.check(t)
		}
		if t.Failed() {
			return
		}
	}
}

// options are the backends, or only the preferred one, with numbers of threads.
func options(threads []int, all bool) (out []engine.Options) {
	for _, name := range engine.Backends() {
		for _, k := range threads {
			out = append(out, engine.Options{Backend: name, Threads: k})
		}
		if !all {
			break
		}
	}
	return out
}

func oneLoop(p *plan.Plan) bool {
	return len(p.Stages) == 1 && p.Stages[0].Kind == plan.Loop && p.Arena == 0 && len(p.Temps) == 0
}

// same requires two arrays to be equal bit for bit, NaNs aside, which are all
// equal.
func same(t *testing.T, what string, got, want *engine.Array) {
	t.Helper()
	a, b := bits(t, got), bits(t, want)
	for i := range a {
		if a[i] != b[i] && !(isNaN(got.DType(), a[i]) && isNaN(want.DType(), b[i])) {
			t.Errorf("%s: element %d is %s fused and %s naive", what, i, text(got.DType(), a[i]), text(want.DType(), b[i]))
			return
		}
	}
}

// bits are the elements of an array as the bits they have in memory.
func bits(t *testing.T, a *engine.Array) []uint64 {
	t.Helper()
	data, err := a.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	size := a.DType().Size()
	out := make([]uint64, len(data)/size)
	for i := range out {
		for k := range size {
			out[i] |= uint64(data[i*size+k]) << (8 * k)
		}
	}
	return out
}

func isNaN(t dtype.Type, b uint64) bool {
	switch t {
	case dtype.F16:
		return b&0x7fff > 0x7c00
	case dtype.F32:
		return b&0x7fffffff > 0x7f800000
	case dtype.F64:
		return b&^(1<<63) > 0x7ff<<52
	}
	return false
}

func text(t dtype.Type, b uint64) string {
	if t == dtype.F16 {
		b = uint64(math.Float32bits(dtype.F16Value(uint16(b))))
	}
	return tree.FormatBits(t, b)
}

// tolerance is the relative bound for results of type T.
func tolerance[T expr.Float]() float64 {
	switch dtype.Of[T]() {
	case dtype.F64:
		return 1e-12
	case dtype.F32:
		return 1e-5
	}
	return 2e-3
}

// near requires a value within a relative bound of the expected one.
func near(t *testing.T, what string, got, want, tol float64) {
	if !(math.Abs(got-want) <= tol*math.Abs(want)) && got != want {
		t.Helper() // costs more than the comparison, and there may be a million of them
		t.Fatalf("%s is %.17g, want %.17g within %g", what, got, want, tol)
	}
}
