package isa

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
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
	lanes  int // of a block: elements of a vector of at most 32 bytes
	far    bool
}

// The registers of a tiler.
const (
	operand = site0 + iota<<2 // address of the operand
	scratch                   // address of the scratch memory
	stride                    // from lane to lane of the operand
	stride3                   // three times as much
	ahead                     // distance of prefetches in bytes
	from                      // address of lane Lane in the operand
	to      = Count           // address of lane Lane in scratch memory
)

// Tile returns the function for elements of size bytes; far selects prefetches. The
// target must have six registers for sites.
func Tile(target Target, size int, far bool) (*Object, error) {
	t := &tiler{Asm: target.New(false), target: target, size: size, n: 16 / size, lanes: min(32, target.Facts().Bytes) / size, far: far}
	t.tile()
	return t.Finish(false)
}

func (t *tiler) tile() {
	slow, done, column, next, line, rest := t.NewLabel(), t.NewLabel(), t.NewLabel(), t.NewLabel(), t.NewLabel(), t.NewLabel()
	height, width := Word(frame.TileHeight), Word(frame.TileWidth)
	t.Int(Mov, operand, Word(frame.TileSource))
	t.Int(Mov, scratch, Word(frame.TileTarget))
	t.Int(Mov, stride, Word(frame.TileStride))
	t.Int(Mov, Lane, K(0))
	t.Branch(LT, height, K(t.n), slow)
	t.Branch(LT, width, K(t.lanes), slow)
	t.Address(stride3, AtX(stride, stride, 2, 0))
	t.Int(Mov, ahead, stride)
	t.Int(Shl, ahead, K(bits.TrailingZeros(layout.TileAhead)))

	t.Bind(column) // the last block ends where the tile ends, and may repeat lanes
	t.Int(Mov, T0, width)
	t.Int(Sub, T0, K(t.lanes))
	t.Int(Min, Lane, T0)
	t.Int(Mov, T0, Lane)
	t.Int(Mul, T0, stride)
	t.Address(from, AtX(operand, T0, 1, 0))
	t.Address(to, AtX(scratch, Lane, t.size, 0))
	t.Int(Mov, T1, K(0))
	t.Bind(line) // whole cache lines
	t.Address(T0, At(T1, 4*t.n))
	t.Branch(GT, T0, height, rest)
	if t.far {
		t.fetch()
	}
	t.blocks(4)
	t.Jump(line)
	t.Bind(rest)
	t.Int(Mov, T0, height)
	t.Branch(GE, T1, T0, next)
	t.Int(Sub, T0, K(t.n))
	t.Int(Min, T1, T0)
	t.blocks(1)
	t.Jump(rest)
	t.Bind(next)
	t.Int(Add, Lane, K(t.lanes))
	t.Branch(LT, Lane, width, column)
	t.Jump(done)

	t.Bind(slow)
	t.single()
	t.Bind(done)
}

// fetch emits prefetches of the lines that the code reads TileAhead lanes later.
func (t *tiler) fetch() {
	t.Address(T0, AtX(from, T1, t.size, 0))
	t.Int(Add, T0, ahead)
	for c := range t.lanes {
		t.Prefetch(t.lane(c))
	}
}

// lane returns the address of lane c of a block. The caller calls it for all lanes in
// order, with the address of the first lane in T0. It advances T0.
func (t *tiler) lane(c int) Mem {
	if c > 0 && c%4 == 0 {
		t.Address(T0, AtX(T0, stride, 4, 0))
	}
	return [...]Mem{At(T0, 0), AtX(T0, stride, 1, 0), AtX(T0, stride, 2, 0), AtX(T0, stride3, 1, 0)}[c%4]
}

// blocks transposes count blocks from row T1 on, each 16 bytes of each lane. It advances
// T1 by their rows.
func (t *tiler) blocks(count int) {
	pitch := layout.TilePitch * t.size
	t.Int(Mov, T2, T1)
	t.Int(Mul, T2, K(pitch))
	t.Int(Add, T2, to)
	for i := range count {
		t.Address(T0, AtX(from, T1, t.size, 16*i))
		t.target.Block(t.Asm, t.size, t.lane, func(row int) Mem { return At(T2, (i*t.n+row)*pitch) })
	}
	t.Int(Add, T1, K(count*t.n))
}

// single moves a tile that is smaller than a block, element by element.
func (t *tiler) single() {
	column, row := t.NewLabel(), t.NewLabel()
	t.Bind(column)
	t.Int(Mov, T1, K(0))
	t.Address(to, AtX(scratch, Lane, t.size, 0))
	t.Bind(row)
	t.Load(t.size, T0, AtX(operand, T1, t.size, 0))
	t.Store(t.size, At(to, 0), T0)
	t.Int(Add, to, K(layout.TilePitch*t.size))
	t.Int(Add, T1, K(1))
	t.Branch(LT, T1, Word(frame.TileHeight), row)
	t.Int(Add, operand, stride)
	t.Int(Add, Lane, K(1))
	t.Branch(LT, Lane, Word(frame.TileWidth), column)
}
