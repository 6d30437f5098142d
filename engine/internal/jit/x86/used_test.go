package x86

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestUsed fails for an instruction that no code outside tests emits. Its rows can leave
// insns.txt until a rule needs them.
func TestUsed(t *testing.T) {
	named := regexp.MustCompile(`\bx86\.([A-Z][A-Z0-9]+)\b`)
	used := map[string]bool{}
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range named.FindAllSubmatch(text, -1) {
			used[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for op := range numOps {
		if name := strings.ToUpper(op.String()); !used[name] {
			t.Errorf("no rule emits %s", name)
		}
	}
}
