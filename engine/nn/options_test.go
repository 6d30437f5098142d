package nn_test

import (
	"context"
	"math"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestPartialOptions leaves out numbers of optimisers: a gradient of 0 is no step.
func TestPartialOptions(t *testing.T) {
	for name, o := range map[string]*nn.Optimizer[float64]{
		"adam":    nn.Adam[float64](.1, nn.AdamOptions{Beta1: .5}),
		"adamw":   nn.AdamW[float64](.1, nn.AdamOptions{}),
		"adagrad": nn.AdaGrad[float64](.1, nn.AdaGradOptions{RateDecay: .5}),
		"rmsprop": nn.RMSProp[float64](.1, nn.RMSPropOptions{Momentum: .5}),
		"lion":    nn.Lion[float64](.1, nn.LionOptions{}),
	} {
		l := nn.NewLinear[float64](rng(), 1, 1)
		before := l.Weight.Value().Values()
		tr := nn.NewTrainer[float64](l, nn.MSE[float64], o)
		zero := engine.Zeros[float64](1, 1)
		if _, err := tr.TrainOnBatch(context.Background(), zero, zero); err != nil {
			t.Fatal(err)
		}
		near(t, name, l.Weight.Value().Values(), before)
	}
	_, err := nn.SGD[float64](.1, nn.SGDOptions{Nesterov: true}).Statements(nil, 0)
	check(t, "Nesterov without a momentum", err, expr.ErrValue)
	_, err = engine.Eval(nn.NewPass[float64](expr.NewParam[uint32](0), expr.NewParam[uint32](0)).Keep(op.Full[float64](0), math.NaN()))
	check(t, "a probability of NaN", err, expr.ErrValue)
	err = nn.MaxPool2D[float64](nn.Window2D{Size: 1, Stride: -1}).Forward(nil, engine.Zeros[float64](1, 1, 2, 2)).Node().Err()
	check(t, "a negative stride", err, expr.ErrShape)
}
