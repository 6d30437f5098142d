package oneloop_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// backward has the folders of the compiler, and how many references between two files of
// each run against the order of its files. A reference is a file that uses a function, a
// method, a type, a constant or a variable of another one.
var backward = map[string]int{
	"engine/internal/jit":           0,
	"engine/internal/jit/emit":      3,
	"engine/internal/jit/exec":      0,
	"engine/internal/jit/isa":       1,
	"engine/internal/jit/isa/amd64": 0,
	"engine/internal/jit/isa/neon":  0,
	"engine/internal/jit/layout":    0,
	"engine/internal/jit/lower":     0,
	"engine/internal/jit/reduce":    0,
	"engine/internal/jit/x86":       0,
	"plan":                          1,
	"plan/bound":                    0,
	"plan/fuse":                     0,
	"plan/graph":                    2,
	"plan/ir":                       0,
}

// TestOrderOfFiles checks that the files of the compiler can be read in one order, from
// what uses to what is used.
func TestOrderOfFiles(t *testing.T) {
	in := &modulePackages{files: token.NewFileSet(), known: map[string]*types.Package{}}
	for dir, want := range backward {
		back, err := in.backward(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(back) > want {
			t.Errorf("%s: %d references run against the order of the files, more than %d:\n%s", dir, len(back), want, strings.Join(back, "\n"))
		} else if len(back) < want {
			t.Errorf("%s: only %d references run against the order of the files; lower the limit of %d", dir, len(back), want)
		}
	}
}

const modulePath = "github.com/oneloop/oneloop/"

// modulePackages checks the types of packages of the module. Other packages are empty for
// it: what depends on them has no type, and is no reference between files of one folder.
type modulePackages struct {
	files *token.FileSet
	known map[string]*types.Package
}

// Import returns the declarations of a package.
func (m *modulePackages) Import(name string) (*types.Package, error) {
	if p := m.known[name]; p != nil {
		return p, nil
	}
	p := types.NewPackage(name, path.Base(name))
	if dir, ok := strings.CutPrefix(name, modulePath); ok {
		var err error
		if p, err = m.check(dir, &types.Info{}, true); err != nil {
			return nil, err
		}
	}
	p.MarkComplete()
	m.known[name] = p
	return p, nil
}

func (m *modulePackages) check(dir string, info *types.Info, declarations bool) (*types.Package, error) {
	target := build.Default
	target.GOOS, target.GOARCH = "linux", "amd64" // one set of files on every machine
	listed, err := target.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range listed.GoFiles {
		f, err := parser.ParseFile(m.files, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	c := types.Config{Importer: m, IgnoreFuncBodies: declarations, Error: func(error) {}}
	p, _ := c.Check(modulePath+dir, m.files, files, info) // its errors come of the empty packages
	return p, nil
}

// backward returns the references between files of a folder that run against an order of
// them. The order is one in which moving a file would not make them fewer.
func (m *modulePackages) backward(dir string) ([]string, error) {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	p, err := m.check(dir, info, false)
	if err != nil {
		return nil, err
	}
	file := func(at token.Pos) string { return filepath.Base(m.files.Position(at).Filename) }
	uses := map[[2]string][]string{} // by user and used file: the names
	for id, o := range info.Uses {
		f, isFunc := o.(*types.Func)
		if o.Pkg() != p || o.Parent() != p.Scope() && !(isFunc && f.Signature().Recv() != nil) {
			continue
		}
		if r := [2]string{file(id.Pos()), file(o.Pos())}; r[0] != r[1] && !slices.Contains(uses[r], o.Name()) {
			uses[r] = append(uses[r], o.Name())
		}
	}
	var order []string
	for r := range uses {
		order = append(order, r[0], r[1])
	}
	slices.Sort(order)
	order = arrange(slices.Compact(order), func(a, b string) int { return min(len(uses[[2]string{a, b}]), 1) })
	var back []string
	for r, names := range uses {
		if slices.Index(order, r[0]) > slices.Index(order, r[1]) {
			slices.Sort(names)
			back = append(back, fmt.Sprintf("\t%s uses %s: %s", r[0], r[1], strings.Join(names, ", ")))
		}
	}
	slices.Sort(back)
	return back, nil
}

// arrange moves one file at a time to where most references fewer run backward, until no
// move gains. uses is 1 if the first file uses the second.
func arrange(order []string, uses func(a, b string) int) []string {
	excess := func(x string) (n int) {
		for _, y := range order {
			n += uses(x, y) - uses(y, x)
		}
		return n
	}
	by := map[string]int{}
	for _, x := range order {
		by[x] = excess(x)
	}
	slices.SortStableFunc(order, func(x, y string) int { return by[y] - by[x] })
	for moved := true; moved; {
		moved = false
		for i, x := range slices.Clone(order) {
			i = slices.Index(order, x)
			best, to := 0, i
			for _, step := range []int{-1, 1} {
				cost := 0
				for j := i + step; j >= 0 && j < len(order); j += step {
					if cost += step * (uses(x, order[j]) - uses(order[j], x)); cost < best {
						best, to = cost, j
					}
				}
			}
			if to != i {
				order = slices.Insert(slices.Delete(order, i, i+1), to, x)
				moved = true
			}
		}
	}
	return order
}

// compiledAgain has the packages with tests inside of them that import packages above, and these. go test compiles a package with
// tests inside once more for them, and each package above it that they import.
var compiledAgain = map[string][]string{
	"engine/internal/jit":   {"engine", "engine/internal/host"},
	"engine/internal/reuse": {"engine"},
}

// TestCompiledAgain checks that go test compiles no other package once more for the tests of another one.
func TestCompiledAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("lists packages")
	}
	list := exec.Command("go", "list", "-test", "-deps", "-f", "{{with .ForTest}}{{.}} {{$.ImportPath}}{{end}}", "./...")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		of, rest, _ := strings.Cut(line, " ")
		name, _, variant := strings.Cut(strings.TrimSpace(rest), " [")
		if of, name = strings.TrimPrefix(of, modulePath), strings.TrimPrefix(name, modulePath); variant && name != of && name != of+"_test" {
			got[of] = append(got[of], name)
		}
	}
	for of, names := range got {
		slices.Sort(names)
		if !slices.Equal(names, compiledAgain[of]) {
			t.Errorf("go test compiles %v once more for the tests inside of %s; have these tests outside, or elsewhere", names, of)
		}
	}
	for of := range compiledAgain {
		if got[of] == nil {
			t.Errorf("go test compiles nothing once more for the tests of %s", of)
		}
	}
}
