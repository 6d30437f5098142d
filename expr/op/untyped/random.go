package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

// Random numbers are element-wise operators of the element's position and a
// key, so they fuse, and have the same bits on every back end, for any number
// of threads and any layout. The generator is Philox 4x32-10 (Salmon, Moraes,
// Dror, Shaw 2011). It encrypts a counter of 128 bits, here position + 2^64
// stream, with a key of 64 bits.

var random = family(tree.Row{Class: tree.Elementwise, Arity: 3, Types: tree.TypesOf(dtype.U64)}, []tree.Row{
	{
		Name: "philox", Operands: "position stream key", Lower: func(b *B, x ...V) V { return pack(b, philox(b, x...)[:2]) },
		Doc: "the low 64 bits of Philox 4x32-10 of the counter position + 2^64 stream.",
	},
	{
		Name: "multiply_high", Arity: 2, Operands: "x y", Lower: prim2(prim.MulHi),
		Doc: "the high 64 bits of the product.",
	},
	{
		Name: "philox_high", Operands: "position stream key", Lower: func(b *B, x ...V) V { return pack(b, philox(b, x...)[2:]) },
		Doc: "the high 64 bits of Philox 4x32-10 of the counter position + 2^64 stream.",
	},
})

// philox returns the four words of a block, each in the lower half of a number of 64 bits. The
// upper halves have other bits. x are the halves of the counter, and the key. Both rows have the
// same instructions, which a kernel has once. A round waits for one xor after the products of the round before: the
// other one, with the key, needs none of them.
func philox(b *B, x ...V) []V {
	word := func(v int64) V { return b.Int(dtype.U64, v) }
	high := func(x V) V { return b.Shr(x, word(32)) }
	c0, c1, c2, c3, k0, k1 := x[0], high(x[0]), x[1], high(x[1]), x[2], high(x[2])
	for round := range 10 {
		if round > 0 {
			k0, k1 = b.Add(k0, word(0x9e3779b9)), b.Add(k1, word(0xbb67ae85))
		}
		p0, p1 := b.Mul(word(0xd2511f53), lowHalf(b, c0)), b.Mul(word(0xcd9e8d57), lowHalf(b, c2))
		c0, c1, c2, c3 = b.Xor(high(p1), b.Xor(c1, k0)), p1, b.Xor(high(p0), b.Xor(c3, k1)), p0
	}
	return []V{c0, c1, c2, c3}
}

// lowHalf clears the upper half of a number of 64 bits.
func lowHalf(b *B, x V) V { return b.And(x, b.Int(dtype.U64, math.MaxUint32)) }

// pack returns the number with the lower halves of two numbers as its halves.
func pack(b *B, w []V) V { return b.Or(lowHalf(b, w[0]), b.Shl(w[1], b.Int(dtype.U64, 32))) }
