package cudagen

import (
	"regexp"
	"testing"

	"github.com/oneloop/oneloop/expr/prim"
)

// TestPreludeHasPrimitives checks that the prelude defines a function for each
// primitive, except for those that the generator writes in place.
func TestPreludeHasPrimitives(t *testing.T) {
	inPlace := map[prim.Op]bool{prim.Const: true, prim.Lookup: true}
	for op := prim.Const; op < prim.NumOps; op++ {
		found := regexp.MustCompile(`(?m)\b` + op.String() + `(_\w*)?\(`).MatchString(Prelude)
		if found == inPlace[op] {
			t.Errorf("%s: in the prelude %v, written in place %v", op, found, inPlace[op])
		}
	}
}
