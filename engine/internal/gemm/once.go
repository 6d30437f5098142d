package gemm

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/oneloop/oneloop/plan/ir"
)

// shareWork is the work, in nanoseconds, from which Multiply starts goroutines.
const shareWork = 50e3

// Multiply computes a problem once, with up to the given number of goroutines. The
// operands are the first elements of A, B and C, the scalars are alpha and beta.
func Multiply(isa string, p Problem, operands [3]unsafe.Pointer, scalars [2]uint64, threads int) {
	var bufs [3]ir.BufBind
	for i, x := range operands {
		bufs[i].Ptr = x
	}
	d := New(isa, p, &ir.Binding{Bufs: bufs[:], Scalars: scalars[:]}, threads)
	n, _, cost := d.Units()
	d.Begin()
	if threads = min(threads, n); threads < 2 || float64(n)*cost < shareWork {
		w := d.NewWorker()
		w.Run(0, n)
		d.Finish(w)
		return
	}
	var next atomic.Int64
	work := func() {
		w := d.NewWorker()
		for u := int(next.Add(1)) - 1; u < n; u = int(next.Add(1)) - 1 {
			w.Run(u, u+1)
		}
	}
	var others sync.WaitGroup
	for range threads - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	d.Finish(nil)
}
