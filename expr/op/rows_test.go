package op_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	scalarprim "github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/expr/tree"
)

var (
	inf  = math.Inf(1)
	nan  = math.NaN()
	zero = math.Copysign(0, -1) // -0
)

// A point is the result of a row for operands, in float64.
type point struct {
	name string
	args []float64
	want float64
}

// points are values that the definition of a row decides, not its algorithm.
// The values of // and % are Python's.
var points = []point{
	{"floor_divide", []float64{7, 2}, 3},
	{"floor_divide", []float64{-7, 2}, -4},
	{"floor_divide", []float64{7, -2}, -4},
	{"floor_divide", []float64{-7, -2}, 3},
	{"floor_divide", []float64{1, .1}, 9}, // the exact quotient of the doubles is below 10
	{"floor_divide", []float64{1, 0}, inf},
	{"floor_divide", []float64{-1, 0}, -inf},
	{"floor_divide", []float64{0, -3}, zero},
	{"floor_divide", []float64{1, inf}, 0},
	{"floor_divide", []float64{-1, inf}, -1},
	{"mod", []float64{7, 3}, 1},
	{"mod", []float64{-7, 3}, 2},
	{"mod", []float64{7, -3}, -2},
	{"mod", []float64{-7, -3}, -1},
	{"mod", []float64{6, -3}, zero},
	{"mod", []float64{-1, inf}, inf},
	{"mod", []float64{1, 0}, nan},
	{"fmod", []float64{-7, 3}, -1},
	{"fmod", []float64{7, -3}, 1},
	{"sign", []float64{-3}, -1},
	{"sign", []float64{3}, 1},
	{"sign", []float64{zero}, 0},
	{"sign", []float64{nan}, nan},
	{"abs", []float64{-3}, 3},
	{"abs", []float64{zero}, 0},
	{"neg", []float64{0}, zero},
	{"square", []float64{-3}, 9},
	{"reciprocal", []float64{zero}, -inf},
	{"copysign", []float64{3, zero}, -3},
	{"copysign", []float64{-3, 1}, 3},
	{"fma", []float64{1 + 0x1p-30, 1 + 0x1p-30, -1 - 0x1p-29}, 0x1p-60},
	{"maximum", []float64{nan, 1}, nan},
	{"maximum", []float64{zero, 0}, 0},
	{"minimum", []float64{0, zero}, zero},
	{"minimum", []float64{1, nan}, nan},
	{"fmax", []float64{nan, 1}, 1},
	{"fmax", []float64{1, nan}, 1},
	{"fmin", []float64{nan, 1}, 1},
	{"fmin", []float64{nan, nan}, nan},
	{"clip", []float64{5, 0, 3}, 3},
	{"clip", []float64{-5, 0, 3}, 0},
	{"clip", []float64{1, 3, 0}, 0}, // if lo > hi the result is hi
	{"relu", []float64{-2}, 0},
	{"relu", []float64{zero}, 0},
	{"relu", []float64{nan}, nan},
	{"rint", []float64{2.5}, 2},
	{"rint", []float64{-.5}, zero},
	{"mantissa", []float64{-6}, -.75},
	{"mantissa", []float64{-0x1p-1074}, -.5},
	{"mantissa", []float64{zero}, zero},
	{"mantissa", []float64{-inf}, -inf},
	{"mantissa", []float64{nan}, nan},
	{"exponent", []float64{-6}, 3},
	{"exponent", []float64{0x1p-1074}, -1073},
	{"exponent", []float64{math.MaxFloat64}, 1024},
	{"exponent", []float64{0}, 0},
	{"exponent", []float64{inf}, 0},
	{"ldexp", []float64{.75, 3.9}, 6},
	{"ldexp", []float64{0x1p-1074, 2000}, 0x1p926},
	{"ldexp", []float64{0x1.8p1000, -2074}, 0x1p-1073}, // 1.5 * 2^-1074, ties to even
	{"ldexp", []float64{-1, 1e300}, -inf},
	{"ldexp", []float64{0, inf}, 0},
	{"ldexp", []float64{1, nan}, nan},
	{"floor", []float64{-.5}, -1},
	{"ceil", []float64{-.5}, zero},
	{"trunc", []float64{-1.5}, -1},
	{"sqrt", []float64{-1}, nan},
	{"sqrt", []float64{zero}, zero},
	{"isnan", []float64{nan}, 1},
	{"isnan", []float64{inf}, 0},
	{"isinf", []float64{-inf}, 1},
	{"isinf", []float64{nan}, 0},
	{"isfinite", []float64{1e308}, 1},
	{"isfinite", []float64{nan}, 0},
	{"isfinite", []float64{inf}, 0},
	{"equal", []float64{nan, nan}, 0},
	{"not_equal", []float64{nan, nan}, 1},
	{"equal", []float64{zero, 0}, 1},
	{"less", []float64{1, 2}, 1},
	{"less", []float64{nan, 2}, 0},
	{"less_equal", []float64{2, 2}, 1},
	{"greater", []float64{2, 1}, 1},
	{"greater", []float64{2, nan}, 0},
	{"greater_equal", []float64{2, 2}, 1},
	{"logical_and", []float64{2, nan}, 1}, // NaN is not zero
	{"logical_and", []float64{2, zero}, 0},
	{"logical_or", []float64{0, zero}, 0},
	{"logical_xor", []float64{3, 4}, 0},
	{"logical_not", []float64{zero}, 1},
}

func TestPoints(t *testing.T) {
	for _, p := range points {
		o, ok := untyped.Lookup(p.name)
		if !ok {
			t.Fatal("no row", p.name)
		}
		args := make([]uint64, len(p.args))
		for i, a := range p.args {
			args[i] = math.Float64bits(a)
		}
		bits := scalar(t, o, dtype.F64)(args...)
		got := math.Float64frombits(bits)
		if o.Result() == tree.ResultBool {
			got = float64(bits)
		}
		if math.Float64bits(got) != math.Float64bits(p.want) && !(math.IsNaN(got) && math.IsNaN(p.want)) {
			t.Errorf("%s%v is %v, want %v", p.name, p.args, got, p.want)
		}
	}
}

// pairs calls f with pairs of integers of a type: of 8 bits with all, of 16 bits with
// those at which something changes, and with the numbers around multiples.
func pairs(typ dtype.Type, f func(a, b int)) {
	least, above := scalarprim.Limits(typ)
	lo, hi := int(least), int(above)
	if typ.Size() == 1 {
		for a := lo; a < hi; a++ {
			for b := lo; b < hi; b++ {
				f(a, b)
			}
		}
		return
	}
	var values []int
	for i := range 17 {
		for d := -1; d <= 1; d++ {
			values = append(values, 1<<i+d, -1<<i+d, lo+3+d, hi-2+d)
		}
	}
	r := rand.New(rand.NewPCG(16, uint64(typ)))
	for range 50 {
		values = append(values, lo+r.IntN(hi-lo))
	}
	values = slices.DeleteFunc(values, func(x int) bool { return x < lo || x >= hi })
	slices.Sort(values)
	values = slices.Compact(values)
	for _, b := range values {
		for _, a := range values {
			f(a, b)
		}
		for range 20 {
			if a := (lo+r.IntN(hi-lo))/max(b, -b, 1)*b + r.IntN(3) - 1; a >= lo && a < hi {
				f(a, b)
			}
		}
	}
}

// TestIntegers compares pairs of integers of 8 and of 16 bits with Go.
func TestIntegers(t *testing.T) {
	var width int // of the type, in bits
	floorDiv := func(a, b int) int {
		q := a / b
		if a%b != 0 && (a < 0) != (b < 0) {
			q--
		}
		return q
	}
	bit := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	shift := func(a, n int, left bool) int {
		switch {
		case left && uint(n) < uint(width):
			return a << n
		case left:
			return 0
		case uint(n) < uint(width):
			return a >> n
		}
		return a >> (bits.UintSize - 1)
	}
	for name, f := range map[string]func(a, b int) int{
		"add": func(a, b int) int { return a + b },
		"sub": func(a, b int) int { return a - b },
		"mul": func(a, b int) int { return a * b },
		"div": func(a, b int) int {
			if b == 0 {
				return 0 // a fault, raised elsewhere
			}
			return a / b
		},
		"floor_divide": func(a, b int) int {
			if b == 0 {
				return 0
			}
			return floorDiv(a, b)
		},
		"mod": func(a, b int) int {
			if b == 0 {
				return 0
			}
			return a - b*floorDiv(a, b)
		},
		"fmod": func(a, b int) int {
			if b == 0 {
				return 0
			}
			return a % b
		},
		"maximum":       func(a, b int) int { return max(a, b) },
		"minimum":       func(a, b int) int { return min(a, b) },
		"fmax":          func(a, b int) int { return max(a, b) },
		"fmin":          func(a, b int) int { return min(a, b) },
		"bitwise_and":   func(a, b int) int { return a & b },
		"bitwise_or":    func(a, b int) int { return a | b },
		"bitwise_xor":   func(a, b int) int { return a ^ b },
		"left_shift":    func(a, b int) int { return shift(a, b, true) },
		"right_shift":   func(a, b int) int { return shift(a, b, false) },
		"equal":         func(a, b int) int { return bit(a == b) },
		"not_equal":     func(a, b int) int { return bit(a != b) },
		"less":          func(a, b int) int { return bit(a < b) },
		"less_equal":    func(a, b int) int { return bit(a <= b) },
		"greater":       func(a, b int) int { return bit(a > b) },
		"greater_equal": func(a, b int) int { return bit(a >= b) },
		"logical_and":   func(a, b int) int { return bit(a != 0 && b != 0) },
		"logical_or":    func(a, b int) int { return bit(a != 0 || b != 0) },
		"logical_xor":   func(a, b int) int { return bit((a != 0) != (b != 0)) },
		"neg":           func(a, _ int) int { return -a },
		"abs":           func(a, _ int) int { return max(a, -a) },
		"sign":          func(a, _ int) int { return bit(a > 0) - bit(a < 0) },
		"square":        func(a, _ int) int { return a * a },
		"relu":          func(a, _ int) int { return max(a, 0) },
		"invert":        func(a, _ int) int { return ^a },
		"logical_not":   func(a, _ int) int { return bit(a == 0) },
	} {
		o, ok := untyped.Lookup(name)
		if !ok {
			t.Fatal("no row", name)
		}
		for _, typ := range []dtype.Type{dtype.I8, dtype.U8, dtype.I16, dtype.U16} {
			call := scalar(t, o, typ)
			width = 8 * typ.Size()
			pairs(typ, func(a, b int) {
				got := call([]uint64{uint64(a) & typ.Mask(), uint64(b) & typ.Mask()}[:o.Arity()]...)
				if want := uint64(f(a, b)) & typ.Mask(); got != want {
					t.Fatalf("%s(%d, %d) of %v is %d, want %d", name, a, b, typ, got, want)
				}
			})
		}
	}
}

func TestBools(t *testing.T) {
	for name, want := range map[string][4]uint64{ // of FF FT TF TT
		"equal": {1, 0, 0, 1}, "not_equal": {0, 1, 1, 0},
		"less": {0, 1, 0, 0}, "less_equal": {1, 1, 0, 1}, "greater": {0, 0, 1, 0}, "greater_equal": {1, 0, 1, 1},
		"logical_and": {0, 0, 0, 1}, "logical_or": {0, 1, 1, 1}, "logical_xor": {0, 1, 1, 0},
		"bitwise_and": {0, 0, 0, 1}, "bitwise_or": {0, 1, 1, 1}, "bitwise_xor": {0, 1, 1, 0},
	} {
		o, _ := untyped.Lookup(name)
		call := scalar(t, o, dtype.Bool)
		for i, w := range want {
			if got := call(uint64(i>>1), uint64(i&1)); got != w {
				t.Errorf("%s(%d, %d) is %d", name, i>>1, i&1, got)
			}
		}
	}
}

// TestFaults checks that a division is a fault for an integer divisor of zero,
// and only then.
func TestFaults(t *testing.T) {
	for _, name := range []string{"div", "floor_divide", "mod", "fmod"} {
		o, _ := untyped.Lookup(name)
		row := o.Row()
		row.Lower = row.Fault
		fault := tree.NewOperator(row)
		for _, typ := range []dtype.Type{dtype.I8, dtype.U64} {
			if call := scalar(t, fault, typ); call(1, 0) != 1 || call(0, 0) != 1 || call(0, 1) != 0 {
				t.Errorf("%s of %v finds its faults elsewhere", name, typ)
			}
		}
	}
}

func TestScalars(t *testing.T) {
	type named float32
	f, h := iota[float32](2), iota[expr.Float16](2)
	i8 := engineOf(int8(1), -2)
	i64 := engineOf(int64(1), -2)
	u64 := engineOf(uint64(1), 2)
	for want, n := range map[string]*tree.Node{
		"(2 * array)":                    op.Scale(2, f).Node(),
		"(0.1 * array)":                  op.Scale(.1, f).Node(),
		"(0.099975586 * array)":          op.Scale(.1, h).Node(),
		"(array + 0.5)":                  op.AddScalar(f, named(.5)).Node(),
		"(-128 * array)":                 op.Scale(-128, i8).Node(),
		"(array + 3)":                    op.AddScalar(i8, 3.).Node(),
		"(9007199254740993 * array)":     op.Scale(int64(1<<53+1), i64).Node(),
		"(18446744073709551615 * array)": op.Scale(uint64(math.MaxUint64), u64).Node(),
		"(array + 9223372036854775809)":  op.AddScalar(u64, uint64(1<<63+1)).Node(),
		"7":                              op.Full[uint8](7).Node(),
	} {
		if n.Err() != nil || n.String() != want {
			t.Errorf("got %v, %v, want %s", n, n.Err(), want)
		}
	}
	fails(t, "128 as int8", op.Scale(128, i8).Node(), expr.ErrType)
	fails(t, ".5 as int8", op.Scale(.5, i8).Node(), expr.ErrType)
	fails(t, "NaN as int8", op.AddScalar(i8, nan).Node(), expr.ErrType)
	fails(t, "-1 as uint64", op.Scale(-1, u64).Node(), expr.ErrType)
	fails(t, "2^64 as uint64", op.Scale(0x1p64, u64).Node(), expr.ErrType)
	fails(t, "2^63 as int64, from a float", op.Full[int64](0x1p63).Node(), expr.ErrType)
	fails(t, "2^63 as int64", op.Full[int64](uint64(1<<63)).Node(), expr.ErrType)
	fails(t, "300 as uint8", op.Full[uint8](300).Node(), expr.ErrType)
}

// TestByteDivision compares the quotients and remainders of all numbers of 8 bits with Go's.
func TestByteDivision(t *testing.T) {
	quotient, _ := untyped.Lookup("floor_divide")
	remainder, _ := untyped.Lookup("mod")
	for _, typ := range []dtype.Type{dtype.I8, dtype.U8} {
		div, mod := scalar(t, quotient, typ), scalar(t, remainder, typ)
		number := func(x uint64) int {
			if typ == dtype.I8 {
				return int(int8(x))
			}
			return int(x)
		}
		for xy := range uint64(1 << 16) {
			x, y := xy>>8, xy&0xff
			q, m := 0, 0
			if a, b := number(x), number(y); b != 0 {
				if q, m = a/b, a%b; m != 0 && m < 0 != (b < 0) {
					q, m = q-1, m+b
				}
			}
			if got, rest := uint8(div(x, y)), uint8(mod(x, y)); got != uint8(q) || rest != uint8(m) {
				t.Fatalf("%#x by %#x of %v is %#x, remainder %#x; want %#x, %#x", x, y, typ, got, rest, uint8(q), uint8(m))
			}
		}
	}
}

// TestLongDivision compares quotients and remainders of 32 and 64 bits with Go's, for
// numbers near powers of two and near multiples of the divisor.
func TestLongDivision(t *testing.T) {
	quotient, _ := untyped.Lookup("floor_divide")
	remainder, _ := untyped.Lookup("mod")
	r := rand.New(rand.NewPCG(5, 1))
	for _, typ := range []dtype.Type{dtype.I32, dtype.U32, dtype.I64, dtype.U64} {
		div, mod := scalar(t, quotient, typ), scalar(t, remainder, typ)
		width := 8 * typ.Size()
		cut := func(x uint64) uint64 { return x & (math.MaxUint64 >> (64 - width)) }
		near := func() uint64 { return cut(uint64(1)<<r.IntN(width)*uint64(1+r.IntN(3)) + uint64(r.IntN(5)) - 2) }
		for range 40000 {
			x, y := near(), near()
			switch r.IntN(4) {
			case 0:
				x = cut(r.Uint64() >> r.IntN(64))
			case 1:
				x = cut(y*(r.Uint64()>>r.IntN(64)) + uint64(r.IntN(3)) - 1)
			case 2:
				x = cut(-x)
			}
			if r.IntN(4) == 0 {
				y = cut(-y)
			}
			q, m := uint64(0), uint64(0)
			if y != 0 && typ.IsUnsigned() {
				q, m = x/y, x%y
			} else if y != 0 {
				a, b := int64(x)<<(64-width)>>(64-width), int64(y)<<(64-width)>>(64-width)
				c, d := a/b, a%b
				if d != 0 && d < 0 != (b < 0) {
					c, d = c-1, d+b
				}
				q, m = cut(uint64(c)), cut(uint64(d))
			}
			if got, rest := cut(div(x, y)), cut(mod(x, y)); got != q || rest != m {
				t.Fatalf("%#x by %#x of %v is %#x, remainder %#x; want %#x, %#x", x, y, typ, got, rest, q, m)
			}
		}
	}
}
