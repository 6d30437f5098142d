package nn_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr"
)

// TestNil checks that layers without a generator or a parameter are errors of their
// trees, and that loaders start at a batch that there is.
func TestNil(t *testing.T) {
	x := engine.Ones[float32](1, 2, 4, 4)
	for name, m := range map[string]nn.Module[float32]{
		"linear, nil generator":    nn.NewLinear[float32](nil, 4, 3),
		"conv, nil generator":      nn.NewConv2D[float32](nil, 2, 3, nn.Window2D{Size: 3}),
		"embedding, nil generator": nn.NewEmbedding[float32](nil, 4, 3),
		"zero linear":              &nn.Linear[float32]{},
		"zero conv":                &nn.Conv2D[float32]{},
		"zero batch norm":          &nn.BatchNorm[float32]{},
		"zero layer norm":          &nn.LayerNorm[float32]{},
		"nil RMS norm":             (*nn.RMSNorm[float32])(nil),
		"parameter of nothing":     &nn.Linear[float32]{Weight: &nn.Param[float32]{}},
	} {
		if err := expr.NodeOf(m.Forward(nil, x)).Err(); !errors.Is(err, expr.ErrType) {
			t.Errorf("%s: %v", name, err)
		}
	}
	data, err := nn.FromTensors(engine.Ones[float32](6, 2), engine.Ones[float32](6, 1))
	if err != nil {
		t.Fatal(err)
	}
	none := nn.NewLinear[float32](rand.New(rand.NewPCG(1, 2)), 0, 3)
	if b := none.Bias.Value().Values(); !slices.Equal(b, []float32{0, 0, 0}) {
		t.Errorf("the bias of no inputs is %v, not 0 as in PyTorch", b)
	}
	trainer := nn.NewTrainer(nn.Module[float32](nn.NewLinear[float32](rand.New(rand.NewPCG(1, 2)), 2, 1)), nn.MSE[float32], nn.SGD[float32](.1))
	trainer.Metrics = []nn.Metric[float32]{{Name: "nothing"}}
	if _, err := trainer.Evaluate(context.Background(), &nn.Loader[float32]{Data: data, Batch: 2}); !errors.Is(err, expr.ErrType) {
		t.Errorf("a metric without a function: %v", err)
	}
	const most = int(^uint(0) >> 1)
	for from, want := range map[int]int{-1: 3, 0: 3, 2: 1, 3: 0, most: 0, -most: 3} {
		n := 0
		for _, err := range (&nn.Loader[float32]{Data: data, Batch: 2}).Epoch(context.Background(), 0, from) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != want {
			t.Errorf("%d batches from %d on, want %d", n, from, want)
		}
	}
	if err := data.Read(6, make([]float32, 2), make([]float32, 1)); !errors.Is(err, expr.ErrIndex) {
		t.Error(err)
	}
	if err := data.Read(0, make([]float32, 3), make([]float32, 1)); !errors.Is(err, expr.ErrShape) {
		t.Error(err)
	}
}
