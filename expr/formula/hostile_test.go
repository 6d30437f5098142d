package formula_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// hostileArguments are what no function expects everywhere.
var hostileArguments = []string{
	"c",
	"None", "'abc'", "float32", "True", "-1", "0", "3", "2**70", "-2**62", "10**400", "1.5", "1e308", "nan", "inf", "()", "[]", "[1, 2]",
	"(0, 0)", "((1, 2), 3)", "[[]]", "(None,)", "['x']", "v", "a", "p", "m", "[v, a]", "[v, v, v, 2]", "v.shape", "zeros((2, 0))", "10**9",
}

// parameters returns the names of the parameters of f.
func parameters(f formula.Function) []string {
	var names []string
	for p := range strings.SplitSeq(f.Arguments, ", ") {
		if name, _, _ := strings.Cut(p, "="); name != "*" && name != "/" {
			name = strings.TrimPrefix(name, "*")
			names = append(names, name)
		}
	}
	return names
}

// TestHostileArguments calls every function with combinations of arguments of
// all kinds. Each call gives a tree or an error of the formula, and none panics,
// which the tool would report as an internal error.
func TestHostileArguments(t *testing.T) {
	env := map[string]*tree.Node{
		"a": array(t, dtype.F32, 3, 4), "v": array(t, dtype.I8, 4), "m": array(t, dtype.Bool, 4), "c": array(t, dtype.C64, 3, 4),
		"p": tree.NewParamNode(dtype.I64, &tree.Scalar{Name: "p"}),
	}
	calls, distance := 0, testlevel.Every(1, 7)
	if testing.Short() {
		distance = 71
	}
	try := func(text string) {
		if calls++; calls%distance != 0 {
			return
		}
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("%s: panic: %v", text, r)
			}
		}()
		s, err := formula.Parse("r = " + text)
		if err != nil {
			t.Fatal(text, err)
		}
		_, checked := formula.Compile[float64]("r = " + text)
		_, err = s.Build(env)
		var e *formula.Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%s: %T: %v", text, err, err)
		}
		if checked != nil && err == nil {
			t.Errorf("%s: refused without variables, but builds: %v", text, checked)
		}
	}
	for _, f := range formula.Functions() {
		names := parameters(f)
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			for count := range len(names) + 2 {
				for i, x := range hostileArguments {
					args := make([]string, count)
					for k := range args {
						args[k] = hostileArguments[(i+k*(i+7))%len(hostileArguments)]
					}
					if count > 0 {
						args[0] = x
					}
					try(name + "(" + strings.Join(args, ", ") + ")")
				}
			}
			for _, p := range names {
				for _, x := range hostileArguments {
					try(fmt.Sprintf("%s(a, %s=%s)", name, p, x))
					try(fmt.Sprintf("%s(v, 2, %s=%s)", name, p, x))
					try(fmt.Sprintf("%s([v, v], %s=%s)", name, p, x))
					try(fmt.Sprintf("a.%s(%s=%s)", name, p, x))
				}
			}
		}
	}
	for _, x := range hostileArguments {
		for _, y := range hostileArguments {
			for _, o := range []string{"+", "-", "*", "/", "//", "%", "**", "@", "<<", "<", "=="} {
				try(x + " " + o + " " + y)
			}
			try("a[" + x + ", " + y + "]")
			try("v[" + x + ":" + y + "]")
			try("a*1; r[" + x + "] = " + y)
		}
		try("-" + x)
		try("a[::" + x + "]")
		try("(" + x + ").T")
		try("(" + x + ").shape[" + x + "]")
		try("float32(" + x + ")")
		try("int(" + x + ")")
	}
	t.Logf("%d calls", calls)
}

// TestCompileErrors checks that mistakes are found without variables.
func TestCompileErrors(t *testing.T) {
	for _, c := range []struct{ text, msg string }{
		{"y = nosuch(x)", `1:5: there is no function "nosuch"`},
		{"y = x + exq(x)", `1:9: there is no function "exq"; is it exp?`},
		{"y = sort_it(x)", `1:5: there is no function "sort_it"`},
		{"y = print(x)", `1:5: there is no function "print"`},
		{"y = sqtr(x)", `1:5: there is no function "sqtr"; is it sqrt?`},
		{"y = sum(x, axs=0)", `1:16: sum has no argument "axs"; it has a, axis, dtype, keepdims, initial, where`},
		{"y = exp(x, x)", `1:5: exp takes 1 argument, not 2`},
		{"y = exp(x=x)", `1:11: exp has no argument "x"; it has none with names`},
		{"y = add(x)", `1:5: add lacks the argument "x2"`},
		{"y = zeros()", `1:5: zeros lacks the argument "shape"`},
		{"y = max(x, dtype=float32)", `1:18: max has no argument "dtype"; it has a, axis, keepdims`},
		{"y = x.sum(0, None, 1)", `1:20: sum takes 3 positional arguments, not 4`},
		{"y = x.exp()", `1:7: arrays have no method "exp"; write exp(x)`},
		{"y = x.foo()", `1:7: arrays have no method "foo"`},
		{"y = x.foo", `1:7: there is no attribute "foo"; there are T, mT, shape, ndim, size, dtype`},
		{"y = x.sum", `1:7: "sum" is a method; call it with parentheses`},
		{"y = sum(x, axis='a')", `1:17: axis must be an integer written in the formula, not a string`},
		{"y = sum(x, keepdims=None)", `1:21: argument "keepdims" of sum cannot be None`},
		{"y = x + None", `1:7: None is no operand`},
		{"y = exp('x')", `1:9: a string is no operand`},
		{"y = [x, None] + 1", `1:15: None is no operand`},
		{"y = 1/0 + x", `1:6: /: division by zero`},
		{"y = x[::0]", `1:9: the step of a slice cannot be 0`},
		{"y = x[1.5]", `1:7: subscripts are integers, not the number 1.5`},
		{"y = x[..., ...]", `1:12: a subscript has only one ellipsis`},
		{"x['a'] = 2", `1:3: a string is no operand`},
		{"y = zeros((2, -1)) + x", `1:5: shape [2 -1] has negative extent -1 in dimension 1`},
		{"y = pad(5, -1)", `1:12: a width of -1 is not possible`},
		{"y = repeat([1, 2, 3], [])", `1:5: 0 numbers of repetitions do not fit an axis of size 3`},
		{"y = arange(None)", `1:12: argument "start" of arange cannot be None`},
		{"y = linspace(1, None)", `1:17: argument "stop" of linspace cannot be None`},
		{"y = astype(x, 'f99')", `1:15: "f99" is no element type`},
		{"y = concatenate(x, 0)", ``},
		{"y = tf.sum() + xp.T", ``},
		{"y = stack([x, None])", `1:11: None is no operand`},
		{"x = None", `1:5: None cannot be assigned`},
		{"x += 'a'", `1:6: a string cannot be assigned`},
		{"y = softmax(x, axis=0, 1)", `1:24: a positional argument follows a keyword argument`},
	} {
		_, err := formula.Compile[float32](c.text)
		if c.msg == "" && err != nil || c.msg != "" && (err == nil || !strings.Contains(err.Error(), c.msg)) {
			t.Errorf("%s: %v, want %s", c.text, err, c.msg)
		}
	}
}
