package jit_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestImports fails if a package that serves all targets imports an encoder or a target.
func TestImports(t *testing.T) {
	shared := []string{"emit", "isa", "lower", "layout", "reduce", "frame", "reg"}
	for _, dir := range shared {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(dir, "has no files", err)
		}
		for _, path := range files {
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range f.Imports {
				_, of, ok := strings.Cut(strings.Trim(i.Path.Value, `"`), "/internal/jit/")
				if ok && !slices.Contains(shared, of) {
					t.Errorf("%s imports jit/%s, which belongs to one target", path, of)
				}
			}
		}
	}
}
