package formula_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
)

// FuzzBuild builds trees from any text with arrays of several types: it may
// refuse them, but never panics, and its errors are one line.
func FuzzBuild(f *testing.F) {
	for _, c := range fixed {
		f.Add(c.text)
	}
	for _, s := range []string{
		"a[i] = 2; a[::0]", "x = zeros((-1, 2**62)); x[0]", "arange(0, 1, 1e-300)", "a ** 2**5000", "1 << 10**9", "reshape(a, (-1, -1))",
		"eye(10**6, -3)", "pad(a, ((1, 2), (3,), ()))", "transpose(a, (0, 0))", "a.T.shape[5]", "[[1, 2], 3]", "linspace(0, inf, 3)", "clip(a)",
		"int(1e400) + float(10**400)", "one_hot(i, -1)", "sum(a, axis=(0, 0))", "b @ 1", "p[0] += 1", "f(x) = x*2; f(a)", "f(x) = f(x); f(a)", "f(x, y) = g(y) + x; g(x) = x; f(a, y=b)", "grad(sum(a*a), a)", "hvp(sum(a), a, v)", "p.T + p", "sum(p, axis=0)", "a[None, None, ...][p]",
	} {
		f.Add(s)
	}
	env := map[string]*tree.Node{
		"a": array(f, dtype.F32, 3, 4), "b": array(f, dtype.F16, 3, 4), "v": array(f, dtype.F64, 4), "i": array(f, dtype.I64, 3),
		"m": array(f, dtype.Bool, 3, 4), "u": array(f, dtype.U8, 4), "s": array(f, dtype.I32), "z": array(f, dtype.F32, 0, 4),
		"p": expr.NewParam(int64(2)).Node(), "q": expr.NewParam(2.5).Node(), "c": expr.Const(true).Node(),
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := formula.Parse(text)
		if err != nil {
			return
		}
		u, err := s.Build(env)
		if err != nil {
			var e *formula.Error
			if !errors.As(err, &e) || strings.ContainsAny(e.Msg, "\n") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		for _, st := range u.Statements {
			if err := st.Err(); err != nil {
				t.Fatalf("%q builds %v: %v", text, st, err)
			}
		}
		for name, n := range u.Values {
			if n.Err() != nil {
				t.Fatalf("%q: %s: %v", text, name, n.Err())
			}
		}
	})
}
