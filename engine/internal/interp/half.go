package interp

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// These loops convert normal halves inline. They call packages dtype and prim for
// the other halves.

// widenF16 converts binary16 bits to float32. raw must be at least as long as d.
func widenF16(d []float32, raw []uint16) {
	raw = raw[:len(d)]
	for i := range d {
		h := uint32(raw[i])
		if e := h & 0x7c00; e != 0 && e != 0x7c00 { // normal
			d[i] = math.Float32frombits(h&0x8000<<16 | (h&0x7fff<<13 + 112<<23))
		} else {
			d[i] = dtype.F16Value(raw[i])
		}
	}
}

// normalF16 reports whether a float32, given as bits, rounds to a normal binary16
// number.
func normalF16(b uint32) bool { return b&0x7fffffff-0x38800000 < 0x477ff000-0x38800000 }

// narrowF16 rounds float32 to binary16 bits. a must be at least as long as raw.
func narrowF16(raw []uint16, a []float32) {
	a = a[:len(raw)]
	for i := range raw {
		b := math.Float32bits(a[i])
		if normalF16(b) {
			m := b&0x7fffffff + 0xfff + b>>13&1
			raw[i] = uint16(b>>16&0x8000 | (m-112<<23)>>13)
		} else {
			raw[i] = dtype.F16Bits(a[i])
		}
	}
}

func nearestF16(f *frame, in *ins, n int) {
	d, a := vec[float32](f, in.d, n), vec[float32](f, in.a, n)
	for i := range d {
		b := math.Float32bits(a[i])
		if normalF16(b) {
			d[i] = math.Float32frombits((b + 0xfff + b>>13&1) &^ 0x1fff)
		} else {
			d[i] = dtype.F16Value(dtype.F16Bits(a[i]))
		}
	}
}

func init() {
	kernels[prim.RoundF16][dtype.F32][0] = nearestF16
}
