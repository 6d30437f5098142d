package oneloop_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// given are the declarations that the blocks of Go on a page leave to the reader, in the
// order of the blocks. The tutorial has a test of its own, which runs its blocks.
var given = map[string][]string{
	"README.md": {
		"var weights, gradient []float32; var eta, lambda float32",
		"",
		"var ctx context.Context; var m, v, w *engine.Tensor[float32]; var m1, v1, step expr.Exp[float32]",
		"var a, b *engine.Tensor[float32]; var rate float32",
		"var ctx context.Context; var r *rand.Rand; var loader *nn.Loader[float32]",
		"var ctx context.Context; var w, g *engine.Tensor[float32]",
		"var ctx context.Context; var dense *mat.Dense; var softmax func(...expr.Exp[float32]) expr.Exp[float32];" +
			"var parquet struct { ReadFile func(string) ([]struct{ Values, Null any }, error) }", // a module of its own
	},
	"docs/grad.md": {
		"var a, b *engine.Tensor[float32]; var rate float32",
		"var ctx context.Context; var w, b *engine.Tensor[float32]; var g []expr.Exp[float32]; var rate float32",
	},
	"docs/scans.md": {
		"var x, y, last *engine.Tensor[float32]",
		"var x *engine.Tensor[float64]",
	},
	"docs/cuda-runtime.md": {"var ctx context.Context; var here, y *engine.Tensor[float32]"},
}

// paths are the packages that the blocks name.
var paths = map[string]string{
	"context": "context", "fmt": "fmt", "rand": "math/rand/v2", "mat": "gonum.org/v1/gonum/mat",
	"engine": module + "engine", "op": module + "expr/op", "expr": module + "expr", "grad": module + "expr/grad",
	"formula": module + "expr/formula", "nn": module + "engine/nn", "csv": module + "engine/csv", "picture": module + "engine/picture",
	"gonum": module + "engine/gonum", "stream": module + "engine/stream",
}

const module = "github.com/oneloop/oneloop/"

// TestCodeBlocks checks the types of the Go on the pages. Variables that a block declares
// need no use.
func TestCodeBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("lists packages")
	}
	fset := token.NewFileSet()
	imports := exported(t, fset, append(slices.Collect(maps.Values(paths)), "./engine/cuda")...)
	block := regexp.MustCompile("(?ms)^```go\n(.*?)^```$")
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		blocks := block.FindAllSubmatch(text, -1)
		if filepath.Base(page) == "tutorial.md" {
			continue
		}
		if n := len(given[filepath.ToSlash(page)]); n != len(blocks) {
			t.Errorf("%s has %d blocks of Go, and the test knows %d", page, len(blocks), n)
			continue
		}
		for i, m := range blocks {
			for _, problem := range check(fset, imports, given[filepath.ToSlash(page)][i], m[1]) {
				t.Errorf("%s, block %d: %s", page, i+1, problem)
			}
		}
	}
}

// check returns what is wrong with a block of statements after declarations.
func check(fset *token.FileSet, imports types.Importer, declarations string, block []byte) (problems []string) {
	var file bytes.Buffer
	file.WriteString("package p\n")
	own := regexp.MustCompile(`(?m)^import .*$`)
	for _, line := range own.FindAll(block, -1) {
		file.Write(append(line, '\n'))
	}
	block = own.ReplaceAll(block, nil)
	code := declarations + "\n" + string(regexp.MustCompile(`(?m)//.*$`).ReplaceAll(block, nil))
	for name, path := range paths {
		if regexp.MustCompile(`(^|[^\w."])` + name + `\.`).MatchString(code) {
			fmt.Fprintf(&file, "import %q\n", path)
		}
	}
	fmt.Fprintf(&file, "func _() {\n%s\n{\n//line block:1\n%s\n}\n}\n", declarations, block)
	parsed, err := parser.ParseFile(fset, "", file.Bytes(), 0)
	if err != nil {
		return []string{err.Error()}
	}
	config := types.Config{Importer: imports, Error: func(err error) {
		if text := err.Error(); !strings.Contains(text, "declared and not used") {
			problems = append(problems, text)
		}
	}}
	_, _ = config.Check("p", fset, []*ast.File{parsed}, nil)
	return problems
}
