package oneloop_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// The limits of code that is not generated.
const (
	maxFile       = 700 // lines of a file
	maxFunction   = 80  // lines of a function
	maxParameters = 6
)

// aboveLimits has what may be above a limit, and why.
var aboveLimits = map[string]string{
	"engine/blas: parameters": "its methods are the interface of gonum's BLAS",
}

// TestLimits checks that the files, the functions and the parameter lists of the
// module are short. Files of tests may be long, and generated files.
func TestLimits(t *testing.T) {
	used := map[string]bool{}
	above := func(dir, kind string) bool {
		key := filepath.ToSlash(dir) + ": " + kind
		used[key] = true
		return aboveLimits[key] == ""
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != "."):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(f) {
			return err
		}
		dir := filepath.Dir(path)
		if n := files.File(f.Pos()).LineCount(); n > maxFile && above(dir, "file") {
			t.Errorf("%s has %d lines, more than %d", path, n, maxFile)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			var typ *ast.FuncType
			switch n := n.(type) {
			case *ast.FuncDecl:
				typ = n.Type
			case *ast.FuncLit:
				typ = n.Type
			default:
				return true
			}
			at := files.Position(n.Pos())
			if lines := files.Position(n.End()).Line - at.Line + 1; lines > maxFunction && above(dir, "function") {
				t.Errorf("%s: the function has %d lines, more than %d", at, lines, maxFunction)
			}
			if params := typ.Params.NumFields(); params > maxParameters && above(dir, "parameters") {
				t.Errorf("%s: the function has %d parameters, more than %d", at, params, maxParameters)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for key := range aboveLimits {
		if !used[key] {
			t.Errorf("%s is not above a limit", key)
		}
	}
}
