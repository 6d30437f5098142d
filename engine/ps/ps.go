// Package ps is a parameter server for the workers of one process, as mshadow-ps is with
// its local store: workers push gradients, and pull what an update made of their sum.
//
//	s, err := ps.New(2, func(w, sum expr.Exp[float32]) expr.Exp[float32] { // two workers
//		return op.Sub(w, op.Scale(.1, sum))
//	})
//	err = s.Init(ctx, 0, weight, gradients...) // key 0: one gradient for each worker
//	done, err := s.Push(0, worker, ready)      // when ready, gradients[worker] is
//	err = s.Pull(ctx, 0, worker, copied)       // copied = weight, after the update
//
// The sum of a key and its update are one loop, which runs when all workers have pushed. It
// adds the gradients in the order of the workers, so the result does not depend on which of
// them came first.
package ps

import (
	"context"
	"slices"
	"sync"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// An Update returns the new value of a key from its value and the sum of what the workers
// pushed.
type Update[T expr.Float] func(value, sum expr.Exp[T]) expr.Exp[T]

// A Store has the values of keys. Several goroutines may use it at once.
type Store[T expr.Float] struct {
	workers int
	update  Update[T]
	mu      sync.Mutex
	keys    map[int]*key[T]
}

// A key is a value that is updated in rounds.
type key[T expr.Float] struct {
	program *engine.Program
	value   *engine.Tensor[T]
	stored  sync.RWMutex   // locked while the program stores the value
	next    *round         // for which not all workers have pushed
	last    []driver.Event // the round of the last push of each worker; nil before the first
}

// A round is one push of each worker and the update after them. It is the event of its end.
type round struct {
	before *round // nil once the round runs
	pushed []bool
	left   int // workers that have not pushed
	after  []driver.Event
	done   chan struct{}
	err    error // valid when done is closed
}

// New returns a store for a number of workers. Without an update a value is the last sum.
func New[T expr.Float](workers int, update Update[T]) (*Store[T], error) {
	if workers < 1 {
		return nil, tree.NewError(tree.ErrValue, "ps.New", "%d workers", workers)
	}
	if update == nil {
		update = func(_, sum expr.Exp[T]) expr.Exp[T] { return sum }
	}
	return &Store[T]{workers: workers, update: update, keys: map[int]*key[T]{}}, nil
}

// Init adds a key. The store writes the value, which the caller may read between rounds, and reads
// gradient i of worker i during a round.
func (s *Store[T]) Init(ctx context.Context, id int, value *engine.Tensor[T], gradients ...*engine.Tensor[T]) error {
	switch {
	case s == nil || s.workers == 0:
		return tree.NewError(tree.ErrType, "Store.Init", "the store is not one of New")
	case ctx == nil:
		return tree.NewError(tree.ErrValue, "Store.Init", "the context is nil")
	case len(gradients) != s.workers:
		return tree.NewError(tree.ErrValue, "Store.Init", "%d gradients for %d workers", len(gradients), s.workers)
	case value == nil || slices.Contains(gradients, nil):
		return tree.NewError(tree.ErrValue, "Store.Init", "a tensor of key %d is nil", id)
	}
	for i, g := range gradients {
		if !g.Shape().Equal(value.Shape()) {
			return tree.NewError(tree.ErrShape, "Store.Init", "gradient %d of key %d has shape %v, the value %v", i, id, g.Shape(), value.Shape())
		}
	}
	var sum expr.Exp[T] = gradients[0]
	for _, g := range gradients[1:] {
		sum = op.Add(sum, g)
	}
	program, err := engine.Compile(ctx, expr.Let(value, s.update(value, sum)))
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys[id] != nil {
		return tree.NewError(tree.ErrValue, "Store.Init", "key %d exists", id)
	}
	s.keys[id] = &key[T]{program: program, value: value, next: newRound(s.workers, nil), last: make([]driver.Event, s.workers)}
	return nil
}

func newRound(workers int, before *round) *round {
	return &round{before: before, pushed: make([]bool, workers), left: workers, done: make(chan struct{})}
}

// find returns a key, or the error of an operation on it.
func (s *Store[T]) find(name string, id, worker int) (*key[T], error) {
	k := s.keys[id]
	switch {
	case k == nil:
		return nil, tree.NewError(tree.ErrValue, name, "there is no key %d", id)
	case worker < 0 || worker >= s.workers:
		return nil, tree.NewError(tree.ErrIndex, name, "worker %d of %d", worker, s.workers)
	}
	return k, nil
}

// Push says that the gradient of a worker is complete when the events are done, such as those of
// the stream that computes it. The gradient must not change until the event that Push returns: that
// of the update after the pushes of all workers, for which a stream can wait too.
func (s *Store[T]) Push(id, worker int, after ...driver.Event) (driver.Event, error) {
	s = zero.IfNil(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	k, err := s.find("Store.Push", id, worker)
	if err != nil {
		return nil, err
	}
	r := k.next
	if r.pushed[worker] {
		return nil, tree.NewError(tree.ErrValue, "Store.Push", "worker %d has pushed key %d, and others have not", worker, id)
	}
	r.pushed[worker], k.last[worker] = true, r
	r.after = append(r.after, after...)
	if r.left--; r.left == 0 {
		k.next = newRound(s.workers, r)
		go k.run(r)
	}
	return r, nil
}

// run runs the update of a round when the gradients are complete. After an error the value is
// as it was.
func (k *key[T]) run(r *round) {
	defer close(r.done)
	ctx := context.Background()
	if r.before != nil {
		<-r.before.done
		r.before = nil
	}
	for _, e := range r.after {
		if e == nil {
			continue
		}
		if r.err = e.Wait(ctx); r.err != nil {
			return
		}
	}
	k.stored.Lock()
	defer k.stored.Unlock()
	r.err = k.program.Run(ctx)
}

// Done reports whether the update has ended, and its error.
func (r *round) Done() (bool, error) {
	select {
	case <-r.done:
		return true, r.err
	default:
		return false, nil
	}
}

// Wait waits for the update and returns its error. If ctx is done first, Wait returns the error of ctx.
func (r *round) Wait(ctx context.Context) error {
	if ctx == nil {
		return tree.NewError(tree.ErrValue, "Event.Wait", "the context is nil")
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Pull waits for the update after the last push of a worker, and copies the value to a tensor. Before
// the first push it is the value of Init. If the worker pushes meanwhile, it may be the value after a later
// round; it is never a mixture.
func (s *Store[T]) Pull(ctx context.Context, id, worker int, to *engine.Tensor[T]) error {
	s = zero.IfNil(s)
	s.mu.Lock()
	k, err := s.find("Store.Pull", id, worker)
	var e driver.Event
	if err == nil {
		e = k.last[worker]
	}
	s.mu.Unlock()
	switch {
	case err != nil:
	case to == nil:
		err = tree.NewError(tree.ErrValue, "Store.Pull", "the tensor is nil")
	case ctx == nil:
		err = tree.NewError(tree.ErrValue, "Store.Pull", "the context is nil")
	}
	if err == nil && e != nil {
		err = e.Wait(ctx)
	}
	if err != nil {
		return err
	}
	k.stored.RLock()
	defer k.stored.RUnlock()
	return to.Assign(k.value)
}

// PullRequest is Pull without waiting: it calls f, unless that is nil, with the error of Pull when the tensor has the value.
func (s *Store[T]) PullRequest(ctx context.Context, id, worker int, to *engine.Tensor[T], f func(error)) {
	go func() {
		if err := s.Pull(ctx, id, worker, to); f != nil {
			f(err)
		}
	}()
}
