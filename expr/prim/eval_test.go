package prim

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/internal/testlevel"
)

var registers = dtype.Registers()

// TestNoMissingCell checks that every primitive is defined on the types of its
// class and on no others.
func TestNoMissingCell(t *testing.T) {
	for op := Const; op < NumOps; op++ {
		if op.String() == "" || op.Info().Doc == "" {
			t.Errorf("op %d has no row", op)
		}
		if op == Lookup {
			continue
		}
		for _, ty := range registers {
			ins := Ins{Op: op, Type: ty, Args: [3]V{{Type: ty}, {Type: ty}, {Type: ty}}}
			_, ok := evalCode(codeOf(ins), &ins, 1, 1, 1)
			want := op.Info().Types.Has(ty)
			if (op == RoundF16 || op == RoundBF16) && ty == dtype.F64 {
				want = false
			}
			if ok != want && !(ok && (op == Select || op == Bitcast)) {
				t.Errorf("%s.%s: defined %v, want %v", op, ty.Short(), ok, want)
			}
			if op != Cvt {
				continue
			}
			for _, to := range registers {
				ins.Type = to
				if out, ok := evalCode(codeOf(ins), &ins, FromInt(ty, 1), 0, 0); !ok || out != FromInt(to, 1) {
					t.Errorf("cvt of 1 from %s to %s: %#x, %v", ty, to, out, ok)
				}
			}
		}
	}
}

// nearest32 rounds an exact number to float32. A zero result gets the sign of
// zero.
func nearest32(x *big.Float, zero float32) float32 {
	if x.Sign() == 0 {
		return zero
	}
	r, _ := x.Float32()
	return r
}

func exact(x float64) *big.Float { return new(big.Float).SetPrec(2200).SetFloat64(x) }

func random32(r *rand.Rand) float32 {
	for {
		b := r.Uint32()
		switch r.IntN(4) {
		case 0:
			b &= 0x807fffff | 3<<23 // subnormal and tiny
		case 1:
			b = b&0x807fffff | uint32(100+r.IntN(56))<<23
		case 2:
			b &= 0xffff0000 // few bits: many ties
		}
		if x := math.Float32frombits(b); x-x == 0 {
			return x
		}
	}
}

func checkFma(t *testing.T, x, y, z float32) {
	t.Helper()
	sum := exact(float64(x))
	sum.Mul(sum, exact(float64(y)))
	sum.Add(sum, exact(float64(z)))
	want := nearest32(sum, float32(float64(x)*float64(y)+float64(z)))
	if got := scalar.Fma32(x, y, z); math.Float32bits(got) != math.Float32bits(want) {
		t.Fatalf("fma(%x, %x, %x) = %x, want %x", x, y, z, got, want)
	}
}

func TestFma32(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 300000
	if testing.Short() {
		n = 30000
	}
	for range n {
		x, y := random32(r), random32(r)
		p := float64(x) * float64(y)
		z := random32(r)
		switch r.IntN(6) {
		case 0: // cancellation
			z = -float32(p)
		case 1: // a tie plus very little: the double rounding
			z = float32(math.Ldexp(float64(1+r.IntN(7)), math.Ilogb(p)-24-r.IntN(60)))
		case 2: // a large z whose last place is twice the product
			z = float32(math.Ldexp(1+float64(r.IntN(1<<23))/(1<<23), math.Ilogb(p)+24+r.IntN(3)-1))
		case 3: // powers of two make exact half-way products
			x = float32(math.Ldexp(1, -r.IntN(149)))
			y = float32(math.Ldexp(float64(1+r.IntN(1<<24)), -r.IntN(173)))
		}
		if z-z != 0 {
			continue
		}
		checkFma(t, x, y, z)
	}
	// The half-way point plus and minus less than a float64 can hold.
	half := float32(0x1p-24)
	tiny := float32(0x1p-90)
	for _, s := range []float32{1, -1} {
		for _, e := range []float32{tiny, -tiny, 0} {
			checkFma(t, half+0x1p-47, s, s) // near a tie
			checkFma(t, s, 1, e)
			checkFma(t, 0x1.000002p0*s, 0x1.000002p0, e)  // 1 + 2^-22 + 2^-46
			checkFma(t, 0x1.001p0*s, 0x1.001p0, e)        // a tie: 1 + 2^-11 + 2^-24
			checkFma(t, 0x1.001p-63*s, 0x1.001p-70, e)    // subnormal
			checkFma(t, math.MaxFloat32, s, 0x1p103*s)    // the overflow threshold
			checkFma(t, 0x1p-75*s, 0x1p-75, 0)            // half the least subnormal
			checkFma(t, 0x1.8p-75*s, 0x1p-75, 0x1p-149*s) //
		}
	}
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range [][4]float32{{inf, 1, 1, inf}, {inf, 0, 1, nan}, {inf, 1, -inf, nan}, {1, 1, -inf, -inf}, {nan, 1, 1, nan}, {1, 1, nan, nan}, {-1, inf, 5, -inf}} {
		if got := scalar.Fma32(c[0], c[1], c[2]); got != c[3] && (got == got || c[3] == c[3]) {
			t.Errorf("fma(%v, %v, %v) = %v, want %v", c[0], c[1], c[2], got, c[3])
		}
	}
	for _, bits := range []uint64{0x7ff0000010000000, 0xfff8000010000000} { // NaNs with the tie pattern
		if x := float32(math.Float64frombits(bits)); scalar.Fma32(x, 1, 1) == scalar.Fma32(x, 1, 1) {
			t.Error("a NaN got lost")
		}
	}
	if math.Signbit(float64(scalar.Fma32(1, 0, 0))) || !math.Signbit(float64(scalar.Fma32(-1, 0, float32(math.Copysign(0, -1))))) {
		t.Error("sign of zero")
	}
}

func TestScale(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200000 {
		x, n := random32(r), int32(r.IntN(700)-350)
		v := exact(float64(x))
		want := nearest32(v.SetMantExp(v, int(n)), float32(math.Copysign(0, float64(x))))
		if got := scalar.Ldexp32(x, n); math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("scale(%x, %d) = %x, want %x", x, n, got, want)
		}
		d, m := math.Float64frombits(r.Uint64()), int64(r.IntN(4400)-2200)
		if r.IntN(3) == 0 {
			d = math.Float64frombits(r.Uint64() >> 12)
		}
		if d-d != 0 {
			continue
		}
		if r.IntN(2) == 0 { // into the subnormals
			m = int64(-1040 - r.IntN(40) - math.Ilogb(d))
		}
		w := exact(d)
		want64, _ := w.SetMantExp(w, int(m)).Float64()
		if got := scalar.Ldexp64(d, m); math.Float64bits(got) != math.Float64bits(want64) {
			t.Fatalf("scale(%x, %d) = %x, want %x", d, m, got, want64)
		}
	}
	for _, n := range []int64{math.MinInt64, math.MaxInt64} {
		want := math.Inf(1)
		if n < 0 {
			want = 0
		}
		if got := scalar.Ldexp64(1, n); got != want {
			t.Errorf("scale(1, %d) = %v", n, got)
		}
		if got := scalar.Ldexp32(1, int32(n>>32)); float64(got) != want && n < 0 {
			t.Errorf("scale(1, %d) = %v", n, got)
		}
		if scalar.Ldexp64(0, n) != 0 || !math.IsInf(scalar.Ldexp64(math.Inf(1), n), 1) || scalar.Ldexp64(math.NaN(), n) == 0 {
			t.Errorf("special values of scale by %d", n)
		}
	}
}

func eval(op Op, to dtype.Type, from dtype.Type, x, y uint64) uint64 {
	ins := Ins{Op: op, Type: to, Args: [3]V{{Type: from}, {Type: from}}}
	return Eval(ins, [3]uint64{x, y}, nil)
}

func TestCvt(t *testing.T) {
	f32 := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	f64 := math.Float64bits
	inf, nan := math.Inf(1), math.NaN()
	type row struct {
		from dtype.Type
		x    uint64
		to   dtype.Type
		want uint64
	}
	rows := []row{
		{dtype.F64, f64(127.9), dtype.I8, 127},
		{dtype.F64, f64(-128.9), dtype.I8, 0x80},
		{dtype.F64, f64(1e9), dtype.I8, 127},
		{dtype.F64, f64(-1e9), dtype.I8, 0x80},
		{dtype.F64, f64(255.9), dtype.U8, 255},
		{dtype.F64, f64(-1), dtype.U8, 0},
		{dtype.F64, f64(1e9), dtype.U8, 255},
		{dtype.F64, f64(-0.9), dtype.U8, 0},
		{dtype.F64, f64(2147483647.9), dtype.I32, 0x7fffffff},
		{dtype.F64, f64(-2147483648.9), dtype.I32, 0x80000000},
		{dtype.F64, f64(-1.9), dtype.I32, 0xffffffff},
		{dtype.F64, f64(3e9), dtype.U32, 3000000000},
		{dtype.F64, f64(4294967295.9), dtype.U32, 0xffffffff},
		{dtype.F64, f64(5e9), dtype.U32, 0xffffffff},
		{dtype.F64, f64(0x1p63), dtype.I64, math.MaxInt64},
		{dtype.F64, f64(-0x1p63), dtype.I64, 1 << 63},
		{dtype.F64, f64(-1e30), dtype.I64, 1 << 63},
		{dtype.F64, f64(0x1p63), dtype.U64, 1 << 63},
		{dtype.F64, f64(0x1.fffffffffffffp63), dtype.U64, 0xfffffffffffff800},
		{dtype.F64, f64(0x1p64), dtype.U64, math.MaxUint64},
		{dtype.F64, f64(-5), dtype.U64, 0},
		{dtype.F32, f32(-5.9), dtype.I32, 0xfffffffb},
		{dtype.F32, f32(1e20), dtype.I64, math.MaxInt64},
		{dtype.F32, f32(3.7), dtype.U8, 3},
		{dtype.F64, f64(1 + 0x1p-24), dtype.F32, f32(1)},
		{dtype.F64, f64(1 + 0x1p-24 + 0x1p-50), dtype.F32, f32(1 + 0x1p-23)},
		{dtype.F64, f64(1e300), dtype.F32, f32(float32(inf))},
		{dtype.F32, f32(0x1p-149), dtype.F64, f64(0x1p-149)},
		{dtype.F64, f64(0), dtype.Bool, 0},
		{dtype.F64, f64(-0.5), dtype.Bool, 1},
		{dtype.F64, f64(nan), dtype.Bool, 1},
		{dtype.F32, 1 << 31, dtype.Bool, 0},
		{dtype.I8, 0x80, dtype.Bool, 1},
		{dtype.Bool, 1, dtype.F32, f32(1)},
		{dtype.I8, 0xff, dtype.I64, math.MaxUint64},
		{dtype.I8, 0xff, dtype.U32, math.MaxUint32},
		{dtype.U8, 0xff, dtype.I8, 0xff},
		{dtype.I64, 0x1_0000_0180, dtype.I8, 0x80},
		{dtype.I32, 0xffffffff, dtype.U64, math.MaxUint64},
		{dtype.U64, math.MaxUint64, dtype.F64, f64(0x1p64)},
		{dtype.U64, 1<<63 + 1<<10, dtype.F64, f64(0x1p63)},
		{dtype.U64, 1<<63 + 1<<10 + 1, dtype.F64, f64(0x1p63 + 0x1p11)},
		{dtype.I8, 0x85, dtype.F32, f32(-123)},
		{dtype.I32, 0x80000000, dtype.F32, f32(-0x1p31)},
		{dtype.U32, math.MaxUint32, dtype.F32, f32(0x1p32)},
	}
	for _, to := range registers[1:7] { // NaN and infinities to every integer
		lo, hi := uint64(0), FromInt(to, -1)
		if to.IsSigned() {
			hi >>= 1
			lo = hi + 1
		}
		rows = append(rows, row{dtype.F64, f64(nan), to, 0}, row{dtype.F32, 0x7fc00000, to, 0}, row{dtype.F64, f64(inf), to, hi}, row{dtype.F64, f64(-inf), to, lo}, row{dtype.F32, f32(float32(-inf)), to, lo})
	}
	for _, c := range rows {
		if got := eval(Cvt, c.to, c.from, c.x, 0); got != c.want {
			t.Errorf("cvt %s %#x to %s = %#x, want %#x", c.from, c.x, c.to, got, c.want)
		}
	}
	// 64-bit integers to float32 round once, not by way of float64.
	r := rand.New(rand.NewPCG(5, 6))
	for range 200000 {
		u := r.Uint64() >> r.IntN(40)
		if r.IntN(2) == 0 { // a half-way point and a little
			u = (r.Uint64()>>40<<1|1)<<39 + uint64(r.IntN(3)) - 1
		}
		wu, _ := new(big.Float).SetPrec(100).SetUint64(u).Float32()
		if got := eval(Cvt, dtype.F32, dtype.U64, u, 0); got != f32(wu) {
			t.Fatalf("u64 %#x to f32: %#x", u, got)
		}
		wi, _ := new(big.Float).SetPrec(100).SetInt64(int64(u)).Float32()
		if got := eval(Cvt, dtype.F32, dtype.I64, u, 0); got != f32(wi) {
			t.Fatalf("i64 %#x to f32: %#x", u, got)
		}
	}
}

func TestIntegers(t *testing.T) {
	for _, c := range []struct {
		op      Op
		t       dtype.Type
		x, y, w uint64
	}{
		{Div, dtype.I8, 0x80, 0xff, 0x80},
		{Div, dtype.I32, 7, 0, 0},
		{Div, dtype.I64, 1 << 63, math.MaxUint64, 1 << 63},
		{Div, dtype.I8, 0xf9, 2, 0xfd},
		{Div, dtype.U8, 0xf9, 2, 0x7c},
		{Rem, dtype.I8, 0x80, 0xff, 0},
		{Rem, dtype.I8, 0xf9, 2, 0xff},
		{Rem, dtype.U64, 7, 0, 0},
		{Shl, dtype.I8, 1, 8, 0},
		{Shl, dtype.I8, 1, 7, 0x80},
		{Shl, dtype.I8, 1, 0xff, 0},
		{Shl, dtype.U8, 1, 0xff, 0},
		{Shl, dtype.U64, 1, 64, 0},
		{Shl, dtype.I32, 1, 0x80000000, 0},
		{Shr, dtype.I8, 0x80, 9, 0xff},
		{Shr, dtype.I8, 0x80, 0xff, 0xff},
		{Shr, dtype.U8, 0x80, 9, 0},
		{Shr, dtype.I64, 1 << 63, 63, math.MaxUint64},
		{Shr, dtype.U32, 1 << 31, 31, 1},
		{Shr, dtype.I32, 4, 0xffffffff, 0},
		{MulHi, dtype.U8, 0xff, 0xff, 0xfe},
		{MulHi, dtype.U32, 0xffffffff, 0xffffffff, 0xfffffffe},
		{MulHi, dtype.U64, 1 << 63, 6, 3},
		{Neg, dtype.U8, 1, 0, 0xff},
		{Neg, dtype.I32, 0x80000000, 0, 0x80000000},
		{Abs, dtype.I8, 0x80, 0, 0x80},
		{Abs, dtype.I32, 0xffffffff, 0, 1},
		{Abs, dtype.U8, 0xff, 0, 0xff},
		{Min, dtype.I8, 0xff, 1, 0xff},
		{Min, dtype.U8, 0xff, 1, 1},
		{Max, dtype.I64, math.MaxUint64, 1, 1},
		{Not, dtype.I8, 0, 0, 0xff},
		{Add, dtype.U8, 0xff, 2, 1},
		{Add, dtype.I32, 0x7fffffff, 1, 0x80000000},
		{Mul, dtype.I8, 0x80, 0xff, 0x80},
		{Sub, dtype.U32, 0, 1, 0xffffffff},
		{Lt, dtype.I8, 0xff, 0, 1},
		{Lt, dtype.U8, 0xff, 0, 0},
		{Eq, dtype.I8, 0xff, 0xff, 1},
		{Ne, dtype.U64, 1, 1, 0},
		{Le, dtype.I64, 1, 1, 1},
		{Not, dtype.Bool, 1, 0, 0},
		{Eq, dtype.Bool, 0, 0, 1},
		{Xor, dtype.Bool, 1, 1, 0},
		{And, dtype.Bool, 1, 0, 0},
		{Or, dtype.Bool, 1, 0, 1},
	} {
		if got := eval(c.op, c.t, c.t, c.x, c.y); got != c.w {
			t.Errorf("%s.%s(%#x, %#x) = %#x, want %#x", c.op, c.t.Short(), c.x, c.y, got, c.w)
		}
	}
}

func TestFloats(t *testing.T) {
	nz, inf, nan := math.Copysign(0, -1), math.Inf(1), math.NaN()
	for _, c := range []struct {
		op      Op
		x, y, w float64
	}{
		{Min, nz, 0, nz},
		{Min, 0, nz, nz},
		{Max, nz, 0, 0},
		{Max, 0, nz, 0},
		{Min, nan, 1, nan},
		{Min, 1, nan, nan},
		{Max, nan, inf, nan},
		{Max, -inf, nan, nan},
		{Rint, 2.5, 0, 2},
		{Rint, -0.5, 0, nz},
		{Rint, 3.5, 0, 4},
		{Floor, -0.5, 0, -1},
		{Ceil, -0.5, 0, nz},
		{Trunc, -1.5, 0, -1},
		{Sqrt, nz, 0, nz},
		{Sqrt, -1, 0, nan},
		{Abs, nz, 0, 0},
		{Neg, 0, 0, nz},
		{Rem, -6, 3, nz},
		{Rem, 5.5, -2, 1.5},
		{Rem, 1, 0, nan},
		{Rem, inf, 1, nan},
		{Rem, 1, inf, 1},
		{Div, 1, nz, -inf},
	} {
		want := math.Float64bits(c.w)
		got := eval(c.op, dtype.F64, dtype.F64, math.Float64bits(c.x), math.Float64bits(c.y))
		got32 := eval(c.op, dtype.F32, dtype.F32, FromFloat(dtype.F32, c.x), FromFloat(dtype.F32, c.y))
		f, f32 := math.Float64frombits(got), math.Float32frombits(uint32(got32))
		if c.w != c.w {
			if f == f || f32 == f32 {
				t.Errorf("%s(%v, %v) = %v, %v, want NaN", c.op, c.x, c.y, f, f32)
			}
		} else if got != want || got32 != FromFloat(dtype.F32, c.w) {
			t.Errorf("%s(%v, %v) = %v, %v, want %v", c.op, c.x, c.y, f, f32, c.w)
		}
	}
	for _, op := range []Op{Eq, Lt, Le} {
		if eval(op, dtype.Bool, dtype.F64, math.Float64bits(nan), math.Float64bits(nan)) != 0 {
			t.Errorf("%s of NaN", op)
		}
	}
	if eval(Ne, dtype.Bool, dtype.F32, 0x7fc00000, 0x7fc00000) != 1 || eval(Eq, dtype.Bool, dtype.F32, 1<<31, 0) != 1 {
		t.Error("ne of NaN, eq of zeros")
	}
	// The remainder is exact, subnormals included.
	r := rand.New(rand.NewPCG(7, 8))
	for range 20000 {
		x, y := random32(r), random32(r)
		if y == 0 {
			continue
		}
		q := new(big.Rat).Quo(rat(x), rat(y))
		n := new(big.Int).Quo(q.Num(), q.Denom())
		want, _ := new(big.Rat).Sub(rat(x), new(big.Rat).Mul(rat(y), new(big.Rat).SetInt(n))).Float32()
		if got := math.Float32frombits(uint32(eval(Rem, dtype.F32, dtype.F32, uint64(math.Float32bits(x)), uint64(math.Float32bits(y))))); got != want {
			t.Fatalf("rem(%x, %x) = %x, want %x", x, y, got, want)
		}
	}
}

func rat(x float32) *big.Rat { return new(big.Rat).SetFloat64(float64(x)) }

func ExampleNewProgram() {
	half := []uint64{FromFloat(dtype.F32, .5), FromFloat(dtype.F32, 1.5)}
	p, err := NewProgram([]dtype.Type{dtype.F32}, func(b *B, x ...V) V {
		neg := b.Lt(x[0], b.Like(x[0], 0))
		y := b.Mul(x[0], b.Lookup(dtype.F32, half, b.Cvt(dtype.I32, neg)))
		return b.Cold(neg, y, func() V { return b.Neg(y) })
	})
	fmt.Println(err, p.Result())
	for _, x := range []float32{3, -3} {
		fmt.Println(math.Float32frombits(uint32(p.Call(uint64(math.Float32bits(x))))))
	}
	fmt.Println(p.Cost())
	// Output:
	// <nil> float32
	// 1.5
	// 4.5
	// 5 1
}

func TestProgram(t *testing.T) {
	p, err := NewProgram([]dtype.Type{dtype.F64, dtype.F64}, func(b *B, x ...V) V {
		s := b.Add(x[0], x[1])
		if s != b.Add(x[0], x[1]) {
			t.Error("equal instructions are kept twice")
		}
		var inside V
		c := b.Cold(b.Lt(s, b.Like(s, 0)), s, func() V {
			inside = b.Mul(s, s)
			return b.Cold(b.Lt(s, b.Like(s, -10)), inside, func() V { return b.Neg(inside) })
		})
		if b.Mul(s, s) == inside {
			t.Error("a value of a cold region escapes")
		}
		return c
	})
	if err != nil {
		t.Fatal(err)
	}
	call := func(p *Program, x, y float64) float64 {
		return math.Float64frombits(p.Call(math.Float64bits(x), math.Float64bits(y)))
	}
	for _, c := range [][3]float64{{1, 2, 3}, {1, -3, 4}, {0, -11, -121}, {1, 2, 3}} {
		if got := call(p, c[0], c[1]); got != c[2] {
			t.Errorf("f(%v, %v) = %v, want %v\n%s", c[0], c[1], got, c[2], p)
		}
	}
	if n := testlevel.Allocs(10, func() { p.Call(1, 2) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	cs := p.Consts()
	if len(cs) != 2 {
		t.Fatalf("%d constants", len(cs))
	}
	q := p.WithConst(0, math.Float64bits(100))
	if call(q, 1, 2) != 9 || call(p, 1, 2) != 3 {
		t.Error("WithConst")
	}
	if _, err := NewProgram([]dtype.Type{dtype.F64}, func(b *B, x ...V) V { return b.And(x[0], x[0]) }); err == nil {
		t.Error("a type error got lost")
	}
}

func BenchmarkCall(b *testing.B) {
	p, err := NewProgram([]dtype.Type{dtype.F32}, func(b *B, x ...V) V {
		y := x[0]
		for range 20 {
			y = b.Fma(y, x[0], b.Like(y, 1))
		}
		return y
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p.Call(0x3f000000)
	}
}
