package cudagen_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestPreludeHasOrder checks that the prelude combines values in the order of
// plan/ir.
func TestPreludeHasOrder(t *testing.T) {
	for name, want := range map[string]int{"block_length": ir.Block, "run_length": ir.Run, "lane_count": ir.MaxLanes} {
		m := regexp.MustCompile(`\b` + name + ` = (\d+)`).FindStringSubmatch(cudagen.Prelude)
		if m == nil || m[1] != strconv.Itoa(want) {
			t.Errorf("the prelude has %q, want %s = %d", m, name, want)
		}
	}
}

// TestPreludeHasPrimitives checks that the prelude defines a function for each
// primitive, except for those that the generator writes in place.
func TestPreludeHasPrimitives(t *testing.T) {
	inPlace := map[prim.Op]bool{prim.Const: true, prim.Lookup: true}
	for op := prim.Const; op < prim.NumOps; op++ {
		found := regexp.MustCompile(`(?m)\b` + op.String() + `(_\w*)?\(`).MatchString(cudagen.Prelude)
		if found == inPlace[op] {
			t.Errorf("%s: in the prelude %v, written in place %v", op, found, inPlace[op])
		}
	}
}
