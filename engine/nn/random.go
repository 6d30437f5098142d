package nn

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/shape"
)

// philox is the first word of Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011). The
// operands are the first three words of the counter, of which the fourth is zero,
// and the first word of the key, of which the second is zero.
var philox = op.Define("philox", 4, func(b *op.B, x ...op.V) op.V {
	word := func(v uint32) op.V { return b.Int(dtype.U32, int64(v)) }
	c := [4]op.V{x[0], x[1], x[2], word(0)}
	key := [2]op.V{x[3], word(0)}
	m := [2]op.V{word(0xD2511F53), word(0xCD9E8D57)}
	weyl := [2]op.V{word(0x9E3779B9), word(0xBB67AE85)}
	for round := range 10 {
		if round > 0 {
			key[0], key[1] = b.Add(key[0], weyl[0]), b.Add(key[1], weyl[1])
		}
		hi0, lo0 := b.MulHi(m[0], c[0]), b.Mul(m[0], c[0])
		hi1, lo1 := b.MulHi(m[1], c[2]), b.Mul(m[1], c[2])
		c = [4]op.V{b.Xor(b.Xor(hi1, c[1]), key[0]), lo1, b.Xor(b.Xor(hi0, c[3]), key[1]), lo0}
	}
	return c[0]
}, op.On(dtype.U32), op.Doc("the first word of Philox4x32-10"))

// bits returns random words of the given shape. They depend on the position of the
// element modulo 2^32, on the number of the draw in the network, on the step and on
// the seed.
func bits(step, seed *expr.Param[uint32], draw uint32, dims shape.Shape) expr.Exp[uint32] {
	at := expr.Of[uint32](untyped.Cast(untyped.Reshape(untyped.Iota(dims.Size()), dims), dtype.U32))
	return expr.Of[uint32](untyped.Apply(philox, at.Node(), expr.Const(draw).Node(), step.Node(), seed.Node()))
}
