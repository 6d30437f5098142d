package oneloop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/doc"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/testlevel"

	// The tests need the public packages compiled, and go test does that before it runs them. Else
	// they would compile them themselves, while go test compiles them for other tests.
	_ "github.com/oneloop/oneloop/engine/blas"
	_ "github.com/oneloop/oneloop/engine/blas/system"
	_ "github.com/oneloop/oneloop/engine/blob"
	_ "github.com/oneloop/oneloop/engine/csv"
	_ "github.com/oneloop/oneloop/engine/cuda"
	_ "github.com/oneloop/oneloop/engine/gonum"
	_ "github.com/oneloop/oneloop/engine/inspect"
	_ "github.com/oneloop/oneloop/engine/inspect/limits"
	_ "github.com/oneloop/oneloop/engine/net"
	_ "github.com/oneloop/oneloop/engine/picture"
	_ "github.com/oneloop/oneloop/engine/ps"
	_ "github.com/oneloop/oneloop/engine/stream"
	_ "github.com/oneloop/oneloop/expr/formula"
)

// notCalled has what TestZeroValues does not call, and why. The names are
// of packages, functions, types and methods.
var notCalled = map[string]string{
	"engine.Array.Format":                     "fmt gives it a fmt.State",
	"engine.Tensor.Format":                    "fmt gives it a fmt.State",
	"expr.Param.Format":                       "fmt gives it a fmt.State",
	"engine/blas.Implementation":              "it is gonum's interface, which panics with strings and does not check lengths that overflow",
	"engine/cuda/cu":                          "it calls the functions of CUDA's libraries as they are",
	"engine/inspect/limits.Machine.Bandwidth": "it measures, for seconds",
	"engine/inspect/limits.Machine.Flops":     "it measures, for seconds",
	"expr/formula/syntax.Errorf":              "its format and arguments are those of fmt",
	"expr/tree.Errorf":                        "its format and arguments are those of fmt",
	"expr/tree.NewError":                      "its format and arguments are those of fmt",
	"expr/tree.Adjoint":                       "package grad makes it; a panic of a rule that gets it is an error of the gradient",
	"expr/tree.Gather":                        "the compiler makes it; a panic of an index map that gets it is an error of the tree",
	"cudagen":                                 "it takes kernels, which package plan makes",
	"expr/prim.IxTable":                       "the compiler makes it; a wild index panics, and a panic of an index map is an error of the tree",
	"expr/prim.Program":                       "NewProgram makes it; its arguments are not checked, for speed",
	"expr/prim.Reduction":                     "NewReduction makes it",
	"plan":                                    "it takes trees that were checked, and its stages are for back ends",
	"plan/bound":                              "it takes kernels, which package plan makes",
	"plan/fuse":                               "it takes graphs, which package plan/graph makes",
	"plan/graph":                              "it takes trees that were checked",
	"plan/ir":                                 "its kernels are for back ends; Check finds what is wrong with one",
	"shape.Each":                              "it takes as long as the shape has elements",
}

// TestZeroValues calls every exported function of the public packages, and every
// method of their types, on zero and nil values and with zero, small and wild
// arguments. By default it makes a sample of the calls with arguments of two of these
// kinds. A call may return anything, an error of the library among it, and panic with
// an error of the library where the documentation says so. It may not panic otherwise,
// hang, or end the process. The calls are those of testdata/zero/main.go, in a process
// of their own.
func TestZeroValues(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	program := zeroProgram(t)
	cache := "ONELOOP_CACHE=" + t.TempDir() // what the calls measure is not for other processes
	for next, ends := 0, 0; next >= 0 && ends < 50; ends++ {
		var errs bytes.Buffer
		out, err := os.Create(filepath.Join(t.TempDir(), "out")) // a pipe would wake this process for each line
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command(program, strconv.Itoa(next), strconv.Itoa(testlevel.Every(1, 5)))
		c.Dir, c.Env, c.Stdout, c.Stderr = t.TempDir(), append(os.Environ(), cache), out, &errs
		err = c.Run()
		out.Close()
		var last string
		if next, last = zeroReport(t, out.Name()); next >= 0 || err != nil {
			t.Errorf("%s: the process ended: %v\n%.2000s", last, err, errs.String())
		}
	}
}

// zeroProgram builds the program of TestZeroValues with a table of what it calls. The
// table is laid over a file of a package of this repository, so that the cache of builds
// has the package as long as nothing changes. Inlining takes a third of the time of the build.
func zeroProgram(t *testing.T) string {
	dir := t.TempDir()
	here, err := filepath.Abs("testdata/zero")
	if err != nil {
		t.Fatal(err)
	}
	table, overlay, program := filepath.Join(dir, "table.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "zero")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "table.go"): table}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{table: zeroTable(t), overlay: text} {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("go", "build", "-overlay", overlay, "-gcflags=-l", "-ldflags=-s -w", "-o", program, "./testdata/zero").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// zeroReport reports the bad calls of a run. If a call ended the
// process, it returns the name of this call and the number of the next one, else -1.
func zeroReport(t *testing.T, out string) (next int, last string) {
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	next = -1
	for line := range strings.Lines(string(text)) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch kind {
		case "bad":
			t.Error(rest)
		case "call":
			n, name, _ := strings.Cut(rest, " ")
			if next, err = strconv.Atoi(n); err != nil {
				t.Fatal(err)
			}
			next, last = next+1, name
		case "done":
			t.Log(rest)
			next = -1
		}
	}
	return next, last
}

// zeroTable returns the text of a file of Go with every exported function and
// type of the public packages. Those with parameters of type are instantiated.
func zeroTable(t *testing.T) []byte {
	var imports, rows bytes.Buffer
	used := map[string]bool{}
	called := func(name string) bool {
		used[name] = used[name] || notCalled[name] != ""
		return notCalled[name] == ""
	}
	paths := publicPackages(t)
	load := exported(t, token.NewFileSet(), lists.Map(paths, func(p string) string { return "./" + p })...)
	for i, path := range paths {
		pkg, err := load.Import("github.com/oneloop/oneloop/" + path)
		if err != nil {
			t.Fatal(err)
		}
		panics := documentedPanics(t, path)
		alias, n := fmt.Sprintf("p%d", i), rows.Len()
		for _, name := range pkg.Scope().Names() {
			o := pkg.Scope().Lookup(name)
			if !o.Exported() || !called(path) || !called(path+"."+name) {
				continue
			}
			at, ok := instance(o.Type())
			if !ok {
				t.Errorf("%s.%s: no type arguments fit", path, name)
			}
			switch o := o.(type) {
			case *types.Func:
				fmt.Fprintf(&rows, "\t{name: %q, f: %s.%s%s, panics: %t},\n", path+"."+name, alias, name, at, panics[name])
			case *types.TypeName:
				if o.IsAlias() {
					continue // the row of the type itself calls the methods
				}
				if x, ok := o.Type().Underlying().(*types.Interface); ok && !x.IsMethodSet() {
					continue // a constraint
				}
				var may, promoted []string
				for m := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
					if len(m.Index()) > 1 {
						promoted = append(promoted, m.Obj().Name())
					}
					if panics[name+"."+m.Obj().Name()] {
						may = append(may, m.Obj().Name())
					}
					called(path + "." + name + "." + m.Obj().Name())
				}
				fmt.Fprintf(&rows, "\t{name: %q, t: reflect.TypeFor[%s.%s%s](), mayPanic: %#v, promoted: %#v},\n", path+"."+name, alias, name, at, may, promoted)
			}
		}
		if rows.Len() > n {
			fmt.Fprintf(&imports, "\t%s %q\n", alias, "github.com/oneloop/oneloop/"+path)
		}
	}
	for name := range notCalled {
		if !used[name] {
			t.Errorf("there is no %s", name)
		}
	}
	return fmt.Appendf(nil, "package main\n\nimport (\n\t\"reflect\"\n\n%s)\n\nvar notCalled = %#v\n\nvar table = []row{\n%s}\n", &imports, notCalled, &rows)
}

// exported returns an importer of compiled packages and of what they import.
func exported(t *testing.T, fset *token.FileSet, paths ...string) types.Importer {
	out, err := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, paths...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
}

// instance returns type arguments that a function or a type takes, as text, or
// nothing for one without parameters of type.
func instance(typ types.Type) (text string, ok bool) {
	var params *types.TypeParamList
	switch x := typ.(type) {
	case *types.Signature:
		params = x.TypeParams()
	case *types.Named:
		params = x.TypeParams()
	case *types.Alias:
		params = x.TypeParams()
	}
	if params.Len() == 0 {
		return "", true
	}
	candidates := []types.BasicKind{types.Float32, types.Int32, types.Uint32, types.Int64, types.Complex64, types.Bool, types.String, types.Int}
	args := make([]types.Type, params.Len())
	var choose func(i int) bool
	choose = func(i int) bool {
		if i == len(args) {
			_, err := types.Instantiate(nil, typ, args, true)
			return err == nil
		}
		return slices.ContainsFunc(candidates, func(k types.BasicKind) bool {
			args[i] = types.Typ[k]
			return choose(i + 1)
		})
	}
	ok = choose(0)
	for i, a := range args {
		args[i] = a
		text += ", " + a.String()
	}
	return "[" + strings.TrimPrefix(text, ", ") + "]", ok
}

// documentedPanics returns the functions and the methods of a package whose
// documentation speaks of a panic.
func documentedPanics(t *testing.T, path string) map[string]bool {
	_, p := documented(t, path, parser.ParseComments|parser.SkipObjectResolution)
	panics := map[string]bool{}
	add := func(prefix string, all []*doc.Func) {
		for _, f := range all {
			panics[prefix+f.Name] = strings.Contains(f.Doc, "panic")
		}
	}
	add("", p.Funcs)
	for _, typ := range p.Types {
		add("", typ.Funcs)
		add(typ.Name+".", typ.Methods)
		if strings.Contains(typ.Doc, "panic") {
			for _, m := range typ.Methods {
				panics[typ.Name+"."+m.Name] = true
			}
		}
	}
	return panics
}
