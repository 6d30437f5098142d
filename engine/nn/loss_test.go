package nn_test

import (
	"math"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestSmallCrossEntropy has logits for which the loss is far below the precision of 1. The
// numbers are those of PyTorch's binary_cross_entropy_with_logits.
func TestSmallCrossEntropy(t *testing.T) {
	for logit, want := range map[float32]float32{15: 3.059022617435403e-07, 20: 2.06115369216775e-09, -100: 100} {
		got, err := engine.Item(nn.BCEWithLogits(op.Full[float32](float64(logit)), op.Full[float32](1)))
		if check(t, "Item", err, nil); math.Abs(float64(got-want)) > 1e-6*float64(want) {
			t.Errorf("the loss of %v is %v, want %v", logit, got, want)
		}
	}
}

// TestAccuracyShapes has labels of another shape.
func TestAccuracyShapes(t *testing.T) {
	out := engine.Zeros[float64](4, 3)
	check(t, "a column of labels", nn.Accuracy[float64](out, engine.Zeros[float64](4, 1)).Node().Err(), expr.ErrShape)
	check(t, "a vector of labels", nn.Accuracy[float64](out, engine.Zeros[float64](4)).Node().Err(), nil)
}

// TestLabelNaN uses a label that is NaN: it is no class, and the loss says where it is.
func TestLabelNaN(t *testing.T) {
	out, labels := engine.Zeros[float64](3, 2), engine.MustFromSlice([]float64{0, nn.Ignored, math.NaN()})
	_, err := engine.Item(nn.CrossEntropy[float64]()(out, labels))
	check(t, "the loss", err, expr.ErrIndex)
	if right, err := engine.Item(nn.Accuracy[float64](out, labels)); right != .5 || err != nil {
		t.Errorf("the accuracy is %v, %v; the first class is right", right, err)
	}
}
