package plan_test

import (
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

// strided returns a leaf with the given strides, in memory that is large
// enough.
func strided(name string, dims, strides []int) leafOf[float32] {
	l := &tree.Leaf{Mem: &memory{4096}, Strides: strides, Name: name}
	return leafOf[float32]{node: tree.NewLeaf(dtype.F32, shape.Shape(dims), l)}
}

func always(*plan.Stage) bool { return true }

// stages returns a word for each stage of a plan. For products it names the
// bias.
func stages(p *plan.Plan) string {
	var out []string
	for _, s := range p.Stages {
		switch {
		case s.Bias != nil:
			out = append(out, "product+"+s.Bias.Name)
		case s.Kind == plan.Product:
			out = append(out, "product")
		default:
			out = append(out, "loop")
		}
	}
	return strings.Join(out, " ")
}

func TestEpilogues(t *testing.T) {
	x, w, b, y := leaf("x", 3, 4), leaf("w", 4, 5), leaf("b", 5), leaf("y", 3, 5)
	square, diagonal := leaf("square", 4, 4), leaf("diagonal", 4)
	dot := op.Dot(x, w)
	hidden := op.ReLU(op.Add(op.Dot(x, leaf("u", 4, 6)), leaf("c", 6)))
	for _, c := range []struct {
		name  string
		stmts []expr.Statement
		want  string
	}{
		{"bias", []expr.Statement{expr.Let(y, op.Add(dot, b))}, "product+b"},
		{"bias first", []expr.Statement{expr.Let(y, op.Add[float32](b, dot))}, "product+b"},
		{"a row as bias", []expr.Statement{expr.Let(y, op.Add(dot, leaf("r", 1, 5)))}, "product+r"},
		{"transposed operands", []expr.Statement{expr.Let(y, op.Add(op.Dot(op.T[float32](leaf("v", 4, 3)), op.T[float32](leaf("z", 5, 4))), b))}, "product+b"},
		{"a stack", []expr.Statement{expr.Let(leaf("q", 2, 3, 5), op.Add(op.MatMul(leaf("p", 2, 3, 4), w), b))}, "product+b"},
		{"a vector", []expr.Statement{expr.Let(leaf("q", 5), op.Add(op.MatMul(leaf("p", 4), w), b))}, "product+b"},
		{"reshaped", []expr.Statement{expr.Let(leaf("q", 2, 3, 5), op.Add(op.Reshape(op.Dot(leaf("p", 6, 4), w), 2, 3, 5), b))}, "product+b"},
		{"float64", []expr.Statement{expr.Let(typed[float64]("q", 3, 5), op.Add(op.Dot(typed[float64]("v", 3, 4), typed[float64]("z", 4, 5)), typed[float64]("d", 5)))}, "product+d"},
		{"layers", []expr.Statement{expr.Let(y, op.Add(op.Dot(op.Add(op.Dot(hidden, leaf("v", 6, 4)), leaf("d", 4)), w), b))}, "product loop product+d product+b"},
		{"a larger target", []expr.Statement{expr.Let(strided("q", []int{3, 5}, []int{5, 1}), op.Add(dot, b))}, "product+b"},

		{"bias of the rows", []expr.Statement{expr.Let(y, op.Add(dot, leaf("c", 3, 1)))}, "product loop"},
		{"bias of the rows of a square", []expr.Statement{expr.Let(leaf("q", 4, 4), op.Add(op.Dot(leaf("p", 4, 4), square), op.Reshape(diagonal, 4, 1)))}, "product loop"},
		{"a matrix", []expr.Statement{expr.Let(y, op.Add(dot, leaf("m", 3, 5)))}, "product loop"},
		{"a number", []expr.Statement{expr.Let(y, op.AddScalar(dot, 2))}, "product loop"},
		{"every other element", []expr.Statement{expr.Let(y, op.Add(dot, strided("e", []int{5}, []int{2})))}, "product loop"},
		{"difference", []expr.Statement{expr.Let(y, op.Sub(dot, b))}, "product loop"},
		{"scaled", []expr.Statement{expr.Let(y, op.Scale(2, op.Add(dot, b)))}, "product loop"},
		{"relu", []expr.Statement{expr.Let(y, op.ReLU(op.Add(dot, b)))}, "product loop"},
		{"relu without NaN", []expr.Statement{expr.Let(y, op.FMax(op.Add(dot, b), op.Full[float32](0)))}, "product loop"},
		{"gelu", []expr.Statement{expr.Let(y, op.Gelu(op.Add(dot, b)))}, "product loop"},
		{"twice", []expr.Statement{expr.Let(y, op.Add(op.Add(dot, b), dot))}, "product loop"},
		{"the product added to itself", []expr.Statement{expr.Let(y, op.Add(dot, dot))}, "product loop"},
		{"read again", []expr.Statement{expr.Let(y, op.Add(dot, b)), expr.Let(leaf("q", 3, 5), op.Neg(dot))}, "product loop"},
		{"read by a later stage", []expr.Statement{expr.Let(y, op.Add(dot, b)), expr.Let(leaf("q", 5), op.Sum(dot, op.Axis(0)))}, "product loop loop"},
		{"kept", []expr.Statement{expr.Let(leaf("q", 3, 5), dot), expr.Let(y, op.Add[float32](leaf("q", 3, 5), b))}, "product loop"},
		{"added to the target", []expr.Statement{expr.LetAdd(y, op.Add(dot, b))}, "product loop"},
		{"half bias", []expr.Statement{expr.Let(leaf("q", 5), op.Add(op.MatMul(leaf("p", 4), w), op.Cast[float32](typed[expr.Float16]("h", 5))))}, "product loop"},
		{"half target", []expr.Statement{expr.Let(typed[expr.Float16]("h", 3, 5), op.Cast[expr.Float16](op.Add(dot, b)))}, "product loop"},
		{"transposed target", []expr.Statement{expr.Let(strided("q", []int{3, 5}, []int{1, 3}), op.Add(dot, b))}, "product loop"},
		{"transposed product", []expr.Statement{expr.Let(leaf("q", 5, 3), op.Add(op.T(dot), leaf("c", 3)))}, "product loop"},
		{"wide target", []expr.Statement{expr.Let(strided("q", []int{3, 5}, []int{8, 1}), op.Add(dot, b))}, "product loop"},
		{"part of the product", []expr.Statement{expr.Let(leaf("q", 2, 5), op.Add(op.Slice(dot, op.Range(1, 3)), b))}, "product loop"},
		{"rows of other lengths", []expr.Statement{expr.Let(leaf("q", 5, 3), op.Add(op.Reshape(dot, 5, 3), leaf("c", 3)))}, "product loop"},
		{"matrix by vector", []expr.Statement{expr.Let(leaf("q", 3), op.Add(op.MatMul(x, leaf("p", 4)), leaf("c", 3)))}, "product loop"},
		{"one column", []expr.Statement{expr.Let(leaf("q", 3, 1), op.Add(op.Dot(x, leaf("p", 4, 1)), leaf("c", 1)))}, "product loop"},
		{"into the left operand", []expr.Statement{expr.Let(square, op.Add(op.Dot(square, leaf("p", 4, 4)), diagonal))}, "product loop"},
		{"into the right operand", []expr.Statement{expr.Let(square, op.Add(op.Dot(leaf("p", 4, 4), square), diagonal))}, "product loop"},
		{"into the bias", []expr.Statement{expr.Let(b, op.Add(op.MatMul(leaf("p", 4), w), b))}, "product loop"},
		{"nothing to sum", []expr.Statement{expr.Let(y, op.Add(op.Dot(leaf("p", 3, 0), leaf("z", 0, 5)), b))}, "product loop"},
		{"not after it", []expr.Statement{expr.Let(y, op.Add(dot, op.Scale(2, b)))}, "product loop loop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := plan.Compile(t.Context(), c.stmts)
			if err != nil {
				t.Fatal(err)
			}
			before := p.Explain()
			q := p.WithEpilogues(always)
			if got := stages(q); got != c.want {
				t.Errorf("stages %s, want %s\n%s", got, c.want, before)
			}
			if len(q.Stages) == 1 && q.Arena != 0 {
				t.Errorf("%d bytes of scratch for nothing", q.Arena)
			}
			if after := p.Explain(); after != before {
				t.Errorf("the plan itself has become\n%s", after)
			}
			if p.WithEpilogues(func(*plan.Stage) bool { return false }) != p {
				t.Error("epilogues that nobody takes change the plan")
			}
		})
	}
}

// TestEpilogueExactly changes one thing in a loop that adds a bias.
func TestEpilogueExactly(t *testing.T) {
	for name, change := range map[string]func(p *plan.Plan, s *plan.Stage, body *[]ir.Ins){
		"one load added to itself": func(_ *plan.Plan, _ *plan.Stage, body *[]ir.Ins) { (*body)[2].Args[1] = (*body)[2].Args[0] },
		"a load stored":            func(_ *plan.Plan, _ *plan.Stage, body *[]ir.Ins) { (*body)[3].Args[0] = (*body)[0].Dst },
		"two stores":               func(_ *plan.Plan, _ *plan.Stage, body *[]ir.Ins) { *body = append(*body, (*body)[3]) },
		"another loop": func(_ *plan.Plan, s *plan.Stage, _ *[]ir.Ins) {
			entry := &s.Kernel.Regions[0].Code
			*entry = append(*entry, (*entry)[0])
		},
		"rows in parallel": func(_ *plan.Plan, s *plan.Stage, _ *[]ir.Ins) { s.Kernel.Loops[0].Kind = ir.Par },
		"a guarded load":   func(_ *plan.Plan, s *plan.Stage, body *[]ir.Ins) { s.Kernel.Access[(*body)[0].Aux].Bounds = ir.Guarded },
		"a row buffer":     func(_ *plan.Plan, s *plan.Stage, _ *[]ir.Ins) { s.Bufs[1].Array = nil },
		"shifted": func(_ *plan.Plan, s *plan.Stage, body *[]ir.Ins) {
			coords, ix := s.Kernel.Access[(*body)[1].Aux].Coords, &s.Kernel.Index
			coords[0] = ix.Add(coords[0], ix.Const(1))
		},
		"halved": func(_ *plan.Plan, s *plan.Stage, body *[]ir.Ins) {
			coords, ix := s.Kernel.Access[(*body)[1].Aux].Coords, &s.Kernel.Index
			coords[0] = ix.Div(coords[0], ix.Const(2))
		},
		"fewer rows":         func(_ *plan.Plan, s *plan.Stage, _ *[]ir.Ins) { s.Extents[0] = 2 },
		"the product across": func(_ *plan.Plan, s *plan.Stage, _ *[]ir.Ins) { s.Bufs[0].Strides = []int{1, 3} },
		"the middle of the product": func(_ *plan.Plan, s *plan.Stage, _ *[]ir.Ins) {
			middle := *s.Bufs[0].Array
			middle.Offset = 1
			s.Bufs[0].Array = &middle
		},
		"the product of an earlier stage": func(p *plan.Plan, s *plan.Stage, _ *[]ir.Ins) {
			user := *p.Stages[0]
			user.Out = s.Bufs[2].Array
			user.Writes = []*plan.Array{user.Out}
			p.Stages = []*plan.Stage{p.Stages[0], &user, s}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := plan.Compile(t.Context(), []expr.Statement{expr.Let(leaf("y", 3, 5), op.Add(op.Dot(leaf("x", 3, 4), leaf("w", 4, 5)), leaf("b", 5)))})
			if err != nil {
				t.Fatal(err)
			}
			if got := stages(p.WithEpilogues(always)); got != "product+b" {
				t.Fatalf("stages %s before the change", got)
			}
			s := p.Stages[1]
			change(p, s, &s.Kernel.Regions[s.Kernel.Loops[0].Body].Code)
			if got := p.WithEpilogues(always); got != p {
				t.Errorf("stages %s", stages(got))
			}
		})
	}
}

// TestEpilogueMemory checks temporaries where a product stores its sums while
// its operand, a temporary too, is still read.
func TestEpilogueMemory(t *testing.T) {
	x, y := leaf("x", 40, 4), leaf("y", 40, 5)
	h := op.ReLU(op.Dot(x, leaf("u", 4, 6)))
	p, err := plan.Compile(t.Context(), []expr.Statement{expr.Let(y, op.Add(op.Dot(op.Add(op.Dot(h, leaf("v", 6, 4)), leaf("d", 4)), leaf("w", 4, 5)), leaf("b", 5)))})
	if err != nil {
		t.Fatal(err)
	}
	q := p.WithEpilogues(always)
	if got, want := stages(q), "product loop product+d product+b"; got != want {
		t.Fatalf("stages %s, want %s", got, want)
	}
	if got, want := q.Explain(), "4 stages, 3 temporaries, "; !strings.HasPrefix(got, want) {
		t.Errorf("%q does not begin\n%s", want, got)
	}
	for i, s := range q.Stages {
		if s.Bias == nil || s.Out.Mem != nil {
			continue
		}
		in, out := q.Temps[s.A.Temp], q.Temps[s.Out.Temp]
		if in.Offset < out.Offset+out.Array.Bytes() && out.Offset < in.Offset+in.Array.Bytes() {
			t.Errorf("stage %d stores at %d what it computes of %d", i, out.Offset, in.Offset)
		}
	}
	last := q.Stages[len(q.Stages)-1]
	if got, want := last.Flops(), 40*5*(2*4+1); got != want {
		t.Errorf("%d flops, want %d", got, want)
	}
	if got, want := q.Explain(), "matrix product, with the bias b float32[5]: "; !strings.Contains(got, want) {
		t.Errorf("%q is not in\n%s", want, got)
	}
}
