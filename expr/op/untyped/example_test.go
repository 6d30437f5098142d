package untyped_test

import (
	"fmt"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// A value and its index: the position of the running maximum.
func ExampleScan() {
	x := engine.MustFromSlice([]float64{1, 3, 2, 5, 4})
	first := []*tree.Node{expr.Const(int64(0)).Node(), expr.Const(-1e308).Node()}
	r := untyped.Scan(first, []*tree.Node{x.Node()}, untyped.ScanOptions{}, func(i *tree.Node, state, x []*tree.Node) (next, out []*tree.Node) {
		better := untyped.Call("greater", x[0], state[1])
		at := untyped.Call("where", better, i, state[0])
		return []*tree.Node{at, untyped.Call("maximum", x[0], state[1])}, []*tree.Node{at}
	})
	fmt.Println(engine.Eval(expr.Of[int64](r.Out(0))))
	// Output: [0 1 1 3 3] <nil>
}
