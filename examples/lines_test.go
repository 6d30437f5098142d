package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLines compares the lines of each example with those of the NumPy program
// beside it: it has at most 1.5 times as many, counted as they stand, and without
// comments, imports, package clauses, empty lines, and lines that only close a bracket.
func TestLines(t *testing.T) {
	scripts, err := filepath.Glob("*/numpy_*.py")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no NumPy programs: ", err)
	}
	for _, script := range scripts {
		program := filepath.Join(filepath.Dir(script), "main.go")
		here, all := lines(t, program)
		there, allThere := lines(t, script)
		t.Logf("%s: %d lines, of them %d with code; in NumPy %d and %d", program, all, here, allThere, there)
		if 2*here > 3*there || 2*all > 3*allThere {
			t.Errorf("%s has %d lines, of them %d with code; %s has %d and %d", program, all, here, script, allThere, there)
		}
	}
}

// lines returns the number of lines with code, and of all.
func lines(t *testing.T, path string) (n, all int) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	imports := false
	for line := range strings.Lines(string(text)) {
		all++
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
	return n, all
}
