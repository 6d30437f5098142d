// Package ahead reads a sequence ahead of what uses it.
package ahead

import (
	"context"
	"iter"

	"github.com/oneloop/oneloop/expr/tree"
)

// A Reader has the next values of a sequence, which a goroutine reads. Its methods
// are called by one goroutine at a time.
type Reader[V any] struct {
	full   chan result[V]
	ctx    context.Context
	cancel context.CancelFunc
	err    error // that ended the sequence
}

type result[V any] struct {
	v   V
	err error
}

// Start begins to read a sequence and returns its reader. At most n values wait in
// the reader, the caller has one, and the goroutine makes one: the sequence may use
// the memory of a value again n+2 values later. A panic of the sequence is its error,
// [expr.ErrValue]. Close must be called.
func Start[V any](ctx context.Context, n int, sequence func(context.Context) iter.Seq2[V, error]) *Reader[V] {
	ctx, cancel := context.WithCancel(ctx)
	r := &Reader[V]{full: make(chan result[V], n), ctx: ctx, cancel: cancel}
	go func() {
		defer close(r.full)
		defer func() {
			if p := recover(); p != nil {
				r.send(result[V]{err: tree.NewError(tree.ErrValue, "", "reading ahead panicked: %v", p)})
			}
		}()
		for v, err := range sequence(ctx) {
			if !r.send(result[V]{v, err}) || err != nil {
				return
			}
		}
	}()
	return r
}

// send hands a result to the caller and reports whether it wants more.
func (r *Reader[V]) send(x result[V]) bool {
	select {
	case r.full <- x:
		return true
	case <-r.ctx.Done():
		return false
	}
}

// Next returns the next value. It is not ok after the last one. An error of the
// sequence ends it: later calls return it too. An error of ctx leaves the values
// where they are, and an error of the context of Start ends the sequence.
func (r *Reader[V]) Next(ctx context.Context) (v V, ok bool, err error) {
	if r.err != nil {
		return v, false, r.err
	}
	if err := ctx.Err(); err != nil {
		return v, false, err
	}
	select {
	case x, ok := <-r.full:
		if !ok {
			return v, false, r.ctx.Err()
		}
		r.err = x.err
		return x.v, x.err == nil, x.err
	case <-ctx.Done():
		return v, false, ctx.Err()
	}
}

// Close ends the reading. The goroutine has ended when Close returns.
func (r *Reader[V]) Close() {
	r.cancel()
	for range r.full {
	}
}
