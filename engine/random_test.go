package engine_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// everyBackend returns the value of e with each back end.
func everyBackend[T expr.Elem](t *testing.T, e expr.Exp[T], dims ...int) map[string][]T {
	t.Helper()
	out := map[string][]T{}
	for _, backend := range engine.Backends() {
		y := engine.Zeros[T](dims...)
		p, err := engine.CompileWith(context.Background(), engine.Options{Backend: backend}, expr.Let(y, e))
		if err == nil {
			err = p.Run(context.Background())
		}
		if err != nil {
			t.Fatal(backend, err)
		}
		out[backend] = y.Data()
	}
	return out
}

// TestPhilox compares blocks of Philox 4x32-10 with Random123's known answers.
func TestPhilox(t *testing.T) {
	n := func(v uint64) *tree.Node { return tree.NewConst(dtype.U64, v) }
	position := engine.Zeros[uint64](20) // also part of a vector
	for _, c := range []struct{ position, stream, key, low, high uint64 }{
		{0, 0, 0, 0xe169c58d_6627e8d5, 0x9b00dbd8_bc57ac4c},
		{^uint64(0), ^uint64(0), ^uint64(0), 0x41c83b0e_408f276d, 0x6d5451fd_a20bc7c6},
		{0x85a308d3_243f6a88, 0x03707344_13198a2e, 0x299f31d0_a4093822, 0x94fdcceb_d16cfe09, 0x24126ea1_5001e420},
	} {
		for i := range position.Data() {
			position.Data()[i] = c.position
		}
		for name, want := range map[string]uint64{"philox": c.low, "philox_high": c.high} {
			o, _ := untyped.Lookup(name)
			e := expr.Of[uint64](untyped.Apply(o, expr.NodeOf[uint64](position), n(c.stream), n(c.key)))
			for backend, got := range everyBackend(t, e, 20) {
				for i, v := range got {
					if v != want {
						t.Fatalf("%s, %s, element %d: %#x, want %#x", backend, name, i, v, want)
					}
				}
			}
		}
	}
}

// TestNormal compares normal numbers with their distribution by the statistic of Kolmogorov and Smirnov, by moments
// and by counts in the tails. All back ends have the same bits.
func TestNormal(t *testing.T) {
	t.Run("float32", func(t *testing.T) { normals[float32](t) })
	t.Run("float64", func(t *testing.T) { normals[float64](t) })
}

func normals[T interface{ float32 | float64 }](t *testing.T) {
	const n = 30000
	key := expr.Const[uint64](21)
	all := everyBackend(t, op.Normal[T](key, n), n)
	first := all[engine.Backends()[0]]
	for backend, got := range all {
		if !slices.Equal(got, first) {
			t.Errorf("%s has other bits than %s", backend, engine.Backends()[0])
		}
	}
	part, err := engine.Eval(op.Slice(op.Normal[T](key, n), op.Range(1001, 1100)))
	if err != nil || !slices.Equal(part.Data(), first[1001:1100]) {
		t.Errorf("a slice has other numbers: %v", err)
	}
	// Loops take 48, 12 and 4 numbers, or fewer under a mask, and have row after row.
	for _, dims := range [][]int{{0}, {1}, {3}, {11}, {12}, {13}, {25}, {47}, {48}, {49}, {61}, {95}, {96}, {100}, {3, 31}, {2, 25}} {
		for backend, got := range everyBackend(t, op.Normal[T](key, dims...), dims...) {
			if !slices.Equal(got, first[:len(got)]) {
				t.Errorf("%s: the numbers of shape %v are others than the first of the key", backend, dims)
			}
		}
	}
	words(t, first, key)
	x := slices.Sorted(slices.Values(first))
	worst, moments := 0.0, [5]float64{}
	for i, v := range x {
		worst = max(worst, math.Abs(math.Erfc(-float64(v)/math.Sqrt2)/2-(float64(i)+.5)/n))
		for k := range moments {
			moments[k] += math.Pow(float64(v), float64(k)) / n
		}
	}
	if worst*math.Sqrt(n) > 1.95 { // a probability of .001
		t.Errorf("the distribution functions differ by %v", worst)
	}
	for k, c := range map[int]struct{ want, variance float64 }{1: {0, 1}, 2: {1, 2}, 3: {0, 15}, 4: {3, 96}} {
		if math.Abs(moments[k]-c.want) > 4*math.Sqrt(c.variance/n) {
			t.Errorf("moment %d is %v, want %v", k, moments[k], c.want)
		}
	}
	tails(t, op.Normal[T](key, 1<<20))
}

// words compares normal numbers with the quantiles of the words of their blocks that docs/numerics.md names.
func words[T interface{ float32 | float64 }](t *testing.T, z []T, key expr.Exp[uint64]) {
	position, zero := expr.Of[uint64](untyped.Cast(untyped.Iota(len(z)), dtype.U64)), expr.Const[uint64](0)
	low, err := engine.Eval(op.Philox(position, zero, key))
	if err != nil {
		t.Fatal(err)
	}
	high, err := engine.Eval(op.PhiloxHigh(position, zero, key))
	if err != nil {
		t.Fatal(err)
	}
	p := engine.Zeros[float64](len(z))
	for i := range z {
		b := low.Data()[i]
		if i&8 != 0 {
			b = high.Data()[i-8]
		}
		if word0, word1 := b&math.MaxUint32, b>>32; dtype.Of[T]() == dtype.F64 {
			p.Data()[i] = float64((word0<<32|word1)>>12)*0x1p-52 + 0x1p-53
		} else {
			p.Data()[i] = .5 + float64(int32(word1)>>8)*0x1p-24 + 0x1p-25
		}
	}
	quantiles, err := engine.Eval(op.NormalQuantile(p))
	if err != nil {
		t.Fatal(err)
	}
	most := 0x1p-33
	if dtype.Of[T]() == dtype.F32 {
		most = 0x1p-21
	}
	for i, want := range quantiles.Data() {
		if math.Abs(float64(z[i])-want) > most*math.Abs(want) {
			t.Fatalf("element %d is %v, its words give %v", i, z[i], want)
		}
	}
}

// tails compares counts of normal numbers beyond 1 to 5 deviations with their expectations.
func tails[T interface{ float32 | float64 }](t *testing.T, z expr.Exp[T]) {
	var counts []*engine.Tensor[int64]
	var all []expr.Statement
	for at := 1; at <= 5; at++ {
		for _, beyond := range []expr.Exp[bool]{op.GreaterScalar(z, T(at)), op.LessScalar(z, T(-at))} {
			counts = append(counts, engine.Zeros[int64]())
			all = append(all, expr.Let(counts[len(counts)-1], op.Sum(op.Cast[int64](beyond))))
		}
	}
	if err := engine.Run(context.Background(), all...); err != nil {
		t.Fatal(err)
	}
	for i, count := range counts {
		at := i/2 + 1
		want := math.Erfc(float64(at)/math.Sqrt2) / 2 * float64(z.Node().Shape().Size())
		if math.Abs(float64(count.At())-want) > 4*math.Sqrt(want)+2 {
			t.Errorf("%d numbers are beyond %d, on side %d; about %.1f should be", count.At(), at, i%2, want)
		}
	}
}
