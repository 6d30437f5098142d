package ir_test

import (
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestStoresKeepTheirOrder stores two values to one element: a value that
// depends on a loop and then one that does not. The second store must not be
// hoisted before the first.
func TestStoresKeepTheirOrder(t *testing.T) {
	b := ir.NewBuilder("k")
	i, j := b.Axis("i"), b.Axis("j")
	x := b.Buf(ir.Buf{Name: "x", Type: dtype.F32, Mode: ir.In, Rank: 1})
	y := b.Buf(ir.Buf{Name: "y", Type: dtype.F32, Mode: ir.Out})
	b.Open(ir.Vec, i)
	b.Open(ir.Seq, j)
	sum := b.Reduce(ir.ReductionByName("sum"), b.Load(x, ir.InBounds, []prim.Ix{b.K.Index.Axis(j)}, prim.V{}))
	b.Close()
	b.Store(y, nil, sum)
	b.Store(y, nil, b.Scalar(dtype.F32))
	b.Close()
	if err := ir.Check(b.K); err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(b.K.String(), "vec i")
	if n := strings.Count(body, "store"); n != 2 {
		t.Errorf("%d of the 2 stores are in the loop:\n%v", n, b.K)
	}
}
