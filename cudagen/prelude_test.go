package cudagen

import (
	"regexp"
	"testing"

	"github.com/oneloop/oneloop/expr/prim"
)

// TestPreludeHasPrimitives: the prelude defines a function for each primitive. What the
// generator writes in place is named here.
func TestPreludeHasPrimitives(t *testing.T) {
	inPlace := map[prim.Op]bool{prim.Const: true, prim.Lookup: true}
	for op := prim.Const; op < prim.NumOps; op++ {
		found := regexp.MustCompile(`(?m)\b` + op.String() + `(_\w*)?\(`).MatchString(Prelude)
		if found == inPlace[op] {
			t.Errorf("%s: in the prelude %v, written in place %v", op, found, inPlace[op])
		}
	}
}
