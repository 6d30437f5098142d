package net

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/ahead"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// A Source gives batches to operators of type Input.
type Source struct {
	// Arrays are the types and the shapes of the arrays of each batch.
	Arrays []Info
	// Ahead is the number of batches that wait while a net works on one. A
	// goroutine reads one more.
	Ahead int
	// Batches returns the batches. A batch is valid until the next one. The first
	// error ends the sequence. Waits of the sequence must end with ctx.
	Batches func(ctx context.Context) iter.Seq2[[]*engine.Array, error]
}

// Loaded returns the batches of some epochs of a loader, samples and wanted outputs.
// A last batch of an epoch that is smaller is left out. Ahead is the Prefetch of the
// loader. The error is [expr.ErrValue] if the loader has no data, or no positive
// batch.
func Loaded[T nn.Float](l *nn.Loader[T], epochs int) (Source, error) {
	if l == nil || l.Data == nil || l.Batch <= 0 {
		return Source{}, tree.NewError(tree.ErrValue, "", "a loader needs data and a positive batch")
	}
	own := *l
	own.DropLast, own.Prefetch = true, 0
	s := Source{Ahead: l.Prefetch, Batches: func(ctx context.Context) iter.Seq2[[]*engine.Array, error] {
		return func(yield func([]*engine.Array, error) bool) {
			for epoch := range epochs {
				for b, err := range own.Epoch(ctx, epoch, 0) {
					if err != nil {
						yield(nil, err)
						return
					}
					if !yield([]*engine.Array{b.X.Array(), b.Y.Array()}, nil) {
						return
					}
				}
			}
		}
	}}
	x, y := l.Data.Shapes()
	for _, dims := range [][]int{x, y} {
		dims, err := newShape(append([]int{l.Batch}, dims...))
		if err != nil {
			return Source{}, err
		}
		s.Arrays = append(s.Arrays, Info{dtype.Of[T](), dims})
	}
	return s, nil
}

// A reading is a source of a workspace that is read ahead.
type reading struct {
	Source
	reader *ahead.Reader[[]*engine.Array]
	lock   chan struct{} // full while an operator takes a batch
}

const maxAhead = 1 << 16

// Read begins to read a source, which operators of type Input name. The reading
// ends after the last batch, after an error, with ctx, with another source of that
// name and with Close. The error is [expr.ErrValue] if the source has no batches.
func (w *Workspace) Read(ctx context.Context, name string, s Source) error {
	switch {
	case w == nil:
		return errNilWorkspace()
	case ctx == nil:
		return errNilContext()
	case s.Batches == nil || len(s.Arrays) == 0 || s.Ahead < 0 || s.Ahead > maxAhead:
		return tree.NewError(tree.ErrValue, "", "the source %q needs batches of arrays, and from 0 to %d of them ahead", name, maxAhead)
	}
	r := &reading{Source: s, lock: make(chan struct{}, 1)}
	memory := make([][]*engine.Array, s.Ahead+2)
	for i := range memory {
		for _, x := range s.Arrays {
			a, err := engine.NewArray(x.Type, x.Shape...)
			if err != nil {
				return err
			}
			memory[i] = append(memory[i], a)
		}
	}
	r.reader = ahead.Start(ctx, s.Ahead, func(ctx context.Context) iter.Seq2[[]*engine.Array, error] {
		return r.copies(ctx, memory)
	})
	w.mu.Lock()
	old := w.read[name]
	zero.Put(&w.read, name, r)
	w.mu.Unlock()
	if old != nil {
		old.reader.Close()
	}
	return nil
}

// Close ends the reading of all sources. Its goroutines have ended when Close
// returns. Operators that wait for a batch fail with [context.Canceled], and later
// ones because there is no source. Blobs and nets stay.
func (w *Workspace) Close() {
	w = zero.IfNil(w)
	w.mu.Lock()
	read := w.read
	w.read = nil
	w.mu.Unlock()
	for _, r := range read {
		r.reader.Close()
	}
}

// copies yields copies of the batches of the source in the given memory.
func (r *reading) copies(ctx context.Context, memory [][]*engine.Array) iter.Seq2[[]*engine.Array, error] {
	return func(yield func([]*engine.Array, error) bool) {
		i := 0
		for batch, err := range r.Batches(ctx) {
			to := memory[i%len(memory)]
			i++
			if err == nil && len(batch) != len(to) {
				err = tree.NewError(tree.ErrShape, "", "batch %d has %d arrays, not %d", i-1, len(batch), len(to))
			}
			for k := 0; k < len(to) && err == nil; k++ {
				if err = copyArray(to[k], batch[k]); err != nil {
					err = &ofArray{k, err}
				}
			}
			err = cmp.Or(err, ctx.Err())
			if !yield(to, err) || err != nil {
				return
			}
		}
	}
}

// An ofArray is an error about one array of a batch.
type ofArray struct {
	at  int
	err error
}

func (e *ofArray) Error() string { return e.err.Error() }

func (e *ofArray) Unwrap() error { return e.err }

// copyArray copies the elements of an array to a contiguous one of its type and
// shape, on the host.
func copyArray(to, from *engine.Array) error {
	if err := from.Node().Err(); err != nil {
		return err
	}
	if from.DType() != to.DType() || !from.Shape().Equal(to.Shape()) {
		return tree.NewError(tree.ErrShape, "", "%v%v is not %v%v", from.DType(), from.Shape(), to.DType(), to.Shape())
	}
	b, err := from.Bytes()
	if err != nil {
		return err
	}
	all, err := to.Memory().MutableHost()
	if err != nil {
		return err
	}
	copy(all[to.Offset()*to.DType().Size():], b)
	return nil
}

// next copies the next batch to arrays. After the last one, the error is [io.EOF].
func (r *reading) next(ctx context.Context, to []*engine.Array) error {
	select {
	case r.lock <- struct{}{}:
		defer func() { <-r.lock }()
	case <-ctx.Done():
		return ctx.Err()
	}
	batch, ok, err := r.reader.Next(ctx)
	if err != nil {
		return err
	}
	if !ok {
		return io.EOF
	}
	for k, a := range to {
		if err := copyArray(a, batch[k]); err != nil {
			return &ofArray{k, err}
		}
	}
	return nil
}

// reading returns the source that the argument source names.
func (a *Args) reading() (*reading, error) {
	name := a.String("source", "")
	if a.err != nil {
		return nil, a.err
	}
	if a.ws != nil {
		a.ws.mu.RLock()
		defer a.ws.mu.RUnlock()
		if r := a.ws.read[name]; r != nil {
			return r, nil
		}
	}
	return nil, tree.NewError(tree.ErrValue, "", "the workspace reads no source %q", name)
}

func init() {
	Register(Schema{
		Type: "Input", Doc: "The next batch of a source that the workspace reads ahead (Workspace.Read); io.EOF after the last one.",
		Outputs: []string{"arrays..."}, Args: []ArgDoc{{"source", "The name of the source.", true}},
		Infer: func(a *Args, _ []Info) ([]Info, error) {
			r, err := a.reading()
			if err != nil {
				return nil, err
			}
			return r.Arrays, nil
		},
	})
	RegisterKernel(Key{Type: "Input", Device: "cpu"}, func(_ context.Context, o *Operator) (Runner, error) {
		return RunFunc(o.read), o.gapless()
	})
}

// read stores the next batch in the outputs. Errors name the output that they are
// about, or the first one.
func (o *Operator) read(ctx context.Context) error {
	r, err := o.Args().reading()
	if err == nil && len(r.Arrays) != len(o.out) {
		err = tree.NewError(tree.ErrShape, "", "the source has batches of %d arrays, not %d", len(r.Arrays), len(o.out))
	}
	if err == nil {
		err = r.next(ctx, o.out)
	}
	if err == nil {
		return nil
	}
	at := 0
	var of *ofArray
	if errors.As(err, &of) {
		at, err = of.at, of.err
	}
	return blobError(o.def.Output[at], err)
}
