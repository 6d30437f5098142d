package blas_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	gonumblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"golang.org/x/sys/unix"

	"github.com/oneloop/oneloop/engine/blas"
)

// used returns the processor time of the process in nanoseconds.
func used() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err) // every Linux has it
	}
	return t.Nano()
}

// BenchmarkCalls compares single calls with gonum's, by one thread: the least
// processor times of rounds that alternate.
func BenchmarkCalls(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const plain, trans, left, right, lower, unit = gonumblas.NoTrans, gonumblas.Trans, gonumblas.Left, gonumblas.Right, gonumblas.Lower, gonumblas.Unit
	for _, n := range []int{4, 8, 12, 16, 32, 64, 128, 256, 1000} {
		x, y, z := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
		for i := range x {
			x[i], y[i] = float64(i%7)/8, 1
		}
		for _, c := range []struct {
			name string
			f    func(impl gonumblas.Float64)
		}{
			{"dgemm", func(impl gonumblas.Float64) { impl.Dgemm(plain, plain, n, n, n, 1, x, n, y, n, .5, z, n) }},
			{"dgemv", func(impl gonumblas.Float64) { impl.Dgemv(plain, n, n, 1, x, n, y, 1, .5, z, 1) }},
			{"dgemv of a transpose", func(impl gonumblas.Float64) { impl.Dgemv(trans, n, n, 1, x, n, y, 1, .5, z, 1) }},
			{"dger", func(impl gonumblas.Float64) { impl.Dger(n, n, 1e-9, x, 1, y, 1, z, n) }},
			{"daxpy", func(impl gonumblas.Float64) { impl.Daxpy(n, 1e-9, x, 1, z, 1) }},
			{"ddot", func(impl gonumblas.Float64) { impl.Ddot(n, x, 1, z, 1) }},
			{"dscal", func(impl gonumblas.Float64) { impl.Dscal(n, 1+1e-9, z, 1) }},
			{"dasum", func(impl gonumblas.Float64) { impl.Dasum(n, x, 1) }},
			{"dnrm2", func(impl gonumblas.Float64) { impl.Dnrm2(n, x, 1) }},
			{"dsyrk", func(impl gonumblas.Float64) { impl.Dsyrk(lower, plain, n, n, 1, x, n, .5, z, n) }},
			{"dsymm", func(impl gonumblas.Float64) { impl.Dsymm(left, lower, n, n, 1, x, n, y, n, .5, z, n) }},
			{"dtrmm", func(impl gonumblas.Float64) { impl.Dtrmm(left, lower, plain, unit, n, n, 1e-3, x, n, z, n) }},
			{"dtrsm", func(impl gonumblas.Float64) { impl.Dtrsm(left, lower, plain, unit, n, n, 1e-3, x, n, z, n) }},
			{"dtrsm from the right", func(impl gonumblas.Float64) { impl.Dtrsm(right, lower, trans, unit, n, n, 1e-3, x, n, z, n) }},
		} {
			b.Run(fmt.Sprint(c.name, "/", n), func(b *testing.B) {
				var least [2]float64
				for range 7 {
					for i, impl := range []gonumblas.Float64{gonum.Implementation{}, blas.Implementation{}} {
						for times := 1; ; times *= 2 {
							copy(z, y)
							began := used()
							for range times {
								c.f(impl)
							}
							if took := used() - began; took > 100e3 {
								if t := float64(took) / float64(times); least[i] == 0 || t < least[i] {
									least[i] = t
								}
								break
							}
						}
					}
				}
				for b.Loop() { // what is reported is measured above
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(least[0], "gonum-ns")
				b.ReportMetric(least[1], "oneloop-ns")
				b.ReportMetric(least[0]/least[1], "faster")
			})
		}
	}
}

// BenchmarkMat compares operations of gonum's package mat before and after
// blas64.Use: the least processor times of rounds that alternate.
func BenchmarkMat(b *testing.B) {
	const n = 1000
	r := rand.New(rand.NewPCG(1, 1))
	x, y := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			x.Set(i, j, r.NormFloat64())
			y.Set(i, j, r.NormFloat64())
		}
	}
	var sum, product mat.Dense
	product.Mul(x, x.T())
	definite := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			definite.SetSym(i, j, product.At(i, j))
		}
		definite.SetSym(i, i, definite.At(i, i)+1)
	}
	defer blas64.Use(gonum.Implementation{})
	for _, c := range []struct {
		name  string
		times int
		f     func()
	}{
		{"Mul", 3, func() { sum.Mul(x, y) }},
		{"Cholesky", 3, func() { new(mat.Cholesky).Factorize(definite) }},
		{"LU", 3, func() { new(mat.LU).Factorize(x) }},
		{"Solve", 3, func() { _ = sum.Solve(x, y) }},
		{"QR", 3, func() { new(mat.QR).Factorize(x) }},
		{"EigenSym", 1, func() { new(mat.EigenSym).Factorize(definite, true) }},
		{"SVD", 1, func() { new(mat.SVD).Factorize(x, mat.SVDThin) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var least [2]int64
			for range c.times {
				for i, impl := range []gonumblas.Float64{gonum.Implementation{}, blas.Implementation{}} {
					blas64.Use(impl)
					began := used()
					c.f()
					if took := used() - began; least[i] == 0 || took < least[i] {
						least[i] = took
					}
				}
			}
			for b.Loop() { // what is reported is measured above
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(least[0])/1e6, "gonum-ms")
			b.ReportMetric(float64(least[1])/1e6, "oneloop-ms")
			b.ReportMetric(float64(least[0])/float64(least[1]), "faster")
		})
	}
}
