package blas_test

import (
	"math/rand/v2"
	"testing"
	"time"

	gonumblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/oneloop/oneloop/engine/blas"
)

// BenchmarkMat compares operations of gonum's package mat before and after
// blas64.Use. Both alternate; the least times count.
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
		{"Mul", 5, func() { sum.Mul(x, y) }},
		{"Cholesky", 5, func() { new(mat.Cholesky).Factorize(definite) }},
		{"LU", 5, func() { new(mat.LU).Factorize(x) }},
		{"Solve", 5, func() { _ = sum.Solve(x, y) }},
		{"QR", 3, func() { new(mat.QR).Factorize(x) }},
		{"EigenSym", 1, func() { new(mat.EigenSym).Factorize(definite, true) }},
		{"SVD", 1, func() { new(mat.SVD).Factorize(x, mat.SVDThin) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var least [2]time.Duration
			for range c.times {
				for i, impl := range []gonumblas.Float64{gonum.Implementation{}, blas.Implementation{}} {
					blas64.Use(impl)
					began := time.Now()
					c.f()
					if took := time.Since(began); least[i] == 0 || took < least[i] {
						least[i] = took
					}
				}
			}
			for b.Loop() { // what is reported is measured above
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(least[0].Seconds()*1e3, "gonum-ms")
			b.ReportMetric(least[1].Seconds()*1e3, "oneloop-ms")
			b.ReportMetric(float64(least[0])/float64(least[1]), "faster")
		})
	}
}
