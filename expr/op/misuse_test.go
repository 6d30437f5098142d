package op_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// misuses are calls without a correct result. Each must give a typed error.
var misuses = []map[string]func() error{treeMisuses, compositionMisuses, userMisuses}

func TestMisuse(t *testing.T) {
	for _, family := range misuses {
		for name, f := range family {
			t.Run(name, func(t *testing.T) { testMisuse(t, f) })
		}
	}
}

func testMisuse(t *testing.T, f func() error) {
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("panics: %v", r)
		}
	}()
	err := f()
	for _, kind := range typedErrors {
		if errors.Is(err, kind) {
			return
		}
	}
	t.Errorf("gives %v, want a typed error", err)
}

// TestMisuseOfRows applies every row to operands and attributes that it must
// reject.
func TestMisuseOfRows(t *testing.T) {
	wild := []tree.Attributes{{}, {Ints: []int{math.MinInt, math.MaxInt, -1}}, {Axes: []int{math.MaxInt}, Ints: []int{0, 0, 0}}, {To: 200, Axes: []int{-5, 7}}}
	for _, o := range untyped.Table() {
		for i, at := range wild {
			for n := range 5 {
				args := make([]*tree.Node, n)
				for k := range args {
					args[k] = []*tree.Node{vec.Node(), iota[int8](2, 2).Node(), nil, {}}[(i+k)%4]
				}
				func() {
					defer func() {
						if r := recover(); r != nil {
							t.Errorf("%s of %d operands, attributes %d: panics: %v", o.Name(), n, i, r)
						}
					}()
					if e := tree.ApplyWith(o, at, args...); e.Err() == nil {
						_ = err(e)
					}
				}()
			}
		}
	}
}

// TestMisuseOfCompositions applies every composition to operands and options
// that do not fit it.
func TestMisuseOfCompositions(t *testing.T) {
	wild := []untyped.Options{{}, {Axes: []int{math.MinInt, 0}, Ints: []int{math.MinInt, -1}}, {Axes: []int{0, 0}, Ints: []int{math.MaxInt}}, {Axes: []int{}, To: 200, Acc: 99, DDof: -1}}
	a, b := mat.Node(), iota[int8](2, 2).Node()
	patterns := [][]*tree.Node{{a, b, nil, {}}, {a, nil, nil, nil}, {b, nil, nil, nil}, {vec.Node(), vec.Node(), a, b}}
	for _, c := range untyped.Compositions() {
		for i, o := range wild {
			for n := range 5 * len(patterns) {
				args := make([]*tree.Node, n/len(patterns))
				for k := range args {
					args[k] = patterns[n%len(patterns)][(i+k)%4]
					if k == 0 {
						args[k] = patterns[n%len(patterns)][0]
					}
				}
				func() {
					defer func() {
						if r := recover(); r != nil {
							t.Errorf("%s of %v, options %d: panics: %v", c.Name, args, i, r)
						}
					}()
					if n := c.Apply(o, args...); n.Err() == nil {
						_ = err(n)
					}
				}()
			}
		}
		if c.Operands != 0 && c.Apply(untyped.Options{}).Err() == nil {
			t.Errorf("%s needs no operand", c.Name)
		}
	}
}

// TestNilMethods calls the methods of nil and zero values.
func TestNilMethods(t *testing.T) {
	for _, n := range []*tree.Node{nil, {}, {Op: &tree.Operator{}}} {
		if n.Err() == nil && n != nil && n.Op != nil {
			continue
		}
		_, _, _, _, _ = n.Shape(), n.DType(), n.Kind(), n.String(), n.Tree()
		if n.Verify() == nil {
			t.Errorf("%v is accepted", n)
		}
	}
	tree.Walk(nil, func(*tree.Node) {})
	_ = expr.Statement{Saver: 9}.String()
	_ = (shape.Shape{2, 3}).Count(3, 1) + (shape.Shape{2, 3}).Count(-1, 9)
	_, _ = prim.NewProgram(nil, nil)
}

// TestMisuseNamesEveryFunction fails if no misuse calls some exported function
// that is written by hand.
func TestMisuseNamesEveryFunction(t *testing.T) {
	var text []byte
	files, err := filepath.Glob("misuse_*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, b...)
	}
	harmless := map[string]bool{"Lookup": true, "Table": true, "Lowerings": true, "Row": true, "Compositions": true, "ULP": true, "Doc": true, "Joined": true}
	typed, _ := filepath.Glob("*.go")
	untyped, err := filepath.Glob("untyped/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(typed, untyped...) {
		if strings.HasSuffix(name, "_test.go") || name == "zops.go" || name == "zscalars.go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() && !harmless[fn.Name.Name] &&
				!strings.Contains(string(text), f.Name.Name+"."+fn.Name.Name+"(") && !strings.Contains(string(text), f.Name.Name+"."+fn.Name.Name+"[") {
				t.Errorf("%s.%s has no misuse", f.Name.Name, fn.Name.Name)
			}
		}
	}
}
