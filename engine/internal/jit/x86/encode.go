package x86

import (
	"encoding/binary"
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/listing"
)

// A code has the registers of the fields that prefixes and ModRM take.
type code struct {
	reg, vvvv, rm uint8
	opcode        uint8
}

// I appends the instruction op of length l. See [Operand] for the operands.
func (a *Asm) I(op Op, l Len, ops ...Operand) {
	var in insn
	if !in.set(op, l, ops) {
		a.fail("%s: operands", requestText(op, l, ops))
		return
	}
	c, evex := in.match()
	if c == nil {
		a.fail("%s: no such form", requestText(op, l, ops))
		return
	}
	f := c.form
	if evex && a.VEX {
		a.fail("%s: needs EVEX", in.text(f))
		return
	}
	if a.Listing {
		a.record(listing.Insn, a.pool.comment(&in, in.text(f)))
	}
	if f.ops[0] == patRel {
		a.jump(op, in.label)
		return
	}
	a.encode(c, evex, &in)
}

func (a *Asm) jump(op Op, l Label) {
	if int(l) >= len(a.labels) || l < 0 {
		a.fail("%s: unknown label %d", op, l)
		return
	}
	a.events = append(a.events, event{at: int32(len(a.buf)), op: op, label: l})
}

// encode appends in in the form of k.
func (a *Asm) encode(k *coding, evex bool, in *insn) {
	f, inOpcode := k.form, in.inField(k, fieldOpcode)
	c := code{reg: in.inField(k, fieldReg), vvvv: in.inField(k, fieldVVVV), rm: in.inField(k, fieldRM) | inOpcode, opcode: f.opcode + inOpcode&7}
	if f.ext != noExt {
		c.reg = f.ext & 7
	}
	unit := int32(1)
	b := a.buf
	switch {
	case f.gp:
		b = in.legacy(b, f, &c)
	case evex:
		unit = f.unit(in)
		b = in.evexPrefix(b, f, &c)
	default:
		b = in.vexPrefix(b, f, &c)
	}
	disp := place{at: unbound}
	switch {
	case f.flags&flagModRM != 0:
		b = append(b, f.ext)
	case in.hasMem && in.mem.rip:
		b = append(b, c.reg&7<<3|5)
		disp = place{at: int32(len(b)), events: int32(len(a.events))}
		b = binary.LittleEndian.AppendUint32(b, uint32(in.mem.Disp))
	case in.hasMem:
		b = in.mem.address(b, c.reg, unit)
	case f.hasModRM():
		b = append(b, 0xc0|c.reg&7<<3|c.rm&7)
	}
	size := int(k.imm)
	if size == immByLen {
		size = int(min(in.len/8, 4))
	}
	if size > 0 {
		b = binary.LittleEndian.AppendUint64(b, uint64(in.imm))[:len(b)+size]
	}
	if k.operand[fieldIs4] != noOperand {
		b = append(b, in.inField(k, fieldIs4)<<4)
	}
	if a.buf = b; disp.at != unbound {
		a.relocs = append(a.relocs, reloc{disp: disp, end: int32(len(b)), label: in.mem.ref})
	}
}

// inField returns the register that goes to a field, or 0.
func (in *insn) inField(k *coding, field int) uint8 { return in.reg[k.operand[field]&7] }

// hasModRM reports whether the form has a ModRM byte: all but those without
// operands and with the register in the opcode.
func (f *form) hasModRM() bool { return f.ops[0] != patNone && f.ops[0] != patGO }

// address appends ModRM, SIB and displacement to b (SDM vol. 2A, 2.1.5): the low
// bits 100 in rm mean a SIB byte, so RSP and R12 need one as a base; 101
// without a displacement means RIP, so RBP and R13 need a zero one. EVEX scales
// 8-bit displacements by unit (2.7.5).
func (m *Mem) address(b []byte, reg uint8, unit int32) []byte {
	base := uint8(m.Base) & 7
	mod, size := uint8(0x80), 4
	disp := m.Disp
	switch {
	case disp == 0 && base != 5:
		mod, size = 0, 0
	case disp%unit == 0 && disp/unit == int32(int8(disp/unit)):
		mod, size = 0x40, 1
		disp /= unit
	}
	if m.Scale == 0 && base != 4 {
		b = append(b, mod|reg&7<<3|base)
	} else {
		index, scale := uint8(4), uint8(0) // none
		if m.Scale != 0 {
			index, scale = m.Index&7, uint8(bits.TrailingZeros8(m.Scale))<<6
		}
		b = append(b, mod|reg&7<<3|4, scale|index<<3|base)
	}
	return binary.LittleEndian.AppendUint32(b, uint32(disp))[:len(b)+size]
}

// extensions are the bits 3 of ModRM.rm or the base, and of the index; and bit
// 4 of a vector index.
func (in *insn) extensions(c *code) (b, x, v uint8) {
	switch {
	case !in.hasMem:
		return c.rm >> 3 & 1, 0, 0
	case in.mem.rip:
		return 0, 0, 0
	case in.mem.Scale != 0:
		x, v = in.mem.Index>>3&1, in.mem.Index>>4
	}
	return uint8(in.mem.Base) >> 3 & 1, x, v
}

func (in *insn) w(w uint8) uint8 {
	switch {
	case w == w1, w == wByLen && in.len == W64:
		return 1
	}
	return 0
}

// legacy appends to buf the prefixes and opcode of a general-purpose instruction (SDM
// vol. 2A, 2.1 and 2.2.1).
func (in *insn) legacy(buf []byte, f *form, c *code) []byte {
	size := in.gpSize(f)
	if size == W16 {
		buf = append(buf, 0x66)
	}
	if f.pp != ppNP {
		buf = append(buf, [...]byte{pp66: 0x66, ppF3: 0xf3, ppF2: 0xf2}[f.pp])
	}
	b, x, _ := in.extensions(c)
	rex := c.reg>>3<<2 | x<<1 | b
	if size == W64 {
		rex |= 8
	}
	if rex != 0 || in.byteReg(f, size) {
		buf = append(buf, 0x40|rex)
	}
	switch f.opmap {
	case map0F:
		buf = append(buf, 0x0f)
	case map0F38:
		buf = append(buf, 0x0f, 0x38)
	case map0F3A:
		buf = append(buf, 0x0f, 0x3a)
	}
	if size == W8 && f.vex&(f.vex-1) != 0 { // one of several sizes
		c.opcode--
	}
	return append(buf, c.opcode)
}

// byteReg reports whether an operand is SPL, BPL, SIL or DIL, which need a REX
// prefix not to be AH, CH, DH, BH.
func (in *insn) byteReg(f *form, size Len) bool {
	for i, p := range f.ops {
		isByte := size == W8 && f.size[i] == sizeLen || f.size[i] == size1
		if in.kind[i] == kindReg && isByte && p != patCL && in.reg[i] >= 4 && in.reg[i] < 8 {
			return true
		}
	}
	return false
}

// vexPrefix appends to buf a VEX prefix and the opcode (SDM vol. 2A, 2.3.5): two bytes
// where they do.
func (in *insn) vexPrefix(buf []byte, f *form, c *code) []byte {
	b, x, _ := in.extensions(c)
	r := c.reg >> 3 & 1
	w := in.w(f.vexW)
	low := ^c.vvvv&15<<3 | f.pp
	if f.vex&lenKPair != 0 || f.vex&len256 != 0 && in.len == L256 {
		low |= 4
	}
	if f.opmap == map0F && b|x|w == 0 {
		return append(buf, 0xc5, (r^1)<<7|low, c.opcode)
	}
	return append(buf, 0xc4, (r^1)<<7|(x^1)<<6|(b^1)<<5|f.opmap, w<<7|low, c.opcode)
}

// evexPrefix appends to buf an EVEX prefix and the opcode (SDM vol. 2A, 2.7.1): bit 4 of a
// register is R' in reg, X in rm, V' in vvvv or a vector index.
func (in *insn) evexPrefix(buf []byte, f *form, c *code) []byte {
	b, x, v := in.extensions(c)
	if !in.hasMem {
		x = c.rm >> 4 & 1
	}
	v |= c.vvvv >> 4
	p0 := (c.reg>>3&1^1)<<7 | (x^1)<<6 | (b^1)<<5 | (c.reg>>4^1)<<4 | f.opmap
	p1 := in.w(f.evexW)<<7 | ^c.vvvv&15<<3 | 4 | f.pp
	p2 := (v^1)<<3 | uint8(in.with.K)
	if in.with.Zero {
		p2 |= 0x80
	}
	if f.evex&lenScalar == 0 {
		p2 |= in.len.ll() << 5
	}
	if in.mem.Broadcast {
		p2 |= 0x10
	}
	return append(buf, 0x62, p0, p1, p2, c.opcode)
}

func (l Len) ll() uint8 {
	switch l {
	case L256:
		return 1
	case L512:
		return 2
	}
	return 0
}
