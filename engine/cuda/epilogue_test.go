package cuda

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/cuda/internal/dl"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/plan"
)

// failLt makes a call of cuBLASLt fail, until failLt names another call, or "".
func (s *standIn) failLt(call string, result int) {
	name := append([]byte(call), 0)
	dl.Call(s.fn["standinLtFail"], uintptr(unsafe.Pointer(&name[0])), uintptr(result))
}

// ltProducts returns the number of products that the stand-in for cuBLASLt has
// computed, ltLive the number of its objects that were not destroyed.
func (s *standIn) ltProducts() int { return int(dl.Call(s.fn["standinLtProducts"])) }
func (s *standIn) ltLive() int     { return int(dl.Call(s.fn["standinLtLive"])) }

// squares returns a tensor of small integers. Their products and sums are exact,
// so that the order of summation does not matter.
func squares[T float32 | float64](dims ...int) *engine.Tensor[T] {
	x := engine.Zeros[T](dims...)
	for i := range x.Data() {
		x.Data()[i] = T(i*i%7 - 3)
	}
	return x
}

// there returns a copy on a device.
func there[T float32 | float64](t *testing.T, d driver.Device, x *engine.Tensor[T]) *engine.Tensor[T] {
	t.Helper()
	y, err := x.To(d)
	check(t, err)
	return y
}

// layer returns the statement y = x @ w + b.
func layer[T float32 | float64 | int32](y *engine.Tensor[T], x, w, b expr.Exp[T]) expr.Statement {
	return expr.Let(y, op.Add(op.MatMul(x, w), b))
}

// testBias compares products with a bias, in all layouts, with those of the
// interpreter.
func testBias(t *testing.T, s *standIn) {
	d := open(t)
	biasOf[float32](t, d, s.ltProducts)
	biasOf[float64](t, d, s.ltProducts)
}

// biasOf is testBias for one type. If count is not nil, it checks the number of
// calls of cuBLASLt.
func biasOf[T float32 | float64](t *testing.T, d driver.Device, count func() int) {
	t.Helper()
	type E = expr.Exp[T]
	turn := func(x E) E { return op.T(x) }
	same := func(x E) E { return x }
	for _, c := range []struct {
		name       string
		x, w, b, y []int
		as, of     func(E) E // applied to x and w
		then       func(E) E // applied to the sum
		calls      int       // expected calls of cuBLASLt
	}{
		{name: "plain", x: []int{3, 4}, w: []int{4, 5}, b: []int{5}, y: []int{3, 5}, calls: 1},
		{name: "right transposed", x: []int{3, 4}, w: []int{5, 4}, b: []int{5}, y: []int{3, 5}, of: turn, calls: 1},
		{name: "left transposed", x: []int{4, 3}, w: []int{4, 5}, b: []int{5}, y: []int{3, 5}, as: turn, calls: 1},
		{name: "both transposed", x: []int{4, 3}, w: []int{5, 4}, b: []int{1, 5}, y: []int{3, 5}, as: turn, of: turn, calls: 1},
		{name: "row", x: []int{4}, w: []int{4, 5}, b: []int{5}, y: []int{5}, calls: 1},
		{name: "stack of left ones", x: []int{2, 3, 4}, w: []int{4, 5}, b: []int{5}, y: []int{2, 3, 5}, calls: 1},
		{name: "stack of right ones", x: []int{3, 4}, w: []int{2, 4, 5}, b: []int{5}, y: []int{2, 3, 5}, calls: 1},
		{name: "stack of both", x: []int{2, 3, 4}, w: []int{2, 4, 5}, b: []int{5}, y: []int{2, 3, 5}, calls: 1},
		{name: "computed operand", x: []int{3, 4}, w: []int{4, 5}, b: []int{5}, y: []int{3, 5}, as: func(v E) E { return op.AddScalar(v, 1) }, calls: 1},
		{name: "irregular stack", x: []int{6, 1, 3, 4}, w: []int{2, 4, 5}, b: []int{5}, y: []int{6, 2, 3, 5}},
		{name: "bias of the rows", x: []int{3, 4}, w: []int{4, 5}, b: []int{3, 1}, y: []int{3, 5}},
		{name: "relu", x: []int{3, 4}, w: []int{4, 5}, b: []int{5}, y: []int{3, 5}, then: func(v E) E { return op.ReLU(v) }},
	} {
		for _, f := range []*func(E) E{&c.as, &c.of, &c.then} {
			if *f == nil {
				*f = same
			}
		}
		x, w, b, want := squares[T](c.x...), squares[T](c.w...), squares[T](c.b...), squares[T](c.y...)
		value := func(x, w, b *engine.Tensor[T]) E {
			return c.then(op.Add(op.MatMul(c.as(x), c.of(w)), E(b)))
		}
		check(t, engine.RunWith(ctx, engine.Options{Backend: "interp"}, expr.Let(want, value(x, w, b))))
		got := there(t, d, squares[T](c.y...))
		before := 0
		if count != nil {
			before = count()
		}
		check(t, got.Assign(value(there(t, d, x), there(t, d, w), there(t, d, b))))
		if fmt.Sprint(got.Values()) != fmt.Sprint(want.Values()) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
		if count == nil {
			continue
		}
		if n := count() - before; n != c.calls {
			t.Errorf("%s: %d calls of cuBLASLt, want %d", c.name, n, c.calls)
		}
	}
}

// TestPlan tests for which stages Plan uses cuBLASLt.
func TestPlan(t *testing.T) {
	for _, c := range []struct {
		name string
		stmt expr.Statement
		want string
	}{
		{"float32", layer(squares[float32](3, 5), squares[float32](3, 4), squares[float32](4, 5), squares[float32](5)), "biased"},
		{"float64", layer(squares[float64](3, 5), squares[float64](3, 4), squares[float64](4, 5), squares[float64](5)), "biased"},
		{"integers", layer(engine.Zeros[int32](3, 5), engine.Zeros[int32](3, 4), engine.Zeros[int32](4, 5), engine.Zeros[int32](5)), "product loop"},
		{"irregular stack", layer(squares[float32](6, 2, 3, 5), squares[float32](6, 1, 3, 4), squares[float32](2, 4, 5), squares[float32](5)), "product loop"},
	} {
		pl, err := plan.Compile(t.Context(), []expr.Statement{c.stmt})
		check(t, err)
		if got := kinds(Plan(pl)); got != c.want {
			t.Errorf("%s: stages %s, want %s", c.name, got, c.want)
		}
	}
}

// testBiasAlignment tests operands in the middle of arrays, whose addresses have
// smaller alignments.
func testBiasAlignment(t *testing.T, s *standIn) {
	d := open(t)
	x, w, b, y := squares[float32](5, 4), squares[float32](7, 5), squares[float32](8), squares[float32](6, 5)
	dx, dw, db, dy := there(t, d, x), there(t, d, w), there(t, d, b), there(t, d, y)
	before := s.ltProducts()
	check(t, engine.Run(ctx, layer(dy.Slice(1, 4), dx.Slice(2, 5), dw.Slice(3, 7), db.Slice(3, 8))))
	check(t, engine.Run(ctx, layer(y.Slice(1, 4), x.Slice(2, 5), w.Slice(3, 7), b.Slice(3, 8))))
	if fmt.Sprint(dy.Values()) != fmt.Sprint(y.Data()) {
		t.Errorf("%v, want %v", dy, y)
	}
	if n := s.ltProducts() - before; n != 1 {
		t.Errorf("%d calls of cuBLASLt, want 1", n)
	}
}

// twoLayers compiles y = (x @ w + b) @ v + c on a GPU.
func twoLayers(t *testing.T, d driver.Device) (p *engine.Program, x, y *engine.Tensor[float32]) {
	t.Helper()
	x, y = there(t, d, squares[float32](3, 4)), there(t, d, squares[float32](3, 5))
	w, b := there(t, d, squares[float32](4, 6)), there(t, d, squares[float32](6))
	v, c := there(t, d, squares[float32](6, 5)), there(t, d, squares[float32](5))
	p, err := engine.Compile(ctx, layer(y, op.Add(op.MatMul(x, w), b), v, c))
	check(t, err)
	return p, x, y
}

// testBiasRuns runs a program many times. The stand-in computes products when
// they are queued, so a graph would omit them.
func testBiasRuns(t *testing.T, s *standIn) {
	d := open(t)
	p, x, y := twoLayers(t, d)
	if got := kinds(p.Plan()); got != "biased biased" {
		t.Errorf("stages %s", got)
	}
	if text := p.Plan().Explain(); !contains(errors.New(text), "matrix product, with the bias ") {
		t.Errorf("the plan does not show the epilogue:\n%s", text)
	}
	hx, hy := squares[float32](3, 4), engine.Zeros[float32](3, 5)
	first := op.Add(op.MatMul(hx, squares[float32](4, 6)), squares[float32](6))
	host, err := engine.Compile(ctx, layer(hy, first, squares[float32](6, 5), squares[float32](5)))
	check(t, err)
	for i := range 2 * stableRuns {
		check(t, x.Assign(op.AddScalar(x, 1)))
		check(t, hx.Assign(op.AddScalar(hx, 1)))
		check(t, p.Run(ctx))
		check(t, host.Run(ctx))
		if fmt.Sprint(y.Values()) != fmt.Sprint(hy.Data()) {
			t.Fatalf("run %d: %v, want %v", i, y, hy)
		}
	}
	noAllocations(t, p, 100)
	st, err := d.NewStream()
	check(t, err)
	before := s.ltProducts()
	check(t, p.RunAsync(st).Wait(ctx))
	if n := s.ltProducts() - before; n != 2 {
		t.Errorf("%d products of cuBLASLt in a queued run, want 2", n)
	}
	check(t, st.Close())
}

// kinds returns one word for each stage of a plan.
func kinds(p *plan.Plan) string {
	var out []string
	for _, s := range p.Stages {
		switch {
		case s.Bias != nil:
			out = append(out, "biased")
		case s.Kind == plan.Product:
			out = append(out, "product")
		default:
			out = append(out, "loop")
		}
	}
	return strings.Join(out, " ")
}

// testBiasRelease closes a program and drops others. Only the handle of cuBLASLt
// must be left.
func testBiasRelease(t *testing.T, s *standIn) {
	d := open(t)
	base := s.ltLive() + 1
	p, _, _ := twoLayers(t, d)
	check(t, p.Run(ctx))
	if s.ltLive() <= base {
		t.Fatal("the program has nothing to be released")
	}
	check(t, p.Close())
	if n := s.ltLive() - base; n != 0 {
		t.Errorf("%d objects are left after Close", n)
	}
	for range 10 {
		twoLayers(t, d)
	}
	for deadline := time.Now().Add(2 * time.Minute); s.ltLive() > base; {
		if time.Now().After(deadline) {
			t.Fatalf("%d objects are left of programs that are garbage", s.ltLive()-base)
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
		check(t, d.do("sweeping", d.sweep))
	}
}

// testBiasFallback makes each call of cuBLASLt fail, and removes the library. A
// loop must then add the bias, and ONELOOP_DEBUG=cuda must print the reason.
func testBiasFallback(t *testing.T, s *standIn) {
	const notSupported = 15
	for _, call := range []string{
		"", "cublasLtCreate", "cublasLtMatmulDescCreate", "cublasLtMatmulDescSetAttribute", "cublasLtMatrixLayoutCreate",
		"cublasLtMatmulPreferenceCreate", "cublasLtMatmulPreferenceSetAttribute", "cublasLtMatmulAlgoGetHeuristic",
	} {
		d := open(t)
		d.debug.source = true
		live, reason := s.ltLive(), call+": CUBLAS_STATUS_NOT_SUPPORTED"
		switch call {
		case "":
			d.blas.noLt = &cu.NotFound{Library: "libcublasLt"}
			reason = "libcublasLt was not found"
		case "cublasLtCreate":
			s.failLt(call, notSupported)
		default:
			live++ // the handle is created
			s.failLt(call, notSupported)
		}
		var p *engine.Program
		var y *engine.Tensor[float32]
		said := stderr(t, func() { p, _, y = twoLayers(t, d) })
		s.failLt("", 0)
		if got := kinds(p.Plan()); got != "product loop product loop" || !strings.Contains(said, reason) {
			t.Errorf("without %q: stages %s, and it says %.300q", call, got, said)
		}
		if n := s.ltLive() - live; n != 0 {
			t.Errorf("without %q: %d objects are left", call, n)
		}
		check(t, p.Run(ctx))
		d = open(t)
		p, _, want := twoLayers(t, d)
		check(t, p.Run(ctx))
		if fmt.Sprint(y.Values()) != fmt.Sprint(want.Values()) {
			t.Errorf("without %q: %v, want %v", call, y, want)
		}
	}
}

// stderr returns what f writes to os.Stderr.
func stderr(t *testing.T, f func()) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	check(t, err)
	old := os.Stderr
	os.Stderr = file
	defer func() { os.Stderr = old }()
	f()
	check(t, file.Close())
	text, err := os.ReadFile(file.Name())
	check(t, err)
	return string(text)
}

// testBiasFailure makes a product fail in a run. The run must return the error,
// and the next run must succeed.
func testBiasFailure(t *testing.T, s *standIn) {
	d := open(t)
	p, _, y := twoLayers(t, d)
	const executionFailed = 13
	s.failLt("cublasLtMatmul", executionFailed)
	err := p.Run(ctx)
	s.failLt("", 0)
	var failed *cu.CublasError
	if !errors.Is(err, expr.ErrDevice) || !errors.As(err, &failed) || failed.Call != "cublasLtMatmul" || failed.Result != executionFailed ||
		!contains(err, "with the bias") || !contains(err, "(stage 0)") {
		t.Errorf("a product that fails: %v", err)
	}
	check(t, p.Run(ctx))
	if y.Values() == nil {
		t.Error("the device is lost")
	}
}
