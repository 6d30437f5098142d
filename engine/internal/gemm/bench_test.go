package gemm

import (
	"fmt"
	"testing"
	"time"
	"unsafe"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/oneloop/oneloop/engine/inspect/limits"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// fastest returns the least processor time of f, in nanoseconds, where the system
// tells it.
func fastest(budget time.Duration, f func()) float64 {
	f()
	times, best := 1, 0.
	for began := time.Now(); best == 0 || time.Since(began) < budget; {
		from, wall := testlevel.CPUTime(), time.Now()
		for range times {
			f()
		}
		took := testlevel.CPUTime() - from
		if took == 0 {
			took = time.Since(wall)
		}
		if took < time.Millisecond {
			times *= 2
			continue
		}
		if t := float64(took) / float64(times); best == 0 || t < best {
			best = t
		}
	}
	return best
}

// BenchmarkProducts compares products of one thread with the peak of fused
// multiply-adds and with gonum.
func BenchmarkProducts(b *testing.B) {
	machine, err := limits.New(1 << 20)
	if err != nil {
		b.Fatal(err)
	}
	defer machine.Close()
	for _, c := range []struct {
		m, n, k int
		trans   string
	}{
		{2, 2, 2, "nn"},
		{8, 8, 8, "nn"},
		{16, 16, 16, "nn"},
		{32, 32, 32, "nn"},
		{64, 64, 64, "nn"},
		{128, 128, 128, "nn"},
		{256, 256, 256, "nn"},
		{384, 384, 384, "nn"},
		{512, 512, 512, "nn"},
		{1024, 1024, 1024, "nn"},
		{2048, 2048, 2048, "nn"},
		{64, 64, 64, "nt"},
		{64, 64, 64, "tn"},
		{512, 512, 512, "nt"},
		{512, 512, 512, "tn"},
		{512, 512, 512, "tt"},
		{1024, 1024, 1024, "nt"},
		{1024, 1024, 1024, "tn"},
		{1024, 1024, 1024, "tt"},
		{100000, 8, 8, "nn"},
		{100000, 64, 64, "nn"},
		{64, 64, 100000, "tn"},
		{64, 64, 100000, "nt"},
		{8, 8, 100000, "tn"},
		{64, 10000, 64, "nn"},
		{1, 1, 1000, "nn"},
		{1, 1, 1000000, "nn"},
		{2000, 1, 2000, "nn"},
		{2000, 1, 2000, "tn"},
		{1, 2000, 2000, "nn"},
		{1, 2000, 2000, "nt"},
		{200, 1, 200, "nn"},
		{200, 1, 200, "tn"},
		{4, 2000, 2000, "nt"},
		{16, 2000, 2000, "nt"},
		{2000, 2000, 4, "nn"},
		{2000, 2000, 1, "nn"},
	} {
		for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
			for _, isa := range isas()[1:] {
				b.Run(fmt.Sprintf("%s/%v/%dx%dx%d%s", isa, typ, c.m, c.n, c.k, c.trans), func(b *testing.B) {
					ours, theirs := bench(isa, typ, c.m, c.n, c.k, c.trans)
					flops := 2 * float64(c.m) * float64(c.n) * float64(c.k)
					peak := machine.Flops(typ, 1) / 1e9
					for b.Loop() { // what is reported is measured above
					}
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(flops/ours, "GFLOP/s")
					b.ReportMetric(flops/ours/peak, "peak")
					b.ReportMetric(theirs/ours, "gonum")
				})
			}
		}
	}
}

// bench returns the time of a product by the engine and by gonum.
func bench(isa string, typ dtype.Type, m, n, k int, trans string) (ours, theirs float64) {
	x := func(n int) unsafe.Pointer { return unsafe.Pointer(&aligned(n * typ.Size())[0]) }
	p := Problem{Type: typ, M: m, N: n, K: k, A: Matrix{k, 1}, B: Matrix{n, 1}, OffA: []int{0}, OffB: []int{0}}
	tA, tB, ldA, ldB := blas.NoTrans, blas.NoTrans, k, n
	if trans[0] == 't' {
		p.A, tA, ldA = Matrix{1, m}, blas.Trans, m
	}
	if trans[1] == 't' {
		p.B, tB, ldB = Matrix{1, k}, blas.Trans, k
	}
	bind := &ir.Binding{Bufs: []ir.BufBind{{Ptr: x(m * k)}, {Ptr: x(k * n)}, {Ptr: x(m * n)}}}
	fill := func(at unsafe.Pointer, n int) { // gonum leaves out zeros
		for i := range n {
			if typ == dtype.F32 {
				unsafe.Slice((*float32)(at), n)[i] = float32(i%7) + .5
			} else {
				unsafe.Slice((*float64)(at), n)[i] = float64(i%7) + .5
			}
		}
	}
	fill(bind.Bufs[0].Ptr, m*k)
	fill(bind.Bufs[1].Ptr, k*n)
	d := New(isa, p, bind, 1)
	w := d.NewWorker()
	units, _, _ := d.Units()
	ours = fastest(100*time.Millisecond, func() {
		d.Begin()
		w.Run(0, units)
		d.Finish(w)
	})
	if 2*m*n*k > 1<<29 { // long
		return ours, 0
	}
	if typ == dtype.F32 {
		a, b, c := unsafe.Slice((*float32)(bind.Bufs[0].Ptr), m*k), unsafe.Slice((*float32)(bind.Bufs[1].Ptr), n*k), unsafe.Slice((*float32)(bind.Bufs[2].Ptr), m*n)
		theirs = fastest(50*time.Millisecond, func() { blas32.Implementation().Sgemm(tA, tB, m, n, k, 1, a, ldA, b, ldB, 0, c, n) })
	} else {
		a, b, c := unsafe.Slice((*float64)(bind.Bufs[0].Ptr), m*k), unsafe.Slice((*float64)(bind.Bufs[1].Ptr), n*k), unsafe.Slice((*float64)(bind.Bufs[2].Ptr), m*n)
		theirs = fastest(50*time.Millisecond, func() { blas64.Implementation().Dgemm(tA, tB, m, n, k, 1, a, ldA, b, ldB, 0, c, n) })
	}
	return ours, theirs
}
