// Package amd64 has the targets AVX2 and AVX-512. They share the general registers, the
// addresses, and the rules that do not depend on the kind of predicates.
package amd64

import (
	"sync"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/engine/internal/listing"
)

// regs are the registers by their roles. A call may overwrite them all: it is a call of ABI0, after which Go loads R14 again. RBP is the
// frame pointer of the caller.
var regs = [...]x86.Reg{x86.RDI, x86.RSI, x86.RBX, x86.RAX, x86.RCX, x86.RDX, x86.R8, x86.R9, x86.R10, x86.R11, x86.R12, x86.R13, x86.R15, x86.R14}

// sites is the number of registers for addresses of sites.
const sites = len(regs) - 6

// An asm assembles a function.
type asm struct {
	*x86.Asm
	tables []table
}

// A table is constants that stand after the code.
type table struct {
	label x86.Label
	bits  []byte
}

// assemblers are those that no function uses. They keep their storage.
var assemblers = sync.Pool{New: func() any { return &asm{Asm: x86.New()} }}

// newAsm returns an assembler for a target with or without AVX-512.
func newAsm(listing, avx512 bool) isa.Asm {
	a := assemblers.Get().(*asm)
	a.Reset()
	a.Listing, a.VEX, a.tables = listing, !avx512, nil
	return a
}

// mem returns m as an operand.
func mem(m isa.Mem) x86.Mem {
	return x86.Mem{Base: regs[m.Base.N()], Index: uint8(regs[m.Index.N()]), Scale: m.Scale, Disp: m.Disp}
}

// at returns the memory of the frame at an offset.
func at(off int) x86.Mem { return x86.At(x86.RDI, int32(off)) }

// intOps are the instructions of general registers with their widths.
var intOps = [...]struct {
	op    x86.Op
	width x86.Len
}{
	isa.Mov: {x86.MOV, x86.W64}, isa.Add: {x86.ADD, x86.W64}, isa.Sub: {x86.SUB, x86.W64}, isa.Mul: {x86.IMUL, x86.W64},
	isa.And: {x86.AND, x86.W64}, isa.Shl: {x86.SHL, x86.W64}, isa.Shr: {x86.SHR, x86.W64}, isa.Neg: {x86.NEG, x86.W64},
	isa.Min: {x86.CMOVG, x86.W64}, isa.Mov32: {x86.MOV, x86.W32}, isa.And32: {x86.AND, x86.W32}, isa.Xor32: {x86.XOR, x86.W32},
	isa.Shl32: {x86.SHL, x86.W32}, isa.Sar32: {x86.SAR, x86.W32},
}

// int2 appends an instruction on d and x.
func (a *asm) int2(op x86.Op, w x86.Len, d, x isa.Int) {
	switch {
	case d.IsWord() && x.IsReg():
		a.I(op, w, at(d.N()), regs[x.N()])
	case d.IsWord():
		a.I(op, w, at(d.N()), x86.Imm(x.N()))
	case x.IsReg():
		a.I(op, w, regs[d.N()], regs[x.N()])
	case x.IsWord():
		a.I(op, w, regs[d.N()], at(x.N()))
	default:
		a.I(op, w, regs[d.N()], x86.Imm(x.N()))
	}
}

func (a *asm) Int(op isa.IntOp, d, x isa.Int) {
	o := intOps[op]
	number := !x.IsReg() && !x.IsWord()
	switch {
	case op == isa.Neg:
		a.I(o.op, o.width, regs[d.N()])
	case op == isa.Min:
		a.int2(x86.CMP, o.width, d, x)
		a.int2(o.op, o.width, d, x)
	case op == isa.Mul && number:
		a.I(o.op, o.width, regs[d.N()], regs[d.N()], x86.Imm(x.N()))
	case op == isa.Mov && d.IsWord(): // all 64 bits
		a.int2(o.op, o.width, d, x)
	case op == isa.Mov && x == isa.K(0):
		a.int2(x86.XOR, x86.W32, d, d)
	case op == isa.Mov && number && x.N() >= 0: // else the upper half of the register needs the sign
		a.int2(x86.MOV, x86.W32, d, x)
	default:
		a.int2(o.op, o.width, d, x)
	}
}

func (a *asm) Boolean(d isa.Reg) {
	r := regs[d.N()]
	a.I(x86.NEG, x86.W32, r) // sets the carry
	a.I(x86.MOV, x86.W32, r, x86.Imm(0))
	a.I(x86.ADC, x86.W32, r, x86.Imm(0))
}

func (a *asm) Address(d isa.Reg, m isa.Mem) { a.I(x86.LEA, x86.W64, regs[d.N()], mem(m)) }

func (a *asm) Load(size int, d isa.Reg, m isa.Mem) { a.load(size, regs[d.N()], mem(m)) }

// load loads an element into a register.
func (a *asm) load(size int, d x86.Reg, m x86.Mem) {
	switch size {
	case 1:
		a.I(x86.MOVZXB, x86.W32, d, m)
	case 2:
		a.I(x86.MOVZXW, x86.W32, d, m)
	default:
		a.I(x86.MOV, x86.Len(8*size), d, m)
	}
}

func (a *asm) Store(size int, m isa.Mem, x isa.Reg) {
	a.I(x86.MOV, x86.Len(8*size), mem(m), regs[x.N()])
}

func (a *asm) Prefetch(m isa.Mem) { a.I(x86.PREFETCHT1, 0, mem(m)) }

// MoveBytes implements [isa.Mover].
func (a *asm) MoveBytes() {
	a.I(x86.MOV, x86.W64, x86.RSI, x86.RAX)
	a.I(x86.MOV, x86.W64, x86.RAX, x86.RDI)
	a.I(x86.MOV, x86.W64, x86.RDI, x86.RDX)
	a.I(x86.REP, 0)
	a.I(x86.MOVSB, 0)
	a.I(x86.MOV, x86.W64, x86.RDI, x86.RAX)
}

func (a *asm) Jump(l isa.Label) { a.I(x86.JMP, 0, l) }

// jumps are the jumps of the conditions.
var jumps = [...]x86.Op{
	isa.EQ: x86.JE, isa.NE: x86.JNE, isa.LT: x86.JL, isa.LE: x86.JLE, isa.GT: x86.JG, isa.GE: x86.JGE, isa.NE32: x86.JNE,
}

func (a *asm) Branch(cond isa.Cond, x, y isa.Int, l isa.Label) {
	w := x86.W64
	if cond == isa.NE32 {
		w = x86.W32
	}
	a.int2(x86.CMP, w, x, y)
	a.BranchResult(cond, l)
}

func (a *asm) BranchResult(cond isa.Cond, l isa.Label) { a.I(jumps[cond], 0, l) }

func (a *asm) Unset(x isa.Reg, k int, l isa.Label) {
	a.I(x86.BT, x86.W32, regs[x.N()], x86.Imm(k))
	a.I(x86.JAE, 0, l)
}

func (a *asm) Finish(passed bool) (*listing.Object, error) {
	a.Head("end")
	if passed {
		a.I(x86.SFENCE, 0)
	}
	a.I(x86.VZEROUPPER, 0)
	a.I(x86.RET, 0)
	for _, t := range a.tables {
		a.Head("table")
		a.Align(64)
		a.Bind(t.label)
		a.Bytes(t.bits...)
	}
	defer assemblers.Put(a)
	return a.Asm.Finish()
}
