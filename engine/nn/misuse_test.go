package nn_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestLossShapes has wanted outputs that would broadcast with the output.
func TestLossShapes(t *testing.T) {
	column, vector := engine.Zeros[float64](4, 1), engine.Zeros[float64](4)
	for name, loss := range map[string]nn.Loss[float64]{
		"nn.MSE": nn.MSE[float64], "nn.Huber": nn.Huber[float64](1), "nn.BCEWithLogits": nn.BCEWithLogits[float64],
	} {
		err := loss(column, vector).Node().Err()
		check(t, name, err, expr.ErrShape)
		if want := name + ": the output [4 1] and the wanted output [4] differ in shape"; !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		check(t, name+" of one shape", loss(column, column).Node().Err(), nil)
		check(t, name+" of a number", loss(column, op.Full[float64](1)).Node().Err(), nil)
		for _, err := range []error{loss(nil, column).Node().Err(), loss(column, nil).Node().Err()} {
			check(t, name+" of nil", err, expr.ErrType)
			if !strings.Contains(fmt.Sprint(err), name) {
				t.Errorf("%s of nil: %v does not name it", name, err)
			}
		}
	}
}

// TestHuberDelta has bounds that are none.
func TestHuberDelta(t *testing.T) {
	x := engine.Zeros[float64](4)
	for _, delta := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		check(t, fmt.Sprint("delta ", delta), nn.Huber[float64](delta)(x, x).Node().Err(), expr.ErrValue)
	}
}

// TestFeatures has inputs of another size than the layers. Those of size 1 would broadcast.
func TestFeatures(t *testing.T) {
	for want, m := range map[string]nn.Module[float64]{
		"nn.Linear: the last axes of the input [4 1] and of the weight [6 5] differ":  nn.NewLinear[float64](rng(), 5, 6),
		"nn.LayerNorm: the last axes of the input [4 1] and of the weight [5] differ": nn.NewLayerNorm[float64](5),
		"nn.RMSNorm: the last axes of the input [4 1] and of the weight [5] differ":   nn.NewRMSNorm[float64](5),
	} {
		err := m.Forward(nil, engine.Zeros[float64](4, 1)).Node().Err()
		check(t, want, err, expr.ErrShape)
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		check(t, want+", of a number", m.Forward(nil, op.Full[float64](1)).Node().Err(), expr.ErrShape)
	}
}

// TestRowsOutside has numbers that are no rows of the table.
func TestRowsOutside(t *testing.T) {
	e := nn.NewEmbedding[float64](rng(), 3, 2)
	for _, row := range []float64{-1, 3, math.NaN()} {
		_, err := engine.Eval(e.Forward(nil, engine.MustFromSlice([]float64{0, row})))
		check(t, fmt.Sprint("row ", row), err, expr.ErrIndex)
		for _, want := range []string{"nn.Embedding: index", " at [1] is out of range for size 3"} {
			if !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		}
	}
	y, err := engine.Eval(e.Forward(nil, engine.MustFromSlice([]float64{2.5, -.5})))
	if check(t, "rows", err, nil); y.At(0, 1) != e.Weight.Value().At(2, 1) || y.At(1, 0) != e.Weight.Value().At(0, 0) {
		t.Errorf("rows 2 and 0 are %v of %v", y, e.Weight.Value())
	}
}

// TestNilBatches checks that errors of nil tensors name what was called.
func TestNilBatches(t *testing.T) {
	x := engine.Zeros[float64](4, 5)
	tr := nn.NewTrainer(nn.Module[float64](nn.NewLinear[float64](rng(), 5, 5)), nn.MSE[float64], nn.SGD[float64](1))
	_, noSamples := tr.TrainOnBatch(t.Context(), nil, x)
	_, noWanted := tr.TrainOnBatch(t.Context(), x, nil)
	_, prediction := tr.Predict(t.Context(), nil)
	_, dataset := nn.FromTensors(x, nil)
	for want, errs := range map[string][]error{
		"nn.Trainer: the tensor of": {noSamples, noWanted, prediction}, "nn.FromTensors: the tensor of": {dataset},
	} {
		for _, err := range errs {
			if check(t, want, err, expr.ErrType); !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		}
	}
}
