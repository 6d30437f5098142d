package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLines compares the lines of each example with those of the NumPy program
// beside it: it has at most 1.5 times as many. Comments, imports, package clauses,
// empty lines, and lines that only close a bracket do not count. Counted as they
// stand, the Go programs are longer.
func TestLines(t *testing.T) {
	scripts, err := filepath.Glob("*/numpy_*.py")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no NumPy programs: ", err)
	}
	for _, script := range scripts {
		program := filepath.Join(filepath.Dir(script), "main.go")
		here, there := lines(t, program), lines(t, script)
		t.Logf("%s: %d lines, in NumPy %d", program, here, there)
		if 2*here > 3*there {
			t.Errorf("%s has %d lines, and %s has %d", program, here, script, there)
		}
	}
}

func lines(t *testing.T, path string) (n int) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	imports := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "import (":
			imports = true
		case imports && line == ")":
			imports = false
			continue
		}
		if strings.Trim(line, "})],") != "" && !imports && !strings.HasPrefix(line, "import ") && !strings.HasPrefix(line, "from ") && !strings.HasPrefix(line, "package ") && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, `"""`) {
			n++
		}
	}
	return n
}
