package routine

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"runtime"
	"testing"
)

// TestPlanBytes compares the sizes of plans with the memory that they take.
func TestPlanBytes(t *testing.T) {
	var before, after runtime.MemStats
	for _, n := range []int{1 << 15, 30000, 1<<15 + 3, 1<<15 - 19} {
		for kind := Forward; kind <= BackwardReal; kind++ {
			runtime.ReadMemStats(&before)
			p := newPlan(kind, n)
			runtime.ReadMemStats(&after)
			if took := float64(after.TotalAlloc - before.TotalAlloc); took > planBytes(n)+1<<15 || took < planBytes(n)/3 {
				t.Errorf("a plan of kind %d for %d points takes %g bytes, not %g", kind, n, took, planBytes(n))
			}
			runtime.KeepAlive(p)
		}
	}
}

// TestChirp compares transforms of lengths with large prime factors with the sums that define
// them, and their inverses with the operands.
func TestChirp(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, n := range []int{101, 103, 202, 211 * 2, 1009} {
		if isDirect(n) {
			t.Fatalf("rows of %d points are transformed directly", n)
		}
		x, sums := make([]complex128, n), make([]complex128, n)
		real1 := make([]float64, n)
		for i := range x {
			x[i], real1[i] = complex(r.NormFloat64(), r.NormFloat64()), r.NormFloat64()
		}
		sum := func(value func(int) complex128, back float64) {
			for k := range sums {
				sums[k] = 0
				for i := range n {
					sums[k] += value(i) * cmplx.Rect(1, back*2*math.Pi*float64(i*k%n)/float64(n))
				}
			}
		}
		check := func(what string, got []complex128) {
			t.Helper()
			for k, v := range got {
				if cmplx.Abs(v-sums[k]) > 1e-12*float64(n) {
					t.Fatalf("%s of %d points: number %d is %v, not %v", what, n, k, v, sums[k])
				}
			}
		}
		for kind, back := range map[Transform]float64{Forward: -1, Backward: 1} {
			p := newPlan(kind, n)
			copy(p.points, x)
			p.compute(kind)
			sum(func(i int) complex128 { return x[i] }, back)
			check("the transform", p.points)
		}
		p := newPlan(ForwardReal, n)
		copy(p.numbers, real1)
		p.compute(ForwardReal)
		sum(func(i int) complex128 { return complex(real1[i], 0) }, -1)
		check("the real transform", p.points)
		q := newPlan(BackwardReal, n)
		copy(q.points, p.points)
		q.points[0] += 5i // which a real transform ignores
		q.compute(BackwardReal)
		for i, v := range q.numbers {
			if math.Abs(v/float64(n)-real1[i]) > 1e-13 {
				t.Fatalf("the inverse of %d points: number %d is %v, not %v", n, i, v/float64(n), real1[i])
			}
		}
	}
	for _, n := range []int{1, 2, 1000, 1024, 97, 3 * 5 * 7 * 11 * 13} {
		if !isDirect(n) {
			t.Errorf("rows of %d points are not transformed directly", n)
		}
	}
}

func newPlan(kind Transform, n int) (p rowPlan) {
	p.prepare(kind, n)
	return p
}
