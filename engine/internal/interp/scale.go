package interp

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

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

func scaleVS(f *frame, in *ins, n int) {
	d, a, y := vec[float32](f, in.d, n), vec[float32](f, in.a, n), one[int32](f, in.b)
	if e := uint32(y + 126); e < 254 {
		m := math.Float32frombits((e + 1) << 23)
		for i := range d {
			d[i] = a[i] * m
		}
		return
	}
	for i := range d {
		d[i] = scalar.Ldexp32(a[i], y)
	}
}

func init() {
	kernels[prim.Scale][dtype.F32] = [8]kernel{0: scaleVV, 2: scaleVS}
}
