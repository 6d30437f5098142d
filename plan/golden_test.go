package plan_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// memory is the memory of leaves in tests of plans. Nothing reads it.
type memory struct{ size int }

func (m *memory) Device() string { return "cpu" }
func (m *memory) Size() int      { return m.size }

type leafOf[T expr.Elem] struct {
	expr.Target[T]
	node *tree.Node
}

func (l leafOf[T]) Node() *tree.Node { return l.node }

func typed[T expr.Elem](name string, dims ...int) leafOf[T] {
	s, t := shape.Shape(dims), dtype.Of[T]()
	return leafOf[T]{node: tree.NewLeaf(t, s, &tree.Leaf{Mem: &memory{s.Size() * t.Size()}, Strides: s.Strides(), Name: name})}
}

func leaf(name string, dims ...int) leafOf[float32] { return typed[float32](name, dims...) }

// text returns a plan in words and IR.
func text(t *testing.T, stmts []expr.Statement) string {
	t.Helper()
	p, err := plan.Compile(t.Context(), stmts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Trace(t.Context(), stmts); err != nil {
		t.Error(err)
	}
	var b strings.Builder
	for _, s := range stmts {
		fmt.Fprintln(&b, s)
	}
	b.WriteString(p.Explain())
	for i, s := range p.Stages {
		if s.Kernel == nil {
			continue
		}
		fmt.Fprintf(&b, "\nstage %d, extents %v, integers %v\n%s", i, s.Extents, s.Params, s.Kernel)
		if err := ir.Check(s.Kernel); err != nil {
			t.Errorf("stage %d: %v", i, err)
		}
	}
	return b.String()
}

// TestGolden compares plans with testdata/*.plan. Run it with -update to accept
// the current plans.
func TestGolden(t *testing.T) {
	x, y := leaf("x", 40, 50), leaf("y", 40, 50)
	w, g, m, v := leaf("w", 100), leaf("g", 100), leaf("m", 100), leaf("v", 100)
	a, k := leaf("a", 30, 30), typed[int32]("k", 100)
	lr := expr.NewParam[float32](.1)
	// Like softmax, without the coefficients of exp.
	soft := func(x expr.Exp[float32], axis int) expr.Exp[float32] {
		d := op.Sub(x, op.Max(x, op.Axis(axis), op.KeepDims()))
		e := op.Sqrt(op.Square(op.AddScalar(op.Square(op.Abs(d)), 1)))
		return op.Div(e, op.Sum(e, op.Axis(axis), op.KeepDims()))
	}
	square := op.Square(op.Sub(x, op.Mean(x, op.Axis(0), op.KeepDims())))
	for name, stmts := range map[string][]expr.Statement{
		"update": {expr.LetSub(w, op.Scale(.1, op.Add(g, op.Scale(1e-4, w))))},
		"adam": {
			expr.Let(m, op.Add(op.Scale(.9, m), op.Scale(.1, g))),
			expr.Let(v, op.Add(op.Scale(.999, v), op.Scale(.001, op.Mul(g, g)))),
			expr.LetSub(w, op.Div(op.Mul(lr, m), op.AddScalar(op.Sqrt(v), 1e-8))),
		},
		"softmax":          {expr.Let(y, soft(op.Sqrt(x), 1))},
		"softmax_in_place": {expr.Let(x, soft(x, 1))},
		"layernorm":        {expr.Let(y, op.LayerNorm[float32](x, leaf("gamma", 50), leaf("beta", 50), 1e-5))},
		"centre_columns":   {expr.Let(y, op.Sub(x, op.Mean(x, op.Axis(0))))},
		"column_variance":  {expr.Let(leaf("s", 50), op.Var(x, op.Axis(0)))},
		"standardise":      {expr.Let(y, op.Div(square, op.Std(x, op.Axis(0))))},
		"full_sum":         {expr.Let(leaf("s"), op.Sum(op.Square(op.Sub(x, y))))},
		"long_softmax":     {expr.Let(leaf("q", 1<<17), soft(leaf("p", 1<<17), 0))},
		"two_groups":       {expr.Let(leaf("s", 5), op.Sum(leaf("c", 4, 5, 60), op.Axis(0, 2)))},
		"transposed":       {expr.Let(leaf("q", 30, 30), op.Add(a, op.T[float32](a)))},
		"transposed_self":  {expr.Let(a, op.Add(op.T[float32](a), a))},
		"dense":            {expr.Let(leaf("q", 20, 20), op.ReLU(op.Add(op.Dot(leaf("b", 20, 30), op.T[float32](leaf("c", 20, 30))), leaf("d", 20))))},
		"pad":              {expr.Let(leaf("q", 32, 33), op.Pad[float32](a, [][2]int{{1, 1}, {0, 3}}, 0))},
		"concat":           {expr.Let(leaf("q", 70, 50), op.Concat(0, expr.Exp[float32](x), op.Reshape[float32](leaf("r", 30, 50), 30, 50)))},
		"take":             {expr.Let(leaf("q", 9, 50), op.Take(x, typed[int64]("i", 9), 0))},
		"take_of_bytes":    {expr.Let(leaf("q", 9), op.Take(typed[float32]("t", 256), typed[uint8]("i", 9), 0))},
		"divide":           {expr.Let(k, op.Where(op.Less(k, op.Full[int32](9)), op.Div(k, typed[int32]("j", 100)), k))},
		"divide_by_four":   {expr.Let(k, op.Add(op.FloorDiv(k, op.Full[int32](4)), op.Mod(k, op.BroadcastTo(op.Full[int32](4), 100))))},
		"three_columns":    {expr.Let(leaf("s", 100), op.Sqrt(op.Sum(op.Square[float32](leaf("p", 100, 3)), op.Axis(1))))},
		"reshape":          {expr.Let(leaf("q", 2000), op.Reshape(op.Add(x, y), -1))},
		"merge_transposed": {expr.Let(leaf("q", 900), op.Flatten(op.T(op.Abs[float32](a))))},
		"dependent":        {expr.Let(w, op.Add(g, m)), expr.Let(v, op.Flip[float32](w))},
		"halves":           {expr.Let(typed[expr.Float16]("h", 100), op.Cast[expr.Float16](op.Add(w, op.Cast[float32](typed[expr.Float16]("j", 100)))))},
		"argmax":           {expr.Let(typed[int64]("s", 40), op.ArgMax(x, op.Axis(1)))},
		"into":             {expr.Let(op.Into[float32](0, leaf("q", 10, 50), leaf("r", 30, 50)), op.Neg(x))},
	} {
		t.Run(name, func(t *testing.T) {
			got := text(t, stmts)
			path := filepath.Join("../testdata/plan", name+".plan")
			if *update {
				if err := os.MkdirAll("../testdata/plan", 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the plan differs from %s; it is now\n%s", path, got)
			}
			if again := text(t, stmts); again != got {
				t.Error("planning twice gives different plans")
			}
		})
	}
}

// TestSharedCost nests an expression that uses its operand twice. The number of
// stages must follow from the number of operations, not of paths.
func TestSharedCost(t *testing.T) {
	type vector = expr.Exp[float32]
	x := leaf("x", 100)
	for name, twice := range map[string]func(e vector) vector{
		"sin(e) + e":      func(e vector) vector { return op.Add(op.Sin(e), e) },
		"sin(e) * cos(e)": func(e vector) vector { return op.Mul(op.Sin(e), op.Cos(e)) },
		"e + (e * -e)":    func(e vector) vector { return op.Add(e, op.Mul(e, op.Neg(e))) },
	} {
		var e vector = x
		for range 300 {
			e = twice(e)
		}
		p, err := plan.Compile(t.Context(), []expr.Statement{expr.Let(leaf("y", 100), e)})
		if err != nil {
			t.Fatal(err)
		}
		primitives := 0
		for _, s := range p.Stages {
			for _, r := range s.Kernel.Regions {
				primitives += len(r.Code)
			}
		}
		if most := primitives/600 + 1; len(p.Stages) > most {
			t.Errorf("%s: %d stages of %d instructions, want at most %d", name, len(p.Stages), primitives, most)
		}
		if len(p.Temps) > len(p.Stages) {
			t.Errorf("%s: %d temporaries", name, len(p.Temps))
		}
	}
}
