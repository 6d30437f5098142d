package x86

import "github.com/oneloop/oneloop/engine/internal/jit/reg"

// A Reg is a general-purpose register. Its width is that of the instruction.
type Reg uint8

// The general-purpose registers.
const (
	RAX Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

// A Vec is a vector register, 0 to 31; 16 and above need AVX-512. Whether it
// is an xmm, ymm or zmm register follows from the instruction.
type Vec = reg.Vec

// A Mask is an opmask register.
type Mask = reg.Mask

// The opmask registers.
const (
	K0 Mask = iota
	K1
	K2
	K3
	K4
	K5
	K6
	K7
)

// A Len is the operand size of an instruction in bits: that of its vectors, or
// of its general-purpose registers. Instructions with one possible size (on
// masks, scalars, jumps) ignore it; 0 will do there.
type Len uint16

// The operand sizes.
const (
	W8   Len = 8
	W16  Len = 16
	W32  Len = 32
	W64  Len = 64
	L128 Len = 128
	L256 Len = 256
	L512 Len = 512
)

// An Operand is a Reg, Vec, Mask, Mem, Imm, Label or With. Operands
// stand in Intel's order, the destination first; an immediate last, and after
// it the decoration With, if any.
type Operand interface{ Operand() }

// An Imm is an immediate operand.
type Imm int64

// A Label is a place in the code: the target of a jump, or data.
type Label = reg.Label

// A With is the write mask of an EVEX instruction, [Merge] or [Zero]: lanes
// whose bit is clear keep the destination's old value, or become zero. Gathers
// and scatters need a Merge, and clear the mask.
type With struct {
	K    Mask
	Zero bool
}

// Merge is masking by k that keeps the other lanes of the destination.
func Merge(k Mask) With { return With{K: k} }

// Zero is masking by k that clears the other lanes of the destination.
func Zero(k Mask) With { return With{K: k, Zero: true} }

// A Mem is a memory operand; see [At], [AtX], [AtV], [AtLabel] and [Asm.Const].
type Mem struct {
	Base      Reg
	Index     uint8 // number of a Reg or, if VecIndex, of a Vec
	Scale     uint8 // 1, 2, 4 or 8; 0 is no index
	VecIndex  bool  // gathers and scatters
	Broadcast bool  // one element, for all lanes (EVEX)
	rip       bool  // relative to ref, without base and index
	Disp      int32
	ref       Label
}

// At is the memory at base + disp.
func At(base Reg, disp int32) Mem { return Mem{Base: base, Disp: disp} }

// AtX is the memory at base + index*scale + disp. RSP cannot be the index.
func AtX(base, index Reg, scale uint8, disp int32) Mem {
	return Mem{Base: base, Index: uint8(index), Scale: scale, Disp: disp}
}

// AtV is the memory at base + index*scale + disp for each lane of index.
func AtV(base Reg, index Vec, scale uint8, disp int32) Mem {
	return Mem{Base: base, Index: uint8(index), Scale: scale, VecIndex: true, Disp: disp}
}

// AtLabel is the memory at l + disp, relative to the instruction pointer.
func AtLabel(l Label, disp int32) Mem { return Mem{rip: true, ref: l, Disp: disp} }

// Bcast is m broadcast: one element, repeated in all lanes.
func (m Mem) Bcast() Mem { m.Broadcast = true; return m }

// Operand marks the operands of instructions.
func (Reg) Operand() {}

// Operand marks the operands of instructions.
func (Mem) Operand() {}

// Operand marks the operands of instructions.
func (Imm) Operand() {}

// Operand marks the operands of instructions.
func (With) Operand() {}
