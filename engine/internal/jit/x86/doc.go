// Package x86 assembles x86-64 machine code: the AVX2, FMA and AVX-512
// instructions (F, BW, DQ, VL, CD) that fused loops are made of, and the
// integer ones around them.
//
// insns.txt has the instructions, one row for each encoding; [Asm.I] finds the
// row that the operands match and encodes it, so an instruction is added by
// adding its row. Operands stand in Intel's order:
//
//	a := x86.New()
//	loop := a.NewLabel()
//	a.Bind(loop)
//	a.I(x86.VMOVUPS, x86.L512, x86.Vec(0), x86.AtX(x86.RSI, x86.RCX, 4, 0))
//	a.I(x86.VFMADD213PS, x86.L512, x86.Vec(0), x86.Vec(1), a.Const32(0x3f800000).Bcast())
//	a.I(x86.VMOVUPS, x86.L512, x86.AtX(x86.RDI, x86.RCX, 4, 0), x86.Vec(0), x86.Merge(x86.K1))
//	a.I(x86.ADD, x86.W64, x86.RCX, x86.Imm(16))
//	a.I(x86.JNE, 0, loop)
//	a.I(x86.VZEROUPPER, 0)
//	a.I(x86.RET, 0)
//	obj, err := a.Finish()
//
// The length is that of the instruction's vectors, the wider ones where they
// differ (VCVTPS2PD and VPMOVDB at L512 convert between a zmm and a narrower
// register). VEX is used where it can express the operands, EVEX otherwise
// (registers 16 to 31, masks, broadcasts, 512 bits); the size of
// displacements never decides.
//
// Errors are sticky: an instruction that has no encoding is not emitted, and
// Finish reports the first one.
package x86
