package gemm

import (
	"context"
	"runtime"
	"sync"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/sched"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// shareWork is the work, in nanoseconds, from which Multiply uses helpers. A product of fewer than sharedTerms multiply-adds is not worth several threads.
const (
	shareWork   = 50e3
	sharedTerms = 1 << 16
)

// Threads returns the threads for a product of m x k by k x n: one if it is small, without asking for GOMAXPROCS. That takes a lock, an
// eighth of the time of such a product.
func Threads(m, n, k int) int {
	if float64(m)*float64(n)*float64(k) < sharedTerms {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// A Single is a problem of one product, with up to so many threads: see [Problem].
type Single struct {
	ISA            string
	Type           dtype.Type
	M, N, K        int
	A, B, C        Matrix
	Save           Save
	Scaled, Vector bool
	Threads        int
}

// A once is a product that is computed once, without allocating. It stays prepared for the next call with the
// same problem: that takes several times as long as a product of 8 x 8 x 8.
type once struct {
	s    Single
	d    Product
	w    worker // of the caller alone
	bind ir.Binding
	bufs [3]ir.BufBind
	// Of a problem that has been shared with helpers: see share.
	loop *sched.Loop
	job  *sched.Job
}

// onces are those of problems by their sizes, so that calls with several sizes find theirs.
var onces [16]sync.Pool

// takeOnce returns a once for a problem that no other call has, and the pool to which it goes back.
func takeOnce(s *Single) (*once, *sync.Pool) {
	pool := &onces[uint((s.M*31+s.N)*31+s.K)%uint(len(onces))]
	o, _ := pool.Get().(*once)
	if o == nil {
		o = new(once)
		o.d.bind, o.d.ctx, o.w.d = &o.bind, context.Background(), &o.d
		o.d.stop = func() bool { return false }
		o.bind.Bufs, o.bind.Scalars = o.bufs[:], make([]uint64, 2)
	}
	if o.s != *s {
		o.s, o.loop = *s, nil
		p := Problem{Type: s.Type, M: s.M, N: s.N, K: s.K, A: s.A, B: s.B, C: s.C, Save: s.Save, Scaled: s.Scaled, Vector: s.Vector, OffA: origin, OffB: origin, OffC: origin}
		o.d.prepare(s.ISA, p, s.Threads)
		if o.w.vector.mask, o.w.edge = o.d.vectors.mask, nil; o.d.edge != nil {
			o.w.edge = o.d.edge.NewWorker().(*worker)
		}
	}
	return o, pool
}

var origin = []int{0}

// Multiply computes a problem once. The operands are the first elements of A, B and C, the scalars are alpha and beta.
func Multiply(s Single, operands [3]unsafe.Pointer, scalars [2]uint64) {
	o, pool := takeOnce(&s)
	for i, x := range operands {
		o.bufs[i].Ptr = x
	}
	copy(o.bind.Scalars, scalars[:])
	n, _, cost := o.d.Units()
	if min(s.Threads, n) < 2 || float64(n)*cost < shareWork {
		o.d.Begin()
		o.w.Run(0, n)
		o.d.Finish(nil)
	} else {
		o.share()
	}
	o.bufs = [3]ir.BufBind{} // they would keep the arrays of the caller alive
	if o.d.partial == nil {  // which is large
		pool.Put(o)
	}
}

// share computes the product with helpers.
func (o *once) share() {
	if o.loop == nil {
		o.loop, o.job = new(sched.Loop), sched.Shared.NewJob(o.s.Threads)
		o.loop.Plan(o.job, &o.d, 0)
	}
	if _, err := o.loop.Run(o.d.ctx, o.job); err != nil {
		panic(err) // the context is never done
	}
}
