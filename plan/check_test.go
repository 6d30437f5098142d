package plan

import (
	"reflect"
	"testing"

	"github.com/oneloop/oneloop/expr/tree"
)

// TestCheckerForgets empties a small map, and leaves a large one to the garbage collector.
func TestCheckerForgets(t *testing.T) {
	for _, n := range []int{mostKept, mostKept + 1} {
		c := &checker{how: map[*tree.Node]uint8{}}
		for range n {
			c.how[&tree.Node{}] = 1
		}
		before := reflect.ValueOf(c.how).Pointer()
		c.forget()
		if same := reflect.ValueOf(c.how).Pointer() == before; len(c.how) != 0 || same != (n <= mostKept) {
			t.Errorf("%d nodes: %d are left, in the same map: %v", n, len(c.how), same)
		}
	}
}
