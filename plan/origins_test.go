package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
)

// TestOrigins compares where the operators of trees are computed with lists. A line is an operator or a
// constant without operands; then, by stage and part, the values of kernels that it is the origin of. A * stands for a
// product or a call. Operators that are not computed have none.
func TestOrigins(t *testing.T) {
	cpu := []plan.Option{plan.CombineProducts, plan.SplitLoops, plan.ChainAlways}
	const matrices = "a 64x64 float32\nb 64x64 float32\n"
	for _, test := range []struct {
		name, arrays, text string
		options            []plan.Option
		want               string
	}{
		{"fused", "x 100 float32\n", "y = sqrt(abs(-x*x))", nil, `
neg: 0.0%1
mul: 0.0%2
abs: 0.0%3
sqrt: 0.0%4
`},
		// Both roots are one value, which s*s uses twice.
		{"shared", "x 100 float32\n", "s = sqrt(x); y = s*s + sqrt(x)", nil, `
sqrt: 0.0%1
mul: 0.0%2
sqrt: 0.0%1
add: 0.0%3
`},
		{"folded", "x 100 float64\n", "y = x*exp(2.0)", nil, `
2:
exp:
mul: 0.0%2
`},
		// The second loop computes the square root again.
		{"reductions", "x 64x1000 float32\n", "y = sqrt(x - max(x, axis=1, keepdims=True)); z = y/sum(y, axis=1, keepdims=True)", nil, `
max: 0.0%1
sub: 0.0%3 0.0%7
sqrt: 0.0%4 0.0%8
sum: 0.0%5
div: 0.0%9
`},
		{"short", "x 1000x3 float32\n", "y = sum(sqrt(x), axis=1)", nil, `
sqrt: 0.0%1 0.0%3 0.0%6
sum: 0.0%0 0.0%2 0.0%4-5 0.0%7
transpose: 0.0%7
`},
		{"stored", "x 100x100 float32\n", "y = exp(x); z = y.T + y", nil, `
exp: 0.0%1-44 1.0%0
transpose: 1.0%1
add: 1.0%2
`},
		{"product", matrices, "y = abs(a.T @ b + 1)", nil, `
transpose: 0.0*
matmul: 0.0* 1.0%0
1: 1.0%1
add: 1.0%2
abs: 1.0%3
`},
		{"chain", matrices, "y = abs(a.T @ b + 1)", cpu, `
transpose: 0.0*
matmul: 0.0* 0.1%0
1: 0.1%1
add: 0.1%2
abs: 0.1%3
`},
		{"combined", matrices, "a += 2*(b @ b)", cpu, `
2: 0.0*
matmul: 0.0*
mul: 0.0*
`},
		{"call", "x 1000 float32\n", "y = -sort(abs(x))", nil, `
abs: 0.0%1
sort: 1.0* 2.0%0
neg: 2.0%1
`},
		{"scan", "x 10x100 float64\n", "y = cumsum(abs(x), axis=1)[:, ::2]", nil, `
-0: 0.0%0
broadcast_to: 0.0%0
reshape: 0.0%0
state: 0.0%1
abs: 0.0%3
add: 0.0%4
scan: 0.0%4-5 1.0%0
slice: 1.0%0
`},
		// The first stage only looks for faults.
		{"scanned", "x 100 int64\nz 100 int64\n", "x[:] = abs(x) // -z", nil, `
abs: 1.0%1
neg: 0.0%1 1.0%3
floor_divide: 0.0%2-3 1.0%4-74
`},
		{"parts", "x 600 float32\nz 600 float32\n", "y = concatenate((abs(x), sqrt(z)))", cpu, `
abs: 0.0%1
sqrt: 0.0%3
concat:
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := originsOf(t, statements(t, test.arrays, test.text), test.options...)
			if want := strings.TrimPrefix(test.want, "\n"); got != want {
				t.Errorf("the origins are\n%swant\n%s", got, want)
			}
		})
	}
}

// TestComplexOrigins checks that the operators of a complex tree, which the plan computes as
// real ones, have values.
func TestComplexOrigins(t *testing.T) {
	got := originsOf(t, statements(t, "x 600 float64\nz 600 float64\n", "y = abs(exp(x + 1j*z) - x)"))
	for _, name := range []string{"mul", "add", "exp", "sub", "abs"} {
		if !strings.Contains(got, name+": 0.0%") {
			t.Errorf("%s has no value\n%s", name, got)
		}
	}
}

// originsOf compiles statements, and returns a line for each operator.
func originsOf(t *testing.T, stmts []expr.Statement, options ...plan.Option) string {
	t.Helper()
	bare, err := plan.Compile(t.Context(), stmts, options...)
	if err != nil {
		t.Fatal(err)
	}
	pl, err := plan.Compile(t.Context(), stmts, append(slices.Clip(options), plan.RecordOrigins)...)
	if err != nil {
		t.Fatal(err)
	}
	if bare.Explain() != pl.Explain() {
		t.Errorf("recording origins changes the plan to\n%s", pl.Explain())
	}
	found := make([]string, len(pl.Origins))
	add := func(list []int32, what string) {
		for _, n := range list {
			found[n] += " " + what
		}
	}
	part, before := 0, -1
	for i, s := range pl.All() {
		if part++; i != before {
			part, before = 0, i
		}
		add(s.Origins, fmt.Sprintf("%d.%d*", i, part))
		if s.Kernel == nil {
			continue
		}
		if len(s.Kernel.Origins) != len(s.Kernel.Types) {
			t.Errorf("stage %d has %d values, and origins of %d", i, len(s.Kernel.Types), len(s.Kernel.Origins))
		}
		for n := range found {
			for v := 0; v < len(s.Kernel.Origins); v++ {
				first := v
				for v < len(s.Kernel.Origins) && slices.Contains(s.Kernel.Origins[v], int32(n)) {
					v++
				}
				switch v - first {
				case 0:
				case 1:
					add([]int32{int32(n)}, fmt.Sprintf("%d.%d%%%d", i, part, first))
				default:
					add([]int32{int32(n)}, fmt.Sprintf("%d.%d%%%d-%d", i, part, first, v-1))
				}
			}
		}
	}
	for _, s := range bare.All() {
		if s.Origins != nil || s.Kernel != nil && s.Kernel.Origins != nil {
			t.Error("origins are recorded without the option")
		}
	}
	var b strings.Builder
	for n, where := range found {
		name := pl.Origins[n].Op.Name()
		if pl.Origins[n].Op.Class() == tree.Constant {
			name = pl.Origins[n].String()
		}
		fmt.Fprintf(&b, "%s:%s\n", name, where)
	}
	return b.String()
}
