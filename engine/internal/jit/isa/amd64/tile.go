package amd64

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

// A transposed operand is contiguous from row to row, not along a row. A separate
// function of machine code transposes a tile of it in registers, 16 bytes of several
// lanes at a time, and stores it in scratch memory. The tile stays in the first-level
// cache, and the loop reads it like an array.

// tile returns the code for elements of size bytes; far selects prefetches.
func tile(size int, far bool) (*isa.Object, error) {
	t := &tiler{asm: &asm{Asm: x86.New()}, size: size, n: 16 / size, lanes: 32 / size, far: far}
	t.kern()
	return t.object()
}

// A tiler emits a tileKern, for any processor with AVX2. R8 has the address of the
// operand, R9 the address of the scratch memory. R10 has the stride, R11 three times
// the stride, R12 the distance of prefetches in bytes. RSI has the lane, R13 and RBX
// its addresses in the operand and in scratch memory. RCX has the row. RAX and RDX
// hold temporaries.
type tiler struct {
	*asm
	size  int
	n     int // rows of a block: elements of 16 bytes
	lanes int // of a block: elements of a vector
	far   bool
}

func (t *tiler) kern() {
	slow, done, column, next := t.NewLabel(), t.NewLabel(), t.NewLabel(), t.NewLabel()
	t.I(x86.MOV, x86.W64, x86.R8, at(frame.TileSource))
	t.I(x86.MOV, x86.W64, x86.R9, at(frame.TileTarget))
	t.I(x86.MOV, x86.W64, x86.R10, at(frame.TileStride))
	t.I(x86.XOR, x86.W32, x86.RSI, x86.RSI)
	t.I(x86.CMP, x86.W64, at(frame.TileHeight), x86.Imm(t.n))
	t.I(x86.JL, 0, slow)
	t.I(x86.CMP, x86.W64, at(frame.TileWidth), x86.Imm(t.lanes))
	t.I(x86.JL, 0, slow)
	t.I(x86.LEA, x86.W64, x86.R11, x86.AtX(x86.R10, x86.R10, 2, 0))
	t.I(x86.MOV, x86.W64, x86.R12, x86.R10)
	t.I(x86.SHL, x86.W64, x86.R12, x86.Imm(bits.TrailingZeros(layout.TileAhead)))

	t.Bind(column) // the last block ends where the tile ends, and may repeat lanes
	t.I(x86.MOV, x86.W64, x86.RAX, at(frame.TileWidth))
	t.I(x86.SUB, x86.W64, x86.RAX, x86.Imm(t.lanes))
	t.I(x86.CMP, x86.W64, x86.RSI, x86.RAX)
	t.I(x86.CMOVG, x86.W64, x86.RSI, x86.RAX)
	t.I(x86.MOV, x86.W64, x86.RAX, x86.RSI)
	t.I(x86.IMUL, x86.W64, x86.RAX, x86.R10)
	t.I(x86.LEA, x86.W64, x86.R13, x86.AtX(x86.R8, x86.RAX, 1, 0))
	t.I(x86.LEA, x86.W64, x86.RBX, x86.AtX(x86.R9, x86.RSI, uint8(t.size), 0))
	t.I(x86.XOR, x86.W32, x86.RCX, x86.RCX)
	line, rest := t.NewLabel(), t.NewLabel()
	t.Bind(line) // whole cache lines
	t.I(x86.LEA, x86.W64, x86.RAX, x86.At(x86.RCX, int32(4*t.n)))
	t.I(x86.CMP, x86.W64, x86.RAX, at(frame.TileHeight))
	t.I(x86.JG, 0, rest)
	if t.far {
		t.fetch()
	}
	t.blocks(4)
	t.I(x86.JMP, 0, line)
	t.Bind(rest)
	t.I(x86.MOV, x86.W64, x86.RAX, at(frame.TileHeight))
	t.I(x86.CMP, x86.W64, x86.RCX, x86.RAX)
	t.I(x86.JGE, 0, next)
	t.I(x86.SUB, x86.W64, x86.RAX, x86.Imm(t.n))
	t.I(x86.CMP, x86.W64, x86.RCX, x86.RAX)
	t.I(x86.CMOVG, x86.W64, x86.RCX, x86.RAX)
	t.blocks(1)
	t.I(x86.JMP, 0, rest)
	t.Bind(next)
	t.I(x86.ADD, x86.W64, x86.RSI, x86.Imm(t.lanes))
	t.I(x86.CMP, x86.W64, x86.RSI, at(frame.TileWidth))
	t.I(x86.JL, 0, column)
	t.I(x86.JMP, 0, done)

	t.Bind(slow)
	t.single()
	t.Bind(done)
	t.I(x86.VZEROUPPER, 0)
	t.I(x86.RET, 0)
}

// fetch emits prefetches of the lines that the code reads tileAhead lanes later.
func (t *tiler) fetch() {
	t.I(x86.LEA, x86.W64, x86.RAX, x86.AtX(x86.R13, x86.RCX, uint8(t.size), 0))
	t.I(x86.ADD, x86.W64, x86.RAX, x86.R12)
	for c := range t.lanes {
		t.I(x86.PREFETCHT1, 0, t.lane(c))
	}
}

// lane returns the address of lane c of a block. The caller calls it for all lanes in
// order, with the address of the first lane in RAX. It advances RAX.
func (t *tiler) lane(c int) x86.Mem {
	if c > 0 && c%4 == 0 {
		t.I(x86.LEA, x86.W64, x86.RAX, x86.AtX(x86.RAX, x86.R10, 4, 0))
	}
	switch c % 4 {
	case 1:
		return x86.AtX(x86.RAX, x86.R10, 1, 0)
	case 2:
		return x86.AtX(x86.RAX, x86.R10, 2, 0)
	case 3:
		return x86.AtX(x86.RAX, x86.R11, 1, 0)
	}
	return x86.At(x86.RAX, 0)
}

// blocks transposes count blocks from row RCX on, each 16 bytes of each lane. It
// advances RCX by their rows.
func (t *tiler) blocks(count int) {
	t.I(x86.MOV, x86.W64, x86.RDX, x86.RCX)
	t.I(x86.IMUL, x86.W64, x86.RDX, x86.RDX, x86.Imm(layout.TilePitch*t.size))
	t.I(x86.ADD, x86.W64, x86.RDX, x86.RBX)
	for i := range count {
		t.block(i)
	}
	t.I(x86.ADD, x86.W64, x86.RCX, x86.Imm(count*t.n))
}

// block transposes the i-th block. Each half of a vector collects n lanes.
// Interleaving them transposes n x n elements in log2 n steps.
func (t *tiler) block(i int) {
	t.I(x86.LEA, x86.W64, x86.RAX, x86.AtX(x86.R13, x86.RCX, uint8(t.size), int32(16*i)))
	v := make([]x86.Operand, t.n)
	for c := range t.lanes {
		m := t.lane(c)
		if c < t.n {
			v[c] = x86.Vec(c)
			t.I(x86.VMOVUPS, x86.L128, v[c], m)
		} else {
			t.I(x86.VINSERTF128, x86.L256, v[c-t.n], v[c-t.n], m, x86.Imm(1))
		}
	}
	spill := at(frame.TileSpill)
	free := x86.Vec(t.n)
	if t.n == 16 { // there are 16 registers, and one must be free
		t.I(x86.VMOVUPS, x86.L256, spill, v[15])
		free, v[15] = x86.Vec(15), spill
	}
	lo, hi := t.unpack()
	for range bits.TrailingZeros(uint(t.n)) {
		w := make([]x86.Operand, t.n)
		for j := t.n/2 - 1; j >= 0; j-- {
			a := v[j].(x86.Vec)
			b, spilled := v[j+t.n/2], false
			if _, spilled = b.(x86.Mem); !spilled {
				t.I(lo, x86.L256, free, a, b)
				t.I(hi, x86.L256, a, a, b)
				w[2*j], w[2*j+1], free = free, a, b.(x86.Vec)
				continue
			}
			t.I(lo, x86.L256, free, a, b)
			t.I(hi, x86.L256, a, a, b)
			t.I(x86.VMOVUPS, x86.L256, spill, a)
			w[2*j], w[2*j+1], free = free, spill, a
		}
		v = w
	}
	for k, x := range v {
		if _, spilled := x.(x86.Mem); spilled {
			t.I(x86.VMOVUPS, x86.L256, free, x)
			x = free
		}
		t.I(x86.VMOVUPS, x86.L256, x86.At(x86.RDX, int32((i*t.n+k)*layout.TilePitch*t.size)), x)
	}
}

func (t *tiler) unpack() (lo, hi x86.Op) {
	switch t.size {
	case 1:
		return x86.VPUNPCKLBW, x86.VPUNPCKHBW
	case 2:
		return x86.VPUNPCKLWD, x86.VPUNPCKHWD
	case 4:
		return x86.VUNPCKLPS, x86.VUNPCKHPS
	}
	return x86.VUNPCKLPD, x86.VUNPCKHPD
}

// single moves a tile that is smaller than a block, element by element.
func (t *tiler) single() {
	column, row := t.NewLabel(), t.NewLabel()
	t.Bind(column)
	t.I(x86.XOR, x86.W32, x86.RCX, x86.RCX)
	t.I(x86.LEA, x86.W64, x86.RBX, x86.AtX(x86.R9, x86.RSI, uint8(t.size), 0))
	t.Bind(row)
	from, to := x86.AtX(x86.R8, x86.RCX, uint8(t.size), 0), x86.At(x86.RBX, 0)
	t.load(t.size, x86.RAX, from)
	t.I(x86.MOV, x86.Len(8*t.size), to, x86.RAX)
	t.I(x86.ADD, x86.W64, x86.RBX, x86.Imm(layout.TilePitch*t.size))
	t.I(x86.ADD, x86.W64, x86.RCX, x86.Imm(1))
	t.I(x86.CMP, x86.W64, x86.RCX, at(frame.TileHeight))
	t.I(x86.JL, 0, row)
	t.I(x86.ADD, x86.W64, x86.R8, x86.R10)
	t.I(x86.ADD, x86.W64, x86.RSI, x86.Imm(1))
	t.I(x86.CMP, x86.W64, x86.RSI, at(frame.TileWidth))
	t.I(x86.JL, 0, column)
}
