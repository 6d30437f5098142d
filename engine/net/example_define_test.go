package net_test

import (
	"context"
	"fmt"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/net"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// A package defines its operators when it is initialised.
func init() {
	net.Define(net.Schema{
		Type: "Softsign", Doc: "X/(1 + |X|).", Inputs: []string{"X"}, Outputs: []string{"Y"}, InPlace: map[int]int{0: 0},
	}, func(_ *net.Args, in []*tree.Node) []*tree.Node {
		x := expr.Of[float32](in[0])
		return []*tree.Node{op.Div(x, op.AddScalar(op.Abs(x), 1)).Node()}
	})
}

// An operator is a function of trees. Its shapes and its gradient follow.
func ExampleDefine() {
	d := &net.NetDef{Op: []*net.OperatorDef{net.Op("Softsign", []string{"x"}, []string{"y"})}}
	grads, err := net.AddGradients(d, "y", "x")
	if err != nil {
		fmt.Println(err)
		return
	}
	ws := net.NewWorkspace()
	if err := ws.Feed("x", engine.MustFromSlice([]float32{1, -3}).Array()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(ws.RunOnce(context.Background(), d), ws.Blob("y"), ws.Blob(grads["x"]))
	// Output: <nil> [0.5 -0.75] [0.25 0.0625]
}
