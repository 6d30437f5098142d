package gemm

import (
	"context"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/plan/ir"
)

// shareWork is the work, in nanoseconds, from which Multiply starts goroutines.
const shareWork = 50e3

// A once is a product that is computed once, without allocating.
type once struct {
	d    Product
	w    worker // of the caller
	bind ir.Binding
	bufs [3]ir.BufBind
	next atomic.Int64 // unit
}

var onces = sync.Pool{New: func() any {
	o := new(once)
	o.d.bind, o.d.ctx, o.w.d = &o.bind, context.Background(), &o.d
	o.d.stop = func() bool { return false }
	o.bind.Bufs, o.bind.Scalars = o.bufs[:], make([]uint64, 2)
	return o
}}

// Multiply computes a problem once, with up to the given number of goroutines. The
// operands are the first elements of A, B and C, the scalars are alpha and beta.
func Multiply(isa string, p Problem, operands [3]unsafe.Pointer, scalars [2]uint64, threads int) {
	o := onces.Get().(*once)
	for i, x := range operands {
		o.bufs[i].Ptr = x
	}
	copy(o.bind.Scalars, scalars[:])
	o.d.prepare(isa, p, threads)
	o.w.vector.mask = o.d.vectors.mask
	o.d.Begin()
	n, _, cost := o.d.Units()
	if threads = min(threads, n); threads < 2 || float64(n)*cost < shareWork {
		o.w.Run(0, n)
	} else {
		o.share(n, threads)
	}
	o.d.Finish(nil)
	o.bufs = [3]ir.BufBind{} // they would keep the arrays of the caller alive
	onces.Put(o)
}

// share runs n units by several goroutines.
func (o *once) share(n, threads int) {
	o.next.Store(0)
	work := func(w backend.Worker) {
		for u := int(o.next.Add(1)) - 1; u < n; u = int(o.next.Add(1)) - 1 {
			w.Run(u, u+1)
		}
	}
	var others sync.WaitGroup
	for range threads - 1 {
		others.Go(func() { work(o.d.NewWorker()) })
	}
	work(&o.w)
	others.Wait()
}
