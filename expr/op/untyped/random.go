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
	{Name: "multiply_high", Arity: 2, Operands: "x y", Lower: primitive(prim.MulHi), Doc: "the high 64 bits of the product."},
	{
		Name: "philox_high", Operands: "position stream key", Lower: func(b *B, x ...V) V { return pack(b, philox(b, x...)[2:]) },
		Doc: "the high 64 bits of Philox 4x32-10 of the counter position + 2^64 stream.",
	},
})

// philox returns the four words of a block, each in the lower half of a number of 64 bits. The
// upper halves have other bits. x are the halves of the counter, and the key. Both rows have the
// same instructions, which a kernel has once.
func philox(b *B, x ...V) []V {
	s := newPhilox(b, x)
	s.rounds(b, 10)
	return s.c[:]
}

// A philoxState has the words of a block between two rounds, and the key of the next round.
type philoxState struct {
	c [4]V
	k [2]V
}

func newPhilox(b *B, x []V) *philoxState {
	return &philoxState{[4]V{x[0], highHalf(b, x[0]), x[1], highHalf(b, x[1])}, [2]V{x[2], highHalf(b, x[2])}}
}

// products returns the products of a round. Their lower halves are the words 3 and 1 after it.
func (s *philoxState) products(b *B) (p0, p1 V) {
	return b.Mul(b.Int(dtype.U64, 0xd2511f53), lowHalf(b, s.c[0])), b.Mul(b.Int(dtype.U64, 0xcd9e8d57), lowHalf(b, s.c[2]))
}

// rounds computes n rounds. The products of a round depend on the products before by one xor. The other
// xor, with the key, needs none of them.
func (s *philoxState) rounds(b *B, n int) {
	for range n {
		p0, p1 := s.products(b)
		s.c = [4]V{b.Xor(highHalf(b, p1), b.Xor(s.c[1], s.k[0])), p1, b.Xor(highHalf(b, p0), b.Xor(s.c[3], s.k[1])), p0}
		s.k = [2]V{b.Add(s.k[0], b.Int(dtype.U64, 0x9e3779b9)), b.Add(s.k[1], b.Int(dtype.U64, 0xbb67ae85))}
	}
}

// highHalf returns the upper half of a number of 64 bits.
func highHalf(b *B, x V) V { return b.Shr(x, b.Int(dtype.U64, 32)) }

// lowHalf clears the upper half of a number of 64 bits.
func lowHalf(b *B, x V) V { return b.And(x, b.Int(dtype.U64, math.MaxUint32)) }

// pack returns the number with the lower halves of two numbers as its halves.
func pack(b *B, w []V) V { return b.Or(lowHalf(b, w[0]), b.Shl(w[1], b.Int(dtype.U64, 32))) }
