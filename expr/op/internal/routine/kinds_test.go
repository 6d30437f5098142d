package routine

import (
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// TestEveryType finds the register types without routines.
func TestEveryType(t *testing.T) {
	for _, typ := range dtype.Registers() {
		if k := kinds[typ]; k.search == nil || k.scatter == nil || k.sort == nil {
			t.Errorf("there are no routines for %v", typ)
		}
	}
}
