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
		return b.RoundF16(toOdd(b, v))
	case dtype.BF16:
		return b.RoundBF16(toOdd(b, v))
	}
	return b.Cvt(e.To, v)
}

// toOdd converts v to F32 before the conversion to a half. Rounding to nearest
// twice would not always be rounding to nearest. If the F32 is inexact, its
// last bit is made 1, if need be by a step towards v (Boldo and Melquiond
// 2008). That keeps it off the ties of the second rounding.
func toOdd(b *prim.B, v prim.V) prim.V {
	switch {
	case v.Type == dtype.F32 || v.Type.Size() < 4: // no value needs more than 24 bits
		return b.Cvt(dtype.F32, v)
	case v.Type.IsInt() && v.Type.Size() == 8:
		v = b.Cvt(dtype.F64, sticky(b, v))
	default:
		v = b.Cvt(dtype.F64, v)
	}
	f := b.Cvt(dtype.F32, v)
	back := b.Cvt(dtype.F64, f)
	one := b.Int(dtype.I32, 1)
	bits := b.Bitcast(dtype.I32, f)
	even := b.Eq(b.And(bits, one), b.Int(dtype.I32, 0))
	step := b.Select(b.Lt(b.Abs(v), b.Abs(back)), b.Neg(one), one)
	odd := b.Select(b.And(b.Ne(back, v), even), b.Add(bits, step), bits)
	return b.Bitcast(dtype.F32, odd)
}

// sticky returns a 64-bit integer with 53 significant bits. The last bit is set
// if any bit that was cut off was set.
func sticky(b *prim.B, v prim.V) prim.V {
	low := b.And(v, b.Int(v.Type, 0xfff))
	zero := b.Int(v.Type, 0)
	cut := b.Or(b.Sub(v, low), b.Select(b.Eq(low, zero), zero, b.Int(v.Type, 0x800)))
	mag := v
	if v.Type == dtype.I64 {
		mag = b.Bitcast(dtype.U64, b.Abs(v))
	} else {
		mag = b.Bitcast(dtype.U64, mag)
	}
	return b.Select(b.Le(b.Int(dtype.U64, 1<<53), mag), cut, v)
}
