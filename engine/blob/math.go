package blob

import (
	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/zero"
)

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
