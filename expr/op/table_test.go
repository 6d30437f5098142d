package op_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

func TestTable(t *testing.T) {
	table := untyped.Table()
	if !slices.IsSortedFunc(table, func(a, b *tree.Operator) int { return strings.Compare(a.Name(), b.Name()) }) {
		t.Error("the table is not sorted by name")
	}
	constructors, symbols := map[string]string{}, map[string]string{}
	for _, o := range table {
		if got, ok := untyped.Lookup(o.Name()); !ok || got != o {
			t.Errorf("%s does not find itself", o.Name())
		}
		if o.Name() != strings.ToLower(o.Name()) || o.Name() == "" {
			t.Errorf("%q is no name for formulas", o.Name())
		}
		if !strings.HasSuffix(o.Doc(), ".") && !strings.HasSuffix(o.Doc(), "...") {
			t.Errorf("%s is described by %q, no sentence", o.Name(), o.Doc())
		}
		if other := constructors[o.Constructor()]; other != "" {
			t.Errorf("%s and %s have one constructor", o.Name(), other)
		}
		constructors[o.Constructor()] = o.Name()
		if other := symbols[o.Symbol()]; other != "" && o.Symbol() != "" {
			t.Errorf("%s and %s have one symbol", o.Name(), other)
		}
		symbols[o.Symbol()] = o.Name()
		if o.Types() == 0 && o.Arity() != 0 {
			t.Errorf("%s takes no element type", o.Name())
		}
		if (o.Fault() == nil) != (o.FaultKind() == nil) {
			t.Errorf("%s has a fault without a kind, or a kind without a fault", o.Name())
		}
	}
	for _, c := range untyped.Compositions() {
		// A composition may be the formula of a Go function, with its defaults.
		if o, ok := untyped.Lookup(c.Name); ok && o.Class() == tree.Opaque {
			continue
		} else if ok || constructors[c.Constructor()] != "" {
			t.Errorf("a row and a composition are named %s or op.%s", c.Name, c.Constructor())
		}
		if !strings.HasSuffix(c.Doc, ".") || c.Arguments == "" || c.Build == nil {
			t.Errorf("%s is not complete", c.Name)
		}
	}
	if _, ok := untyped.Lookup("no such thing"); ok {
		t.Error("found an operator that does not exist")
	}
}

// TestConstructorsExist checks that every row has a function of this package
// with the name in docs/ops.md.
func TestConstructorsExist(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name.Name != "op" {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				have[fn.Name.Name] = true
			}
		}
	}
	for _, o := range untyped.Table() {
		if !have[o.Constructor()] {
			t.Errorf("there is no op.%s for %s", o.Constructor(), o.Name())
		}
	}
	for _, c := range untyped.Compositions() {
		if !have[c.Constructor()] {
			t.Errorf("there is no op.%s for %s", c.Constructor(), c.Name)
		}
	}
}

// TestEveryCellLowers checks that every row has a lowering for each of its
// types, with the result type that the row states.
func TestEveryCellLowers(t *testing.T) {
	for _, o := range untyped.Table() {
		switch o.Class() {
		case tree.Elementwise:
			lowerRow(t, o)
		case tree.View:
			if o.Shape() == nil || o.Gather() == nil {
				t.Errorf("%s has no shape or no index map", o.Name())
			}
		case tree.Reduction:
			if o.Reduce() == nil {
				t.Errorf("%s names no reduction", o.Name())
			}
		case tree.Contraction:
			if o.Shape() == nil {
				t.Errorf("%s has no shape", o.Name())
			}
		case tree.Opaque:
			if o.Shape() == nil || o.Routine().New == nil {
				t.Errorf("%s has no shape or no routine", o.Name())
			}
		default:
			t.Errorf("%s has class %d", o.Name(), o.Class())
		}
	}
}

func lowerRow(t *testing.T, o *tree.Operator) {
	for _, typ := range o.Types().List() {
		p, err := prim.NewProgram(operands(o, typ), o.Lower())
		if err != nil {
			t.Errorf("%s of %v: %v", o.Name(), typ, err)
			continue
		}
		want := typ.Register()
		if o.Result() == tree.ResultBool {
			want = dtype.Bool
		}
		if p.Result() != want {
			t.Errorf("%s of %v yields %v, want %v", o.Name(), typ, p.Result(), want)
		}
		if o.Fault() == nil || typ.IsFloat() {
			continue
		}
		if p, err := prim.NewProgram(operands(o, typ), o.Fault()); err != nil || p.Result() != dtype.Bool {
			t.Errorf("the fault of %s of %v: %v", o.Name(), typ, err)
		}
	}
	for _, typ := range dtype.Real() {
		if o.Types().Has(typ) {
			continue
		}
		n := tree.NewConst(typ, 0)
		args := slices.Repeat([]*tree.Node{n}, o.Arity())
		fails(t, o.Name()+" of "+typ.String(), untyped.Apply(o, args...), expr.ErrType)
	}
}

func TestApply(t *testing.T) {
	x := iota[float32](3).Node()
	sum, _ := untyped.Lookup("sum")
	fails(t, "sum as a map", untyped.Apply(sum, x), expr.ErrType)
	exp, _ := untyped.Lookup("exp")
	if n := untyped.Apply(exp, x); n.Err() != nil || n.String() != "exp(array)" {
		t.Errorf("got %v, %v", n, n.Err())
	}
	for name, f := range untyped.Lowerings() {
		if o, ok := untyped.Lookup(name); ok && (o.Lower() == nil || f == nil) {
			t.Errorf("%s has no lowering", name)
		}
	}
}
