package formula_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// Newton's method for the minimum of a function that the text defines.
func ExampleCompile() {
	f, err := formula.Compile[float64](`
		f(x) = sum(x**4 - 3*x**2 + x)
		x -= grad(f(x), x) / hvp(f(x), x, 1)`)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := []float64{-2, 1}
	for range 10 {
		if err := f.Run(context.Background(), map[string]any{"x": x}); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Printf("%.4f\n", x)
	// Output: [-1.3008 1.1309]
}

// value evaluates the last expression of a formula.
func value(t *testing.T, text string, vars any) string {
	t.Helper()
	f, err := formula.Compile[float64](text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	out, err := f.Eval(context.Background(), vars)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return fmt.Sprint(out["_"])
}

func TestDefinitions(t *testing.T) {
	vars := map[string]any{"x": []float64{1, 2, 3}, "k": 10.}
	for _, c := range []struct{ text, want string }{
		{"f(x) = x*x + 1; f(x)", "[2 5 10]"},
		{"f(a, b) = a - b; f(x, 1)", "[0 1 2]"},
		{"f(a, b) = a - b; f(b=x, a=1)", "[0 -1 -2]"},
		{"f(a) = a + k; f(2*x)", "[12 14 16]"},                             // k is a name of the formula
		{"f(a) = a + a; g(a) = f(f(a)) + k; g(x)", "[14 18 22]"},           // calls in calls
		{"g(a) = f(a)*2; f(a) = a + 1; g(x)", "[4 6 8]"},                   // defined before the call, not before the definition
		{"f(a) = a; y = f(x); f(a) = -a; f(y)", "[-1 -2 -3]"},              // the last definition before the call
		{"f(n) = zeros(n) + n; f(2)", "[2 2]"},                             // numbers stay numbers
		{"f(s) = reshape(arange(4), s); f((2, 2)).T.ravel()", "[0 2 1 3]"}, // and shapes shapes
		{"f(t) = x.astype(t); f('int32')", "[1 2 3]"},                      // and types types
		{"exp(a) = a + 1; exp(x)", "[2 3 4]"},                              // as in Python
		{"f() = x[1:]; f()", "[2 3]"},                                      // no parameters
		{"f(x) = 2*x; y = x + f(x[::-1]); y", "[7 6 5]"},                   // the parameter x is not the variable
		{"f(a) = x + a; y = x*1; y[:2] += f(1)[:2]; y", "[3 5 3]"},         // in statements of all kinds
		{"f(a) = a[0]; y = zeros(3); y[int(1)] = f(x + 1); y", "[0 2 0]"},  // arguments are values
		{"f(a) = a*a + 1; grad(f(k), k)", "20"},                            // derivatives
		{"f(a) = sum(a*a*a); grad(f(x), x)", "[3 12 27]"},                  //
		{"f(a) = sum(a*a*a); g(a) = sum(grad(f(a), a)); grad(g(x), x)", "[6 12 18]"},
		{"f(a) = grad(sum(a**2), a); f(2*x)", "[4 8 12]"}, // by a value without a name
		{"y = 2*x; grad(sum(y*y), y)", "[4 8 12]"},
		{"vjp(x*x, 1, x)", "[2 4 6]"},
		{"vjp(x*x, [1, 0, 2], x)", "[2 0 12]"},
		{"jvp(x*x, x, [1, 0, 2])", "[2 0 12]"},
		{"jvp(sum(x*x), x, x)", "28"},
		{"hvp(sum(x*x*x), x, x)", "[6 24 54]"},
		{"grad(sum(x*x), x + 0)", "[0 0 0]"}, // another value
	} {
		if got := value(t, c.text, vars); got != c.want {
			t.Errorf("%s: got %s, want %s", c.text, got, c.want)
		}
	}
}

// TestDefinitionErrors tests that a formula which defines no function that can
// be called is an error with a place.
func TestDefinitionErrors(t *testing.T) {
	chain := func(n int, first, format string) string {
		lines := []string{first}
		for i := range n {
			lines = append(lines, strings.NewReplacer("#", fmt.Sprint(i+1), "@", fmt.Sprint(i)).Replace(format))
		}
		return strings.Join(lines, "\n")
	}
	vars := map[string]any{"x": []float64{1, 2, 3}, "i": []int64{1, 2}}
	for _, c := range []struct{ text, want string }{
		{"f(x) = f(x)*2; f(x)", "calls itself"},
		{"f(x) = g(x); g(x) = f(x); f(x)", "calls itself"},
		{"f(x, x) = x; f(x, x)", "given twice"},
		{"f(1) = x; f(1)", "name alone"},
		{"f(a=1) = x; f(1)", "name alone"},
		{"f(x) += x; f(x)", "defined by ="},
		{"f(a) = a; f(x, 2)", "f takes 1 argument, not 2"},
		{"f(a) = a; f(b=x)", `no argument "b"`},
		{"f(a, b) = a; f(x, a=x)", "given twice"},
		{"f(a) = a", "calls none"},
		{"f(a) = a; g(x)", "no function"},
		{"f(a) = a + nosuch; f(x)", "nosuch"},
		{"x.f(a) = a; x", "can be assigned to"},
		{chain(40, "f0(a) = a + a", "f#(a) = f@(a) + f@(a)") + "\nf40(x)", "expand to more than"},
		{chain(40, "f0(a) = a + a", "f#(a) = f@(f@(a))") + "\nf40(x)", "expand to more than"},
		{chain(200, "f0(a) = a + a", "f#(a) = f@(a)") + "\nf200(x)", "levels deep"},
		{chain(30, "y0 = sum(sin(x)*cos(x)*exp(x))", "y# = sum(grad(y@, x)*y@)") + "\ny30", "more than 50000 operations"},
		{"grad(x*x, x)", "no scalar"},
		{"grad(sum(x), 3)", "differentiates by a name"},
		{"grad(sum(x), [1, 2])", "differentiates by a name"},
		{"grad(sum(i), i)", "no gradient"},
		{"grad(sum(x))", "lacks the argument"},
		{"vjp(x, [1, 2], x)", "broadcast"},
		{"jvp(x, x, zeros((2, 3)))", "broadcast"},
		{"hvp(x, x, x)", "no scalar"},
		{"grad(sum(x[1:]*x[:2]), x[1:]) + nosuch", "nosuch"},
	} {
		begin := testlevel.CPUTime()
		f, err := formula.Compile[float64](c.text)
		if err == nil {
			_, err = f.Eval(context.Background(), vars)
		}
		var e *formula.Error
		if !errors.As(err, &e) || !strings.Contains(e.Msg, c.want) || e.Line == 0 || strings.Contains(e.Msg, "f.") {
			t.Errorf("%.60s: %v does not say %q", c.text, err, c.want)
		}
		if d := testlevel.CPUTime() - begin; d > 20*time.Second {
			t.Errorf("%.60s took %v", c.text, d)
		}
	}
}

// TestDefinitionNames tests that the names which calls make are none of the
// formula's.
func TestDefinitionNames(t *testing.T) {
	s, err := formula.Parse("f(a) = a*k; y = f(x + 1)")
	if err != nil {
		t.Fatal(err)
	}
	if in := s.Inputs(); !slices.Equal(in, []string{"x", "k"}) || !slices.Equal(s.Assigned(), []string{"y"}) {
		t.Error(in, s.Assigned())
	}
	again, err := formula.Parse(s.String())
	if err != nil || again.String() != s.String() {
		t.Errorf("%s: %v", s, err)
	}
	y, x := engine.Zeros[float64](1), engine.Ones[float64](1)
	env := map[string]*tree.Node{"y": y.Node(), "x": x.Node(), "k": x.Node(), "f.a.1": x.Node()}
	if u, err := s.Build(env); err != nil || len(u.Statements) != 1 {
		t.Error(u, err)
	}
}
