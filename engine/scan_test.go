package engine_test

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// monteCarlo returns the mean payoff of an Asian option over paths of dates, with
// normals made inside the loop.
func monteCarlo(dates, paths int) expr.Exp[float32] {
	z := op.Normal[float32](expr.Const[uint64](7), dates, paths)
	start := []expr.Exp[float32]{expr.Const[float32](100), expr.Const[float32](0)}
	r := op.Scan(start, []expr.Exp[float32]{z}, op.ScanOptions{}, func(s op.Step[float32]) (next, out []expr.Exp[float32]) {
		price := op.Mul(s.State[0], op.Exp(op.AddScalar(op.MulScalar(s.X[0], 0.0126), -0.00008)))
		return []expr.Exp[float32]{price, op.Add(s.State[1], price)}, nil
	})
	return op.ReLU(op.AddScalar(op.MulScalar(r.Last(1), 1/float32(dates)), -100))
}

// TestMonteCarlo checks that paths are one loop without an array of paths or of
// normals, that it compiles quickly, and that its bits are those of a loop in Go.
func TestMonteCarlo(t *testing.T) {
	const dates, paths = 252, 1000
	y, err := engine.New[float32](paths)
	if err != nil {
		t.Fatal(err)
	}
	best := time.Hour
	var p *engine.Program
	limit := 50 * time.Millisecond // 2 ms on a quiet machine
	if testlevel.Race {
		limit *= 10
	}
	for try := 0; try < 3 || best > limit && try < 20; try++ {
		begin := testlevel.CPUTime()
		if p, err = engine.Compile(context.Background(), expr.Let(y, monteCarlo(dates, paths))); err != nil {
			t.Fatal(err)
		}
		best = min(best, testlevel.CPUTime()-begin)
	}
	t.Logf("compiled in %v", best)
	if best > limit {
		t.Errorf("compiled in %v", best)
	}
	plan := p.Plan()
	if n := len(plan.Stages); n != 1 || plan.Arena != 0 {
		t.Fatalf("%d stages, %d bytes of temporaries\n%v", n, plan.Arena, p.Explain())
	}
	if err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	z, err := engine.Eval(op.Exp(op.AddScalar(op.MulScalar(op.Normal[float32](expr.Const[uint64](7), dates, paths), 0.0126), -0.00008)))
	if err != nil {
		t.Fatal(err)
	}
	got := y.Data()
	for i, g := range got {
		price, sum := float32(100), float32(0)
		for d := range dates {
			price *= z.Data()[d*paths+i]
			sum += price
		}
		dates := float32(dates)
		if want := max(float32(sum*(1/dates))-100, 0); g != want {
			t.Fatalf("path %d: %v, want %v", i, g, want)
		}
	}
}

// TestCumulative compares running sums with a loop in Go, the second run included.
func TestCumulative(t *testing.T) {
	x := make([]float64, 37*41)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	a := engine.MustFromSlice(x, 37, 41)
	for axis := range 2 {
		for range 2 {
			y, err := engine.Eval(op.CumSum(a, axis))
			if err != nil {
				t.Fatal(err)
			}
			for i := range 37 {
				for j := range 41 {
					want, at := x[i*41+j], [2]int{i, j}
					if at[axis] > 0 {
						before := [2]int{i, j}
						before[axis]--
						want += y.Data()[before[0]*41+before[1]]
					}
					if got := y.Data()[i*41+j]; got != want {
						t.Fatalf("axis %d at %v: %v, want %v", axis, at, got, want)
					}
				}
			}
		}
	}
}

// TestScanInPlace checks scans of an array into itself.
func TestScanInPlace(t *testing.T) {
	for axis, want := range [][]float32{{1, 2, 3, 5, 7, 9}, {1, 3, 6, 4, 9, 15}} {
		x := engine.MustFromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
		if err := x.Assign(op.CumSum(x, axis)); err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if x.Data()[i] != w {
				t.Errorf("axis %d: %v, want %v", axis, x.Data(), want)
				break
			}
		}
	}
	x := engine.MustFromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err := x.Assign(op.CumSum(op.Flip(x, 1), 1)); err != nil {
		t.Fatal(err)
	}
	if x.Data()[2] != 6 || x.Data()[3] != 6 {
		t.Errorf("flipped: %v", x.Data())
	}
}

// TestScansOfFewSteps compares scans that are loops without states, because they have few steps, with those of few scans, which have
// states: forward, in reverse, of several states, of scans, and of what depends on the position.
func TestScansOfFewSteps(t *testing.T) {
	const lanes, part = 130, 26
	for _, steps := range []int{2, 3, 5, 8} {
		for axis := range 2 {
			dims := [2]int{lanes, lanes}
			dims[axis] = steps
			x := engine.Zeros[float32](dims[:]...)
			for i := range x.Data() {
				x.Data()[i] = float32(math.Sin(float64(3 * i)))
			}
			for name, f := range map[string]func(x expr.Exp[float32]) expr.Exp[float32]{
				"sum":           func(x expr.Exp[float32]) expr.Exp[float32] { return op.CumSum(x, axis) },
				"scan of scans": func(x expr.Exp[float32]) expr.Exp[float32] { return op.Sub(op.CumMax(op.CumSum(x, axis), axis), x) },
				"reverse": func(x expr.Exp[float32]) expr.Exp[float32] {
					first := []expr.Exp[float32]{expr.Const[float32](1), expr.Const[float32](-2)}
					r := op.Scan(first, []expr.Exp[float32]{x}, op.ScanOptions{Axis: axis, Reverse: true}, func(s op.Step[float32]) (next, out []expr.Exp[float32]) {
						y := op.Add(op.Mul(s.State[0], s.X[0]), op.MulScalar(s.State[1], .5))
						return []expr.Exp[float32]{y, s.State[0]}, []expr.Exp[float32]{op.Sub(y, op.Cast[float32](s.Index))}
					})
					return op.MulScalar(r.Out(0), 3)
				},
			} {
				whole, err := engine.Eval(f(x))
				if err != nil {
					t.Fatal(err)
				}
				for lo := 0; lo < lanes; lo += part {
					cut := func(x expr.Exp[float32]) expr.Exp[float32] {
						var spans [2]op.Span
						spans[1-axis] = op.Range(lo, lo+part)
						return op.Slice(x, spans[:]...)
					}
					few, err := engine.Eval(f(cut(x)))
					if err != nil {
						t.Fatal(err)
					}
					want, err := engine.Eval(cut(whole))
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(few.Data(), want.Data()) {
						t.Errorf("%s of %d steps along axis %d from %d on: %v, want %v", name, steps, axis, lo, want, few)
					}
				}
			}
		}
	}
}

// TestScanToLowerHalves stores running sums and products of int64 as int32, whose sums wrap.
func TestScanToLowerHalves(t *testing.T) {
	const rows, columns = 37, 41
	x := make([]int32, rows*columns)
	for i := range x {
		x[i] = int32(i*i*i+1) * 0x01234567
	}
	a := engine.MustFromSlice(x, rows, columns)
	long := op.Cast[int64](a)
	for axis, step := range []int{columns, 1} {
		for name, c := range map[string]struct {
			e expr.Exp[int64]
			f func(a, b int64) int64
		}{
			"sum":     {op.CumSum(long, axis), func(a, b int64) int64 { return a + b }},
			"product": {op.CumProd(long, axis), func(a, b int64) int64 { return a * b }},
		} {
			y, err := engine.Eval(op.Cast[int32](c.e))
			if err != nil {
				t.Fatal(err)
			}
			whole := make([]int64, len(x))
			for i := range x {
				whole[i] = int64(x[i])
				if first := i < columns; axis == 0 && !first || axis == 1 && i%columns > 0 {
					whole[i] = c.f(whole[i-step], whole[i])
				}
				if got := y.Data()[i]; got != int32(whole[i]) {
					t.Fatalf("%s along axis %d, element %d: %v, want %v", name, axis, i, got, int32(whole[i]))
				}
			}
		}
	}
}

// TestMiddleAxes compares sums and running sums over the middle axis of arrays larger than a second-level cache with the
// interpreter: one call goes over several planes, the last of which may be fewer.
func TestMiddleAxes(t *testing.T) {
	for _, dims := range [][]int{{41, 60, 100}, {23, 150, 37}, {5, 300, 131}} {
		a := engine.Zeros[float64](dims...)
		for i, x := 0, a.Data(); i < len(x); i++ {
			x[i] = math.Sin(float64(i))
		}
		for name, e := range map[string]expr.Exp[float64]{"sum": op.Sum[float64](a, op.Axis(1)), "cumsum": op.CumSum[float64](a, 1)} {
			var got [2][]float64
			for i, backend := range []string{"", "interp"} {
				y := engine.Zeros[float64](e.Node().Shape()...)
				p, err := engine.CompileWith(context.Background(), engine.Options{Threads: 1, Backend: backend}, expr.Let(y, e))
				if err != nil {
					t.Fatal(err)
				}
				if err := p.Run(context.Background()); err != nil {
					t.Fatal(err)
				}
				got[i] = y.Data()
			}
			if !slices.Equal(got[0], got[1]) {
				t.Errorf("%s of %v differs from the interpreter", name, dims)
			}
		}
	}
}

// TestScanSiblings checks that results of one scan that another loop loads are stored by one loop, which computes the states
// once, and that they are those of programs with one result.
func TestScanSiblings(t *testing.T) {
	const steps, lanes = 20, 300
	x := op.Normal[float64](expr.Const[uint64](3), steps, lanes)
	zero := expr.Const(0.0)
	type exps = []expr.Exp[float64]
	r := op.Scan(exps{zero, zero}, exps{x}, op.ScanOptions{}, func(s op.Step[float64]) (next, out exps) {
		a := op.Add(s.State[0], op.Exp(s.X[0]))
		b := op.Add(op.MulScalar(s.State[1], .5), a)
		return exps{a, b}, exps{op.Sqrt(a), op.Sin(b)}
	})
	other := op.CumSum(x, 0)
	for name, c := range map[string]struct {
		a, b   expr.Exp[float64]
		axis   int
		stages int
	}{
		"last states":       {r.Last(0), r.Last(1), 0, 2},
		"outputs":           {r.Out(0), r.Out(1), 1, 2},
		"state and output":  {r.Last(0), r.Out(1), -1, 4},
		"of two scans":      {r.Out(0), other, 1, 3},
		"of a scan, and it": {r.Last(0), op.Index(other, 0, steps-1), 0, 3},
	} {
		a, b := op.Sum(c.a, op.Axis(c.axis)), op.Sum(c.b, op.Axis(c.axis))
		y, z := engine.Zeros[float64](a.Node().Shape()...), engine.Zeros[float64](b.Node().Shape()...)
		for _, backend := range engine.Backends() {
			o := engine.Options{Backend: backend}
			p, err := engine.CompileWith(context.Background(), o, expr.Let(y, a), expr.Let(z, b))
			if err == nil {
				err = p.Run(context.Background())
			}
			if err != nil {
				t.Fatal(err)
			}
			if n := len(p.Plan().Stages); n != c.stages {
				t.Errorf("%s: %d stages, want %d\n%s", name, n, c.stages, p.Explain())
			}
			if !slices.Equal(y.Data(), value(t, a)) || !slices.Equal(z.Data(), value(t, b)) {
				t.Errorf("%s, %s: %v and %v, want %v and %v", name, backend, y, z, value(t, a), value(t, b))
			}
		}
	}
}

// TestScanBesideNothing joins running sums with joins that are empty.
func TestScanBesideNothing(t *testing.T) {
	x, none := engine.MustFromSlice([]int32{1, 2, 3}), engine.Zeros[int32](0)
	empty, sums, row := op.Concat[int32](0, none, none), op.CumSum(x, 0), []int32{1, 3, 6}
	for i, y := range []expr.Exp[int32]{
		op.Concat(0, empty, sums),
		op.Concat(0, sums, empty),
		op.Concat(1, op.Concat[int32](1, op.Reshape(none, 1, 0), op.Reshape(none, 1, 0)), op.Reshape(sums, 1, 3)),
	} {
		if got := value(t, y); !slices.Equal(got, row) {
			t.Errorf("join %d is %v, want %v", i, got, row)
		}
	}
	if got := value(t, op.Concat(0, op.CumSum(empty, 0), op.Concat[int32](0, x, none, x))); !slices.Equal(got, []int32{1, 2, 3, 1, 2, 3}) {
		t.Errorf("a join of a running sum of nothing is %v", got)
	}
}
