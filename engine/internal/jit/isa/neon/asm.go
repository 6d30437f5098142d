// Package neon has the target NEON: 32 vectors of 16 bytes of 64-bit Arm processors, no mask
// registers.
package neon

import (
	"math/bits"
	"sync"

	"github.com/oneloop/oneloop/engine/internal/jit/arm64"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/listing"
)

// regs are the general registers by their roles.
var regs = [...]arm64.Reg{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}

// sites is the number of registers for addresses of sites.
const sites = len(regs) - 6

// Registers of package neon. tailCount has the lanes of the tail, at most those of a vector. Any
// method of asm may overwrite x16 and x17, and any rule x15.
const (
	tailCount = arm64.Reg(14)
	x15       = arm64.Reg(15)
	x16       = arm64.Reg(16)
	x17       = arm64.Reg(17)
)

// An asm assembles a function.
type asm struct {
	*arm64.Asm
	tables []table
	last   arm64.Reg // the result of the last Int
	sum    sum
}

// A sum is a base and an index, whose sum x16 has had since the code had a size.
type sum struct {
	m     isa.Mem
	since int
}

// A table is constants that stand after the code.
type table struct {
	label arm64.Label
	bits  string
}

// assemblers are those that no function uses. They keep their storage.
var assemblers = sync.Pool{New: func() any { return &asm{Asm: arm64.New()} }}

func newAsm(listing bool) isa.Asm {
	a := assemblers.Get().(*asm)
	a.Reset()
	a.Listing, a.tables, a.sum = listing, nil, sum{}
	return a
}

// number sets d to x.
func (a *asm) number(d arm64.Reg, x int) {
	first, other, done := arm64.MOVZ, uint64(0), false
	if x < 0 {
		first, other = arm64.MOVN, 0xffff
	}
	for shift := 0; shift < 64; shift += 16 {
		switch part := uint64(x) >> shift & 0xffff; {
		case part == other:
		case done:
			a.I(arm64.MOVK, arm64.X, d, arm64.Imm(part), arm64.Imm(shift))
		default:
			a.I(first, arm64.X, d, arm64.Imm(part^other), arm64.Imm(shift))
			done = true
		}
	}
	if !done {
		a.I(first, arm64.X, d, arm64.Imm(0), arm64.Imm(0))
	}
}

// mem returns m as an operand of an instruction on so many bytes.
func (a *asm) mem(m isa.Mem, bytes int) arm64.Mem {
	r := arm64.Mem{Base: regs[m.Base.N()], Disp: int(m.Disp)}
	if m.Scale > 0 {
		index, shift := regs[m.Index.N()], uint8(bits.TrailingZeros8(m.Scale))
		if m.Disp == 0 && (shift == 0 || int(m.Scale) == bytes) {
			return arm64.Mem{Base: r.Base, Index: index, Indexed: true, Shift: shift}
		}
		m.Disp = 0
		if a.sum.m != m || !a.Kept(a.sum.since, x16, r.Base, index) {
			a.I(arm64.ADD, arm64.X, x16, r.Base, index, arm64.Imm(shift))
			a.sum = sum{m, a.Here()}
		}
		r.Base = x16
	}
	if r.Fits(bytes) {
		return r
	}
	a.number(x17, r.Disp)
	return arm64.Mem{Base: r.Base, Index: x17, Indexed: true}
}

// word returns a word of the frame as an operand.
func (a *asm) word(off int) arm64.Mem { return a.mem(isa.At(isa.Frame, off), 8) }

// address sets d to the address of m.
func (a *asm) address(d arm64.Reg, m isa.Mem) {
	base := regs[m.Base.N()]
	if m.Scale > 0 {
		a.I(arm64.ADD, arm64.X, d, base, regs[m.Index.N()], arm64.Imm(bits.TrailingZeros8(m.Scale)))
		base = d
	}
	if m.Disp != 0 || d != base {
		a.plus(d, base, int(m.Disp))
	}
}

// plus sets d to x plus a number.
func (a *asm) plus(d, x arm64.Reg, n int) {
	switch {
	case 0 <= n && n < 1<<12:
		a.I(arm64.ADDI, arm64.X, d, x, arm64.Imm(n))
	case -1<<12 < n && n < 0:
		a.I(arm64.SUBI, arm64.X, d, x, arm64.Imm(-n))
	default:
		a.number(x17, n)
		a.I(arm64.ADD, arm64.X, d, x, x17, arm64.Imm(0))
	}
}

// intOps are the instructions on two registers, and their widths.
var intOps = [...]struct {
	op    arm64.Op
	width arm64.Arr
}{
	isa.Mov: {arm64.MOV, arm64.X}, isa.Add: {arm64.ADD, arm64.X}, isa.Sub: {arm64.SUB, arm64.X}, isa.Mul: {arm64.MUL, arm64.X},
	isa.And: {arm64.AND, arm64.X}, isa.Shl: {arm64.LSLV, arm64.X}, isa.Shr: {arm64.LSRV, arm64.X}, isa.Neg: {arm64.SUB, arm64.X},
	isa.Min: {arm64.CSEL, arm64.X}, isa.Mov32: {arm64.MOV, arm64.W}, isa.And32: {arm64.AND, arm64.W}, isa.Xor32: {arm64.EOR, arm64.W},
	isa.Shl32: {arm64.LSLV, arm64.W}, isa.Sar32: {arm64.ASRV, arm64.W},
}

// immediate are the instructions on a register and a number.
var immediate = map[isa.IntOp]arm64.Op{
	isa.Add: arm64.ADDI, isa.Sub: arm64.SUBI, isa.Shl: arm64.LSL, isa.Shr: arm64.LSR, isa.Shl32: arm64.LSL, isa.Sar32: arm64.ASR,
}

// loadWord loads a word of the frame of a width.
func (a *asm) loadWord(w arm64.Arr, d arm64.Reg, off int) {
	op := arm64.LDRX
	if w == arm64.W {
		op = arm64.LDRW
	}
	a.I(op, 0, d, a.word(off))
}

// value returns a register with x: its own, or by.
func (a *asm) value(w arm64.Arr, x isa.Int, by arm64.Reg) arm64.Reg {
	switch {
	case x.IsReg():
		return regs[x.N()]
	case x.IsWord():
		a.loadWord(w, by, x.N())
	default:
		a.number(by, x.N())
	}
	return by
}

func (a *asm) Int(op isa.IntOp, d, x isa.Int) {
	o := intOps[op]
	to := x16
	switch move := o.op == arm64.MOV; {
	case d.IsReg() && move && !x.IsReg():
		a.last = a.value(o.width, x, regs[d.N()])
		return
	case d.IsReg():
		to = regs[d.N()]
	case !move:
		a.loadWord(o.width, to, d.N())
	}
	n := x.N()
	number, ok := immediate[op]
	ok = ok && !x.IsReg() && !x.IsWord()
	switch {
	case op == isa.Neg:
		a.I(o.op, o.width, to, arm64.ZR, to)
	case ok && 0 <= n && n < 64, ok && n >= 0 && n < 1<<12 && (op == isa.Add || op == isa.Sub):
		a.I(number, o.width, to, to, arm64.Imm(n))
	case op == isa.Add && ok:
		a.plus(to, to, n)
	default:
		y := a.value(o.width, x, x17)
		switch {
		case o.op == arm64.MOV:
			a.I(o.op, o.width, to, y)
		case op == isa.Min:
			a.I(arm64.CMP, o.width, to, y)
			a.I(o.op, o.width, to, to, y, arm64.LT)
		case op == isa.Add:
			a.I(o.op, o.width, to, to, y, arm64.Imm(0))
		default:
			a.I(o.op, o.width, to, to, y)
		}
	}
	if a.last = to; d.IsWord() {
		store := arm64.STRX
		if o.width == arm64.W {
			store = arm64.STRW
		}
		a.I(store, 0, to, a.word(d.N()))
	}
}

func (a *asm) Boolean(d isa.Reg) {
	a.I(arm64.CMPI, arm64.W, regs[d.N()], arm64.Imm(0))
	a.I(arm64.CSET, arm64.X, regs[d.N()], arm64.NE)
}

func (a *asm) Address(d isa.Reg, m isa.Mem) { a.address(regs[d.N()], m) }

// Loads and stores of general registers and of vectors, by the logarithm of their bytes.
var (
	loads     = [...]arm64.Op{arm64.LDRB, arm64.LDRH, arm64.LDRW, arm64.LDRX}
	stores    = [...]arm64.Op{arm64.STRB, arm64.STRH, arm64.STRW, arm64.STRX}
	vecLoads  = [...]arm64.Op{arm64.LDRVB, arm64.LDRVH, arm64.LDRVS, arm64.LDRVD, arm64.LDRVQ}
	vecStores = [...]arm64.Op{arm64.STRVB, arm64.STRVH, arm64.STRVS, arm64.STRVD, arm64.STRVQ}
)

// log returns the logarithm of a power of two.
func log(n int) int { return bits.TrailingZeros(uint(n)) }

func (a *asm) Load(size int, d isa.Reg, m isa.Mem) {
	a.I(loads[log(size)], 0, regs[d.N()], a.mem(m, size))
}

func (a *asm) Store(size int, m isa.Mem, x isa.Reg) {
	a.I(stores[log(size)], 0, regs[x.N()], a.mem(m, size))
}

// loadVec and storeVec move so many bytes of a vector.
func (a *asm) loadVec(bytes int, d isa.Vec, m isa.Mem) {
	a.I(vecLoads[log(bytes)], 0, d, a.mem(m, bytes))
}

func (a *asm) storeVec(bytes int, m isa.Mem, x isa.Vec) {
	a.I(vecStores[log(bytes)], 0, x, a.mem(m, bytes))
}

func (a *asm) Prefetch(m isa.Mem) { a.I(arm64.PRFM, 0, a.mem(m, 8)) }

func (a *asm) Jump(l isa.Label) { a.I(arm64.B, 0, l) }

// jumps are the jumps of the conditions.
var jumps = [...]arm64.Op{
	isa.EQ: arm64.BEQ, isa.NE: arm64.BNE, isa.LT: arm64.BLT, isa.LE: arm64.BLE, isa.GT: arm64.BGT, isa.GE: arm64.BGE, isa.NE32: arm64.BNE,
}

func (a *asm) Branch(cond isa.Cond, x, y isa.Int, l isa.Label) {
	w := arm64.X
	if cond == isa.NE32 {
		w = arm64.W
	}
	p := a.value(w, x, x16)
	if n := y.N(); !y.IsReg() && !y.IsWord() && 0 <= n && n < 1<<12 {
		a.I(arm64.CMPI, w, p, arm64.Imm(n))
	} else {
		a.I(arm64.CMP, w, p, a.value(w, y, x17))
	}
	a.I(jumps[cond], 0, l)
}

func (a *asm) BranchResult(cond isa.Cond, l isa.Label) {
	switch cond {
	case isa.EQ:
		a.I(arm64.CBZ, arm64.X, a.last, l)
	case isa.NE:
		a.I(arm64.CBNZ, arm64.X, a.last, l)
	default:
		a.I(arm64.CMPI, arm64.X, a.last, arm64.Imm(0))
		a.I(jumps[cond], 0, l)
	}
}

// Unset jumps over a jump: a jump on a bit reaches 32 KiB only.
func (a *asm) Unset(x isa.Reg, k int, l isa.Label) { a.unset(regs[x.N()], k, l) }

func (a *asm) unset(x arm64.Reg, k int, l arm64.Label) {
	set := a.NewLabel()
	a.I(arm64.TBNZ, 0, x, arm64.Imm(k), set)
	a.I(arm64.B, 0, l)
	a.Bind(set)
}

func (a *asm) Finish(bool) (*listing.Object, error) {
	a.Head("end")
	a.I(arm64.RET, 0)
	for _, t := range a.tables {
		a.Head("table")
		a.Align(8)
		a.Bind(t.label)
		a.Bytes([]byte(t.bits)...)
	}
	defer assemblers.Put(a)
	return a.Asm.Finish()
}
