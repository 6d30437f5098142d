package dtype

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/oneloop/oneloop/internal/round"
)

// Float16 is an IEEE 754 binary16 number. It is a struct, not an integer, so
// that it can never slip into integer code.
type Float16 struct{ bits uint16 }

// BFloat16 is the upper half of an IEEE 754 binary32 number.
type BFloat16 struct{ bits uint16 }

// F16From rounds x to the nearest Float16, ties to even; values of magnitude
// 65520 and above become infinite.
func F16From(x float32) Float16 { return Float16{F16Bits(x)} }

// F16FromBits makes the Float16 with the given bits.
func F16FromBits(b uint16) Float16 { return Float16{b} }

// Bits returns the IEEE bits of h.
func (h Float16) Bits() uint16 { return h.bits }

// Float32 returns the value of h, which float32 holds exactly.
func (h Float16) Float32() float32 { return F16Value(h.bits) }

func (h Float16) String() string { return strconv.FormatFloat(float64(h.Float32()), 'g', 5, 32) }

// BF16From rounds x to the nearest BFloat16, ties to even.
func BF16From(x float32) BFloat16 { return BFloat16{BF16Bits(x)} }

// BF16FromBits makes the BFloat16 with the given bits.
func BF16FromBits(b uint16) BFloat16 { return BFloat16{b} }

// Bits returns the bits of h.
func (h BFloat16) Bits() uint16 { return h.bits }

// Float32 returns the value of h, which float32 holds exactly.
func (h BFloat16) Float32() float32 { return BF16Value(h.bits) }

func (h BFloat16) String() string { return strconv.FormatFloat(float64(h.Float32()), 'g', 4, 32) }

// MarshalText returns the value with enough digits to read back the same bits, but for those of a
// NaN. Package encoding/json writes it as a string.
func (h Float16) MarshalText() ([]byte, error) { return textOf(h.Float32()) }

// MarshalText is as [Float16.MarshalText].
func (h BFloat16) MarshalText() ([]byte, error) { return textOf(h.Float32()) }

// UnmarshalText reads what MarshalText returns. It rounds other numbers once, and refuses those that
// would become infinite.
func (h *Float16) UnmarshalText(text []byte) error { return read(h, text, F16From) }

// UnmarshalText is as [Float16.UnmarshalText].
func (h *BFloat16) UnmarshalText(text []byte) error { return read(h, text, BF16From) }

// MarshalBinary returns what MarshalText returns. Package encoding/gob uses this method.
func (h Float16) MarshalBinary() ([]byte, error) { return h.MarshalText() }

// MarshalBinary returns what MarshalText returns. Package encoding/gob uses this method.
func (h BFloat16) MarshalBinary() ([]byte, error) { return h.MarshalText() }

// UnmarshalBinary reads what MarshalBinary returns.
func (h *Float16) UnmarshalBinary(data []byte) error { return h.UnmarshalText(data) }

// UnmarshalBinary reads what MarshalBinary returns.
func (h *BFloat16) UnmarshalBinary(data []byte) error { return h.UnmarshalText(data) }

// textOf returns a number with the fewest digits that give the same float32.
func textOf(x float32) ([]byte, error) {
	return strconv.AppendFloat(nil, float64(x), 'g', -1, 32), nil
}

type half interface {
	Float16 | BFloat16
	Float32() float32
}

// read sets h to the number of a text, rounded once by from.
func read[H half](h *H, text []byte, from func(float32) H) error {
	if h == nil {
		return errors.New("oneloop: dtype: the half is nil")
	}
	x, err := strconv.ParseFloat(string(text), 64)
	got := from(round.ToOdd(x))
	if err != nil || !math.IsInf(x, 0) && math.IsInf(float64(got.Float32()), 0) {
		return fmt.Errorf("oneloop: dtype: %.40q is no number that a half holds", text)
	}
	*h = got
	return nil
}

// F16Bits rounds x to binary16 bits, to nearest, ties to even.
func F16Bits(x float32) uint16 {
	b := math.Float32bits(x)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000: // NaN: keep it quiet and non-zero
		return sign | 0x7e00 | uint16(b>>13&0x3ff)
	case b >= 0x477ff000: // rounds to 65536 or more
		return sign | 0x7c00
	case b < 0x38800000: // below 2^-14: subnormal; adding 1/2 aligns 2^-24 with the last bit
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-0x3f000000)
	}
	b += 0xfff + b>>13&1
	return sign | uint16((b-0x38000000)>>13)
}

// F16Value returns the float32 value of binary16 bits.
func F16Value(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	e, m := uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch e {
	case 0: // zero and subnormals: m * 2^-24
		return math.Float32frombits(math.Float32bits(float32(m)*0x1p-24) | sign)
	case 31:
		if m != 0 {
			m |= 0x200
		}
		return math.Float32frombits(sign | 0x7f800000 | m<<13)
	}
	return math.Float32frombits(sign | (e+112)<<23 | m<<13)
}

// BF16Bits rounds x to bfloat16 bits, to nearest, ties to even.
func BF16Bits(x float32) uint16 {
	b := math.Float32bits(x)
	if b&0x7fffffff > 0x7f800000 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// BF16Value returns the float32 value of bfloat16 bits.
func BF16Value(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }
