package engine_test

import (
	"errors"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
)

// TestNewZeros checks that new zeros are where the tensor is.
func TestNewZeros(t *testing.T) {
	d := &fakeDevice{}
	x, err := engine.MustFromSlice([]float32{1, 2}).To(d)
	if err != nil {
		t.Fatal(err)
	}
	z, err := x.NewZeros(2, 2)
	if err != nil || z.Device() != d.Name() || z.At(1, 1) != 0 || !z.Shape().Equal([]int{2, 2}) {
		t.Errorf("%v on %s, %v", z, z.Device(), err)
	}
	if _, err := x.NewZeros(-1); !errors.Is(err, expr.ErrShape) {
		t.Errorf("a negative extent: %v", err)
	}
	if _, err := engine.Failed[float32](tree.NewError(expr.ErrDevice, "", "gone")).NewZeros(); !errors.Is(err, expr.ErrDevice) {
		t.Errorf("zeros of a failed tensor: %v", err)
	}
}
