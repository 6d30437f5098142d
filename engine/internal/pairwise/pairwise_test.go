package pairwise_test

import (
	"fmt"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/pairwise"
)

func pair(x, y string) string { return "(" + x + y + ")" }

// TestTree compares the results of Tree and of Reduce, and both with known
// results.
func TestTree(t *testing.T) {
	known := map[int]string{0: "none", 1: "0", 2: "(01)", 3: "((01)2)", 5: "(((01)(23))4)", 6: "(((01)(23))(45))", 7: "(((01)(23))((45)6))"}
	var tree pairwise.Tree[string]
	for n := range 70 {
		var blocks []string
		for i := range n {
			blocks = append(blocks, fmt.Sprint(i))
			tree.Push(blocks[i], pair)
		}
		grown := tree.Pop("none", pair)
		once := pairwise.Reduce(blocks, "none", pair)
		if grown != once {
			t.Errorf("%d blocks: %s and %s", n, grown, once)
		}
		if want, ok := known[n]; ok && once != want {
			t.Errorf("%d blocks: %s, not %s", n, once, want)
		}
	}
}
