package oneloop_test

import (
	"bytes"
	"cmp"
	"flag"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var updateAPI = flag.Bool("update", false, "write testdata/api")

// TestAPI compares the exported names of each public package with a file of
// testdata/api, so that changes of the API are deliberate.
func TestAPI(t *testing.T) {
	const dir = "testdata/api"
	have := map[string]string{}
	for _, path := range publicPackages(t) {
		if text := listing(t, path); text != "\n" {
			have[strings.ReplaceAll(path, "/", "-")+".txt"] = text
		}
	}
	if *updateAPI {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range have {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, ok := have[f.Name()]; !ok {
			t.Errorf("the package of %s/%s is gone; if that is meant: go test . -run TestAPI -update", dir, f.Name())
		}
	}
	for name, text := range have {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%v; if the package is meant to be public: go test . -run TestAPI -update", err)
			continue
		}
		gone, added := lineDifference(string(want), text)
		if len(gone)+len(added) > 0 {
			t.Errorf("the exported names of %s changed; if that is meant: go test . -run TestAPI -update\n- %s\n+ %s", name, strings.Join(gone, "\n- "), strings.Join(added, "\n+ "))
		}
	}
}

// publicPackages returns the directories of packages that other modules can
// import.
func publicPackages(t *testing.T) (paths []string) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || path == "." {
			return err
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil || strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"internal", "testdata", "cmd", "examples", "scripts"}, d.Name()) {
			return fs.SkipDir
		}
		if files := sources(path); len(files) > 0 {
			paths = append(paths, filepath.ToSlash(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// sources returns the files of a package on one system, so that the listing does
// not depend on the machine.
func sources(path string) []string {
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled, c.BuildTags = "linux", "amd64", false, nil
	p, err := c.ImportDir(path, 0)
	if err != nil {
		return nil
	}
	return p.GoFiles
}

// documented returns the exported declarations of a package, parsed in a mode.
func documented(t *testing.T, path string, mode parser.Mode) (*token.FileSet, *doc.Package) {
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range sources(path) {
		f, err := parser.ParseFile(set, filepath.Join(path, name), nil, mode)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(set, files, path)
	if err != nil {
		t.Fatal(err)
	}
	return set, p
}

// listing returns the exported declarations of a package, one a line.
func listing(t *testing.T, path string) string {
	set, p := documented(t, path, parser.SkipObjectResolution)
	var lines []string
	add := func(n any) { lines = append(lines, oneLine(t, set, n)) }
	values := func(all []*doc.Value) {
		for _, v := range all {
			for _, name := range v.Names {
				if token.IsExported(name) {
					lines = append(lines, v.Decl.Tok.String()+" "+name)
				}
			}
		}
	}
	functions := func(all []*doc.Func) {
		for _, f := range all {
			f.Decl.Doc, f.Decl.Body = nil, nil
			add(f.Decl)
		}
	}
	values(p.Consts)
	values(p.Vars)
	functions(p.Funcs)
	for _, typ := range p.Types {
		values(typ.Consts)
		values(typ.Vars)
		functions(typ.Funcs)
		functions(typ.Methods)
		for _, s := range typ.Decl.Specs {
			lines = append(lines, typeLines(t, set, s.(*ast.TypeSpec))...)
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return cmp.Compare(a, b) })
	return strings.Join(slices.Compact(lines), "\n") + "\n"
}

// typeLines returns a type, and its exported fields and methods one by one.
func typeLines(t *testing.T, set *token.FileSet, s *ast.TypeSpec) []string {
	var members *ast.FieldList
	kind := ""
	switch x := s.Type.(type) {
	case *ast.StructType:
		members, kind = x.Fields, "struct"
	case *ast.InterfaceType:
		members, kind = x.Methods, "interface"
	default:
		s.Doc, s.Comment = nil, nil
		return []string{"type " + oneLine(t, set, s)}
	}
	head := "type " + s.Name.Name
	lines := []string{head + " " + kind}
	for _, f := range members.List {
		of := oneLine(t, set, f.Type)
		if len(f.Names) == 0 {
			lines = append(lines, head+": "+of)
		}
		for _, name := range f.Names {
			if name.IsExported() {
				lines = append(lines, head+": "+name.Name+" "+of)
			}
		}
	}
	return lines
}

func oneLine(t *testing.T, set *token.FileSet, n any) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, set, n); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// lineDifference returns the lines that only the old or only the new text has.
func lineDifference(before, after string) (gone, added []string) {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	only := func(x, y []string) []string {
		return slices.DeleteFunc(slices.Clone(x), func(l string) bool { return slices.Contains(y, l) })
	}
	return only(a, b), only(b, a)
}
