package standin

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/oneloop/oneloop/internal/testlevel"
)

var dump = flag.String("dump", "", "a directory for the sources of the kernels of these tests, for scripts/nvrtc-check")

// TestDump writes the sources that a real compiler should see too. The files of
// whole formulas begin with "program".
func TestDump(t *testing.T) {
	if *dump == "" {
		t.Skip("-dump names no directory")
	}
	times := 4
	if !testlevel.Deep() {
		times = 1
	}
	for name, trials := range map[string][]*trial{
		"text": texts(t, times), "operators": operators(t), "program": formulas(t), "primitives": allPrimitives(t), "reduction": reductions(t, testlevel.Every(1, 3)), "random": random(t, 10*times), "arguments": manyArguments(t),
	} {
		seen := map[string]bool{}
		for _, c := range trials {
			if seen[c.src.Code] {
				continue
			}
			seen[c.src.Code] = true
			file := filepath.Join(*dump, fmt.Sprintf("%s-%03d.cu", name, len(seen)))
			if err := os.WriteFile(file, []byte("// "+c.name+"\n"+c.src.Code), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
