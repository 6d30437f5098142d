package engine_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// TestEmptyTarget assigns to arrays without elements, whose strides do not
// matter: NumPy makes zero strides for some.
func TestEmptyTarget(t *testing.T) {
	for _, dims := range [][]int{{0, 6}, {6, 0}, {2, 0, 3}} {
		m, err := engine.NewMemory(0)
		if err != nil {
			t.Fatal(err)
		}
		a, err := engine.ArrayOf(m, dtype.F32, dims, make([]int, len(dims)), 0)
		if err != nil {
			t.Fatal(err)
		}
		s := expr.Statement{Saver: expr.Plus, Target: a.Node(), Value: tree.ConstFloat(dtype.F32, 1)}
		if err := engine.Run(t.Context(), s); err != nil {
			t.Errorf("%v: %v", dims, err)
		}
	}
}

// TestEmptyViews tests that views without elements of memories without any are
// values: they print, copy and are written.
func TestEmptyViews(t *testing.T) {
	last := shape.Slice{Start: shape.At(-1), Step: shape.At(-1)}
	m := engine.MemoryOf(nil)
	far, err := engine.ArrayOf(m, dtype.F64, shape.Shape{0, 3}, nil, 7)
	if err != nil {
		t.Fatal(err)
	}
	tensor, err := engine.TensorOf[float64](far)
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]*engine.Tensor[float64]{
		"reversed": engine.Zeros[float64](0, 3).Span(op.Span{}, last),
		"rows":     engine.Zeros[float64](5, 0).Span(op.From(2)),
		"index":    engine.Zeros[float64](5, 0).Index(3),
		"far":      tensor,
	} {
		if b, err := x.Array().Bytes(); len(b) != 0 || err != nil {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
		if _, err := json.Marshal(x); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := x.Save(filepath.Join(t.TempDir(), "x.npy")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := x.Assign(op.Exp(x)); err != nil || x.Clone().Err() != nil || len(x.Values()) != 0 {
			t.Errorf("%s: %v, %v", name, err, x.Clone().Err())
		}
	}
}
