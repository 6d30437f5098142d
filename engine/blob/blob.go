package blob

import (
	"math"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/shape"
)

// MaxAxes is the largest number of axes of a blob, as in Caffe.
const MaxAxes = 32

// An Elem is an element type of blobs.
type Elem interface{ float32 | float64 }

// A Blob is an array of data and an array of their gradients, the diff, of one
// shape. Both are tensors. Their memory is allocated at its first use. It is not
// safe for concurrent use.
//
// The zero Blob has no memory until Reshape gives it some.
type Blob[T Elem] struct {
	shape      shape.Shape
	capacity   int // elements that data and diff have room for
	dev        driver.Device
	data, diff *SyncedMemory
}

// New returns a blob of zeros on the host, of the given shape. The error is
// [expr.ErrShape] for a negative extent, more than MaxAxes axes, or more
// elements than can be addressed.
func New[T Elem](dims ...int) (*Blob[T], error) { return NewOn[T](nil, dims...) }

// NewOn is New for use on the host and on device d.
func NewOn[T Elem](d driver.Device, dims ...int) (*Blob[T], error) {
	b := &Blob[T]{dev: d, capacity: -1}
	return b, b.Reshape(dims...)
}

// Reshape changes the shape. The elements stay, row-major, if the memory has room
// for the new shape. Otherwise data and diff get new memory, of zeros. Tensors
// that the caller has got before keep the old shape and the old memory. The
// errors are those of New.
func (b *Blob[T]) Reshape(dims ...int) error {
	if b == nil {
		return errNil()
	}
	if len(dims) > MaxAxes {
		return tree.NewError(tree.ErrShape, "", "%d axes are more than %d", len(dims), MaxAxes)
	}
	s, err := shape.New(dims...)
	if err != nil {
		return tree.NewError(tree.ErrShape, "", "%s", err)
	}
	b.shape = s
	if b.data == nil || s.Size() > b.capacity {
		b.capacity = s.Size()
		b.data, b.diff = b.memory(), b.memory()
	}
	return nil
}

// memory returns new memory for as many elements as b has.
func (b *Blob[T]) memory() *SyncedMemory { return NewSyncedMemory(b.dev, b.shape.Size()*size[T]()) }

func size[T Elem]() int { return dtype.Of[T]().Size() }

// ReshapeLike gives b the shape of o.
func (b *Blob[T]) ReshapeLike(o *Blob[T]) error {
	b = zero.IfNil(b)
	if o == nil {
		return errNil()
	}
	return b.Reshape(o.shape...)
}

func errNil() error { return tree.NewError(tree.ErrType, "", "the blob is nil") }

// Shape returns the shape. The caller must not change it.
func (b *Blob[T]) Shape() shape.Shape { return zero.IfNil(b).shape }

// NumAxes returns the number of axes.
func (b *Blob[T]) NumAxes() int { return len(zero.IfNil(b).shape) }

// CanonicalAxis returns the number of an axis, of which negative ones count from
// the last. The error is [expr.ErrShape] if axis is out of range.
func (b *Blob[T]) CanonicalAxis(axis int) (int, error) {
	b = zero.IfNil(b)
	a, err := shape.Axis(axis, len(b.shape))
	if err != nil {
		return 0, tree.NewError(tree.ErrShape, "", "%s", err)
	}
	return a, nil
}

// Dim returns the extent of an axis: Caffe's shape(axis).
func (b *Blob[T]) Dim(axis int) (int, error) {
	b = zero.IfNil(b)
	a, err := b.CanonicalAxis(axis)
	if err != nil {
		return 0, err
	}
	return b.shape[a], nil
}

// Count returns the number of elements.
func (b *Blob[T]) Count() int { return zero.IfNil(b).shape.Size() }

// CountOf returns the product of the extents of axes from to to-1. The error is
// [expr.ErrShape] unless 0 <= from <= to <= NumAxes.
func (b *Blob[T]) CountOf(from, to int) (int, error) {
	b = zero.IfNil(b)
	if from < 0 || from > to || to > len(b.shape) {
		return 0, tree.NewError(tree.ErrShape, "", "axes %d to %d are out of range for rank %d", from, to, len(b.shape))
	}
	return b.shape.Count(from, to), nil
}

// Offset returns the row-major position of the element at index. Positions that
// are left out at the end are 0. The error is [expr.ErrIndex].
func (b *Blob[T]) Offset(index ...int) (int, error) {
	b = zero.IfNil(b)
	if len(index) > len(b.shape) {
		return 0, tree.NewError(tree.ErrIndex, "", "index %v has more positions than shape %v", index, b.shape)
	}
	full := make([]int, len(b.shape))
	copy(full, index)
	off, err := b.shape.Offset(full...)
	if err != nil {
		return 0, tree.NewError(tree.ErrIndex, "", "%s", err)
	}
	return off, nil
}

// LegacyShape returns the extent of an axis of a blob of at most four axes, as
// if it had four. Axes beyond those of b have extent 1. axis is in -4..3.
func (b *Blob[T]) LegacyShape(axis int) (int, error) {
	b = zero.IfNil(b)
	switch n := len(b.shape); {
	case n > 4:
		return 0, tree.NewError(tree.ErrShape, "", "shape %v has more than four axes", b.shape)
	case axis < -4 || axis > 3:
		return 0, tree.NewError(tree.ErrShape, "", "axis %d is not in -4..3", axis)
	case axis >= n || axis < -n:
		return 1, nil
	}
	return b.Dim(axis)
}

// Num returns LegacyShape(0).
func (b *Blob[T]) Num() (int, error) { return zero.IfNil(b).LegacyShape(0) }

// Channels returns LegacyShape(1).
func (b *Blob[T]) Channels() (int, error) { return zero.IfNil(b).LegacyShape(1) }

// Height returns LegacyShape(2).
func (b *Blob[T]) Height() (int, error) { return zero.IfNil(b).LegacyShape(2) }

// Width returns LegacyShape(3).
func (b *Blob[T]) Width() (int, error) { return zero.IfNil(b).LegacyShape(3) }

// Data returns the data as a tensor of b's shape. If their memory cannot be
// allocated, every use of the tensor returns that error.
func (b *Blob[T]) Data() *engine.Tensor[T] {
	b = zero.IfNil(b)
	return b.tensor(b.data).Named("data")
}

// Diff returns the diff as a tensor of b's shape, as Data does.
func (b *Blob[T]) Diff() *engine.Tensor[T] {
	b = zero.IfNil(b)
	return b.tensor(b.diff).Named("diff")
}

func (b *Blob[T]) tensor(m *SyncedMemory) *engine.Tensor[T] {
	mem, err := m.Memory()
	if err != nil {
		return engine.Failed[T](err)
	}
	a, err := engine.ArrayOf(mem, dtype.Of[T](), b.shape, nil, 0)
	if err != nil {
		return engine.Failed[T](err)
	}
	t, err := engine.TensorOf[T](a)
	if err != nil {
		return engine.Failed[T](err)
	}
	return t
}

// DataMemory returns the memory of the data.
func (b *Blob[T]) DataMemory() *SyncedMemory { return zero.IfNil(b).data }

// DiffMemory returns the memory of the diff.
func (b *Blob[T]) DiffMemory() *SyncedMemory { return zero.IfNil(b).diff }

// DataAt returns the element of the data at index, of which positions left out
// at the end are 0.
func (b *Blob[T]) DataAt(index ...int) (T, error) {
	b = zero.IfNil(b)
	return b.elementAt(b.data, index)
}

// DiffAt returns the element of the diff at index, as DataAt does.
func (b *Blob[T]) DiffAt(index ...int) (T, error) {
	b = zero.IfNil(b)
	return b.elementAt(b.diff, index)
}

func (b *Blob[T]) elementAt(m *SyncedMemory, index []int) (T, error) {
	off, err := b.Offset(index...)
	if err != nil {
		return 0, err
	}
	bytes, err := m.Host()
	if err != nil {
		return 0, err
	}
	return dtype.Slice[T](bytes)[off], nil
}

// Adopt makes b share its data with elements offset and following of a slice:
// Caffe's set_cpu_data. If b had room for more elements, that room and the diff
// are lost. The error is [expr.ErrShape] if the slice is too short, and
// [expr.ErrDevice] if b has a device.
func (b *Blob[T]) Adopt(data []T, offset int) error {
	if b == nil {
		return errNil()
	}
	n := b.Count()
	if offset < 0 || offset > len(data) || n > len(data)-offset {
		return tree.NewError(tree.ErrShape, "", "elements %d..%d leave a slice of %d", offset, offset+n-1, len(data))
	}
	m, diff := b.data, b.diff
	if m.Size() != n*size[T]() {
		m, diff = b.memory(), b.memory()
	}
	if err := m.Adopt(dtype.Bytes(data[offset : offset+n])); err != nil {
		return err
	}
	b.data, b.diff, b.capacity = m, diff, m.Size()/size[T]()
	return nil
}

// ShareData makes b use the data of o. The error is [expr.ErrShape] unless both
// have the same number of elements.
func (b *Blob[T]) ShareData(o *Blob[T]) error {
	if b == nil {
		return errNil()
	}
	return b.share(o, &b.data, func() *SyncedMemory { return o.data })
}

// ShareDiff makes b use the diff of o, as ShareData does.
func (b *Blob[T]) ShareDiff(o *Blob[T]) error {
	if b == nil {
		return errNil()
	}
	return b.share(o, &b.diff, func() *SyncedMemory { return o.diff })
}

func (b *Blob[T]) share(o *Blob[T], own **SyncedMemory, other func() *SyncedMemory) error {
	if o == nil {
		return errNil()
	}
	if b.Count() != o.Count() {
		return tree.NewError(tree.ErrShape, "", "a blob of %d elements cannot share one of %d", b.Count(), o.Count())
	}
	*own = other()
	b.capacity = min(b.data.Size(), b.diff.Size()) / size[T]()
	return nil
}

// CopyFrom copies the data of o, or its diff if diff is set. If the shapes
// differ, b gets the shape of o if reshape is set; otherwise the error is
// [expr.ErrShape].
func (b *Blob[T]) CopyFrom(o *Blob[T], diff, reshape bool) error {
	if b == nil || o == nil {
		return errNil()
	}
	if !b.shape.Equal(o.shape) {
		if !reshape {
			return tree.NewError(tree.ErrShape, "", "a blob of shape %v cannot copy one of shape %v", b.shape, o.shape)
		}
		if err := b.ReshapeLike(o); err != nil {
			return err
		}
	}
	if diff {
		return b.Diff().Assign(o.Diff())
	}
	return b.Data().Assign(o.Data())
}

// legacy returns the four extents of LegacyShape, for blobs of up to four axes
// whose extents fit 32 bits.
func (b *Blob[T]) legacy() (dims [4]int32, ok bool) {
	for i := range dims {
		d, err := b.LegacyShape(i - 4)
		if err != nil || d > math.MaxInt32 {
			return dims, false
		}
		dims[i] = int32(d)
	}
	return dims, true
}

// Update carries out data -= diff, where the data are.
func (b *Blob[T]) Update() error { return b.Data().SubAssign(b.Diff()) }

// ASumData returns the sum of the absolute values of the data.
func (b *Blob[T]) ASumData() (T, error) { return total(zero.IfNil(b).data, b.Data, op.Abs) }

// ASumDiff returns the sum of the absolute values of the diff.
func (b *Blob[T]) ASumDiff() (T, error) { return total(zero.IfNil(b).diff, b.Diff, op.Abs) }

// SumSqData returns the sum of the squares of the data.
func (b *Blob[T]) SumSqData() (T, error) { return total(zero.IfNil(b).data, b.Data, op.Square) }

// SumSqDiff returns the sum of the squares of the diff.
func (b *Blob[T]) SumSqDiff() (T, error) { return total(zero.IfNil(b).diff, b.Diff, op.Square) }

// total returns the sum of f of the elements. Memory that was never touched is
// not allocated for it.
func total[T Elem](m *SyncedMemory, t func() *engine.Tensor[T], f func(expr.Exp[T]) expr.Exp[T]) (T, error) {
	if m.Head() == engine.Uninitialized {
		return 0, nil
	}
	x := t()
	sum, err := x.NewZeros()
	if err != nil {
		return 0, err
	}
	if err := sum.Assign(op.Sum(f(x))); err != nil {
		return 0, err
	}
	return sum.At(), nil
}

// ScaleData multiplies the data by s.
func (b *Blob[T]) ScaleData(s T) error { return scale(zero.IfNil(b).data, b.Data, s) }

// ScaleDiff multiplies the diff by s.
func (b *Blob[T]) ScaleDiff(s T) error { return scale(zero.IfNil(b).diff, b.Diff, s) }

// scale multiplies the elements by s, as Caffe does: not if they were never
// touched.
func scale[T Elem](m *SyncedMemory, t func() *engine.Tensor[T], s T) error {
	if m.Head() == engine.Uninitialized {
		return nil
	}
	return t().MulAssign(expr.Const(s))
}
