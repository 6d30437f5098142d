package interp

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

// Most lowerings spend most of their time in the float32 fma. These loops compute
// [scalar.Fma32], with the conversions of one-lane operands before the loop. That
// also keeps a false dependency of CVTSS2SD out of the loop.

// halfway reports whether a float64, given as bits, lies in the middle of two
// neighbouring normal float32 numbers.
func halfway(b uint64) bool { return b&0x1fffffff == 0x10000000 }

// tiny reports whether a float64, given as bits, is not zero and smaller in
// magnitude than the normal float32 numbers.
func tiny(b uint64) bool { return b<<1-1 < 897<<53-1 }

// neverTiny reports whether x*y + z needs no test for tiny sums. If |z| >= 2^-100,
// a sum below 2^-126 comes from cancellation with a product above 2^-101. So the
// sum is a multiple of 2^-148, and float32 represents it exactly.
func neverTiny(z float32) bool { return !(z > -0x1p-100 && z < 0x1p-100) }

func fmaVVV(f *frame, in *ins, n int) {
	d, a, b, c := vec[float32](f, in.d, n), vec[float32](f, in.a, n), vec[float32](f, in.b, n), vec[float32](f, in.c, n)
	for i := range d {
		s := float64(a[i])*float64(b[i]) + float64(c[i])
		if u := math.Float64bits(s); halfway(u) || tiny(u) {
			d[i] = scalar.Fma32(a[i], b[i], c[i])
			continue
		}
		d[i] = float32(s)
	}
}

func fmaVVS(f *frame, in *ins, n int) {
	d, a, b, z := vec[float32](f, in.d, n), vec[float32](f, in.a, n), vec[float32](f, in.b, n), one[float32](f, in.c)
	w := float64(z)
	if neverTiny(z) {
		for i := range d {
			s := float64(a[i])*float64(b[i]) + w
			if halfway(math.Float64bits(s)) {
				d[i] = scalar.Fma32(a[i], b[i], z)
				continue
			}
			d[i] = float32(s)
		}
		return
	}
	for i := range d {
		s := float64(a[i])*float64(b[i]) + w
		if u := math.Float64bits(s); halfway(u) || tiny(u) {
			d[i] = scalar.Fma32(a[i], b[i], z)
			continue
		}
		d[i] = float32(s)
	}
}

func fmaVSV(f *frame, in *ins, n int) {
	d, a, y, c := vec[float32](f, in.d, n), vec[float32](f, in.a, n), one[float32](f, in.b), vec[float32](f, in.c, n)
	v := float64(y)
	for i := range d {
		s := float64(a[i])*v + float64(c[i])
		if u := math.Float64bits(s); halfway(u) || tiny(u) {
			d[i] = scalar.Fma32(a[i], y, c[i])
			continue
		}
		d[i] = float32(s)
	}
}

func fmaVSS(f *frame, in *ins, n int) {
	d, a, y, z := vec[float32](f, in.d, n), vec[float32](f, in.a, n), one[float32](f, in.b), one[float32](f, in.c)
	v, w := float64(y), float64(z)
	if neverTiny(z) {
		for i := range d {
			s := float64(a[i])*v + w
			if halfway(math.Float64bits(s)) {
				d[i] = scalar.Fma32(a[i], y, z)
				continue
			}
			d[i] = float32(s)
		}
		return
	}
	for i := range d {
		s := float64(a[i])*v + w
		if u := math.Float64bits(s); halfway(u) || tiny(u) {
			d[i] = scalar.Fma32(a[i], y, z)
			continue
		}
		d[i] = float32(s)
	}
}

func init() {
	kernels[prim.Fma][dtype.F32] = [8]kernel{0: fmaVVV, 4: fmaVVS, 2: fmaVSV, 6: fmaVSS}
}

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
		if b := math.Float32bits(a[i]); normalF16(b) {
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
		if b := math.Float32bits(a[i]); normalF16(b) {
			d[i] = math.Float32frombits((b + 0xfff + b>>13&1) &^ 0x1fff)
		} else {
			d[i] = dtype.F16Value(dtype.F16Bits(a[i]))
		}
	}
}

func init() {
	kernels[prim.RoundF16][dtype.F32][0] = nearestF16
}

// If 2^n is a normal float32, x * 2^n is one multiplication. It rounds once, like
// [scalar.Ldexp32].

func scaleVV(f *frame, in *ins, n int) {
	d, a, b := vec[float32](f, in.d, n), vec[float32](f, in.a, n), vec[int32](f, in.b, n)
	for i := range d {
		if e := uint32(b[i] + 126); e < 254 {
			d[i] = a[i] * math.Float32frombits((e+1)<<23)
		} else {
			d[i] = scalar.Ldexp32(a[i], b[i])
		}
	}
}

func init() {
	kernels[prim.Scale][dtype.F32][0] = scaleVV
}
