package graph

import (
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// TestManyStores stores to one memory more often than 16 bits count. Each store
// makes another value.
func TestManyStores(t *testing.T) {
	x := tree.NewLeaf(dtype.F32, nil, &tree.Leaf{Mem: &flat{}})
	g := New()
	first, err := g.Add(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	for range 1 << 16 {
		g.Stored(first.Array)
	}
	if last, err := g.Add(t.Context(), x); err != nil || last == first {
		t.Errorf("the value before %d stores is the value after them (error %v)", 1<<16, err)
	}
}
