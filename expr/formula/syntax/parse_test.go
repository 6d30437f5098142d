package syntax

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// printed returns statements as text, one a line.
func printed(st []*Statement) string {
	lines := make([]string, len(st))
	for i, s := range st {
		lines[i] = s.String()
	}
	return strings.Join(lines, "\n")
}

func TestPrecedence(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a + b * c", "(a + (b * c))"},
		{"a - b - c", "((a - b) - c)"},
		{"a ** b ** c", "(a ** (b ** c))"},
		{"-a ** b", "(-(a ** b))"},
		{"a ** -b", "(a ** (-b))"},
		{"a ** -b ** c", "(a ** (-(b ** c)))"},
		{"-a * b", "((-a) * b)"},
		{"~a & b", "((~a) & b)"},
		{"a | b ^ c & d", "(a | (b ^ (c & d)))"},
		{"a & b << c + d", "(a & (b << (c + d)))"},
		{"a < b | c", "(a < (b | c))"},
		{"(a < b) | (c == d)", "((a < b) | (c == d))"},
		{"a @ b * c", "((a @ b) * c)"},
		{"a // b % c", "((a // b) % c)"},
		{"--a", "(-(-a))"},
		{"-a.T[0]", "(-a.T[0])"},
		{"a.sum(axis=0)[1:]", "a.sum(axis=0)[1:]"},
		{"x[1:, ::-1, None, ..., 3, i]", "x[1:, ::(-1), None, ..., 3, i]"},
		{"x[:, a:b:c, newaxis]", "x[:, a:b:c, None]"},
		{"sum(x, axis=(0, 1), keepdims=True)", "sum(x, axis=(0, 1), keepdims=True)"},
		{"f(x, (1,), (), [a, b,],)", "f(x, (1,), (), [a, b])"},
		{"w -= eta*(g + lam*w)", "w -= (eta * (g + (lam * w)))"},
		{"x[1:] **= 2; x", "x[1:] **= 2\nx"},
		{"a = 1 # one\n\n\nb = (a +\n 2) ;; b", "a = 1\nb = (a + 2)\nb"},
		{"a \\\n + b", "(a + b)"},
		{"np.exp(x) + numpy.pi", "(exp(x) + pi)"},
		{"1_000 + 0x1F + 0b11 + 0o17 + 1. + .5 + 1e-3 + 1E5 + 0.1 + 00", "(((((((((1000 + 31) + 3) + 15) + 1.0) + 0.5) + 0.001) + 100000.0) + 0.1) + 0)"},
		{"True + False", "(True + False)"},
		{"astype(x, 'float32')", "astype(x, 'float32')"},
		{"größe * 2", "(größe * 2)"},
		{"a, b[0], = 1, c,; (d, e) = f(a); (g,) = b", "(a, b[0]) = (1, c)\n(d, e) = f(a)\n(g,) = b"},
	} {
		s, err := Parse(c.in)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if got := printed(s); got != c.want {
			t.Errorf("%q is %s, want %s", c.in, got, c.want)
		}
		again, err := Parse(printed(s))
		if err != nil || printed(again) != c.want {
			t.Errorf("%q does not parse to itself: %v", c.want, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		in        string
		line, col int
		msg       string
	}{
		{"", 1, 1, "the formula is empty"},
		{" # nothing", 1, 1, "the formula is empty"},
		{"a +", 1, 4, "an operand was expected, not the end of the formula"},
		{"a + * b", 1, 5, `an operand was expected, not "*"`},
		{"a b", 1, 3, `an operator or the end of the statement was expected, not "b"`},
		{"(a + b", 1, 1, `")" is missing for this bracket`},
		{"a + b)", 1, 6, `an operator or the end of the statement was expected, not ")"`},
		{"x[1:", 1, 2, `"]" is missing for this bracket`},
		{"x[]", 1, 3, "a subscript is empty"},
		{"a < b < c", 1, 7, "comparisons cannot be chained; write (a < b) & (b < c)"},
		{"a and b", 1, 3, `"and" is not supported in formulas; use & between comparisons in parentheses`},
		{"not a", 1, 1, `"not" is not supported in formulas; use ~`},
		{"a if b else c", 1, 3, `"if" is not supported in formulas; use where(condition, a, b)`},
		{"x = y = z", 1, 7, "one statement assigns once"},
		{"x, y", 1, 2, "several values in one statement are not supported; write one statement for each"},
		{"z = x, y", 1, 6, `an operator or the end of the statement was expected, not ","`},
		{"x, y += z", 1, 6, "several names are assigned by =, not by +="},
		{"x, 3 = z", 1, 4, "only a name, or a name with a subscript, can be assigned to; f(x) = defines a function"},
		{"x, f(y) = z", 1, 4, "only a name, or a name with a subscript, can be assigned to; f(x) = defines a function"},
		{"() = z", 1, 1, "only a name, or a name with a subscript, can be assigned to; f(x) = defines a function"},
		{"x + 1 = 2", 1, 3, "only a name, or a name with a subscript, can be assigned to; f(x) = defines a function"},
		{"f(2) = 2", 1, 3, "a parameter of a function is a name alone"},
		{"a\nb = 2", 1, 1, "the value of this expression is not used; only the last statement may be an expression"},
		{"b = 2\nc = $", 2, 5, "character '$' has no meaning in a formula"},
		{"f(a=1, a=2)", 1, 8, `argument "a" is given twice`},
		{"f(a=1, 2)", 1, 8, "a positional argument follows a keyword argument"},
		{"f(2=1)", 1, 3, "a keyword argument begins with a name"},
		{"f(*a)", 1, 3, "arguments cannot be unpacked"},
		{"f(a)(b)", 1, 5, "only functions can be called, by their names"},
		{"a = 'x", 1, 5, "the string does not end on this line, or has an escape; only names of types are strings here"},
		{"012", 1, 1, `"012": an integer does not begin with 0`},
		{"1__0", 1, 1, `"1__0": an underscore must stand between two digits`},
		{"1.2.3", 1, 1, `"1.2.3": this is no number`},
		{"2jj", 1, 1, `"2jj": this is no number`},
		{"0x1j", 1, 1, `"0x1j": this is no number`},
		{"0x", 1, 1, `"0x": this is no number`},
		{"{1: 2}", 1, 1, `"{" is not supported in formulas`},
		{"x := 2", 1, 3, `":=" is not supported in formulas; use a statement of its own`},
		{"a && b", 1, 3, `"&&" is not supported in formulas; use &`},
		{"a ? b", 1, 3, `"?" is not supported in formulas; use where(condition, a, b)`},
		{"lambda x: x", 1, 1, `"lambda" is not supported in formulas; define a function by f(x) = ...`},
		{"x.1", 1, 2, `an operator or the end of the statement was expected, not ".1"`},
		{"a = b; \xff", 1, 8, "byte 0xff is no UTF-8 text"},
	} {
		_, err := Parse(c.in)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: error %v", c.in, err)
			continue
		}
		if e.Line != c.line || e.Col != c.col || e.Msg != c.msg {
			t.Errorf("%q: %d:%d: %s", c.in, e.Line, e.Col, e.Msg)
		}
		if strings.Contains(e.Error(), "\n") {
			t.Errorf("%q: the message has several lines", c.in)
		}
	}
}

func TestCaret(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a = 1\n\tb = a +* 2\nc", "\tb = a +* 2\n\t       ^"},
		{"größe = 2 + )", "größe = 2 + )\n            ^"},
		{"日本 + 가 + )", "日本 + 가 + )\n\u3000\u3000   \u3000   ^"},
		{strings.Repeat("aa+", 50) + "*", "..." + strings.Repeat("aa+", 20) + "*\n" + strings.Repeat(" ", 63) + "^"},
	} {
		_, err := Parse(c.in)
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("%q: %v", c.in, err)
		}
		if got := e.Caret(); got != c.want {
			t.Errorf("%q gives\n%s\nwant\n%s", c.in, got, c.want)
		}
	}
}

func TestBounds(t *testing.T) {
	for name, text := range map[string]string{
		"parentheses": strings.Repeat("(", 100_000) + "a" + strings.Repeat(")", 100_000),
		"open":        strings.Repeat("(", 100_000),
		"brackets":    strings.Repeat("[", 100_000),
		"subscripts":  strings.Repeat("a[", 100_000),
		"calls":       strings.Repeat("f(", 100_000),
		"signs":       strings.Repeat("-", 100_000) + "a",
		"powers":      strings.Repeat("a**", 100_000) + "a",
		"chain":       strings.Repeat("a+", 100_000) + "a",
		"attributes":  "a" + strings.Repeat(".T", 100_000),
		"long":        strings.Repeat("a", maxText+1),
		"digits":      strings.Repeat("9", 100_000),
		"shape":       "zeros(" + strings.Repeat("1,", 100_000) + "1)",
		"many":        strings.Repeat("a=1;", 100_000),
	} {
		_, err := Parse(text)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		if msg := err.Error(); strings.Contains(msg, "\n") || len(msg) > 200 {
			t.Errorf("%s: %d bytes of message", name, len(msg))
		}
		var e *Error
		if errors.As(err, &e); len(e.Caret()) > 400 {
			t.Errorf("%s: %d bytes of caret", name, len(e.Caret()))
		}
	}
	if _, err := Parse(strings.Repeat("(", 900) + "a" + strings.Repeat(")", 900)); err != nil {
		t.Errorf("900 parentheses: %v", err)
	}
	if _, err := Parse(strings.Repeat("a+", 9_000) + "a"); err != nil {
		t.Errorf("9000 sums: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"w -= eta*(g + lam*w)", "y = exp(x - max(x, axis=-1, keepdims=True)); y /= sum(y)", "x[1:, ::-1, None, ..., 3, idx] **= -2",
		"a = 0x1F_f + 1e-3 # c\nb = 'float32'", "a if b", "((((", "x.T @ [1, (2,), ()]", "-a ** ~b <= c", "1.e5.real", "\\\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Pos < 0 || e.Pos > len(text) || e.Line < 1 || e.Col < 1 {
				t.Fatalf("%q: error %v", text, err)
			}
			_ = e.Caret()
			if msg := e.Error(); strings.Contains(msg, "\n") || utf8.ValidString(text) && !utf8.ValidString(msg) {
				t.Fatalf("%q: message %q", text, msg)
			}
			return
		}
		for _, st := range s {
			if st.Value.depth > 300 || st.Target.depth > 300 {
				return // the printed form nests deeper than the source
			}
		}
		once := printed(s)
		again, err := Parse(once)
		if err != nil {
			t.Fatalf("%q prints as %q: %v", text, once, err)
		}
		if printed(again) != once {
			t.Fatalf("%q prints as %q, and that as %q", text, once, printed(again))
		}
	})
}
