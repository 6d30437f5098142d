package engine_test

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

var complexFunctions = []struct {
	name string
	tree func(z c128) c128
	want func(z complex128) complex128
}{
	{"exp", op.Exp[complex128], cmplx.Exp},
	{"log", op.Log[complex128], cmplx.Log},
	{"sqrt", op.Sqrt[complex128], cmplx.Sqrt},
	{"sin", op.Sin[complex128], cmplx.Sin},
	{"cos", op.Cos[complex128], cmplx.Cos},
	{"tan", op.Tan[complex128], cmplx.Tan},
	{"sinh", op.Sinh[complex128], cmplx.Sinh},
	{"cosh", op.Cosh[complex128], cmplx.Cosh},
	{"tanh", op.Tanh[complex128], cmplx.Tanh},
	{"asin", op.Asin[complex128], cmplx.Asin},
	{"acos", op.Acos[complex128], cmplx.Acos},
	{"atan", op.Atan[complex128], cmplx.Atan},
	{"asinh", op.Asinh[complex128], cmplx.Asinh},
	{"acosh", op.Acosh[complex128], cmplx.Acosh},
	{"atanh", op.Atanh[complex128], cmplx.Atanh},
	{"log10", op.Log10[complex128], cmplx.Log10},
	{"log2", op.Log2[complex128], func(z complex128) complex128 { return scaled(cmplx.Log(z), math.Log2E) }},
	{"log1p", op.Log1p[complex128], func(z complex128) complex128 { return cmplx.Log(1 + z) }},
	{"expm1", op.Expm1[complex128], func(z complex128) complex128 { return cmplx.Exp(z) - 1 }},
	{"exp2", op.Exp2[complex128], func(z complex128) complex128 { return cmplx.Exp(scaled(z, math.Ln2)) }},
	{"pow", func(z c128) c128 { return op.Pow(z, expr.Const(1.5-.5i)) }, func(z complex128) complex128 { return cmplx.Pow(z, 1.5-.5i) }},
}

// scaled is z*by without the products of parts that are 0.
func scaled(z complex128, by float64) complex128 { return complex(real(z)*by, imag(z)*by) }

// The functions of random numbers are near those of Go, and all back ends agree.
func TestComplexFunctions(t *testing.T) {
	ctx := context.Background()
	for _, c := range complexFunctions {
		var first []complex128
		for _, backend := range engine.Backends() {
			z, y := engine.MustFromSlice(complexes(200, 11)), engine.Zeros[complex128](200)
			p, err := engine.CompileWith(ctx, engine.Options{Backend: backend}, expr.Let(y, c.tree(z)))
			if err == nil {
				err = p.Run(ctx)
			}
			if err != nil {
				t.Fatalf("%s on %s: %v", c.name, backend, err)
			}
			if first == nil {
				first = y.Data()
			}
			for i, got := range y.Data() {
				if want := c.want(z.At(i)); cmplx.Abs(got-want) > 1e-14*cmplx.Abs(want) || got != first[i] {
					t.Fatalf("%s of %v on %s is %v, want %v; on %s %v", c.name, z.At(i), backend, got, want, engine.Backends()[0], first[i])
				}
			}
		}
	}
}

// The values at zeros, infinities and NaN are those of C99. Where C99 leaves a sign
// open, a sign is not compared.
func TestComplexSpecialValues(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	parts := []float64{0, zero, 1, -1, inf, -inf, nan}
	same := func(a, b float64, signed bool) bool {
		return a != a && b != b || math.Abs(a-b) < 1e-15 && (!signed || math.Signbit(a) == math.Signbit(b)) || a == b || !signed && a == -b
	}
	for _, c := range complexFunctions {
		if c.name == "pow" {
			continue
		}
		for _, x := range parts {
			for _, y := range parts {
				z := complex(x, y)
				got, err := engine.Item(c.tree(engine.MustFromSlice([]complex128{z})))
				want := c.want(z)
				switch { // NumPy and newer C differ from Go
				case c.name == "sqrt" && x != x && y == 0:
					want = complex(nan, nan)
				case c.name == "tan" && x-x != 0 && y == 0:
					want = complex(nan, y)
				case c.name == "acosh" && x == 0 && y != y:
					want = complex(nan, math.Pi/2)
				case c.name == "acosh" && x == -1 && y == 0:
					want = complex(0, math.Copysign(math.Pi, y))
				case c.name == "tanh" && x == 0 && y-y != 0:
					want = complex(x, nan)
				}
				signed := x-x == 0 && y-y == 0
				if err != nil || !same(real(got), real(want), signed) || !same(imag(got), imag(want), signed) {
					t.Errorf("%s of %v is %v, %v, want %v", c.name, z, got, err, want)
				}
			}
		}
	}
}

// Large arguments: one factor of a result overflows, the result does not.
func TestComplexLarge(t *testing.T) {
	for _, c := range []struct {
		tree c128
		want complex128
	}{
		{op.Exp(expr.Const(complex(710, math.Pi/2-1e-3))), cmplx.Rect(math.Exp(710-40)*1e-3, 0)*complex(math.Exp(40)*(1-1e-6/6), 0) + complex(0, inf())},
		{op.Sqrt(expr.Const(complex(0x1p1023, 0x1p1023))), cmplx.Sqrt(complex(.5, .5)) * 0x1p512},
		{op.Log(expr.Const(complex(0x1p1023, 0x1.8p1023))), complex(math.Log(math.Hypot(1, 1.5))+1023*math.Ln2, math.Atan2(1.5, 1))},
		{op.Atanh(expr.Const(complex(0x1.8p1023, 0x1.8p1023))), complex(0x1p-1024/1.5, math.Pi/2)},
		{op.Sign(expr.Const(complex(0x1.8p1023, -0x1.8p1023))), complex(math.Sqrt2/2, -math.Sqrt2/2)},
		{op.Sign(expr.Const(complex(-0x1p-1074, 0x1p-1074))), complex(-math.Sqrt2/2, math.Sqrt2/2)},
		{op.Sign(expr.Const(complex(-inf(), 1))), -1},
		{op.Sign(expr.Const(complex(math.NaN(), -inf()))), -1i},
		{op.Log(expr.Const(complex(.6, .8))), complex(math.Log1p(.36-1+.64)/2, math.Atan2(.8, .6))},
	} {
		got, err := engine.Item(c.tree)
		near := func(a, b float64) bool {
			d := math.Abs(a - b)
			return a == b || d <= 1e-12*math.Abs(b) || d < 1e-16 && (b == 0 || math.Abs(b) > 1e-20)
		}
		if err != nil || !near(real(got), real(c.want)) || !near(imag(got), imag(c.want)) {
			t.Errorf("%v is %v, %v, want %v", fmt.Sprint(c.tree), got, err, c.want)
		}
	}
}

func inf() float64 { return math.Inf(1) }

// The zeros of results have the signs of NumPy 2.4's.
func TestComplexZeros(t *testing.T) {
	minus := math.Copysign(0, -1)
	for _, c := range []struct {
		name    string
		tree    func(z c128) c128
		z, want complex128 // want: the signs of the parts
	}{
		{"sin", op.Sin[complex128], complex(2, 0), complex(1, minus)},
		{"sin", op.Sin[complex128], complex(-2, minus), complex(-1, 0)},
		{"sin", op.Sin[complex128], complex(1, minus), complex(1, minus)},
		{"cos", op.Cos[complex128], complex(400, 0), complex(-1, 0)},
		{"cos", op.Cos[complex128], complex(-400, 0), complex(-1, minus)},
		{"cos", op.Cos[complex128], complex(1, 0), complex(1, minus)},
		{"sinh", op.Sinh[complex128], complex(0, 2), complex(minus, 1)},
		{"sinh", op.Sinh[complex128], complex(minus, -2), complex(0, -1)},
		{"cosh", op.Cosh[complex128], complex(0, -400), complex(-1, 0)},
		{"cosh", op.Cosh[complex128], complex(-1, 0), complex(1, minus)},
		{"cosh", op.Cosh[complex128], complex(-1e300, 0), complex(1, minus)},
		{"sign", op.Sign[complex128], complex(minus, minus), complex(0, 0)},
		{"reciprocal", op.Reciprocal[complex128], complex(0, -2), complex(0, 1)},
		{"reciprocal", op.Reciprocal[complex128], complex(-2, 0), complex(-1, minus)},
		{"reciprocal", op.Reciprocal[complex128], complex(2, minus), complex(1, 0)},
	} {
		for _, backend := range engine.Backends() {
			y := engine.Zeros[complex128](1)
			p, err := engine.CompileWith(context.Background(), engine.Options{Backend: backend}, expr.Let(y, c.tree(engine.MustFromSlice([]complex128{c.z}, 1))))
			if err == nil {
				err = p.Run(context.Background())
			}
			if err != nil {
				t.Fatal(err)
			}
			got := y.Data()[0]
			if math.Signbit(real(got)) != math.Signbit(real(c.want)) || math.Signbit(imag(got)) != math.Signbit(imag(c.want)) {
				t.Errorf("%s(%v) on %s is %v", c.name, c.z, backend, got)
			}
		}
	}
}
