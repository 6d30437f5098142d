package nn

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/ahead"
	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// A Dataset is samples with their wanted outputs.
type Dataset[T Float] interface {
	// Len returns the number of samples.
	Len() int
	// Shapes returns the shapes of one sample and of its wanted output.
	Shapes() (x, y []int)
	// Read stores sample i and its wanted output, row-major. Loaders call it from
	// one goroutine at a time.
	Read(i int, x, y []T) error
}

// tensors is a dataset of the rows of two tensors.
type tensors[T Float] struct {
	x, y   []T
	dx, dy []int
	n      int
}

// FromTensors returns the dataset of the rows of x and y, which share it. The
// error is [expr.ErrShape] unless both have the same first axis and contiguous
// elements. Labels of classes are numbers 0, 1 ... of type T.
func FromTensors[T Float](x, y *engine.Tensor[T]) (Dataset[T], error) {
	if x == nil || y == nil {
		return nil, tree.NewError(tree.ErrType, "nn.FromTensors", "the tensor of the samples or of the wanted outputs is nil")
	}
	d := &tensors[T]{}
	var err error
	if d.x, err = elements(x); err != nil {
		return nil, err
	}
	if d.y, err = elements(y); err != nil {
		return nil, err
	}
	sx, sy := x.Shape(), y.Shape()
	if len(sx) == 0 || len(sy) == 0 || sx[0] != sy[0] {
		return nil, tree.NewError(tree.ErrShape, "nn.FromTensors", "samples %v and wanted outputs %v differ in number", sx, sy)
	}
	d.n, d.dx, d.dy = sx[0], sx[1:], sy[1:]
	return d, nil
}

func (d *tensors[T]) Len() int { return d.n }

func (d *tensors[T]) Shapes() (x, y []int) { return d.dx, d.dy }

func (d *tensors[T]) Read(i int, x, y []T) error {
	switch {
	case i < 0 || i >= d.n:
		return tree.NewError(tree.ErrIndex, "", "there is no sample %d among %d", i, d.n)
	case len(x) != len(d.x)/d.n || len(y) != len(d.y)/d.n:
		return tree.NewError(tree.ErrShape, "", "a sample has %d and %d elements, not %d and %d", len(d.x)/d.n, len(d.y)/d.n, len(x), len(y))
	}
	copy(x, d.x[i*len(x):])
	copy(y, d.y[i*len(y):])
	return nil
}

// A Loader goes over a dataset in batches.
type Loader[T Float] struct {
	Data     Dataset[T]
	Batch    int    // samples in a batch
	Shuffle  bool   // another order in each epoch, which follows from Seed and the epoch
	Seed     uint64 // of the order
	DropLast bool   // leave out a last batch that is smaller
	Prefetch int    // batches that are read ahead by a goroutine; 0: none
}

// A Batch is some samples with their wanted outputs. A loader uses its memory
// again for a later batch.
type Batch[T Float] struct{ X, Y *engine.Tensor[T] }

// Batches returns the number of batches of an epoch: 0 for a loader that cannot
// make any.
func (l *Loader[T]) Batches() int {
	if l.check() != nil {
		return 0
	}
	if l.DropLast {
		return l.Data.Len() / l.Batch
	}
	return l.batchesOf(l.Data.Len())
}

// batchesOf returns the number of batches that n samples make. The last one may be
// smaller.
func (l *Loader[T]) batchesOf(n int) int { return n/l.Batch + min(n%l.Batch, 1) }

// check returns an error if l cannot make batches.
func (l *Loader[T]) check() error {
	if l == nil || l.Data == nil || l.Data.Len() < 0 || l.Batch <= 0 || l.Prefetch < 0 {
		return tree.NewError(tree.ErrValue, "nn.Loader", "a loader needs data, a positive batch and no negative prefetch")
	}
	return nil
}

// order returns the samples of an epoch in their order.
func (l *Loader[T]) order(epoch int) []int {
	at := lists.UpTo(l.Data.Len())
	if l.Shuffle {
		r := rand.New(rand.NewPCG(l.Seed, uint64(epoch)))
		r.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
	}
	return at
}

// Epoch returns the batches of an epoch from number from on. A batch is valid until
// the next one. The sequence ends after the first error: of the loader, of a
// Read, which may panic, or of ctx.
func (l *Loader[T]) Epoch(ctx context.Context, epoch, from int) iter.Seq2[*Batch[T], error] {
	return func(yield func(*Batch[T], error) bool) {
		err := l.check()
		if ctx == nil {
			err = tree.NewError(tree.ErrValue, "", "the context is nil")
		} else if err == nil && hostmem.ReserveFor(l.Data.Len(), 8, nil) != nil { // an int for each
			err = tree.NewError(tree.ErrOutOfMemory, "nn.Loader", "the order of %d samples does not fit in memory", l.Data.Len())
		}
		if err != nil {
			yield(nil, err)
			return
		}
		rows := l.order(epoch)
		if l.DropLast {
			rows = rows[:len(rows)/l.Batch*l.Batch]
		}
		if from >= l.batchesOf(len(rows)) {
			return
		}
		rows = rows[max(from, 0)*l.Batch:]
		if l.Prefetch > 0 {
			l.ahead(ctx, rows, yield)
			return
		}
		l.batches(ctx, rows, 1)(yield)
	}
}

// batches yields the batches of some samples, and uses the memory of a batch again
// held batches later.
func (l *Loader[T]) batches(ctx context.Context, rows []int, held int) iter.Seq2[*Batch[T], error] {
	return func(yield func(*Batch[T], error) bool) {
		r := &ring[T]{l: l, free: make([]*Batch[T], held)}
		for chunk := range slices.Chunk(rows, l.Batch) {
			b, err := r.read(chunk)
			err = cmp.Or(err, ctx.Err())
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// ahead yields batches that a goroutine reads ahead. The goroutine has ended when
// ahead returns.
func (l *Loader[T]) ahead(ctx context.Context, rows []int, yield func(*Batch[T], error) bool) {
	n := l.batchesOf(len(rows))
	prefetch := min(l.Prefetch, n)
	r := ahead.Start(ctx, prefetch, func(ctx context.Context) iter.Seq2[*Batch[T], error] {
		return l.batches(ctx, rows, prefetch+2)
	})
	defer r.Close()
	for range n {
		if b, ok, err := r.Next(context.WithoutCancel(ctx)); !yield(b, err) || !ok {
			return
		}
	}
}

// A ring holds the memory of some batches, which are read one after the other.
type ring[T Float] struct {
	l    *Loader[T]
	free []*Batch[T]
	next int
}

// read returns the next batch, with the given samples.
func (r *ring[T]) read(rows []int) (b *Batch[T], err error) {
	defer func() {
		if p := recover(); p != nil {
			b, err = nil, tree.NewError(tree.ErrValue, "", "reading a sample panicked: %v", p)
		}
	}()
	at := &r.free[r.next]
	r.next = (r.next + 1) % len(r.free)
	sx, sy := r.l.Data.Shapes()
	if *at == nil || (*at).X.Shape()[0] != len(rows) {
		x, err := engine.New[T](append([]int{len(rows)}, sx...)...)
		if err != nil {
			return nil, err
		}
		y, err := engine.New[T](append([]int{len(rows)}, sy...)...)
		if err != nil {
			return nil, err
		}
		*at = &Batch[T]{x, y}
	}
	x, y := (*at).X.Data(), (*at).Y.Data()
	nx, ny := len(x)/len(rows), len(y)/len(rows)
	for i, row := range rows {
		if err := r.l.Data.Read(row, x[i*nx:][:nx], y[i*ny:][:ny]); err != nil {
			return nil, fmt.Errorf("sample %d: %w", row, err)
		}
	}
	return *at, nil
}
