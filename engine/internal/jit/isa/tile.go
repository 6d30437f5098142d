package isa

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/listing"
)

// A transposed operand is contiguous from row to row, not along a row. A separate
// function of machine code transposes a tile of it in registers, 16 bytes of several
// lanes at a time, and stores it in scratch memory. The tile stays in the first-level
// cache, and the loop reads it like an array.

// A tiler emits the function. T1 has the row. T0 and T2 hold temporaries.
type tiler struct {
	Asm
	target Target
	size   int
	n      int // rows of a block: elements of 16 bytes
	bytes  int // of the vectors of a block
	lanes  int // of a block: elements of a vector
	far    bool

	height, width Int // elements of each lane, and lanes
	by, by3       Reg // the stride, and three times as much
}

func newTiler(a Asm, target Target, size, bytes int) *tiler {
	return &tiler{Asm: a, target: target, size: size, n: 16 / size, bytes: bytes, lanes: bytes / size, by: stride, by3: stride3}
}

// The registers of a tiler.
const (
	operand = site0 + iota<<2 // address of the operand
	result                    // address of the result
	stride                    // from lane to lane of the operand
	stride3                   // three times as much
	pitch                     // from row to row of the result
	from                      // address of lane Lane in the operand
	to      = Count           // address of lane Lane in the result
)

// Tile returns the function for elements of size bytes; far selects prefetches. The
// target must have six registers for sites.
func Tile(target Target, size int, far bool) (*listing.Object, error) {
	t := newTiler(target.New(false), target, size, min(32, target.Facts().Bytes))
	t.far, t.height, t.width = far, Word(frame.TileHeight), Word(frame.TileWidth)
	t.Int(Mov, operand, Word(frame.TileSource))
	t.Int(Mov, result, Word(frame.TileTarget))
	t.Int(Mov, stride, Word(frame.TileStride))
	t.Int(Mov, pitch, Word(frame.TilePitch))
	t.tile()
	return t.Finish(false)
}

// fewestLanes is the lanes of the smallest block of elements of 1 and 2 bytes, for a target with [Facts.Blends]. Other blocks have rows of
// at least 16 bytes.
const fewestLanes = 4

// tile emits the loops over the blocks of a tile, which have half as many lanes, or fewer, if the tile has fewer than a block.
func (t *tiler) tile() {
	slow, done, least := t.NewLabel(), t.NewLabel(), 16
	if t.target.Facts().Blends {
		least = min(least, fewestLanes*t.size)
	}
	t.Int(Mov, Lane, K(0))
	t.Branch(LT, t.height, K(t.n), slow)
	for part := *t; part.bytes >= least; part.bytes /= 2 {
		few := t.NewLabel()
		part.lanes = part.bytes / t.size
		t.Branch(LT, t.width, K(part.lanes), few)
		part.columns()
		t.Jump(done)
		t.Bind(few)
	}
	t.Bind(slow)
	t.single()
	t.Bind(done)
}

// columns emits the loops over the blocks of a tile that has at least one. The last block of a loop ends where the tile
// ends, and may repeat elements.
func (t *tiler) columns() {
	column, next, line, rest := t.NewLabel(), t.NewLabel(), t.NewLabel(), t.NewLabel()
	t.Address(stride3, AtX(stride, stride, 2, 0))
	t.Bind(column)
	t.Int(Mov, T0, t.width)
	t.Int(Sub, T0, K(t.lanes))
	t.Int(Min, Lane, T0)
	t.Int(Mov, T0, Lane)
	t.Int(Mul, T0, stride)
	t.Address(from, AtX(operand, T0, 1, 0))
	t.Address(to, AtX(result, Lane, t.size, 0))
	t.Int(Mov, T1, K(0))
	t.Bind(line) // whole cache lines
	t.Address(T0, At(T1, 4*t.n))
	t.Branch(GT, T0, t.height, rest)
	if t.far {
		t.fetch()
	}
	t.blocks(4)
	t.Jump(line)
	t.Bind(rest)
	t.Int(Mov, T0, t.height)
	t.Branch(GE, T1, T0, next)
	t.Int(Sub, T0, K(t.n))
	t.Int(Min, T1, T0)
	t.blocks(1)
	t.Jump(rest)
	t.Bind(next)
	t.Int(Add, Lane, K(t.lanes))
	t.Branch(LT, Lane, t.width, column)
}

// fetch emits prefetches of the lines that the code reads TileAhead lanes later.
func (t *tiler) fetch() {
	t.Address(T0, AtX(from, T1, t.size, 0))
	t.Int(Mov, T2, stride)
	t.Int(Shl, T2, K(bits.TrailingZeros(layout.TileAhead)))
	t.Int(Add, T0, T2)
	for c := range t.lanes {
		t.Prefetch(t.lane(c))
	}
}

// lane returns the address of lane c of a block. The caller calls it for all lanes in
// order, with the address of the first lane in T0. It advances T0.
func (t *tiler) lane(c int) Mem {
	if c > 0 && c%4 == 0 {
		t.Address(T0, AtX(T0, t.by, 4, 0))
	}
	return [...]Mem{At(T0, 0), AtX(T0, t.by, 1, 0), AtX(T0, t.by, 2, 0), AtX(T0, t.by3, 1, 0)}[c%4]
}

// blocks transposes count blocks from row T1 on, each 16 bytes of each lane. It advances
// T1 by their rows.
func (t *tiler) blocks(count int) {
	t.Int(Mov, T2, T1)
	t.Int(Mul, T2, pitch)
	t.Int(Add, T2, to)
	for i := range count {
		t.Address(T0, AtX(from, T1, t.size, 16*i))
		t.target.Block(t.Asm, t.size, t.bytes, t.lane, func(row int) Mem {
			if i+row > 0 {
				t.Int(Add, T2, pitch)
			}
			return At(T2, 0)
		})
	}
	t.Int(Add, T1, K(count*t.n))
}

// single moves a tile that is smaller than a block, element by element.
func (t *tiler) single() {
	column, row := t.NewLabel(), t.NewLabel()
	t.Bind(column)
	t.Int(Mov, T1, K(0))
	t.Address(to, AtX(result, Lane, t.size, 0))
	t.Bind(row)
	t.Load(t.size, T0, AtX(operand, T1, t.size, 0))
	t.Store(t.size, At(to, 0), T0)
	t.Int(Add, to, pitch)
	t.Int(Add, T1, K(1))
	t.Branch(LT, T1, t.height, row)
	t.Int(Add, operand, stride)
	t.Int(Add, Lane, K(1))
	t.Branch(LT, Lane, t.width, column)
}
