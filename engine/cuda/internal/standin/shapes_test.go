package standin

import (
	"strings"
	"testing"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestShapes sees to it that the other tests have kernels of every shape.
func TestShapes(t *testing.T) {
	if !testlevel.Deep() {
		t.Skip("the others have fewer kernels")
	}
	trials := append(texts(t, 12), random(t, 120)...)
	trials = append(trials, formulas(t)...)
	count := map[string]int{}
	for _, c := range trials {
		text := strings.TrimPrefix(c.src.Code, cudagen.Prelude)
		for _, s := range []string{
			"pack<", "prim::max(at, (ix)0)", "tile_", "stage_", "red::across", "runs_", "blocks_", "red::block<1>", "red::block<4>", "red::block<16>", "one + k*step", "red::runs",
			"a.scratch + a.row", "shared + a.row", "a.scratch + a.part", "shared + a.part", "a.slot", "prim::clamp", "faults", "typedef i64 ix", "typedef i32 ix",
			"__syncwarp", "prim::quo(i, ", "prim::mod(",
		} {
			if strings.Contains(text, s) {
				count[s]++
			} else {
				count[s] += 0
			}
		}
	}
	for s, n := range count {
		if n < 2 {
			t.Errorf("%d of %d kernels have %q", n, len(trials), s)
		}
	}
}
