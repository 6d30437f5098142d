package emit

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

// scalarBody emits a scalar phase: one lane of a masked body.
func (f *phaseCode) scalarBody() {
	f.prologue()
	f.I(x86.XOR, x86.W32, x86.RSI, x86.RSI)
	f.I(x86.MOV, x86.W32, x86.RCX, x86.Imm(1))
	f.Target.SetTail(&f.Emitter)
	f.Masked = true
	f.Start(1)
	f.body(f.top)
}

// siteRegs are the registers that may hold the addresses of sites.
var siteRegs = [...]x86.Reg{x86.R8, x86.R9, x86.R10, x86.R11, x86.R12, x86.R13}

// pinSites keeps the addresses of sites in registers, as many as siteRegs has.
func (f *phaseCode) pinSites() {
	next := 0
	for i := range f.Layout.Sites {
		s := &f.Layout.Sites[i]
		ok := s.Kind == layout.Unit || s.Kind == layout.Scratch || s.Kind == layout.Transposed
		if f.Phase.Kind == lower.SeqPhase {
			ok = ok || s.Kind == layout.Uniform && !f.isUniformSite(int32(i))
		}
		if alias := f.alias(i); ok && alias >= 0 && f.SiteReg[alias] >= 0 {
			f.SiteReg[i] = f.SiteReg[alias]
			continue
		}
		if ok && next < len(siteRegs) {
			f.SiteReg[i] = int8(siteRegs[next])
			next++
		}
	}
}

// alias returns an alias of site i of a map phase: the first earlier site with the
// same address, or -1.
func (f *phaseCode) alias(i int) int {
	s := &f.Layout.Sites[i]
	if f.Phase.Kind != lower.MapPhase || s.Kind != layout.Unit || s.Guard || s.Dyn != nil {
		return -1
	}
	a := &f.Program.IR.Access[f.Phase.Sites[i].Access]
	for j := range i {
		t := &f.Layout.Sites[j]
		if t.Kind != layout.Unit || t.Guard || t.Dyn != nil || t.Buf != s.Buf {
			continue
		}
		if slices.Equal(a.Coords, f.Program.IR.Access[f.Phase.Sites[j].Access].Coords) {
			return j
		}
	}
	return -1
}

// mapLoop emits a map phase.
func (f *phaseCode) mapLoop() {
	f.prologue()
	f.pinSites()
	for i, r := range f.SiteReg {
		if r >= 0 && f.alias(i) < 0 {
			f.I(x86.MOV, x86.W64, x86.Reg(r), isa.Frame(f.Layout.Sites[i].Arg+f.Layout.Sites[i].Origin))
		}
	}
	if len(f.Phase.Reds) > 0 {
		f.reduceLoop()
		return
	}
	group := f.chooseCopies(4, 0)
	v, _ := f.pressure()
	f.pinUniforms(f.Registers - group*v - spareRegs)
	f.elementLoop(group)
}

// elementLoop emits a loop without reductions: groups of vectors, single vectors,
// and a masked vector for the rest. If stores need aligned addresses, masked
// vectors also come first: see alignStores.
func (f *phaseCode) elementLoop(group int) {
	main, single, tail, masked, done := f.Asm.NewLabel(), f.Asm.NewLabel(), f.Asm.NewLabel(), f.Asm.NewLabel(), f.Asm.NewLabel()
	lanes := isa.Frame(f.Phase.Lanes)
	f.I(x86.XOR, x86.W32, x86.RSI, x86.RSI)
	again := tail
	align := f.Asm.NewLabel()
	f.Asm.Bind(align)
	if (f.Stream || f.Rows) && f.alignStores(main, masked) {
		again = main
		if f.Stream { // the first line may take several masked vectors
			again = align
		}
	}
	f.Asm.Bind(main)
	if f.Fetch && group > 1 && f.Layout.Apart() {
		f.part("main loop: %d vectors at once, half of them in the second half of the elements", group)
		f.halves(group, single)
	} else {
		f.part("main loop: %d vectors at once", group)
		f.vectors(group, single)
	}
	f.Asm.Bind(single)
	if group > 1 && len(f.top) <= longBody {
		f.part("single vectors")
		f.Part64 = true
		f.vectors(1, tail)
		f.Part64 = false
	}
	f.part("tail: vectors under a mask, up to the last element")
	f.Asm.Bind(tail)
	f.I(x86.MOV, x86.W64, x86.RCX, lanes)
	f.I(x86.SUB, x86.W64, x86.RCX, x86.RSI)
	f.I(x86.JLE, 0, done)
	f.Asm.Bind(masked) // RCX: lanes left
	f.I(x86.MOV, x86.W32, x86.RAX, x86.Imm(f.W))
	f.I(x86.CMP, x86.W64, x86.RCX, x86.RAX)
	f.I(x86.CMOVG, x86.W64, x86.RCX, x86.RAX)
	f.I(x86.MOV, x86.W64, isa.Frame(frame.Counter), x86.RCX)
	f.Target.SetTail(&f.Emitter)
	f.Masked = true
	f.Start(1)
	f.body(f.top)
	f.Masked = false
	f.I(x86.ADD, x86.W64, x86.RSI, isa.Frame(frame.Counter))
	f.I(x86.CMP, x86.W64, x86.RSI, lanes)
	f.I(x86.JL, 0, again)
	f.Asm.Bind(done)
}

// vectors emits a loop over whole groups of vectors. It jumps to end if too few
// lanes are left for one iteration. If stores bypass the caches, an iteration
// stores whole lines, and may have several groups.
func (f *phaseCode) vectors(group int, end x86.Label) {
	unroll := group
	if f.Stream && !f.Part64 {
		unroll = max(group, layout.LineBytes/(f.W*f.Phase.Widest()))
	}
	step := unroll * f.W
	lanes := isa.Frame(f.Phase.Lanes)
	f.I(x86.LEA, x86.W64, x86.RAX, x86.At(x86.RSI, int32(step)))
	f.I(x86.CMP, x86.W64, x86.RAX, lanes)
	f.I(x86.JG, 0, end)
	loop := f.Asm.NewLabel()
	f.Asm.Align(32)
	f.Asm.Bind(loop)
	f.ahead(x86.RSI, step)
	for f.Base = 0; f.Base < unroll; f.Base += group {
		f.Start(group)
		f.body(f.top)
	}
	f.Base = 0
	f.I(x86.ADD, x86.W64, x86.RSI, x86.Imm(step))
	f.I(x86.LEA, x86.W64, x86.RAX, x86.At(x86.RSI, int32(step)))
	f.I(x86.CMP, x86.W64, x86.RAX, lanes)
	f.I(x86.JLE, 0, loop)
}

// halves emits the loop of vectors for arrays in memory. Half of a group is in the
// first half of the lanes, half in the second. The processor limits its prefetches
// for each page and each stream of addresses; two streams allow twice as many. A
// half is whole groups and whole lines. vectors(1) and the tail do the lanes after
// the second half. Every site must be contiguous or uniform: see apart.
func (f *phaseCode) halves(group int, end x86.Label) {
	f.Half = group / 2
	step := f.Half * f.W
	f.I(x86.MOV, x86.W64, x86.RAX, isa.Frame(f.Phase.Lanes))
	f.I(x86.SUB, x86.W64, x86.RAX, x86.RSI)
	f.I(x86.SHR, x86.W64, x86.RAX, x86.Imm(1))
	f.I(x86.AND, x86.W64, x86.RAX, x86.Imm(-max(step, layout.LineBytes/f.Phase.Widest())))
	f.I(x86.JE, 0, end)
	f.I(x86.LEA, x86.W64, x86.RBX, x86.AtX(x86.RSI, x86.RAX, 1, 0))
	f.I(x86.MOV, x86.W64, isa.Frame(frame.Counter), x86.RBX)
	loop := f.Asm.NewLabel()
	f.Asm.Align(32)
	f.Asm.Bind(loop)
	f.ahead(x86.RSI, step)
	f.ahead(x86.RBX, step)
	f.Start(group)
	f.body(f.top)
	f.I(x86.ADD, x86.W64, x86.RSI, x86.Imm(step))
	f.I(x86.ADD, x86.W64, x86.RBX, x86.Imm(step))
	f.I(x86.CMP, x86.W64, x86.RSI, isa.Frame(frame.Counter))
	f.I(x86.JL, 0, loop)
	f.I(x86.MOV, x86.W64, x86.RSI, x86.RBX)
	f.Half = 0
}

// reduceLoop emits a loop with reductions: a main loop over all lanes of the
// accumulators, and a masked loop for the rest.
func (f *phaseCode) reduceLoop() {
	unroll := f.accumulators()
	f.keepAccs()
	fixed := 0
	for i := range f.accs {
		fixed += len(f.accs[i].regs) + len(f.accs[i].idx)
	}
	if fixed > 0 {
		fixed += f.programRegs()
	}
	group := min(f.chooseCopies(4, fixed), unroll)
	v, _ := f.pressure()
	f.pinUniforms(f.Registers - fixed - group*v - spareRegs)

	lanes := isa.Frame(f.Phase.Lanes)
	f.I(x86.XOR, x86.W32, x86.RSI, x86.RSI)
	tail, done := f.Asm.NewLabel(), f.Asm.NewLabel()
	step := unroll * f.W
	f.I(x86.CMP, x86.W64, lanes, x86.Imm(step))
	f.I(x86.JL, 0, tail)
	f.loadAccs()
	loop := f.Asm.NewLabel()
	f.part("main loop: %d vectors, %d at once", unroll, group)
	f.Asm.Align(32)
	f.Asm.Bind(loop)
	f.ahead(x86.RSI, step)
	for f.Base = 0; f.Base < unroll; f.Base += group {
		f.Start(group)
		f.body(f.top)
		f.accumulate()
	}
	f.Base = 0
	f.I(x86.ADD, x86.W64, x86.RSI, x86.Imm(step))
	f.I(x86.LEA, x86.W64, x86.RAX, x86.At(x86.RSI, int32(step)))
	f.I(x86.CMP, x86.W64, x86.RAX, lanes)
	f.I(x86.JLE, 0, loop)
	f.storeAccs()

	f.part("tail: vectors under a mask, up to the last element")
	f.Asm.Bind(tail)
	f.I(x86.XOR, x86.W32, x86.RBX, x86.RBX)
	more := f.Asm.NewLabel()
	f.Asm.Bind(more)
	f.I(x86.MOV, x86.W64, x86.RCX, lanes)
	f.I(x86.SUB, x86.W64, x86.RCX, x86.RSI)
	f.I(x86.JLE, 0, done)
	f.Target.SetTail(&f.Emitter)
	f.Masked = true
	f.Start(1)
	f.body(f.top)
	f.accumulate()
	f.Masked = false
	f.I(x86.ADD, x86.W64, x86.RSI, x86.Imm(f.W))
	f.I(x86.ADD, x86.W64, x86.RBX, x86.Imm(1))
	f.I(x86.JMP, 0, more)
	f.Asm.Bind(done)
	f.fold()
	if f.Rows {
		f.results()
	}
}

// ahead emits the prefetches of an iteration of lanes lanes from index: the lines
// that the loop loads some iterations later.
func (f *phaseCode) ahead(index x86.Reg, lanes int) {
	if !f.Fetch {
		return
	}
	by := fetchBytes
	if f.Stream {
		by = streamFetchBytes
	}
	for i := range f.Layout.Sites {
		s := &f.Layout.Sites[i]
		if s.Kind != layout.Unit || f.Phase.Sites[i].Store || s.Trails || f.alias(i) >= 0 {
			continue
		}
		base := x86.RCX
		if r := f.SiteReg[i]; r >= 0 {
			base = x86.Reg(r)
		} else {
			f.I(x86.MOV, x86.W64, base, isa.Frame(s.Arg+s.Origin))
		}
		for at := 0; at < lanes*s.Size; at += layout.LineBytes {
			f.I(x86.PREFETCHT1, 0, x86.AtX(base, index, uint8(s.Size), int32(by+at)))
		}
	}
}

// alignStores emits a jump to the masked vector for the lanes before the first
// aligned store. Stores are aligned to a vector, or to a line if they bypass the
// caches. It reports whether the loop has a store to align.
func (f *phaseCode) alignStores(main, masked x86.Label) bool {
	for i := range f.Layout.Sites {
		s := &f.Layout.Sites[i]
		if f.Stream && !f.Passes(int32(i)) || !f.Phase.Sites[i].Store || s.Kind != layout.Unit || s.Size != f.Phase.Widest() {
			continue
		}
		to := f.W * s.Size
		if f.Stream {
			to = layout.LineBytes
		} else {
			f.I(x86.CMP, x86.W64, isa.Frame(f.Phase.Lanes), x86.Imm(alignedLanes))
			f.I(x86.JL, 0, main)
		}
		f.I(x86.MOV, x86.W64, x86.RCX, isa.Frame(s.Arg+s.Origin))
		f.I(x86.LEA, x86.W64, x86.RCX, x86.AtX(x86.RCX, x86.RSI, uint8(s.Size), 0))
		f.I(x86.NEG, x86.W64, x86.RCX)
		f.I(x86.AND, x86.W64, x86.RCX, x86.Imm(to-1))
		f.I(x86.SHR, x86.W64, x86.RCX, x86.Imm(bits.TrailingZeros(uint(s.Size))))
		f.I(x86.JE, 0, main)
		f.I(x86.MOV, x86.W64, x86.RAX, isa.Frame(f.Phase.Lanes))
		f.I(x86.SUB, x86.W64, x86.RAX, x86.RSI)
		f.I(x86.CMP, x86.W64, x86.RCX, x86.RAX)
		f.I(x86.CMOVG, x86.W64, x86.RCX, x86.RAX)
		f.I(x86.JMP, 0, masked)
		return true
	}
	return false
}

// alignedLanes is the fewest lanes for which aligned stores are worth a masked vector
// before them.
const alignedLanes = 64

// longBody is the most nodes of a loop that is emitted again for single vectors.
// For a longer loop the tail does them, which saves code.
const longBody = 64

// The distance of a prefetch from the use of its line, in bytes: in general, and if
// stores bypass the caches.
const (
	fetchBytes       = 1024
	streamFetchBytes = 2048
)
