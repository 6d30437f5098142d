package nn_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr/op"
)

// A network learns which of two numbers is larger.
func Example() {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 2))
	x, y := engine.Zeros[float32](500, 2), engine.Zeros[float32](500)
	for i := range 500 {
		a, b := r.Float32(), r.Float32()
		x.Data()[2*i], x.Data()[2*i+1] = a, b
		if b > a {
			y.Data()[i] = 1
		}
	}
	data, err := nn.FromTensors(x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	model := nn.NewSequential[float32](
		nn.NewLinear[float32](r, 2, 8), nn.Func[float32](op.ReLU[float32]), nn.NewLinear[float32](r, 8, 2))
	t := nn.NewTrainer(model, nn.CrossEntropy[float32](), nn.Adam[float32](.02))
	t.Metrics = []nn.Metric[float32]{{Name: "accuracy", Of: nn.Accuracy[float32]}}
	loader := &nn.Loader[float32]{Data: data, Batch: 50, Shuffle: true}
	history, err := t.Fit(ctx, nn.Fit[float32]{Epochs: 20, Data: loader, Validation: loader})
	if err != nil {
		fmt.Println(err)
		return
	}
	last := history[len(history)-1]
	fmt.Println(len(history), "epochs, accuracy above 0.95:", last.Validation["accuracy"] > .95)
	out, err := t.Predict(ctx, engine.MustFromSlice([]float32{.1, .9, .9, .1}, 2, 2))
	fmt.Println(out.At(0, 1) > out.At(0, 0), out.At(1, 1) > out.At(1, 0), err)
	// Output:
	// 20 epochs, accuracy above 0.95: true
	// true false <nil>
}

// Program is what runs for each batch: the loss, all gradients and all updates.
func ExampleTrainer_Program() {
	r := rand.New(rand.NewPCG(1, 2))
	model := nn.NewSequential[float32](
		nn.NewLinear[float32](r, 1000, 100), nn.Func[float32](op.ReLU[float32]), nn.NewLinear[float32](r, 100, 10))
	t := nn.NewTrainer(model, nn.MSE[float32], nn.Adam[float32](1e-4))
	p, err := t.Program(context.Background(), engine.Zeros[float32](64, 1000), engine.Zeros[float32](64, 10))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(nn.Cost(p))
	// Output: 10 loops, 5 products, 4461044 bytes
}
