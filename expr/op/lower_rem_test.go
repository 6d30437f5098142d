package op_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// remainder returns Python's x % y, by a remainder that is exact.
func remainder[F float32 | float64](x, y F) F {
	r := F(math.Mod(float64(x), float64(y)))
	switch {
	case r == 0:
		return F(math.Copysign(0, float64(y)))
	case (r < 0) != (y < 0):
		return r + y
	}
	return r
}

// quotient returns NumPy's x // y, step by step in the type of the operands.
func quotient[F float32 | float64](x, y F) F {
	r := F(math.Mod(float64(x), float64(y)))
	div := F(x-r) / y
	switch {
	case y == 0:
		return x / y
	case r != 0 && (r < 0) != (y < 0):
		div--
	}
	if div == 0 {
		return F(math.Copysign(0, float64(x/y)))
	}
	down := F(math.Floor(float64(div)))
	if div-down > .5 {
		down++
	}
	return down
}

// asFloat returns the value of bits of type f.
func asFloat(f dtype.Type, bits uint64) float64 {
	if f == dtype.F32 {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// dividends returns a divisor and numbers near its multiples, of all magnitudes.
func dividends(r *rand.Rand, f dtype.Type, special []float64) (y float64, xs []float64) {
	number := func() float64 {
		switch r.IntN(8) {
		case 0:
			return special[r.IntN(len(special))]
		case 1:
			return float64(r.IntN(200) - 100)
		}
		scale := 40
		if r.IntN(3) == 0 {
			scale = 150
		}
		return math.Ldexp(r.Float64()-.5, r.IntN(2*scale)-scale)
	}
	y = asFloat(f, prim.FromFloat(f, number()))
	for range 6 {
		x := number()
		if r.IntN(2) == 0 { // near a multiple
			x = asFloat(f, prim.FromFloat(f, y*math.Trunc(math.Ldexp(r.Float64(), r.IntN(60)))))
			x = asFloat(f, prim.FromFloat(f, x)+uint64(r.IntN(5))-2)
		}
		xs = append(xs, asFloat(f, prim.FromFloat(f, x)))
	}
	return y, xs
}

// TestRemainders compares fmod, mod and floor_divide of floats with their definitions in Go.
func TestRemainders(t *testing.T) {
	special := []float64{0, zero, 1, -1, inf, -inf, nan, math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat32, 0x1p-126, 0x1p-1022, math.MaxFloat32, math.MaxFloat64, -0x1p24, 0x1p53, 1.5, 3}
	r := rand.New(rand.NewPCG(17, 1))
	for _, f := range []dtype.Type{dtype.F32, dtype.F64} {
		for name, want := range testlevel.InOrder(map[string]func(x, y float64) float64{
			"fmod": math.Mod,
			"mod": func(x, y float64) float64 {
				if f == dtype.F32 {
					return float64(remainder(float32(x), float32(y)))
				}
				return remainder(x, y)
			},
			"floor_divide": func(x, y float64) float64 {
				if f == dtype.F32 {
					return float64(quotient(float32(x), float32(y)))
				}
				return quotient(x, y)
			},
		}) {
			o, _ := untyped.Lookup(name)
			call := scalar(t, o, f)
			for range 3000 {
				y, xs := dividends(r, f, special)
				for _, x := range xs {
					got, expected := asFloat(f, call(prim.FromFloat(f, x), prim.FromFloat(f, y))), want(x, y)
					if math.Float64bits(got) != math.Float64bits(expected) && (got == got || expected == expected) {
						t.Fatalf("%v %s(%g, %g) = %g, want %g", f, name, x, y, got, expected)
					}
				}
			}
		}
	}
}

// TestIntDivisions compares pairs of integers of 32 bits with Go.
func TestIntDivisions(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 1))
	numbers := wideNumbers(r)
	for _, typ := range []dtype.Type{dtype.I32, dtype.U32} {
		number := func() uint64 { return typ.Extend(numbers[r.IntN(len(numbers))] & typ.Mask()) }
		for i, name := range []string{"floor_divide", "mod", "fmod"} {
			o, _ := untyped.Lookup(name)
			call := scalar(t, o, typ)
			for range 20000 {
				x, y := number(), number()
				if r.IntN(2) == 0 {
					x = typ.Extend((y*(r.Uint64()>>r.IntN(64)) + r.Uint64N(3) - 1) & typ.Mask())
				}
				q, mod, fmod := floorDivisions(x, y, typ.IsSigned())
				want := []uint64{q, mod, fmod}[i] & typ.Mask()
				if got := call(x, y) & typ.Mask(); got != want {
					t.Fatalf("%v: %s of %#x and %#x is %#x, want %#x", typ, name, x, y, got, want)
				}
			}
		}
	}
}

// wideNumbers are integers of 64 bits near powers of two, small ones and any.
func wideNumbers(r *rand.Rand) (all []uint64) {
	for i := range 64 {
		for d := range uint64(5) {
			all = append(all, 1<<i+d-2, -(1<<i + d - 2))
		}
	}
	for range 200 {
		all = append(all, r.Uint64()>>r.IntN(64), -(r.Uint64() >> r.IntN(64)))
	}
	return all
}

// floorDivisions returns the quotient and the remainders of integers of 64 bits, or 0 if y is 0.
func floorDivisions(x, y uint64, signed bool) (q, mod, fmod uint64) {
	switch {
	case y == 0:
		return 0, 0, 0
	case !signed:
		return x / y, x % y, x % y
	}
	s, d := int64(x), int64(y)
	q, fmod = uint64(s/d), uint64(s%d)
	if mod = fmod; s%d != 0 && (s < 0) != (d < 0) {
		q, mod = q-1, mod+y
	}
	return q, mod, fmod
}

// TestWideDivisions compares pairs of integers of 64 bits with Go.
func TestWideDivisions(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 1))
	numbers := wideNumbers(r)
	for _, typ := range []dtype.Type{dtype.I64, dtype.U64} {
		var calls [3]func(args ...uint64) uint64
		for i, name := range []string{"floor_divide", "mod", "fmod"} {
			o, _ := untyped.Lookup(name)
			calls[i] = scalar(t, o, typ)
		}
		for range 6000 {
			y := numbers[r.IntN(len(numbers))]
			for _, x := range []uint64{numbers[r.IntN(len(numbers))], y*(r.Uint64()>>r.IntN(64)) + r.Uint64N(3) - 1} {
				q, mod, fmod := floorDivisions(x, y, typ.IsSigned())
				for i, want := range []uint64{q, mod, fmod} {
					if got := calls[i](x, y); got != want {
						t.Fatalf("%v: operation %d of %#x and %#x is %#x, want %#x", typ, i, x, y, got, want)
					}
				}
			}
		}
	}
}
