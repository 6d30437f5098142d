package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/internal/testlevel"
)

func TestScatter(t *testing.T) {
	index := engine.MustFromSlice([]int32{2, 0, 2, -1})
	v := engine.MustFromSlice([]float32{1, 2, 3, 4})
	y := engine.Zeros[float32](4)
	for _, c := range []struct {
		name string
		e    expr.Exp[float32]
		want []float32
	}{
		{"add", op.ScatterAdd(index, v, 0, 4), []float32{2, 0, 4, 4}},
		{"add scalar", op.ScatterAdd(index, op.Full[float32](.5), 0, 4), []float32{.5, 0, 1, .5}},
		{"add expression", op.AddScalar(op.ScatterAdd(index, op.Scale(2, v), 0, 4), 1), []float32{5, 1, 9, 9}},
		{"max", op.ScatterMax(index, v, 0, 4), []float32{2, float32(math.Inf(-1)), 3, 4}},
		{"min", op.ScatterMin(index, v, 0, 4), []float32{2, float32(math.Inf(1)), 1, 4}},
		{"set", op.ScatterSet(index, v, 0, 4), []float32{2, 0, 3, 4}},
		{"add at", op.AddAt(engine.MustFromSlice([]float32{1, 1, 1, 1}), index, v, 0), []float32{3, 1, 5, 5}},
		{"set at", op.SetAt(engine.MustFromSlice([]float32{7, 8, 9, 0}), index, op.Flip(v), 0), []float32{3, 8, 2, 1}},
	} {
		if err := y.Assign(c.e); err != nil || !slices.Equal(y.Data(), c.want) {
			t.Errorf("%s: %v, not %v: %v", c.name, y, c.want, err)
		}
	}
	rows, none := engine.MustFromSlice([]float32{1, 2, 3, 4}, 2, 2), engine.Zeros[int32](0)
	if z, err := engine.Eval(op.AddAt(rows, none, engine.Zeros[float32](2, 0), 1)); err != nil || !slices.Equal(z.Data(), rows.Data()) {
		t.Errorf("nothing added to rows: %v, %v", z, err)
	}
}

// TestScatterOfRows tests sums, maxima and copies of rows of few and of many elements, whose updates are
// neighbours, apart, or one number for a row.
func TestScatterOfRows(t *testing.T) {
	const n, size = 37, 5
	for width := 1; width <= 9; width++ {
		v := engine.Zeros[float32](n, 2*width)
		for i := range v.Data() {
			v.Data()[i] = float32(math.Pow(10, float64(i*i%15-7))) // the order decides the bits
		}
		index := engine.Zeros[int64](n)
		for i := range n {
			index.Data()[i] = int64(i*i%size) - size*int64(i%2)
		}
		for name, u := range map[string]*engine.Tensor[float32]{
			"neighbours": v.Slice(0, n).Span(op.Span{}, op.Range(1, width+1)), "every second": v.Span(op.Span{}, op.By(op.Span{}, 2)),
			"backwards": v.Span(op.By(op.Span{}, -1), op.Range(0, width)),
		} {
			sums, most, last := make([]float32, size*width), slices.Repeat([]float32{float32(math.Inf(-1))}, size*width), make([]float32, size*width)
			for j, x := range u.Values() {
				at := (int(index.Data()[j/width])+size)%size*width + j%width
				sums[at] += x
				most[at] = max(most[at], x)
				last[at] = x
			}
			y, err := engine.Eval(op.SegmentSum(u, index, size))
			if err != nil || !slices.Equal(y.Data(), sums) {
				t.Errorf("sums of rows of %d, %s: %v, not %v: %v", width, name, y, sums, err)
			}
			y, err = engine.Eval(op.SegmentMax(u, index, size))
			if err != nil || !slices.Equal(y.Data(), most) {
				t.Errorf("maxima of rows of %d, %s: %v, not %v: %v", width, name, y, most, err)
			}
			y, err = engine.Eval(op.SetAt(engine.Zeros[float32](size, width), index, u, 0))
			if err != nil || !slices.Equal(y.Data(), last) {
				t.Errorf("copies of rows of %d, %s: %v, not %v: %v", width, name, y, last, err)
			}
		}
		numbers, sums := v.Span(op.Span{}, op.Range(0, 1)), make([]float32, size*width)
		for j, x := range numbers.Values() {
			for k := range width {
				sums[(int(index.Data()[j])+size)%size*width+k] += x
			}
		}
		y, err := engine.Eval(op.AddAt(engine.Zeros[float32](size, width), index, numbers, 0))
		if err != nil || !slices.Equal(y.Data(), sums) {
			t.Errorf("sums of rows of %d of one number: %v, not %v: %v", width, y, sums, err)
		}
	}
}

// TestScatterInPlace tests that an update of an array at indices does not copy it.
func TestScatterInPlace(t *testing.T) {
	x := engine.MustFromSlice([]float64{1, 2, 3})
	index := engine.MustFromSlice([]int64{1, 1})
	p, err := engine.Compile(t.Context(), expr.Let(x, op.AddAt(x, index, op.Full[float64](10), 0)))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(t.Context()); err != nil || !slices.Equal(x.Data(), []float64{1, 22, 3}) {
		t.Errorf("%v: %v", x, err)
	}
	if last := p.Plan().Stages[len(p.Plan().Stages)-1]; last.Out == nil || last.Out.Mem == nil {
		t.Errorf("the result is copied:\n%s", p.Explain())
	}
}

func TestScatterOutside(t *testing.T) {
	y := engine.MustFromSlice([]float32{7, 7, 7})
	for _, bad := range []int64{3, -4, math.MaxInt64, math.MinInt64} {
		index := engine.MustFromSlice([]int64{0, bad})
		for _, e := range []expr.Exp[float32]{op.ScatterAdd(index, op.Full[float32](1), 0, 3), op.AddAt(y, index, op.Full[float32](1), 0)} {
			err := y.Assign(e)
			if !errors.Is(err, expr.ErrIndex) || !strings.Contains(err.Error(), "AddAt: index") && !strings.Contains(err.Error(), "ScatterAdd: index") || !strings.Contains(err.Error(), "size 3") || !strings.Contains(err.Error(), "calls_test.go:") {
				t.Errorf("index %d: %v", bad, err)
			}
			if y.At(0) != 7 {
				t.Fatalf("index %d: the target is %v", bad, y)
			}
		}
	}
	big := engine.MustFromSlice([]uint64{1 << 63})
	if err := y.Assign(op.ScatterAdd(big, op.Full[float32](1), 0, 3)); !errors.Is(err, expr.ErrIndex) {
		t.Errorf("a large unsigned index: %v", err)
	}
	for name, e := range map[string]expr.Exp[int64]{
		"Bincount": op.Bincount(engine.MustFromSlice([]int32{0}), 0), "ScatterAdd": op.ScatterAdd(big, op.Full[int64](1), 1, 2, 0),
	} {
		if _, err := engine.Eval(e); !errors.Is(err, expr.ErrIndex) || !strings.Contains(err.Error(), "op."+name+": ") {
			t.Errorf("%s into an empty axis: %v", name, err)
		}
	}
	if err := y.Assign(op.TakeAlongAxis(y, engine.MustFromSlice([]int64{0, 3}), 0)); !errors.Is(err, expr.ErrIndex) && !errors.Is(err, expr.ErrShape) {
		t.Errorf("TakeAlongAxis: %v", err)
	}
}

// TestScatterOfOneNumber tests sums of many updates by one integer, which are counted.
func TestScatterOfOneNumber(t *testing.T) {
	const n, size = 43, 5
	index := engine.Zeros[int64](n)
	for _, odd := range []int64{0, -1, size, math.MinInt64} {
		want := []int64{1, math.MaxInt64, -3, 4, 5}
		y := engine.MustFromSlice(slices.Clone(want))
		outside := odd == size || odd == math.MinInt64
		for i := range n {
			if index.Data()[i] = int64(i * i % size); i == 17 {
				index.Data()[i] = odd
			}
			if !outside {
				want[(index.Data()[i]+size)%size] += 1 << 61
			}
		}
		err := y.Assign(op.AddAt(y, index, op.Full[int64](int64(1<<61)), 0))
		if outside != errors.Is(err, expr.ErrIndex) || !slices.Equal(y.Data(), want) {
			t.Errorf("index %d: %v, not %v: %v", odd, y, want, err)
		}
	}
}

// TestScatterOfManyUpdates tests sums of updates of a vector, whose indices are checked while they are added, or before in a long
// one: their order, negative indices, and that one outside leaves the target.
func TestScatterOfManyUpdates(t *testing.T) {
	const n, places = 43, 5
	all := engine.Zeros[float32](n, 2)
	for i := range all.Data() {
		all.Data()[i] = float32(math.Pow(10, float64(i%15-7))) // the order decides the bits
	}
	one := all.Transpose(1, 0).Index(1)
	dense := engine.MustFromSlice(one.Values())
	for _, size := range []int64{places, 40 * places} {
		first := make([]float32, size)
		for i := range first {
			first[i] = float32(i + 1)
		}
		for at := -1; at < n; at++ {
			for _, odd := range []int64{-1, -size, size, -size - 1, math.MaxInt64, math.MinInt64} {
				index := engine.Zeros[int64](n)
				for i := range n {
					index.Data()[i] = int64(i*i%places) * (size / places)
				}
				if at >= 0 {
					index.Data()[at] = odd
				}
				outside := at >= 0 && (odd < -size || odd >= size)
				for name, v := range map[string]expr.Exp[float32]{"dense": dense, "strided": one, "scalar": op.Full[float32](.1)} {
					want, y := slices.Clone(first), engine.MustFromSlice(slices.Clone(first))
					for i, k := range index.Data() {
						if k < 0 {
							k += size
						}
						if x := one.At(i); !outside && name == "scalar" {
							want[k] += .1
						} else if !outside {
							want[k] += x
						}
					}
					if err := y.Assign(op.AddAt(y, index, v, 0)); outside != errors.Is(err, expr.ErrIndex) || !outside && err != nil {
						t.Fatalf("%s, %d elements, index %d at %d: %v", name, size, odd, at, err)
					}
					if !slices.Equal(y.Data(), want) {
						t.Fatalf("%s, index %d at %d: %v, want %v", name, odd, at, y.Data(), want)
					}
				}
			}
		}
	}
}

func TestSort(t *testing.T) {
	nan := float32(math.NaN())
	x := engine.MustFromSlice([]float32{3, nan, -1, 3, 0, 2}, 2, 3)
	y, i := engine.Zeros[float32](2, 3), engine.Zeros[int64](2, 3)
	for _, c := range []struct {
		axis  int
		opts  []op.Order
		want  []float32
		order []int64
		rank  []int64
	}{
		{1, nil, []float32{-1, 3, nan, 0, 2, 3}, []int64{2, 0, 1, 1, 2, 0}, []int64{1, 2, 0, 2, 0, 1}},
		{0, nil, []float32{3, 0, -1, 3, nan, 2}, []int64{0, 1, 0, 1, 0, 1}, []int64{0, 1, 0, 1, 0, 1}},
		{-1, []op.Order{op.Descending}, []float32{3, -1, nan, 3, 2, 0}, []int64{0, 2, 1, 0, 2, 1}, []int64{0, 2, 1, 0, 2, 1}},
	} {
		same := func(a, b float32) bool { return a == b || a != a && b != b }
		if err := y.Assign(op.Sort(x, c.axis, c.opts...)); err != nil || !slices.EqualFunc(y.Data(), c.want, same) {
			t.Errorf("sort along %d: %v: %v", c.axis, y, err)
		}
		if err := i.Assign(op.ArgSort(x, c.axis, c.opts...)); err != nil || !slices.Equal(i.Data(), c.order) {
			t.Errorf("argsort along %d: %v: %v", c.axis, i, err)
		}
		if err := y.Assign(op.TakeAlongAxis(x, op.ArgSort(x, c.axis, c.opts...), c.axis)); err != nil || !slices.EqualFunc(y.Data(), c.want, same) {
			t.Errorf("taken along %d: %v: %v", c.axis, y, err)
		}
		if err := i.Assign(op.Rank(x, c.axis, c.opts...)); err != nil || !slices.Equal(i.Data(), c.rank) {
			t.Errorf("rank along %d: %v: %v", c.axis, i, err)
		}
	}
}

// TestCallsOnThreads tests that several workers give the bits of one, and that a run
// allocates nothing.
func TestCallsOnThreads(t *testing.T) {
	x := engine.Zeros[float32](60, 700)
	if err := x.Assign(op.Normal[float32](expr.Const[uint64](3), 60, 700)); err != nil {
		t.Fatal(err)
	}
	index := engine.Zeros[int32](60)
	if err := index.Assign(op.Integers[int32](expr.Const[uint64](4), 9, 60)); err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]expr.Exp[float32]{
		"sort":    op.Sort(x, 1),
		"columns": op.Sort(x, 0),
		"scatter": op.AddScalar(op.ScatterAdd(index, x, 0, 9, 700), 1),
		"ranks":   op.Cast[float32](op.Rank(x, 1)),
	} {
		one, two := engine.Zeros[float32](e.Node().Shape()...), engine.Zeros[float32](e.Node().Shape()...)
		if err := engine.RunWith(t.Context(), engine.Options{Threads: 1}, expr.Let(one, e)); err != nil {
			t.Fatal(err)
		}
		p, err := engine.CompileWith(context.Background(), engine.Options{Threads: 2}, expr.Let(two, e))
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			if err := p.Run(context.Background()); err != nil || !slices.Equal(one.Data(), two.Data()) {
				t.Errorf("%s: two workers give other bits: %v", name, err)
			}
		}
		if n := testlevel.Allocs(20, func() { _ = p.Run(context.Background()) }); n > 0 && !testlevel.Race {
			t.Errorf("%s: a run allocates %v times", name, n)
		}
	}
}

// TestStatisticsOfNumPy compares with results of NumPy 2.
func TestStatisticsOfNumPy(t *testing.T) {
	x := engine.MustFromSlice([]float64{0.0012301533574825742, 0.2987455375084699, -0.2741378553622176, -0.8905918387572742, -0.45467078517172255, -0.9916465549964624, 0.060143602597438485, 1.3402152455545335, -0.49220651855132963, -0.6204748998199404, 0.4898420501851982, 0.35688700816006075, 0.10541424899789856, -0.9304680447082047, -0.02925182246327349, 0.6953031944582878, -1.344214547285082, -0.45761576104021817, -1.901222739800844, -1.289537739784976, -1.8417350377917323, math.NaN(), -1.2674464814437032, 0.2712643588217015, 0.15675108662422516, -0.18693094462995438, -2.516759710820513, -0.5386928958466366, -0.048500945401071985, 0.11330898600330756, -1.5301357655053935, -0.47775327603393064, -0.9785190780566395, -0.8088372394255993, 1.0608986233860787, -0.8075346753318965}, 4, 9)
	y := engine.MustFromSlice([]float64{-0.1, 1.8, -1.2, -0.2, 0.2, 0.1, -2.5, 0.2, 2.7, -3.1, 1.7, 0.2, -1.3, 4.0, 1.5, -2.4, 0.1, 1.2, -0.4, 1.4, -0.1, 1.3, 2.9, -1.4, 0.4, -0.9, 0.3, -2.4, -1.2, -0.4, 1.8, 2.3, -2.6, -1.6, 1.3, -4.0, -0.9, -0.2, 2.5, 1.4})
	v := engine.MustFromSlice([]float64{-9, 0, .1, 9, math.NaN()})
	same := func(a, b float64) bool { return a == b || a != a && b != b }
	for name, c := range map[string]struct {
		e    expr.Exp[float64]
		want []float64
	}{
		"median of rows": {op.Median(x, op.Axis(1)), []float64{-0.2741378553622176, -0.02925182246327349, math.NaN(), -0.5386928958466366}},
		"median":         {op.Median(x), []float64{math.NaN()}},
		"infinite":       {op.Median(engine.MustFromSlice([]float64{math.Inf(1), 1, math.Inf(1), math.Inf(1), 2, math.Inf(1)})), []float64{math.Inf(1)}},
		"far apart":      {op.Median(engine.MustFromSlice([]float64{math.MaxFloat64, -math.MaxFloat64})), []float64{0}},
		"between infinities": {
			op.Interp(engine.MustFromSlice([]float64{.5, 1.5, 2.5, 3.5}), engine.MustFromSlice([]float64{0, 1, 2, 3, 4}), engine.MustFromSlice([]float64{0, math.Inf(1), math.Inf(1), 5, math.Inf(-1)})),
			[]float64{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(-1)},
		},
		"quantile":              {op.Quantile(x, .3, op.Axis(1)), []float64{-0.4771922251994868, -0.5553312443080516, math.NaN(), -0.8083162137881181}},
		"percentile":            {op.Percentile(x, 85, op.Axis(0)), []float64{-0.24173521878437113, 0.4038486194806704, 0.24727689818952178, math.NaN(), -0.4650579060597162, 0.1360320772434627, 0.4529547459329595, 1.2145227655787287, -0.47318160192021835}},
		"median of numbers":     {op.NaNMedian(x, op.Axis(1)), []float64{-0.2741378553622176, -0.02925182246327349, -1.2784921106143396, -0.5386928958466366}},
		"median of all numbers": {op.NaNMedian(x), []float64{-0.45761576104021817}},
		"quantile of numbers":   {op.NaNQuantile(x, .3, op.Axis(1)), []float64{-0.4771922251994868, -0.5553312443080516, -1.7865153079910567, -0.8083162137881181}},
		"percentile of numbers": {op.NaNPercentile(x, 85, op.Axis(0)), []float64{-0.24173521878437113, 0.4038486194806704, 0.24727689818952178, -0.19338757732865333, -0.4650579060597162, 0.1360320772434627, 0.4529547459329595, 1.2145227655787287, -0.47318160192021835}},
		"nothing but NaN":       {op.NaNMedian(op.Full[float64](math.NaN())), []float64{math.NaN()}},
		"a quantile of nothing": {op.NaNQuantile(engine.MustFromSlice([]float64{math.NaN(), math.NaN(), 1, math.NaN()}, 2, 2), .25, op.Axis(1)), []float64{math.NaN(), 1}},
		"edges":                 {op.HistogramEdges(7, -3, 2.5), []float64{-3.0, -2.2142857142857144, -1.4285714285714286, -0.6428571428571428, 0.1428571428571428, 0.9285714285714284, 1.7142857142857144, 2.5}},
	} {
		got, err := engine.Eval(c.e)
		if err != nil || !slices.EqualFunc(got.Data(), c.want, same) {
			t.Errorf("%s is %v, in NumPy %v: %v", name, got, c.want, err)
		}
	}
	for name, c := range map[string]struct {
		e    expr.Exp[int64]
		want []int64
	}{
		"histogram": {op.Histogram(y, 7, -3, 2.5), []int64{4, 1, 6, 8, 5, 7, 4}},
		"left":      {op.SearchSorted(op.Sort(y, 0), v, false), []int64{0, 19, 19, 40, 40}},
		"right":     {op.SearchSorted(op.Sort(y, 0), v, true), []int64{0, 19, 21, 40, 40}},
		"bincount":  {op.Bincount(engine.MustFromSlice([]int8{3, 1, 3}), 5), []int64{0, 1, 0, 2, 0}},
	} {
		got, err := engine.Eval(c.e)
		if err != nil || !slices.Equal(got.Data(), c.want) {
			t.Errorf("%s is %v, in NumPy %v: %v", name, got, c.want, err)
		}
	}
	values, positions := op.TopK(y, 3, 0)
	best, err := engine.Eval(values)
	at, err2 := engine.Eval(positions)
	if err != nil || err2 != nil || best.At(0) != slices.Max(y.Data()) || y.At(int(at.At(2))) != best.At(2) {
		t.Errorf("the greatest are %v at %v: %v, %v", best, at, err, err2)
	}
	if _, err := engine.Eval(op.Bincount(engine.MustFromSlice([]int32{-1}), 5)); !errors.Is(err, expr.ErrIndex) {
		t.Errorf("a negative integer is counted: %v", err)
	}
}

// TestScattersEverywhere tests that scatters of updates of many layouts have the same bits on all back ends.
func TestScattersEverywhere(t *testing.T) {
	testScattersEverywhere[float64](t)
	testScattersEverywhere[int32](t)
	testScattersEverywhere[int16](t)
}

func testScattersEverywhere[T float64 | int32 | int16](t *testing.T) {
	const count, size = 30, 7
	r := rand.New(rand.NewPCG(8, 9))
	random := func(dims ...int) expr.Exp[T] {
		x := engine.Zeros[T](dims...)
		for i := range x.Data() {
			x.Data()[i] = T(r.IntN(2000) - 1000)
		}
		return x
	}
	at := make([]int64, count)
	for i := range at {
		at[i] = int64(r.IntN(2*size) - size)
	}
	line, grid := engine.MustFromSlice(at), engine.MustFromSlice(at, 5, 6)
	for _, width := range []int{1, 3, 70, 300} {
		x := random(count, width)
		for name, u := range map[string]struct {
			index   expr.Exp[int64]
			updates expr.Exp[T]
		}{
			"rows": {line, x}, "backward": {line, op.Slice(x, op.By(op.Span{}, -1))}, "one row": {line, random(width)}, "one column": {line, random(count, 1)},
			"columns backward": {line, op.Slice(x, op.Span{}, op.By(op.Span{}, -1))}, "transposed": {line, op.T(random(width, count))},
			"of a grid": {grid, op.Transpose(random(6, 5, width), 1, 0, 2)},
		} {
			for what, e := range map[string]expr.Exp[T]{
				"add": op.ScatterAdd(u.index, u.updates, 0, size, width), "max": op.ScatterMax(u.index, u.updates, 0, size, width),
				"min": op.ScatterMin(u.index, u.updates, 0, size, width), "set": op.SetAt(random(size, width), u.index, u.updates, 0),
			} {
				sameEverywhere(t, fmt.Sprintf("%T, %s of %d, %s", *new(T), name, width, what), e)
			}
		}
	}
}

// Searches in few elements, which count, find the places that the routine finds.
func TestSearchesInFew(t *testing.T) {
	nan, inf, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	searchesInFew(t, []float64{zero, 0, 1, 1, inf, nan, -inf, 2.5, nan, -1})
	searchesInFew(t, []float32{float32(zero), 0, 1, 1, float32(inf), float32(nan), float32(-inf), 2.5, float32(nan), -1})
	searchesInFew(t, []int8{-128, 127, 0, 0, 5, -3})
	searchesInFew(t, []uint64{0, math.MaxUint64, 1 << 63, 7, 7})
	searchesInFew(t, []bool{true, false, true})
}

func searchesInFew[T expr.Elem](t *testing.T, values []T) {
	v := engine.MustFromSlice(values)
	rnd := rand.New(rand.NewPCG(3, 4))
	for n := range 35 {
		some := make([]T, n)
		for i := range some {
			some[i] = values[rnd.IntN(len(values))]
		}
		a := op.Sort(engine.MustFromSlice(some), 0)
		for _, at := range []expr.Exp[T]{v, op.Reshape(v, 1, -1, 1), op.Index(v, 0, 1), op.Slice(v, op.By(op.Span{}, -1))} {
			for side := range 2 {
				want, err := engine.Eval(expr.Of[int64](untyped.With("searchsorted", nil, []int{side}, expr.NodeOf(a), expr.NodeOf(at))))
				got, err2 := engine.Eval(op.SearchSorted(a, at, side == 1))
				if err != nil || err2 != nil || !slices.Equal(got.Data(), want.Data()) || !slices.Equal(got.Shape(), want.Shape()) {
					t.Errorf("%v of %v in %v, side %d: %v, want %v: %v, %v", values, at, some, side, got, want, err, err2)
				}
			}
		}
	}
}
