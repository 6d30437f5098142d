package inspect_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/inspect"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/shape"
)

// A phantom is a memory without bytes.
type phantom int

func (*phantom) Device() string { return "cpu" }
func (p *phantom) Size() int    { return int(*p) }

// TestListings tests that the code for arrays without memory is that for arrays
// that do not overlap. Stores to large arrays that are not read bypass the caches.
func TestListings(t *testing.T) {
	const n = 1 << 26
	array := func() *tree.Node {
		p := phantom(4 * n)
		return tree.NewLeaf(dtype.F32, shape.Shape{n}, &tree.Leaf{Mem: &p, Strides: shape.Strides{1}})
	}
	var stmts []expr.Statement
	for range 15 {
		stmts = append(stmts, expr.Statement{Target: array(), Value: op.AddScalar[float32](expr.Of[float32](array()), 1).Node()})
	}
	pl, err := plan.Compile(t.Context(), stmts)
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := inspect.Listings("", pl)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inspect.Listings("", nil); !errors.Is(err, expr.ErrValue) {
		t.Error("no plan gives", err)
	}
	for _, k := range kernels {
		if text := k.String(); len(k.Functions) > 0 && !strings.Contains(text, "vmovntps") {
			t.Fatalf("no store passes by the caches in\n%s", text)
		}
	}
}
