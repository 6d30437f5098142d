package enginetest

import (
	"math"
	"math/rand/v2"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
)

var specialFloats = []float64{
	0, math.Copysign(0, -1), 1, -1, 2, -2, 0.5, -0.5, 1.5, -1.5, 2.5, 3, 7, 10, -10, 100, 1000, -1000,
	math.Inf(1), math.Inf(-1), math.NaN(), math.Pi, -math.Pi, math.Pi / 2, math.E, math.Ln2, 1.0 / 3,
	88, 89, -87, -104, 127, 128, -150, 709, 710, -745, -746, 1e10, 1e30, -1e30, 1e300, -1e300,
	0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-14, 0x1p-15, 65504, 65519, 65520, 0x1p-133, 0x1p-134,
	1 + 0x1p-11, 1 + 0x1p-10, 1 + 0x1.8p-10, 1 + 0x1p-8, 1 + 0x1.8p-7, 1 + 0x1p-23, 1 + 0x1p-24, 1 + 0x1p-52, 1 - 0x1p-24, 1 - 0x1p-53,
	1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-8 + 0x1p-40, -1 - 0x1p-11 - 0x1p-40,
	math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 0x1p-126, 0x1p-127, -0x1.8p-130, 0x1.fffffep-127,
	math.MaxFloat32, -math.MaxFloat32, 0x1.ffffffp127, 0x1p128,
	math.SmallestNonzeroFloat64, -0x1p-1070, 0x1p-1022, 0x1.fp-1030, math.MaxFloat64, -math.MaxFloat64,
	127, 128, -128, -129, 255, 256, 0x1p31, 0x1p31 - 1, -0x1p31, -0x1p31 - 1, 0x1p32, 0x1p32 - 1, 0x1p63, -0x1p63, 0x1p64, 0x1p53, 0x1p53 + 2, 0x1p24 + 2, 16777217,
}

var specialInts = []int64{
	0, 1, -1, 2, -2, 3, -3, 5, 7, 8, -7, 10, 31, 32, 33, 63, 64, 65, 100, -100, 126, 127, 128, -127, -128, -129, 254, 255, 256,
	math.MaxInt32, math.MaxInt32 - 1, math.MinInt32, math.MinInt32 + 1, math.MaxUint32, 1 << 24, 1<<24 + 1, 1<<31 + 1<<7 + 1,
	math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, math.MinInt64 + 1, 1 << 53, 1<<53 + 1, 1<<62 + 1<<38 + 1, -1 << 32,
}

// stored returns a float64 rounded to the float type t, as bits of its register
// type.
func stored(t dtype.Type, v float64) uint64 {
	bits := prim.FromFloat(t.Register(), v)
	if t.IsHalf() {
		var b [2]byte
		put(t, b[:], 0, bits)
		return fetch(t, b[:], 0)
	}
	return bits
}

// specials returns the special values of type t, each once.
func specials(t dtype.Type) []uint64 {
	var all []uint64
	switch {
	case t == dtype.Bool:
		all = []uint64{0, 1}
	case t.IsFloat():
		all = lists.Map(specialFloats, func(v float64) uint64 { return stored(t, v) })
	default:
		all = lists.Map(specialInts, func(v int64) uint64 { return uint64(v) & t.Mask() })
	}
	return lists.Union(nil, all)
}

// A data is a kind of random values.
type data uint8

const (
	wild  data = iota // any bits, many special values
	tame              // small numbers, so that sums stay finite
	exact             // small integers, whose sums are exact in any order
)

// sample returns a random value of type t.
func sample(r *rand.Rand, t dtype.Type, k data) uint64 {
	switch {
	case t == dtype.Bool:
		return r.Uint64() & 1
	case k == exact:
		return fromInt(t, r.Int64N(9)-4*b2i[int64](!t.IsUnsigned()))
	case k == tame && t.IsFloat():
		return stored(t, r.NormFloat64()*2)
	case k == tame:
		return fromInt(t, r.Int64N(41)-20*b2i[int64](!t.IsUnsigned()))
	}
	switch r.IntN(4) {
	case 0:
		s := cachedSpecials[t]
		return s[r.IntN(len(s))]
	case 1:
		return sample(r, t, tame)
	case 2:
		if t.IsFloat() {
			return stored(t, r.NormFloat64()*math.Ldexp(1, r.IntN(60)-30))
		}
	}
	if t.IsHalf() {
		b := make([]byte, 2)
		b[0], b[1] = byte(r.Uint32()), byte(r.Uint32())
		return fetch(t, b, 0)
	}
	return r.Uint64() & t.Mask()
}

var cachedSpecials = func() map[dtype.Type][]uint64 {
	m := map[dtype.Type][]uint64{}
	for _, t := range dtype.Real() {
		m[t] = specials(t)
	}
	return m
}()

func fromInt(t dtype.Type, v int64) uint64 {
	if t.IsFloat() {
		return stored(t, float64(v))
	}
	return uint64(v) & t.Mask()
}

func b2i[T int | int64 | uint64](b bool) T {
	if b {
		return 1
	}
	return 0
}
