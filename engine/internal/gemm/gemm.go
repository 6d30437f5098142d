// Package gemm multiplies stacks of matrices: it is the built-in matrix product
// of the CPU backends.
//
// The order of every sum depends on the number of terms, and on whether the product
// is one with a vector. A chain of fused multiply-adds from +0, in the order of k,
// sums a block of [Block] terms. Products with a vector have smaller blocks with
// several chains: see [Problem.Vector]. The blocks of a section of [Section] terms are added
// in order, then the sections in order. No product is left out. So the bits do not
// depend on the layout of the operands, tiles, threads or instruction set. Integers
// wrap.
package gemm

import (
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
)

const (
	// Block is the number of terms that one chain sums.
	Block = 256
	// Section is the number of terms whose blocks are added one after the other.
	// Threads can share a long sum by its sections.
	Section = 64 * Block
	// VectorBlock is the number of terms whose chains are added, of a product with a vector.
	VectorBlock = 32
	// groupBytes is the size of a group of terms of such a block: one for each chain.
	groupBytes = 32
)

// A Matrix is the layout of a matrix: its strides in elements.
type Matrix struct{ Row, Col int }

// A Problem is a stack of products of one element type. A has M rows and K
// columns, B has K rows and N columns, C has M rows and N columns.
type Problem struct {
	Type dtype.Type
	// HalfA and HalfB are the element types of A and B if those are of halves. Type is
	// F32 then. Packing converts them.
	HalfA, HalfB dtype.Type
	M, N, K      int
	A, B, C      Matrix
	// GridA and GridB, if not nil, have the places of an operand's elements, where its terms or its other positions have
	// several strides. Then A or B is not used, elements have 4 or 8 bytes, and M, N and K are more than 1.
	GridA, GridB *Grid
	// OffA, OffB and OffC have the position of the first element of each product's
	// matrices, in elements from the first element of the operand. If OffC is nil,
	// the results are contiguous, one after the other, and C is not used.
	OffA, OffB, OffC []int
	Save             Save
	// Scaled says that scalars 0 and 1 of the binding are alpha and beta, as bits of
	// the element type. Otherwise both are 1.
	Scaled bool
	// Vector says that these are products with a vector: M or N is 1, and not because the
	// problem is a part of a larger one. Blocks of floats have [VectorBlock] terms then. Term
	// k of a block is added to chain k mod L, for L of [Lanes]. Then chains j and
	// j + L/2 are added, and so on down to one. All chains are, including those
	// without terms.
	Vector bool
	// After, if not nil, uses the results.
	After *After
}

// Lanes is the number of chains that sum a block of a product with a vector, for floats of
// so many bytes.
func Lanes(size int) int { return groupBytes / size }

// block is the number of terms of a block, and of the chains that sum it.
func (p *Problem) block() (terms, chains int) {
	if p.Vector && p.Type.IsFloat() {
		return VectorBlock, Lanes(p.Type.Size())
	}
	return Block, 1
}

// transposed returns the problem whose result is the transpose of p's result.
func (p Problem) transposed() Problem {
	p.M, p.N = p.N, p.M
	p.A, p.B, p.C = p.B.transposed(), p.A.transposed(), p.C.transposed()
	p.OffA, p.OffB = p.OffB, p.OffA
	p.GridA, p.GridB = p.GridB, p.GridA
	p.HalfA, p.HalfB = p.HalfB, p.HalfA
	return p
}

// sizes returns the sizes of the elements of A and B, in bytes.
func (p *Problem) sizes() (a, b int) {
	a, b = p.Type.Size(), p.Type.Size()
	if p.HalfA != dtype.Invalid {
		a = 2
	}
	if p.HalfB != dtype.Invalid {
		b = 2
	}
	return a, b
}

func (m Matrix) times(size int) Matrix { return Matrix{m.Row * size, m.Col * size} }

func (m Matrix) transposed() Matrix { return Matrix{m.Col, m.Row} }

// An engine computes parts of products of one element type and layout.
type engine interface {
	// compute stores the sums of a tile and combines them with the result. It may give
	// up when stop reports true. s is nil where the engine packs nothing.
	compute(t *tile, s *scratch, stop func() bool)
	// grain is the number of rows and columns of a tile that suit the engine,
	// and the time of one multiply-add, in nanoseconds.
	grain(p *Problem, threads int) (rows, cols int, cost float64)
	// packs reports whether compute needs a scratch.
	packs() bool
}

// A tile is a part of a result, of at most one section of terms.
type tile struct {
	a, b    unsafe.Pointer // the first element of the rows and of the columns
	done    *region        // what uses the result as soon as parts of it are complete, or nil
	next    *tile          // the one that follows, whose operands come from afar, or nil
	repeat  *repeat        // what notes calls of kernels, or nil
	m, n, k int
	// The first row and column in the result, and the first term. a or b is the first element of an operand with a grid.
	row, col, term int
	// c has the sums of blocks. It is the result if save is keep. If there is one
	// block only, c may be nil otherwise.
	c   unsafe.Pointer
	ldc int // bytes between rows of c
	combination
}
