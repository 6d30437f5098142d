package graph

import (
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

// Lower returns the value of an element-wise node, as a scalar program on x.
func Lower(b *prim.B, e *tree.Node, x ...prim.V) prim.V {
	v := e.Op.Lower()(b, x...)
	if e.Op.Result() != tree.ResultTo {
		return v
	}
	switch e.To {
	case dtype.F16:
		return b.RoundF16(beforeHalf(b, v, e.To))
	case dtype.BF16:
		return b.RoundBF16(beforeHalf(b, v, e.To))
	}
	return b.Cvt(e.To, v)
}

// beforeHalf converts v to F32 before the conversion to a half. Rounding to nearest twice would not always
// be rounding to nearest. So what F32 may not hold is cut to fewer digits before, with a last digit that is odd if
// anything was cut off: that keeps it off the ties of the second rounding (Boldo and Melquiond 2008).
func beforeHalf(b *prim.B, v prim.V, half dtype.Type) prim.V {
	t := v.Type
	switch {
	case t == dtype.F64:
		// 13 digits behind the point are more than halves have, also where those of bfloat16 are subnormal, and
		// few enough for subnormal numbers of float32.
		v = b.Bitcast(t, cut(b, b.Bitcast(dtype.I64, v), 52-13))
	case t.Size() < 4 || t == dtype.F32: // exact
	case half == dtype.F16: // exact, or infinite as a half
		if t.Size() == 8 {
			v = b.Cvt(dtype.F64, v)
		}
	case t.Size() == 4:
		v = cutLarge(b, v, 8, 17)
	default:
		v = b.Cvt(dtype.F64, cutLarge(b, v, 11, 52))
		v = b.Bitcast(dtype.F64, cut(b, b.Bitcast(dtype.I64, v), 52-13))
	}
	return b.Cvt(dtype.F32, v)
}

// cut clears the n lower bits of an integer, and sets bit n if one of them was set.
func cut(b *prim.B, v prim.V, n int) prim.V {
	low := b.Int(v.Type, 1<<n-1)
	return b.And(b.Or(v, b.Add(b.And(v, low), low)), b.Not(low))
}

// cutLarge cuts n bits of an integer unless it is from -2^k to 2^k.
func cutLarge(b *prim.B, v prim.V, n, k int) prim.V {
	u := v
	if v.Type.IsSigned() {
		u = b.Bitcast(v.Type.Unsigned(), b.Add(v, b.Int(v.Type, 1<<k)))
	}
	small := b.Eq(b.Shr(u, b.Like(u, float64(k+1))), b.Like(u, 0))
	return b.Select(small, v, cut(b, v, n))
}
