package graph

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

// halfOf returns the half to which x rounds, ties to even.
func halfOf(x *big.Float, half dtype.Type) uint16 {
	value, bits := dtype.F16Value, dtype.F16Bits
	if half == dtype.BF16 {
		value, bits = dtype.BF16Value, dtype.BF16Bits
	}
	f, _ := x.Float32()
	near := bits(f)
	best, least := near, (*big.Float)(nil)
	for _, h := range []uint16{near, near - 1, near + 1} {
		v := float64(value(h))
		if math.IsInf(v, 0) { // as if there were one more exponent
			v = math.Copysign(map[dtype.Type]float64{dtype.F16: 0x1p16, dtype.BF16: 0x1p128}[half], v)
		}
		if v != v || math.Signbit(v) != x.Signbit() {
			continue
		}
		d := new(big.Float).Sub(x, big.NewFloat(v))
		if d.Abs(d); least == nil || d.Cmp(least) < 0 || d.Cmp(least) == 0 && h&1 == 0 {
			best, least = h, d
		}
	}
	return best
}

// exactly returns the value of an element of 2000 bits, and whether it is finite.
func exactly(t dtype.Type, bits uint64) (*big.Float, bool) {
	e := new(big.Float).SetPrec(2000)
	f := math.Float64frombits(bits)
	switch {
	case t.IsSigned():
		return e.SetInt64(int64(bits)), true
	case t.IsUnsigned():
		return e.SetUint64(bits), true
	case t == dtype.F32:
		f = float64(math.Float32frombits(uint32(bits)))
	}
	if f-f != 0 {
		return e, false
	}
	return e.SetFloat64(f), true
}

// nearTie returns an element about a half, the middle of it and the next one, or between them.
func nearTie(r *rand.Rand, t dtype.Type, value func(uint16) float32) (bits uint64, ok bool) {
	h := uint16(r.Uint32())
	x, y := float64(value(h)), float64(value(h+1))
	v := []float64{x, (x + y) / 2, x + (y-x)*r.Float64()}[r.IntN(3)]
	switch {
	case v-v != 0:
		return 0, false
	case !t.IsInt():
		bits = prim.FromFloat(t, v)
	case math.Abs(v) >= math.Ldexp(1, 8*t.Size()-1) || v < 0 && t.IsUnsigned():
		return 0, false
	default:
		bits = prim.FromInt(t, int64(v))
	}
	return t.Extend((bits + []uint64{0, 0, 1, 2, ^uint64(0)}[r.IntN(5)]) & t.Mask()), true
}

// TestCastsToHalves compares casts of numbers near the ties of halves with exact arithmetic.
func TestCastsToHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	for half, value := range map[dtype.Type]func(uint16) float32{dtype.F16: dtype.F16Value, dtype.BF16: dtype.BF16Value} {
		for _, from := range []dtype.Type{dtype.F64, dtype.F32, dtype.I64, dtype.U64, dtype.I32, dtype.U32, dtype.I16, dtype.U16} {
			cast := untyped.Cast(tree.NewConst(from, 0), half)
			p, err := prim.NewProgram([]dtype.Type{from}, func(b *prim.B, x ...prim.V) prim.V { return Lower(b, cast, x...) })
			if err != nil {
				t.Fatal(err)
			}
			for range 20000 {
				bits, ok := nearTie(r, from, value)
				e, finite := exactly(from, bits)
				if !ok || !finite {
					continue
				}
				got, want := math.Float32frombits(uint32(p.Call(bits))), value(halfOf(e, half))
				if math.Float32bits(got) != math.Float32bits(want) {
					t.Fatalf("%v %v (%#x) to %v is %v, want %v", from, e.Text('p', 20), bits, half, got, want)
				}
			}
		}
	}
}
