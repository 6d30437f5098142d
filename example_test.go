package oneloop_test

import (
	"context"
	"fmt"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// The update rule of gradient descent with weight decay: one loop, no temporary.
func Example() {
	w := engine.MustFromSlice([]float64{1, 2, 3}).Named("w")
	g := engine.MustFromSlice([]float64{10, 0, -10}).Named("g")
	update := expr.LetSub(w, op.Scale(.1, op.Add(g, op.Scale(.5, w))))
	fmt.Println(update)

	p, err := engine.Compile(context.Background(), update)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := p.Run(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", w.Values())
	fmt.Print(p.Explain())
	// Output:
	// w -= (0.1 * (g + (0.5 * w)))
	// [-0.05 1.90 3.85]
	// 1 stage, 0 temporaries, 0 bytes of scratch
	// stage 0: loop: stores to the program's arrays
	//   reads w float64[3], g float64[3]; writes w float64[3]; 72 bytes
}
