package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

func ExampleTensor_complex() {
	z := engine.MustFromSlice([]complex128{3 + 4i, 2i})
	r, err := engine.Eval(op.Modulus[float64](z))
	fmt.Println(r, err)
	fmt.Println(z.MulAssign(op.Conj(z)), z)
	// Output:
	// [5 2] <nil>
	// <nil> [25+0j 4+0j]
}

type (
	c128 = expr.Exp[complex128]
	z128 = *engine.Tensor[complex128]
)

// complexCases are expressions, and what they are for one element.
var complexCases = []struct {
	name string
	tree func(x, y c128) c128
	want func(x, y complex128) complex128
}{
	{"add", op.Add[complex128], func(x, y complex128) complex128 { return x + y }},
	{"sub", op.Sub[complex128], func(x, y complex128) complex128 { return x - y }},
	{"mul", op.Mul[complex128], func(x, y complex128) complex128 { return x * y }},
	{"div", op.Div[complex128], func(x, y complex128) complex128 { return x / y }},
	{"neg", func(x, _ c128) c128 { return op.Neg(x) }, func(x, _ complex128) complex128 { return -x }},
	{"conj", func(x, _ c128) c128 { return op.Conj(x) }, func(x, _ complex128) complex128 { return cmplx.Conj(x) }},
	{"square", func(x, _ c128) c128 { return op.Square(x) }, func(x, _ complex128) complex128 { return x * x }},
	{"parts", func(x, y c128) c128 {
		return op.Complex[complex128](op.Modulus[float64](x), op.Angle[float64](y))
	}, func(x, y complex128) complex128 { return complex(cmplx.Abs(x), cmplx.Phase(y)) }},
	{"exchanged parts", func(x, _ c128) c128 {
		return op.Complex[complex128](op.ImagPart[float64](x), op.RealPart[float64](x))
	}, func(x, _ complex128) complex128 { return complex(imag(x), real(x)) }},
	{"where", func(x, y c128) c128 {
		return op.Where(op.Less(op.RealPart[float64](x), op.RealPart[float64](y)), x, y)
	}, func(x, y complex128) complex128 {
		if real(x) < real(y) {
			return x
		}
		return y
	}},
	{"scalars", func(x, _ c128) c128 { return op.AddScalar(op.Scale(2, x), 3) }, func(x, _ complex128) complex128 { return 2*x + 3 }},
	{"constant", func(x, _ c128) c128 { return op.Mul(x, expr.Const(1-2i)) }, func(x, _ complex128) complex128 { return x * (1 - 2i) }},
}

func complexes(n int, seed uint64) []complex128 {
	r := rand.New(rand.NewPCG(seed, 5))
	z := make([]complex128, n)
	for i := range z {
		z[i] = complex(r.NormFloat64(), r.NormFloat64())
	}
	return z
}

// Every back end gives the same bits, near those of Go. The target is a new array,
// a view, or an operand.
func TestComplexElements(t *testing.T) {
	ctx, n := context.Background(), 67
	for _, c := range complexCases {
		var first [][]complex128
		for _, backend := range engine.Backends() {
			x, y := complexes(n, 1), complexes(n, 2)
			xs, ys, wide := engine.MustFromSlice(x), engine.MustFromSlice(y), engine.Zeros[complex128](2*n)
			views := wide.Span(shape.Slice{Step: shape.At(2)})
			run := func(target z128, tree c128) {
				t.Helper()
				p, err := engine.CompileWith(ctx, engine.Options{Backend: backend}, expr.Let(target, tree))
				if err == nil {
					err = p.Run(ctx)
				}
				if err != nil {
					t.Fatalf("%s on %s: %v", c.name, backend, err)
				}
			}
			run(views, c.tree(xs, ys))
			run(ys, c.tree(xs, ys))
			for i, got := range ys.Data() {
				want := c.want(x[i], complexes(n, 2)[i])
				if cmplx.Abs(got-want) > 1e-14*(1+cmplx.Abs(want)) || got != views.At(i) || wide.At(2*i+1) != 0 {
					t.Fatalf("%s on %s: element %d is %v, in a view %v, want %v", c.name, backend, i, got, views.At(i), want)
				}
			}
			run(xs, c.tree(op.Flip[complex128](xs), xs)) // reads other elements than it stores
			first = append(first, append(ys.Values(), xs.Values()...))
			for i, got := range first[len(first)-1] {
				if got != first[0][i] {
					t.Fatalf("%s: element %d is %v on %s, and %v on %s", c.name, i, got, backend, first[0][i], engine.Backends()[0])
				}
			}
			for i, got := range xs.Data() {
				if want := c.want(x0(n)[n-1-i], x0(n)[i]); cmplx.Abs(got-want) > 1e-14*(1+cmplx.Abs(want)) {
					t.Fatalf("%s on %s: in place, element %d is %v, want %v", c.name, backend, i, got, want)
				}
			}
		}
	}
}

func x0(n int) []complex128 { return complexes(n, 1) }

// Division agrees with the definition of NumPy where a square overflows or the
// divisor is 0.
func TestComplexDivision(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ x, y, want complex128 }{
		{1e300 + 1e300i, 1e300 + 1e300i, 1},
		{0x1p-1000 + 0x1p-1000i, 0x1p-1000 - 0x1p-1000i, 1i},
		{1, complex(0, math.Copysign(0, -1)), complex(inf, math.NaN())},
		{-1 + 2i, 0, complex(-inf, inf)},
		{0, 0, complex(math.NaN(), math.NaN())},
		{complex(inf, 1), 2, complex(inf, math.NaN())},
		{3 + 4i, -2i, -2 + 1.5i},
	} {
		got, err := engine.Item(op.Div[complex128](engine.MustFromSlice([]complex128{c.x}), engine.MustFromSlice([]complex128{c.y})))
		if same := func(a, b float64) bool { return a == b || a != a && b != b }; err != nil || !same(real(got), real(c.want)) || !same(imag(got), imag(c.want)) {
			t.Errorf("%v / %v is %v, %v, want %v", c.x, c.y, got, err, c.want)
		}
	}
}

// Whole-array operations on the parts: reductions, scans, products, views.
func TestComplexArrays(t *testing.T) {
	z := engine.MustFromSlice(complexes(24, 3), 4, 6)
	w := engine.MustFromSlice(complexes(30, 4), 6, 5)
	sum, prod := complex128(0), complex128(1)
	for _, v := range z.Data() {
		sum, prod = sum+v, prod*v
	}
	product := func(i, j int) (s complex128) {
		for k := range 6 {
			s += z.At(i, k) * w.At(k, j)
		}
		return s
	}
	near := func(name string, e c128, want func(index []int) complex128) {
		t.Helper()
		got, err := engine.Eval(e)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		for index, v := range got.All() {
			if d := want(index); cmplx.Abs(v-d) > 1e-13*(1+cmplx.Abs(d)) {
				t.Errorf("%s: at %v %v, want %v", name, index, v, d)
			}
		}
	}
	near("sum", op.Sum[complex128](z), func([]int) complex128 { return sum })
	near("mean", op.Mean[complex128](z), func([]int) complex128 { return sum / 24 })
	near("prod", op.Prod[complex128](z), func([]int) complex128 { return prod })
	near("prod of columns", op.Prod[complex128](z, op.Axis(0)), func(i []int) complex128 {
		return z.At(0, i[0]) * z.At(1, i[0]) * z.At(2, i[0]) * z.At(3, i[0])
	})
	near("cumsum", op.CumSum[complex128](z, 0), func(i []int) (s complex128) {
		for k := range i[0] + 1 {
			s += z.At(k, i[1])
		}
		return s
	})
	near("matmul", op.MatMul[complex128](z, w), func(i []int) complex128 { return product(i[0], i[1]) })
	row, column := op.Index[complex128](z, 0, 2), op.Index[complex128](w, 1, 1)
	for _, stack := range [][]int{nil, {1}, {3, 1}} { // of rows, and of the products of matrices by columns
		rows := op.BroadcastTo(row, append(stack, 6)...)
		near("row @ matrix", op.MatMul(rows, w), func(i []int) complex128 { return product(2, i[len(i)-1]) })
		near("row @ vector", op.MatMul(rows, column), func([]int) complex128 { return product(2, 1) })
		near("matrix @ column", op.MatMul[complex128](op.BroadcastTo(z, append(stack, 4, 6)...), op.Reshape(column, 6, 1)), func(i []int) complex128 {
			return product(i[len(i)-2], 1)
		})
	}
	for _, c := range [][3]int{{3, 7, 40}, {40, 6, 2}, {12, 12, 12}, {13, 12, 2}, {32, 32, 32}, {2, 1, 2}} { // by real products, and by sums
		a, b := engine.MustFromSlice(complexes(2*c[0]*c[1], 5), 2, c[0], c[1]), engine.MustFromSlice(complexes(c[1]*c[2], 6), c[1], c[2])
		near(fmt.Sprint(c), op.MatMul(op.Flip[complex128](a, 2), op.Flip[complex128](b, 0)), func(i []int) (s complex128) {
			for k := range c[1] {
				s += a.At(i[0], i[1], k) * b.At(k, i[2])
			}
			return s
		})
	}
	near("matrix @ vector", op.MatMul[complex128](z, column), func(i []int) complex128 { return product(i[0], 1) })
	near("no terms", op.MatMul[complex128](op.Slice[complex128](z, op.Span{}, op.Until(0)), op.Slice(column, op.Until(0))), func([]int) complex128 { return 0 })
	near("transposed", op.Conj(op.Transpose[complex128](z)), func(i []int) complex128 { return cmplx.Conj(z.At(i[1], i[0])) })
	near("roll", op.Roll[complex128](z, 2, 1), func(i []int) complex128 { return z.At(i[0], (i[1]+4)%6) })
	near("concat", op.Concat[complex128](0, z, op.Neg[complex128](z)), func(i []int) complex128 {
		if i[0] >= 4 {
			return -z.At(i[0]-4, i[1])
		}
		return z.At(i[0], i[1])
	})
	near("cast", op.Cast[complex128](op.Cast[complex64](op.Full[int32](3))), func([]int) complex128 { return 3 })
	equal, err := engine.Eval(op.Equal[complex128](z, op.Conj[complex128](z)))
	if err != nil || equal.At(0, 0) {
		t.Errorf("equal: %v %v", equal, err)
	}
}

// The first result of an accumulation is the first element, with its infinities and
// the signs of its zeros.
func TestComplexAccumulation(t *testing.T) {
	negative := math.Copysign(0, -1)
	for _, first := range []complex128{complex(math.Inf(1), 1), complex(negative, -3), complex(2, negative), complex(negative, negative)} {
		z := engine.MustFromSlice([]complex128{first, 1})
		for name, e := range map[string]c128{"cumsum": op.CumSum[complex128](z, 0), "cumprod": op.CumProd[complex128](z, 0)} {
			got, err := engine.Eval(e)
			if err != nil || !identical(got.At(0), first) {
				t.Errorf("%s: of %v the first is %v, %v", name, first, got, err)
			}
		}
	}
	if one, err := engine.Item(op.Prod[complex128](engine.Zeros[complex128](0))); err != nil || one != 1 {
		t.Errorf("the product of nothing is %v, %v", one, err)
	}
}

// TestComplexProducts compares products along rows with the order that docs/numerics.md has: blocks of 4096 elements, lanes in blocks of at
// least 256, and the products of the blocks in the same way. The bits do not depend on the layout.
func TestComplexProducts(t *testing.T) {
	multipliesInLanes[complex128](t, 16, func(x float64) float64 { return float64(x) })
	multipliesInLanes[complex64](t, 32, func(x float64) float64 { return float64(float32(x)) })
}

func multipliesInLanes[T complex64 | complex128](t *testing.T, lanes int, round func(float64) float64) {
	t.Helper()
	times := func(x, y complex128) complex128 { // without fused multiply-adds
		a, b, c, d := real(x), imag(x), real(y), imag(y)
		return complex(round(round(a*c)-round(b*d)), round(round(a*d)+round(b*c)))
	}
	var product func(x []complex128) complex128
	product = func(x []complex128) complex128 {
		var of []complex128
		for block := range slices.Chunk(x, 4096) {
			p := slices.Repeat([]complex128{1}, lanes)
			if len(block) < 256 {
				p = p[:1]
			}
			for i, v := range block {
				p[i%len(p)] = times(p[i%len(p)], v)
			}
			for n := len(p) / 2; n > 0; n /= 2 {
				for i := range n {
					p[i] = times(p[i], p[i+n])
				}
			}
			of = append(of, p[0])
		}
		if len(of) == 1 {
			return of[0]
		}
		return product(of)
	}
	for _, n := range []int{1, 255, 256, 300, 4096, 4100, 3*4096 + 777} {
		x, columns, want := engine.Zeros[T](2, n), engine.Zeros[T](n, 2), make([]complex128, 2)
		z := complexes(2*n, uint64(n))
		for i, v := range z {
			x.Data()[i] = T(v / complex(cmplx.Abs(v), 1e-6))
			z[i] = complex128(x.Data()[i])
			columns.Set(x.Data()[i], i%n, i/n)
		}
		for row := range want {
			want[row] = product(z[row*n : (row+1)*n])
		}
		for layout, e := range map[string]expr.Exp[T]{"rows": op.Prod(x, op.Axis(1)), "columns": op.Prod(op.Transpose(columns), op.Axis(1))} {
			got, err := engine.Eval(e)
			if err != nil {
				t.Fatal(err)
			}
			for row, w := range want {
				if v := complex128(got.At(row)); !identical(v, w) {
					t.Errorf("%d elements in %s: %v, want %v", n, layout, v, w)
				}
			}
		}
	}
}

// A concatenated target, an update, and statements of one program.
func TestComplexTargets(t *testing.T) {
	a, b, x := engine.Zeros[complex128](2), engine.Zeros[complex128](3), engine.MustFromSlice(complexes(5, 6))
	ctx := context.Background()
	into := op.Into[complex128](0, a, b)
	if err := engine.Run(ctx, expr.Let(into, op.Mul[complex128](x, x)), expr.LetMul(into, op.Conj[complex128](x)), expr.LetAdd[complex128](x, x)); err != nil {
		t.Fatal(err)
	}
	for i, v := range complexes(5, 6) {
		got := append(a.Values(), b.Values()...)[i]
		if want := v * v * cmplx.Conj(v); cmplx.Abs(got-want) > 1e-14 || x.At(i) != 2*v {
			t.Errorf("element %d is %v and %v, want %v and %v", i, got, x.At(i), want, 2*v)
		}
	}
	p := expr.NewParam(2 + 1i)
	if err := x.Assign(op.Add(op.Mul[complex128](op.Full[complex128](1), p), op.Mul[complex128](x, op.Full[complex128](0)))); err != nil || x.At(0) != 2+1i || p.Value() != 2+1i {
		t.Errorf("%v: %v of the parameter %v", err, x, p)
	}
}

// What is not defined for complex numbers is a typed error.
func TestComplexErrors(t *testing.T) {
	z := engine.MustFromSlice(complexes(5, 7)).Node()
	real := engine.Zeros[float64](5).Node()
	for name, n := range map[string]*tree.Node{
		"less":    tree.Apply(untyped.Row("less"), z, z),
		"max":     untyped.Reduce("max", z, untyped.Options{}),
		"sort":    untyped.Compose("sort", untyped.Options{}, z),
		"median":  untyped.Compose("median", untyped.Options{}, z),
		"floor":   tree.Apply(untyped.Row("floor"), z),
		"mixed":   tree.Apply(untyped.Row("add"), z, real),
		"state":   untyped.Scan([]*tree.Node{z}, nil, op.ScanOptions{Length: 3}, func(_ *tree.Node, s, _ []*tree.Node) (next, out []*tree.Node) { return s, s }).Out(0),
		"of ints": untyped.Complex(tree.ConstInt(dtype.I32, 1), tree.ConstInt(dtype.I32, 1)),
	} {
		if err := n.Err(); !errors.Is(err, expr.ErrType) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := engine.Run(context.Background(), expr.Statement{Target: real, Value: untyped.Cast(z, dtype.F64)}); !errors.Is(err, expr.ErrType) {
		t.Errorf("complex to real: %v", err)
	}
	if _, err := grad.OfNodes(untyped.Reduce("sum", z, untyped.Options{}), z); !errors.Is(err, expr.ErrType) {
		t.Errorf("a complex loss: %v", err)
	}
}

// The gradient of a real loss by a complex array, as PyTorch gives it.
func TestComplexGradient(t *testing.T) {
	z, c := engine.MustFromSlice(complexes(5, 8)), 2-3i
	for _, k := range []struct {
		name string
		loss expr.Exp[float64]
		want func(z complex128) complex128
	}{
		{"|z|^2", op.Sum(op.RealPart[float64](op.Mul[complex128](z, op.Conj[complex128](z)))), func(z complex128) complex128 { return 2 * z }},
		{"|z|", op.Sum(op.Modulus[float64](z)), func(z complex128) complex128 { return z / complex(cmplx.Abs(z), 0) }},
		{"real(c*z*z)", op.Sum(op.RealPart[float64](op.Mul(expr.Const(c), op.Square[complex128](z)))), func(z complex128) complex128 { return cmplx.Conj(2 * c * z) }},
	} {
		g, err := grad.OfNodes(k.loss.Node(), z.Node())
		if err != nil {
			t.Fatal(err)
		}
		got, err := engine.Eval(expr.Of[complex128](g[0]))
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got.Values() {
			if want := k.want(z.At(i)); cmplx.Abs(v-want) > 1e-13 {
				t.Errorf("%s: the gradient at %v is %v, want %v", k.name, z.At(i), v, want)
			}
		}
	}
}

// analyticCases are functions and their derivatives.
var analyticCases = map[string]func(z complex128) complex128{
	"exp": cmplx.Exp, "log": func(z complex128) complex128 { return 1 / z }, "sqrt": func(z complex128) complex128 { return .5 / cmplx.Sqrt(z) },
	"sin": cmplx.Cos, "cos": func(z complex128) complex128 { return -cmplx.Sin(z) }, "tan": func(z complex128) complex128 { return 1 / (cmplx.Cos(z) * cmplx.Cos(z)) },
	"asin": func(z complex128) complex128 { return 1 / (cmplx.Sqrt(complex(1-real(z), -imag(z))) * cmplx.Sqrt(1+z)) }, "acos": func(z complex128) complex128 {
		return -1 / (cmplx.Sqrt(complex(1-real(z), -imag(z))) * cmplx.Sqrt(1+z))
	},
	"asinh": func(z complex128) complex128 { return 1 / (cmplx.Sqrt(1-1i*z) * cmplx.Sqrt(1+1i*z)) }, "acosh": func(z complex128) complex128 { return 1 / (cmplx.Sqrt(z-1) * cmplx.Sqrt(z+1)) },
	"atan": func(z complex128) complex128 { return 1 / (1 + z*z) }, "atanh": func(z complex128) complex128 { return 1 / (1 - z*z) },
	"log2": func(z complex128) complex128 { return math.Log2E / z }, "log10": func(z complex128) complex128 { return math.Log10E / z }, "log1p": func(z complex128) complex128 { return 1 / (1 + z) },
	"expm1": cmplx.Exp, "exp2": func(z complex128) complex128 { return cmplx.Exp(z*math.Ln2) * math.Ln2 },
	"sinh": cmplx.Cosh, "cosh": cmplx.Sinh, "tanh": func(z complex128) complex128 { return 1 / (cmplx.Cosh(z) * cmplx.Cosh(z)) },
}

// The functions are analytic also on the axes, which they treat apart: the derivatives
// of both parts of the value follow from the one of the function.
func TestComplexFunctionGradients(t *testing.T) {
	for name, slope := range analyticCases {
		for _, z := range []complex128{1 + 2i, 2, .5, -2, 2i, -.5i, 30 + 1i, 1 + 1i, 1, 1i, 1e-3, -30 + .5i} {
			x := engine.MustFromSlice([]complex128{z})
			y := tree.Apply(untyped.Row(name), x.Node())
			for part, turn := range map[string]complex128{"real": 1, "imag": 1i} {
				g, err := grad.OfNodes(untyped.Reduce("sum", tree.Apply(untyped.Row(part), y), untyped.Options{}), x.Node())
				if err != nil {
					t.Fatal(err)
				}
				got, err := engine.Item(op.Sum(expr.Of[complex128](g[0])))
				want := turn * cmplx.Conj(slope(z))
				if cmplx.IsNaN(want) || cmplx.IsInf(want) {
					continue // a pole
				}
				if err != nil || !(cmplx.Abs(got-want) <= 1e-12*(1+cmplx.Abs(want))) {
					t.Errorf("%s at %v, part %s: %v, %v, want %v", name, z, part, got, err, want)
				}
			}
		}
	}
}

// The derivatives of powers by both operands, and of |z| at 0.
func TestComplexPowerGradients(t *testing.T) {
	for _, c := range []struct{ x, y, byX, byY complex128 }{
		{2, 3, 12, 8 * complex(math.Ln2, 0)},
		{0, 2, 0, 0},
		{2i, 2, 4i, -4 * cmplx.Log(2i)},
		{1 + 1i, 0, 0, cmplx.Log(1 + 1i)},
		{1 + 2i, .5 - 1i, (.5 - 1i) * cmplx.Pow(1+2i, -.5-1i), cmplx.Log(1+2i) * cmplx.Pow(1+2i, .5-1i)},
	} {
		x, y := engine.MustFromSlice([]complex128{c.x}), engine.MustFromSlice([]complex128{c.y})
		g, err := grad.OfNodes(op.Sum(op.RealPart[float64](op.Pow[complex128](x, y))).Node(), x.Node(), y.Node())
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []complex128{cmplx.Conj(c.byX), cmplx.Conj(c.byY)} {
			got, err := engine.Item(op.Sum(expr.Of[complex128](g[i])))
			if err != nil || !(cmplx.Abs(got-want) <= 1e-12*(1+cmplx.Abs(want))) {
				t.Errorf("%v to the power %v, by operand %d: %v, %v, want %v", c.x, c.y, i, got, err, want)
			}
		}
	}
	z := engine.Zeros[complex128](1)
	g, err := grad.OfNodes(op.Sum(op.Modulus[float64](z)).Node(), z.Node())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := engine.Item(op.Sum(expr.Of[complex128](g[0]))); err != nil || got != 0 {
		t.Errorf("the derivative of |z| at 0 is %v, %v", got, err)
	}
}

// Complex numbers as text and in files.
func TestComplexFormats(t *testing.T) {
	z := engine.MustFromSlice([]complex64{1 + 2i, complex(float32(math.Inf(1)), -.5)})
	if s := fmt.Sprintf("%v %#v", z, z); s != "[1+2j +Inf-0.5j] [  1.+2.j inf-0.5j]" {
		t.Error(s)
	}
	text, err := json.Marshal(z)
	if want := `{"type":"complex64","shape":[2],"data":[[1,2],["Infinity",-0.5]]}`; err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	var back engine.Tensor[complex64]
	for name, text := range map[string]string{"object": string(text), "lists": `[[1,2],["Infinity",-0.5]]`} {
		if err := json.Unmarshal([]byte(text), &back); err != nil || !bytes.Equal(dtype.Bytes(back.Data()), dtype.Bytes(z.Data())) {
			t.Errorf("%s: %v, %v", name, &back, err)
		}
	}
	for text, want := range map[string]shape.Shape{"[]": {0}, "[[],[]]": {2, 0}, "[1,2]": {}, "[[[1,2],[3,4]]]": {1, 2}} {
		if err := json.Unmarshal([]byte(text), &back); err != nil || !back.Shape().Equal(want) {
			t.Errorf("%s has the shape %v, %v, want %v", text, back.Shape(), err, want)
		}
	}
	for _, wrong := range []string{"[1,2,3]", "[[1,2],[3]]", "[[1,2],[3,true]]"} {
		if err := json.Unmarshal([]byte(wrong), &back); err == nil {
			t.Errorf("%s is read as %v", wrong, &back)
		}
	}
	path := filepath.Join(t.TempDir(), "z")
	if err := z.Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := engine.Load[complex64](path)
	if err != nil || !bytes.Equal(dtype.Bytes(got.Data()), dtype.Bytes(z.Data())) {
		t.Errorf("npy: %v, %v", got, err)
	}
	if err := z.SaveBinary(path); err != nil {
		t.Fatal(err)
	}
	if got, err = engine.LoadBinary[complex64](path, 1); err != nil || !bytes.Equal(dtype.Bytes(got.Data()), dtype.Bytes(z.Data())) {
		t.Errorf("binary: %v, %v", got, err)
	}
}

// Random trees have the same bits in one loop, node by node, and on all back ends.
func TestComplexTrees(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 9))
		leaves := []z128{engine.MustFromSlice(complexes(15, seed), 3, 5), engine.MustFromSlice(complexes(5, seed+1)), engine.MustFromSlice(complexes(3, seed+2), 3, 1)}
		fused, apart := []c128{leaves[0], leaves[1], leaves[2]}, []c128{leaves[0], leaves[1], leaves[2]}
		for range 10 {
			op, i, j := r.IntN(len(complexCases)+3), r.IntN(len(fused)), r.IntN(len(fused))
			apply := func(list []c128) c128 { return treeOf(op, list[i], list[j]) }
			fused = append(fused, apply(fused))
			one, err := engine.Eval(apply(apart))
			if err != nil {
				t.Fatal(err)
			}
			apart = append(apart, one)
		}
		root := fused[len(fused)-1]
		want := apart[len(apart)-1].(z128)
		for _, backend := range engine.Backends() {
			y := engine.Zeros[complex128](root.Node().Shape()...)
			p, err := engine.CompileWith(ctx, engine.Options{Backend: backend}, expr.Let(y, root))
			if err == nil {
				err = p.Run(ctx)
			}
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range y.Data() {
				if !identical(got, want.Data()[i]) {
					t.Fatalf("tree %d on %s: element %d is %v, node by node %v", seed, backend, i, got, want.Data()[i])
				}
			}
		}
	}
}

// treeOf returns one of the cases of x and y, or a function or a view of x.
func treeOf(op int, x, y c128) c128 {
	switch n := len(complexCases); {
	case op < n:
		return complexCases[op].tree(x, y)
	case op == n:
		return complexFunctions[0].tree(x)
	case op == n+1:
		return complexFunctions[2].tree(x)
	}
	return flipped(x)
}

func flipped(x c128) c128 { return op.Flip(x, -1) }

// identical reports whether two numbers have the same bits; all NaN are equal.
func identical(a, b complex128) bool {
	same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y }
	return same(real(a), real(b)) && same(imag(a), imag(b))
}
