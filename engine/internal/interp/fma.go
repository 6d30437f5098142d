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
