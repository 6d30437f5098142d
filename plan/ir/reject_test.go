package ir

import (
	"strings"
	"testing"
)

// A rejection is a text that Parse or Check rejects. It has declarations and
// code of the entry region, which the test puts into a common text.
type rejection struct{ decl, code, want string }

const common = "kernel k\naxis i0 i1\nparams 1\nbuf x f32 in 1\nbuf y f32 out 1\n"

func (r rejection) kernel() string {
	return common + r.decl + "{\n" + strings.ReplaceAll(r.code, "; ", "\n") + "\n}\n"
}

// In the code "; " starts a new line. Lines count from 1. Without more
// declarations "{" is line 6.
var rejected = []rejection{
	// Parse: declarations.
	{"axis i0\n", "", "ir: line 6: axis i0 is declared twice"},
	{"axis 0\n", "", `ir: line 6: expected a name before "0"`},
	{"params 70000\n", "", `ir: line 6: expected a number up to 65536, not "70000"`},
	{"params 1 2\n", "", `ir: line 6: unexpected "2"`},
	{"buf x f32 in 1\n", "", "ir: line 6: buffer x is declared twice"},
	{"buf z c64 in 1\n", "", `ir: line 6: expected a type, not "c64"`},
	{"buf z f33 in 1\n", "", `ir: line 6: expected a type, not "f33"`},
	{"buf z f32 of 1\n", "", `ir: line 6: expected in, out, inout or row, not "of"`},
	{"buf z f32 row [i2]\n", "", `ir: line 6: expected an axis or ] before "i2]"`},
	{"buf z f32 row i0\n", "", `ir: line 6: expected [ before "i0"`},
	{"scalar s1 f32\n", "", `ir: line 6: expected s0, not "s1"`},
	{"table t0 f32 [0x0 0x1]\n", "", `ir: line 6: expected , before "0x1]"`},
	{"table t0 f32 [0x100000000]\n", "", `ir: line 6: "0x100000000" is not a constant of type f32`},
	{"table t0 f16 [1, 2]\n", "", `ir: line 6: "1" is not a constant of type f16`},
	{"loop\n", "", `ir: line 6: expected axis, params, buf, scalar, table, reduction or {, not "loop"`},

	// Parse: code.
	{"", "%0 = const f32 1; %0 = const f32 2", "ir: line 8: %0 is defined twice"},
	{"", "%x = const f32 1", `ir: line 7: expected the number of a value, not "x"`},
	{"", "%0 = neg f32 %1", "ir: line 7: %1 is not defined"},
	{"", "%0 = negate f32 %0", `ir: line 7: unknown operation "negate"`},
	{"", "%0 = for f32 %0", `ir: line 7: unknown operation "for"`},
	{"", "%0 = vec i0 {; }", `ir: line 7: unknown operation "vec"`},
	{"", "const f32 1", "ir: line 7: const needs a result: %N = const"},
	{"", "%0 = const f32 1; %1 = store f32 y[0] %0", "ir: line 8: store has no result"},
	{"", "%0 = const f32 0x1ffffffff", `ir: line 7: "0x1ffffffff" is not a constant of type f32`},
	{"", "%0 = const i8 128", `ir: line 7: "128" is not a constant of type i8`},
	{"", "%0 = const bool 2", `ir: line 7: "2" is not a constant of type bool`},
	{"", "%0 = const", "ir: line 7: expected a type, not the end of the line"},
	{"", "%0 = const f32 1 2", `ir: line 7: unexpected "2"`},
	{"", "%0 = lookup f32 t0 %0", `ir: line 7: "t0" is not declared`},
	{"", "%0 = scalar f32 s0", `ir: line 7: "s0" is not declared`},
	{"", "%0 = reduce mean f32 %0", `ir: line 7: expected a reduction, not "mean"`},
	{"", "%0 = const bool true; fault fire %0", `ir: line 8: expected a fault, not "fire"`},
	{"", "vec i2 {; }", `ir: line 7: expected an axis or { before "i2{"`},
	{"", "vec i0 {", "ir: line 9: no } for the { of line 6"},
	{"", "}; }", "ir: line 8: text after the kernel"},
	{"", "%0 = const bool true; %1 = cold bool %0 %0 {; }", "ir: line 9: a cold region ends with: yield %value"},
	{"", "%0 = const bool true; %1 = cold bool %0 %0 {; yield %0; yield %0; }", "ir: line 10: expected } after yield"},
	{"", "yield %0", `ir: line 7: unknown operation "yield"`},
	{"", "%0 = load f32 z[0]", `ir: line 7: expected a buffer, not "z"`},
	{"", "%0 = load f32 x[0] guard", `ir: line 7: unexpected "guard"`},
	{"", "%0 = load f32 x[0 0]", `ir: line 7: expected , before "0]"`},
	{"", "%0 = load f32 x[0", "ir: line 7: expected , before the end of the line"},
	{"", "%0 = load f32 x[i2]", `ir: line 7: "i2" is not an axis or a parameter`},
	{"", "%0 = load f32 x[p1]", `ir: line 7: "p1" is not declared`},
	{"", "%0 = load f32 x[*]", `ir: line 7: expected an index expression before "*]"`},
	{"", "%0 = load f32 x[1+", "ir: line 7: expected an index expression at the end of the line"},
	{"", "%0 = load f32 x[9223372036854775808]", `ir: line 7: expected an integer, not "9223372036854775808"`},
	{"", "%0 = load f32 x[div(1)]", `ir: line 7: expected , before ")]"`},
	{"", "%0 = index " + strings.Repeat("(", 300), "ir: line 7: index expression more than 256 deep"},
	{"", "%0 = add f32 %0 %0 %0 %0", `ir: line 7: unexpected "%0"`},
	{"", strings.Repeat("vec i0 {; ", 80), "ir: line 70: regions more than 64 deep"},
	{"", strings.Repeat(" ", maxLine+1), "ir: line 7: more than 65536 bytes"},

	// Check: declarations.
	{"axis div\n", "", `ir: k: "div" cannot name an axis`},
	{"axis p7\n", "", `ir: k: "p7" cannot name an axis`},
	{"scalar s0 f16\n", "", "ir: k: scalar s0: f16 is not a register type"},
	{"table t0 f32 [1, 2, 3]\n", "", "ir: k: table t0 has 3 entries, not a power of two from 2 to 64"},
	{"table t0 f32 [1]\n", "", "ir: k: table t0 has 1 entries, not a power of two from 2 to 64"},
	{"table t0 bool [0x1, 0x0]\n", "", "ir: k: table t0: bool is not a number type of registers"},
	{"buf e f32 row [i0 i0]\n", "", "ir: k: row buffer e: axis i0 twice"},
	{"buf e f32 row [i1]\n", "vec i0 {; }", "ir: k: row buffer e: no vec or seq loop binds its axis i1"},
	{"buf e f32 row [i1]\n", "par i1 {; }", "ir: k: row buffer e: no vec or seq loop binds its axis i1"},

	// Check: definitions and visibility.
	{"", "%0 = neg f32 %1; %1 = const f32 1", "ir: k: region 0: %0 = neg f32 %1: %1 is used before its definition"},
	{"", "vec i0 {; %0 = const f32 1; }; store f32 y[0] %0", "ir: k: region 0: store f32 y[0] %0: %0 is not visible here"},
	{"", "vec i0 {; %0 = const f32 1; %1 = reduce sum f32 %0; store f32 y[i0] %1; }", "ir: k: region 1: store f32 y[i0] %1: %1 is not visible here"},
	{
		"", "par i0 {; vec i1 {; %0 = const f32 1; %1 = reduce sum f32 %0; }; }; store f32 y[0] %1",
		"ir: k: region 0: store f32 y[0] %1: %1 is not visible here",
	},
	{
		"", "%0 = const bool true; %1 = cold bool %0 %0 {; %2 = not bool %0; yield %2; }; %3 = not bool %2",
		"ir: k: region 0: %3 = not bool %2: %2 is not visible here",
	},
	{
		"", "%0 = const bool true; %1 = cold bool %0 %0 {; yield %1; }",
		"ir: k: region 1 yields %1, which is not visible at its end",
	},

	// Check: operands and types.
	{"", "%0 = const f32 1; %1 = add f32 %0", "ir: k: region 0: %1 = add f32 %0: 1 operands, want 2"},
	{"", "%0 = const f32 1; %1 = neg f32 %0 %0", "ir: k: region 0: %1 = neg f32 %0 %0: 2 operands, want 1"},
	{"", "%0 = const f32 1; %1 = const f64 1; %2 = add f64 %0 %1", "ir: k: region 0: %2 = add f64 %0 %1: operands are f32 and f64"},
	{"", "%0 = const f32 1; %1 = add f64 %0 %0", "ir: k: region 0: %1 = add f64 %0 %0: the result is f32"},
	{"", "%0 = const f32 1; %1 = lt f32 %0 %0", "ir: k: region 0: %1 = lt f32 %0 %0: the result is bool"},
	{"", "%0 = const bool true; %1 = add bool %0 %0", "ir: k: region 0: %1 = add bool %0 %0: it does not take bool"},
	{"", "%0 = const f32 1; %1 = and f32 %0 %0", "ir: k: region 0: %1 = and f32 %0 %0: it does not take f32"},
	{"", "%0 = const i32 1; %1 = mulhi i32 %0 %0", "ir: k: region 0: %1 = mulhi i32 %0 %0: it does not take i32"},
	{"", "%0 = const i32 1; %1 = sqrt i32 %0", "ir: k: region 0: %1 = sqrt i32 %0: it does not take i32"},
	{"", "%0 = const f64 1; %1 = roundf16 f64 %0", "ir: k: region 0: %1 = roundf16 f64 %0: it does not take f64"},
	{"", "%0 = const f32 1; %1 = select f32 %0 %0 %0", "ir: k: region 0: %1 = select f32 %0 %0 %0: operand 1 is f32, want bool"},
	{"", "%0 = const f32 1; %1 = scale f32 %0 %0", "ir: k: region 0: %1 = scale f32 %0 %0: operand 2 is f32, want i32"},
	{"", "%0 = const f64 1; %1 = const i32 1; %2 = scale f64 %0 %1", "ir: k: region 0: %2 = scale f64 %0 %1: operand 2 is i32, want i64"},
	{"", "%0 = const f64 1; %1 = const i64 1; %2 = scale f32 %0 %1", "ir: k: region 0: %2 = scale f32 %0 %1: the result is f64"},
	{"", "%0 = const f64 1; %1 = bitcast i32 %0", "ir: k: region 0: %1 = bitcast i32 %0: the sizes differ"},
	{"", "%0 = const f64 1; %1 = cvt f16 %0", "ir: k: %1: f16 is not a register type"},
	{"table t0 f32 [1, 2]\n", "%0 = const f32 1; %1 = lookup f32 t0 %0", "ir: k: region 0: %1 = lookup f32 t0 %0: it does not take f32"},
	{"table t0 f32 [1, 2]\n", "%0 = const i32 1; %1 = lookup f64 t0 %0", "ir: k: region 0: %1 = lookup f64 t0 %0: the result is f32"},
	{"scalar s0 f32\n", "%0 = scalar f64 s0", "ir: k: region 0: %0 = scalar f64 s0: the result is f32"},
	{"", "%0 = const f32 1; fault divide %0", "ir: k: region 0: fault divide %0: operand 1 is f32, want bool"},
	{"", "%0 = const bool true; fault none %0", "ir: k: region 0: fault none %0: no fault 0"},
	{"", "%0 = const f32 1; %1 = cold f32 %0 %0 {; yield %0; }", "ir: k: region 0: %1 = cold f32 %0 %0: operand 1 is f32, want bool"},
	{"", "%0 = const bool true; %1 = cold f32 %0 %0 {; yield %0; }", "ir: k: region 0: %1 = cold f32 %0 %0: operand 2 is bool, want f32"},
	{
		"", "%0 = const bool true; %1 = const f32 1; %2 = cold f32 %0 %1 {; yield %0; }",
		"ir: k: region 0: %2 = cold f32 %0 %1: the cold region yields bool",
	},
	{"", "%0 = const bool true; %1 = cold bool %0 {; yield %0; }", "ir: k: region 0: %1 = cold bool %0: 1 operands, want 2"},

	// Check: accesses.
	{"", "%0 = load f32 x[0, 0]", "ir: k: region 0: %0 = load f32 x[0, 0]: 2 coordinates, but x has rank 1"},
	{"", "%0 = load f64 x[0]", "ir: k: region 0: %0 = load f64 x[0]: the result is f32"},
	{"buf h f16 in 0\n", "%0 = load i32 h[]", "ir: k: region 0: %0 = load i32 h[]: the result is f32"},
	{"", "%0 = load f32 y[0]", "ir: k: region 0: %0 = load f32 y[0]: y is an output"},
	{"", "%0 = const f32 1; store f32 x[0] %0", "ir: k: region 0: store f32 x[0] %0: x is an input"},
	{"", "%0 = const f64 1; store f32 y[0] %0", "ir: k: region 0: store f32 y[0] %0: operand 1 is f64, want f32"},
	{"", "%0 = const f64 1; %1 = load f32 x[0] else %0", "ir: k: region 0: %1 = load f32 x[0] else %0: operand 1 is f64, want f32"},
	{"", "%0 = load f32 x[i0]", "ir: k: region 0: %0 = load f32 x[i0]: no loop around binds axis i0"},
	{"", "vec i0 {; }; %0 = load f32 x[i0]", "ir: k: region 0: %0 = load f32 x[i0]: no loop around binds axis i0"},
	{"", "%0 = const f32 1; %1 = load f32 x[%0+1]", "ir: k: region 0: %1 = load f32 x[%0+1]: %0 is f32; an index is i64"},
	{"", "%0 = load f32 x[%1]; %1 = index 1", "ir: k: region 0: %0 = load f32 x[%1]: %1 is used before its definition"},
	{"", "vec i0 {; %0 = index p0*i0; }", "ir: k: region 1: %0 = index p0*i0: the right side of * is not invariant: i0"},
	{"", "%0 = index 1; %1 = index p0*(p0+%0)", "ir: k: region 0: %1 = index p0*(p0+%0): the right side of * is not invariant: p0+%0"},
	{"", "%0 = index div(p0, 0)", "ir: k: region 0: %0 = index div(p0, 0): the divisor is not a parameter or a positive constant: 0"},
	{"", "%0 = index mod(p0, -2)", "ir: k: region 0: %0 = index mod(p0, -2): the divisor is not a parameter or a positive constant: -2"},
	{"", "%0 = index div(p0, p0+1)", "ir: k: region 0: %0 = index div(p0, p0+1): the divisor is not a parameter or a positive constant: p0+1"},

	// Check: row buffers.
	{"buf e f32 row [i1]\n", "vec i1 {; %0 = load f32 e[i1]; }", "ir: k: region 1: %0 = load f32 e[i1]: row buffer e is read before it is written"},
	{
		"buf e f32 row [i1]\n", "%0 = const f32 1; vec i1 {; store f32 e[i1] %0; }; par i0 {; vec i1 {; %1 = load f32 e[i1]; }; }",
		"ir: k: region 3: %1 = load f32 e[i1]: row buffer e is used in two places that do not share a row",
	},
	{
		"buf e f32 row [i1]\n", "%0 = const f32 1; par i0 {; vec i1 {; store f32 e[i1] %0; }; }; par i0 {; vec i1 {; %1 = load f32 e[i1]; }; }",
		"ir: k: region 4: %1 = load f32 e[i1]: row buffer e is used in two places that do not share a row",
	},

	// Check: loops.
	{"", "par i0 {; par i1 {; }; }", "ir: k: region 1: par i1: a par loop stands in the entry region"},
	{"", "vec i0 {; vec i1 {; }; }", "ir: k: region 1: vec i1: a vec loop stands in the entry region or in a par loop"},
	{"", "seq i0 {; }", "ir: k: region 0: seq i0: a seq loop stands in a vec loop"},
	{"", "par i0 {; seq i1 {; }; }", "ir: k: region 1: seq i1: a seq loop stands in a vec loop"},
	{"", "vec {; }", "ir: k: region 0: vec : a loop needs an axis"},
	{"", "vec i0 i0 {; }", "ir: k: region 0: vec i0 i0: axis i0 is bound already"},
	{"", "par i0 {; vec i0 {; }; }", "ir: k: region 1: vec i0: axis i0 is bound already"},
	{
		"", "%0 = const bool true; %1 = cold bool %0 %0 {; vec i0 {; }; yield %0; }",
		"ir: k: region 1: vec i0: not allowed in a cold region",
	},
	{
		"", "%0 = const bool true; %1 = cold bool %0 %0 {; fault index %0; yield %0; }",
		"ir: k: region 1: fault index %0: not allowed in a cold region",
	},
	{
		"", "%0 = const bool true; %1 = const f32 1; %2 = cold bool %0 %0 {; store f32 y[0] %1; yield %0; }",
		"ir: k: region 1: store f32 y[0] %1: not allowed in a cold region",
	},
	{
		"", "vec i0 {; %0 = const bool true; %1 = cold bool %0 %0 {; %2 = reduce any bool %0; yield %0; }; }",
		"ir: k: region 2: %2 = reduce any bool %0: not allowed in a cold region",
	},

	// Check: reductions.
	{"", "%0 = const f32 1; %1 = reduce sum f32 %0", "ir: k: region 0: %1 = reduce sum f32 %0: a reduction stands in a vec or seq loop"},
	{"", "par i0 {; %0 = const f32 1; %1 = reduce sum f32 %0; }", "ir: k: region 1: %1 = reduce sum f32 %0: a reduction stands in a vec or seq loop"},
	{"", "vec i0 {; %0 = const f32 1; %1 = reduce sum f64 %0; }", "ir: k: region 1: %1 = reduce sum f64 %0: the result is f32"},
	{"", "vec i0 {; %0 = const f32 1; %1 = reduce argmin f32 %0; }", "ir: k: region 1: %1 = reduce argmin f32 %0: the result is i64"},
	{"", "vec i0 {; %0 = const f32 1; %1 = reduce any bool %0; }", "ir: k: region 1: %1 = reduce any bool %0: it does not take f32"},
	{"", "vec i0 {; %0 = const bool true; %1 = reduce sum bool %0; }", "ir: k: region 1: %1 = reduce sum bool %0: it does not take bool"},
	{"", "vec i0 {; %0 = const bool true; %1 = reduce argmax i64 %0; }", "ir: k: region 1: %1 = reduce argmax i64 %0: it does not take bool"},

	// Check: carries.
	{"", "vec i0 {; %0 = const f32 1; %1 = carry f32 %0; }", "ir: k: region 1: %1 = carry f32 %0: a carry stands in a seq loop"},
	{"", "vec i0 {; %0 = const f32 1; seq i1 {; %1 = carry f32 %0; }; }", "ir: k: %1 has no next"},
	{"", "vec i0 {; seq i1 {; %0 = const f32 1; %1 = carry f32 %0; %2 = next f32 %1 %1; }; }", "ir: k: region 2: %1 = carry f32 %0: %0 is a value of the loop itself"},
	{"", "vec i0 {; %0 = const f32 1; seq i1 {; %1 = carry f64 %0; }; }", "ir: k: region 2: %1 = carry f64 %0: operand 1 is f32, want f64"},
	{"", "vec i0 {; %0 = const f32 1; seq i1 {; %1 = next f32 %0 %0; }; }", "ir: k: region 2: %1 = next f32 %0 %0: %0 is no carry, or has a next"},
	{"", "vec i0 {; %0 = const f32 1; seq i1 {; %1 = carry f32 %0; %2 = next f32 %1 %0; %3 = next f32 %1 %0; }; }", "ir: k: region 2: %3 = next f32 %1 %0: %1 is no carry, or has a next"},
	{"", "vec i0 {; %0 = const f32 1; seq i1 {; %1 = carry f32 %0; %2 = next f32 %1 %0; %3 = neg f32 %1; }; }", "ir: k: region 2: %3 = neg f32 %1: only a next follows a next"},
}

func TestRejected(t *testing.T) {
	for _, c := range rejected {
		k, err := Parse(c.kernel())
		if err == nil {
			err = Check(k)
		}
		if err == nil {
			t.Errorf("accepted, want %s:\n%s", c.want, c.kernel())
		} else if err.Error() != c.want {
			t.Errorf("got  %s\nwant %s", err, c.want)
		}
	}
}

func TestRejectedWhole(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "ir: line 1: no kernel"},
		{"# nothing", "ir: line 1: no kernel"},
		{"{\n}", "ir: line 1: a text starts with: kernel NAME"},
		{"kernel", "ir: line 1: expected a name before the end of the line"},
		{"kernel 3", `ir: line 1: expected a name before "3"`},
		{"kernel k", "ir: line 1: no { after the declarations"},
		{"kernel k\n{\n", "ir: line 3: no } for the { of line 2"},
		{strings.Repeat(" ", maxText+1), "ir: text of more than 4194304 bytes"},
		{"kernel k\n" + strings.Repeat("x", 50), `ir: line 2: expected axis, params, buf, scalar, table, reduction or {, not "` + strings.Repeat("x", 40) + `..."`},
	} {
		if _, err := Parse(c.text); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}
