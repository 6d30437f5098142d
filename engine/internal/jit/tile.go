package jit

import (
	"math/bits"
	"sync"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/plan/bound"
)

// A transposed operand is contiguous from row to row, not along a row. A separate
// function of machine code transposes a tile of it in registers, 16 bytes of several
// lanes at a time, and stores it in scratch memory. The tile stays in the first-level
// cache, and the loop reads it like an array.

const (
	tileLanes = 256            // lanes of a tile
	tilePitch = tileLanes + 16 // elements of a row in scratch memory: rows must not share a set of the cache
	tileBytes = 128            // bytes of each lane in a tile: two cache lines
	tileLeast = 16             // fewest rows and lanes of a loop that uses tiles
	tileAhead = 64             // lanes between a prefetch and its use
)

// A tileKern transposes tiles of elements of one size. Its arguments are in the
// frame:
const (
	tileSrc    = frameTmp + 8*iota // address of the first element
	tileDst                        // of the scratch memory
	tileStride                     // bytes from lane to lane of the operand
	tileHeight                     // how many elements of each lane
	tileWidth                      // lanes
	tileSpill  = frameTmp + 64
)

// tileKerns are the functions by log2 of the element size. The second of each is for
// operands larger than the caches, and prefetches.
var tileKerns [4][2]func() (*exec.Code, error)

func init() {
	for i := range tileKerns {
		for far := range 2 {
			tileKerns[i][far] = sync.OnceValues(func() (*exec.Code, error) { return newTileKern(1<<i, far == 1) })
		}
	}
}

// tileKernOf returns the code for elements of size bytes; far selects prefetches.
func tileKernOf(size int, far bool) (*exec.Code, error) {
	return tileKerns[bits.TrailingZeros(uint(size))][boolBit(far)]()
}

func newTileKern(size int, far bool) (*exec.Code, error) {
	t := &tiler{Asm: x86.New(), size: size, n: 16 / size, lanes: 32 / size, far: far}
	t.kern()
	obj, err := t.Finish()
	if err != nil {
		return nil, err
	}
	return install(obj)
}

// A tiler emits a tileKern, for any processor with AVX2. R8 has the address of the
// operand, R9 the address of the scratch memory. R10 has the stride, R11 three times
// the stride, R12 the distance of prefetches in bytes. RSI has the lane, R13 and RBX
// its addresses in the operand and in scratch memory. RCX has the row. RAX and RDX
// hold temporaries.
type tiler struct {
	*x86.Asm
	size  int
	n     int // rows of a block: elements of 16 bytes
	lanes int // of a block: elements of a vector
	far   bool
}

func (t *tiler) kern() {
	slow, done, column, next := t.NewLabel(), t.NewLabel(), t.NewLabel(), t.NewLabel()
	t.I(x86.MOV, x86.W64, x86.R8, frameAt(tileSrc))
	t.I(x86.MOV, x86.W64, x86.R9, frameAt(tileDst))
	t.I(x86.MOV, x86.W64, x86.R10, frameAt(tileStride))
	t.I(x86.XOR, x86.W32, x86.RSI, x86.RSI)
	t.I(x86.CMP, x86.W64, frameAt(tileHeight), x86.Imm(t.n))
	t.I(x86.JL, 0, slow)
	t.I(x86.CMP, x86.W64, frameAt(tileWidth), x86.Imm(t.lanes))
	t.I(x86.JL, 0, slow)
	t.I(x86.LEA, x86.W64, x86.R11, x86.AtX(x86.R10, x86.R10, 2, 0))
	t.I(x86.MOV, x86.W64, x86.R12, x86.R10)
	t.I(x86.SHL, x86.W64, x86.R12, x86.Imm(bits.TrailingZeros(tileAhead)))

	t.Bind(column) // the last block ends where the tile ends, and may repeat lanes
	t.I(x86.MOV, x86.W64, x86.RAX, frameAt(tileWidth))
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
	t.I(x86.CMP, x86.W64, x86.RAX, frameAt(tileHeight))
	t.I(x86.JG, 0, rest)
	if t.far {
		t.fetch()
	}
	t.blocks(4)
	t.I(x86.JMP, 0, line)
	t.Bind(rest)
	t.I(x86.MOV, x86.W64, x86.RAX, frameAt(tileHeight))
	t.I(x86.CMP, x86.W64, x86.RCX, x86.RAX)
	t.I(x86.JGE, 0, next)
	t.I(x86.SUB, x86.W64, x86.RAX, x86.Imm(t.n))
	t.I(x86.CMP, x86.W64, x86.RCX, x86.RAX)
	t.I(x86.CMOVG, x86.W64, x86.RCX, x86.RAX)
	t.blocks(1)
	t.I(x86.JMP, 0, rest)
	t.Bind(next)
	t.I(x86.ADD, x86.W64, x86.RSI, x86.Imm(t.lanes))
	t.I(x86.CMP, x86.W64, x86.RSI, frameAt(tileWidth))
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
	t.I(x86.IMUL, x86.W64, x86.RDX, x86.RDX, x86.Imm(tilePitch*t.size))
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
	spill := frameAt(tileSpill)
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
		t.I(x86.VMOVUPS, x86.L256, x86.At(x86.RDX, int32((i*t.n+k)*tilePitch*t.size)), x)
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
	switch t.size {
	case 1:
		t.I(x86.MOVZXB, x86.W32, x86.RAX, from)
		t.I(x86.MOV, x86.W8, to, x86.RAX)
	case 2:
		t.I(x86.MOVZXW, x86.W32, x86.RAX, from)
		t.I(x86.MOV, x86.W16, to, x86.RAX)
	case 4:
		t.I(x86.MOV, x86.W32, x86.RAX, from)
		t.I(x86.MOV, x86.W32, to, x86.RAX)
	default:
		t.I(x86.MOV, x86.W64, x86.RAX, from)
		t.I(x86.MOV, x86.W64, to, x86.RAX)
	}
	t.I(x86.ADD, x86.W64, x86.RBX, x86.Imm(tilePitch*t.size))
	t.I(x86.ADD, x86.W64, x86.RCX, x86.Imm(1))
	t.I(x86.CMP, x86.W64, x86.RCX, frameAt(tileHeight))
	t.I(x86.JL, 0, row)
	t.I(x86.ADD, x86.W64, x86.R8, x86.R10)
	t.I(x86.ADD, x86.W64, x86.RSI, x86.Imm(1))
	t.I(x86.CMP, x86.W64, x86.RSI, frameAt(tileWidth))
	t.I(x86.JL, 0, column)
}

// findTransposed finds the loads of a map that read transposed tiles, and reports
// whether there are any. Machine code must reach all other sites without scratch
// memory and without guards.
func (b *binder) findTransposed(bp *boundPhase, extents []int, which []int32, guards [][]bound.Form, spans [][]bound.Span) bool {
	ph := bp.ph
	if ph.kind != mapPhase || len(ph.reds) > 0 || len(extents) < 2 || bp.computes() {
		return false
	}
	k := len(extents)
	if extents[k-1] < tileLeast || extents[k-2] < tileLeast {
		return false
	}
	for i := range bp.sites {
		if bp.sites[i].kind == flatSite {
			return false
		}
	}
	var transposed []int32
	least, at, total := 8, 0, 0
	for _, i := range which {
		s, c := &bp.sites[i], spans[at]
		at += 1 + len(guards[i])
		if s.guard || s.dyn != nil {
			return false
		}
		total += bp.n * s.size
		lines := max(c[k-1].Coef, -c[k-1].Coef)*s.size >= 64
		switch {
		case s.kind != iotaSite && !ph.sites[i].store && !ph.conflict(int(i)) && lines && c[k-2].Coef == 1:
			transposed = append(transposed, i)
			least = min(least, s.size)
		case !b.reachable(ph, s, c[k-1].Coef):
			return false
		}
	}
	for _, i := range transposed {
		code, err := tileKernOf(bp.sites[i].size, total > 4*caches.L2)
		if err != nil {
			return false
		}
		bp.sites[i].kind, bp.sites[i].tile = transposedSite, code
	}
	bp.transposed, bp.tileRows = transposed, tileBytes/least
	return len(transposed) > 0
}

// transpose fills the tiles of the transposed sites: n lanes from position p, and the
// same lanes of the rows below, rows rows in all.
func (w *worker) transpose(bp *boundPhase, p, n, rows int) {
	for _, i := range bp.transposed {
		s := &bp.sites[i]
		off, _ := bound.Inner(s.line.Spans, p)
		dst := w.scratchOf(bp, i)
		w.setPtr(tileSrc, w.base(s.buf), (s.line.At(w.Pos)+off)*s.size)
		w.setPtr(tileDst, dst, 0)
		w.set(tileStride, s.line.Step()*s.size)
		w.set(tileHeight, rows)
		w.set(tileWidth, n)
		s.tile.Call(w.frame)
		w.setPtr(s.arg+sitePtr, dst, 0)
	}
}

// tiles runs the rows of a piece tile by tile.
func (w *worker) tiles(bp *boundPhase, lo, n int) {
	k := len(bp.spans)
	above, last := bp.spans[k-2], bp.spans[k-1]
	for at := 0; at < n && !w.inst.Stopped(); {
		in, rows := (lo+at)%last, 1
		m := min(last-in, n-at)
		if m == last {
			rows = min((n-at)/last, above-(lo+at)/last%above, bp.tileRows)
		}
		for c := 0; c < m; c += tileLanes {
			width := min(tileLanes, m-c)
			w.transpose(bp, lo+at+c, width, rows)
			w.segment(bp, lo, at+c, width, rows)
		}
		at += m * rows
	}
}
