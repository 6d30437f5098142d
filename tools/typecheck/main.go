// Command typecheck checks packages for GOOS and GOARCH without compiling: syntax, types, build
// constraints, and that files of assembly define each function without a body. It reads what the
// packages import as source, so nothing has to be compiled first. It does not look at the rest of
// the assembly, at embedded files, or at errors in packages that are not among its arguments. It
// runs in the folder of their module.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	list, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax, Fset: token.NewFileSet(), ParseFile: parse,
		Env: append(os.Environ(), "CGO_ENABLED=0"),
	}, os.Args[1:]...)
	if err != nil {
		log.Fatal(err)
	}
	n := 0
	for _, p := range list {
		for _, e := range append(p.Errors, withoutBody(p)...) {
			fmt.Println(e)
			n++
		}
	}
	if n > 0 {
		log.Fatal(n, " errors")
	}
}

// parse parses a file. It drops the bodies of functions outside of the module.
func parse(files *token.FileSet, name string, src []byte) (*ast.File, error) {
	f, err := parser.ParseFile(files, name, src, parser.SkipObjectResolution)
	if f == nil || strings.HasPrefix(name, folder) {
		return f, err
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			fn.Body = nil
		}
	}
	return f, err
}

// folder is the working folder.
var folder = func() string {
	dir, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	return dir + string(os.PathSeparator)
}()

// withoutBody returns an error for each function of p that no file has the body of.
func withoutBody(p *packages.Package) (missing []packages.Error) {
	text := ""
	for _, name := range p.OtherFiles {
		if strings.HasSuffix(name, ".s") {
			src, err := os.ReadFile(name)
			if err != nil {
				log.Fatal(err)
			}
			text += string(src)
		}
	}
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Body == nil && !strings.Contains(text, "TEXT ·"+fn.Name.Name+"(SB)") {
				missing = append(missing, packages.Error{Pos: p.Fset.Position(fn.Pos()).String(), Msg: fn.Name.Name + " has no body"})
			}
		}
	}
	return missing
}
