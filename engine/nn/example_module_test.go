package nn_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// A residual is x + relu(inner(x)).
type residual struct{ inner *nn.Linear[float32] }

func (b residual) Forward(p *nn.Pass[float32], x expr.Exp[float32]) expr.Exp[float32] {
	return op.Add(x, op.ReLU(b.inner.Forward(p, x)))
}

// Params gives the parameters of the part its name: a checkpoint has them by name.
func (b residual) Params() []*nn.Param[float32] { return nn.Prefixed("inner", b.inner.Params()) }

// A module of one's own is parameters and a function of trees.
func ExampleModule() {
	r := rand.New(rand.NewPCG(1, 2))
	block := residual{nn.NewLinear[float32](r, 3, 3)}
	out, err := nn.NewTrainer[float32](block, nn.MSE[float32], nn.SGD[float32](.1)).
		Predict(context.Background(), engine.Zeros[float32](1, 3))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Shape(), block.Params()[1].Name)
	// Output: [1 3] inner.bias
}
