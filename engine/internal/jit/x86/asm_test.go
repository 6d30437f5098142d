package x86

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/listing"
)

func finish(t testing.TB, a *Asm) *listing.Object {
	t.Helper()
	o, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func hexOf(b []byte) string {
	s := hex.EncodeToString(b)
	var parts []string
	for i := 0; i < len(s); i += 2 {
		parts = append(parts, s[i:i+2])
	}
	return strings.Join(parts, " ")
}

// TestBytes needs no other assembler: what a person can check with the manual.
func TestBytes(t *testing.T) {
	zmm := func(i int) Vec { return Vec(i) }
	for _, c := range []struct {
		text, bytes string
		op          Op
		l           Len
		ops         []Operand
	}{
		{"vaddps xmm1, xmm2, xmm3", "c5 e8 58 cb", VADDPS, L128, []Operand{zmm(1), zmm(2), zmm(3)}},
		{"vaddps ymm8, ymm2, ymm3", "c5 6c 58 c3", VADDPS, L256, []Operand{zmm(8), zmm(2), zmm(3)}},
		{"vaddps ymm1, ymm2, ymm11", "c4 c1 6c 58 cb", VADDPS, L256, []Operand{zmm(1), zmm(2), zmm(11)}},
		{"vaddps zmm1, zmm2, zmm3", "62 f1 6c 48 58 cb", VADDPS, L512, []Operand{zmm(1), zmm(2), zmm(3)}},
		{"vaddps xmm31, xmm30, xmm29", "62 01 0c 00 58 fd", VADDPS, L128, []Operand{zmm(31), zmm(30), zmm(29)}},
		{"vaddpd zmm1{k3}{z}, zmm2, qword ptr [rax+8]{1to8}", "62 f1 ed db 58 48 01", VADDPD, L512, []Operand{zmm(1), zmm(2), At(RAX, 8).Bcast(), Zero(K3)}},
		{"vmovups zmm0, zmmword ptr [rsi+rcx*4+64]", "62 f1 7c 48 10 44 8e 01", VMOVUPS, L512, []Operand{zmm(0), AtX(RSI, RCX, 4, 64)}},
		{"vmovups zmm0, zmmword ptr [rsi+63]", "62 f1 7c 48 10 86 3f 00 00 00", VMOVUPS, L512, []Operand{zmm(0), At(RSI, 63)}},
		{"vmovups ymmword ptr [r13], ymm9", "c4 41 7c 11 4d 00", VMOVUPS, L256, []Operand{At(R13, 0), zmm(9)}},
		{"vmovups zmmword ptr [rdi]{k1}, zmm16", "62 e1 7c 49 11 07", VMOVUPS, L512, []Operand{At(RDI, 0), zmm(16), Merge(K1)}},
		{"vmovntps zmmword ptr [r12+8192], zmm1", "62 d1 7c 48 2b 8c 24 00 20 00 00", VMOVNTPS, L512, []Operand{At(R12, 8192), zmm(1)}},
		{"vfmadd231ps ymm1, ymm2, ymm3", "c4 e2 6d b8 cb", VFMADD231PS, L256, []Operand{zmm(1), zmm(2), zmm(3)}},
		{"vgatherdps ymm1, [rax+ymm2*4], ymm3", "c4 e2 65 92 0c 90", VGATHERDPS, L256, []Operand{zmm(1), AtV(RAX, 2, 4, 0), zmm(3)}},
		{"vgatherdps zmm1{k2}, [rax+zmm20*4]", "62 f2 7d 42 92 0c a0", VGATHERDPS, L512, []Operand{zmm(1), AtV(RAX, 20, 4, 0), Merge(K2)}},
		{"vblendvps ymm1, ymm2, ymm3, ymm4", "c4 e3 6d 4a cb 40", VBLENDVPS, L256, []Operand{zmm(1), zmm(2), zmm(3), zmm(4)}},
		{"vcmpps k1, zmm2, zmm3, 17", "62 f1 6c 48 c2 cb 11", VCMPPS, L512, []Operand{K1, zmm(2), zmm(3), Imm(17)}},
		{"vpsrad ymm1, ymm2, 31", "c5 f5 72 e2 1f", VPSRAD, L256, []Operand{zmm(1), zmm(2), Imm(31)}},
		{"vpmovdb xmmword ptr [rdi+16], zmm1", "62 f2 7e 48 31 4f 01", VPMOVDB, L512, []Operand{At(RDI, 16), zmm(1)}},
		{"kmovw k1, eax", "c5 f8 92 c8", KMOVW, 0, []Operand{K1, RAX}},
		{"kortestw k1, k2", "c5 f8 98 ca", KORTESTW, 0, []Operand{K1, K2}},
		{"add rcx, 64", "48 83 c1 40", ADD, W64, []Operand{RCX, Imm(64)}},
		{"add ecx, 4096", "81 c1 00 10 00 00", ADD, W32, []Operand{RCX, Imm(4096)}},
		{"mov rax, qword ptr [rdi+8]", "48 8b 47 08", MOV, W64, []Operand{RAX, At(RDI, 8)}},
		{"mov sil, al", "40 88 c6", MOV, W8, []Operand{RSI, RAX}},
		{"mov rax, 81985529216486895", "48 b8 ef cd ab 89 67 45 23 01", MOV, W64, []Operand{RAX, Imm(0x0123456789abcdef)}},
		{"lea r8, [rax+rbx*8-1]", "4c 8d 44 d8 ff", LEA, W64, []Operand{R8, AtX(RAX, RBX, 8, -1)}},
		{"prefetcht1 [rsi+1024]", "0f 18 96 00 04 00 00", PREFETCHT1, 0, []Operand{At(RSI, 1024)}},
		{"sfence", "0f ae f8", SFENCE, 0, nil},
		{"vzeroupper", "c5 f8 77", VZEROUPPER, 0, nil},
		{"ret", "c3", RET, 0, nil},
	} {
		a := New()
		a.Listing = true
		a.I(c.op, c.l, c.ops...)
		o := finish(t, a)
		text := strings.Replace(c.text, "mov rax, qword ptr ", "mov rax, ", 1)
		if hexOf(o.Code) != c.bytes || o.Lines[0].Text != text {
			t.Errorf("%s: %s, want %s (%s)", o.Lines[0].Text, hexOf(o.Code), c.bytes, c.text)
		}
	}
}

// TestReject has what must not be encoded.
func TestReject(t *testing.T) {
	v := func(i int) Vec { return Vec(i) }
	for _, c := range []struct {
		why string
		op  Op
		l   Len
		ops []Operand
	}{
		{"no length", VADDPS, 0, []Operand{v(1), v(2), v(3)}},
		{"two operands", VADDPS, L256, []Operand{v(1), v(2)}},
		{"no register 32", VADDPS, L512, []Operand{v(1), v(2), v(32)}},
		{"VEX only, register 16", VBLENDVPS, L256, []Operand{v(16), v(2), v(3), v(4)}},
		{"VEX only, 512 bits", VPAND, L512, []Operand{v(1), v(2), v(3)}},
		{"two memory operands", VADDPS, L256, []Operand{v(1), At(RAX, 0), At(RAX, 0)}},
		{"k0 as a write mask", VADDPS, L512, []Operand{v(1), v(2), v(3), Merge(K0)}},
		{"zeroing of memory", VMOVUPS, L512, []Operand{At(RAX, 0), v(1), Zero(K1)}},
		{"zeroing of memory", VPMOVDB, L512, []Operand{At(RAX, 0), v(1), Zero(K1)}},
		{"zeroing of a mask", VCMPPS, L512, []Operand{K1, v(1), v(2), Imm(0), Zero(K1)}},
		{"broadcast store", VMOVUPS, L512, []Operand{At(RAX, 0).Bcast(), v(1)}},
		{"broadcast of bytes", VMOVDQU8, L512, []Operand{v(1), At(RAX, 0).Bcast()}},
		{"gather without a mask", VGATHERDPS, L512, []Operand{v(1), AtV(RAX, 2, 4, 0)}},
		{"zeroing gather", VGATHERDPS, L512, []Operand{v(1), AtV(RAX, 2, 4, 0), Zero(K1)}},
		{"gather onto its index", VGATHERDPS, L512, []Operand{v(1), AtV(RAX, 1, 4, 0), Merge(K1)}},
		{"gather onto its mask", VGATHERDPS, L256, []Operand{v(1), AtV(RAX, 2, 4, 0), v(1)}},
		{"gather with index as mask", VGATHERDPS, L256, []Operand{v(1), AtV(RAX, 2, 4, 0), v(2)}},
		{"vector index elsewhere", VMOVUPS, L512, []Operand{v(1), AtV(RAX, 2, 4, 0)}},
		{"RSP as an index", MOV, W64, []Operand{RAX, AtX(RAX, RSP, 1, 0)}},
		{"scale 3", MOV, W64, []Operand{RAX, AtX(RAX, RCX, 3, 0)}},
		{"immediate of 33 bits", ADD, W64, []Operand{RAX, Imm(1 << 31)}},
		{"immediate of 9 bits", VPSRAD, L256, []Operand{v(1), v(2), Imm(256)}},
		{"shift by a register but CL", SHL, W64, []Operand{RAX, RDX}},
		{"unknown label", JMP, 0, []Operand{Label(3)}},
		{"mask on an integer instruction", ADD, W64, []Operand{RAX, RCX, Merge(K1)}},
		{"size 16 of LEA", LEA, W16, []Operand{RAX, At(RAX, 0)}},
		{"no operand type", ADD, W64, []Operand{RAX, nil}},
	} {
		a := New()
		a.I(c.op, c.l, c.ops...)
		if a.Err() == nil {
			t.Errorf("%s: %s: no error", c.why, requestText(c.op, c.l, c.ops))
		} else if !strings.HasPrefix(a.Err().Error(), "x86: ") {
			t.Errorf("%s: %v", c.why, a.Err())
		}
	}
}

func TestErrors(t *testing.T) {
	for name, f := range map[string]func(a *Asm){
		"unbound label":     func(a *Asm) { a.I(JNE, 0, a.NewLabel()) },
		"unbound address":   func(a *Asm) { a.I(LEA, W64, RAX, AtLabel(a.NewLabel(), 0)) },
		"label bound twice": func(a *Asm) { l := a.NewLabel(); a.Bind(l); a.Bind(l) },
		"alignment":         func(a *Asm) { a.Align(3) },
		"constant size":     func(a *Asm) { a.Const(make([]byte, 3)) },
	} {
		a := New()
		f(a)
		if _, err := a.Finish(); err == nil {
			t.Errorf("%s: no error", name)
		}
		a.Reset()
		if _, err := a.Finish(); err != nil {
			t.Errorf("%s: error %v after Reset", name, err)
		}
	}
}

// TestJumps jumps over distances around the limits of 8 bits, both ways, and
// follows the displacements.
func TestJumps(t *testing.T) {
	for distance := 100; distance < 150; distance++ {
		a := New()
		forward, back := a.NewLabel(), a.NewLabel()
		a.Bind(back)
		a.I(JE, 0, forward)
		a.I(JMP, 0, forward)
		a.Bytes(make([]byte, distance)...)
		a.I(JMP, 0, back)
		a.I(JG, 0, back)
		a.Bind(forward)
		o := finish(t, a)
		at := 0
		follow := func(op Op, want int) {
			t.Helper()
			b := o.Code[at:]
			var size, d int
			switch {
			case op == JMP && b[0] == 0xeb:
				size, d = 2, int(int8(b[1]))
			case op == JMP && b[0] == 0xe9:
				size, d = 5, int(int32(binary.LittleEndian.Uint32(b[1:])))
			case b[0] == 0x0f && b[1] == forms[firstForm[op]].opcode:
				size, d = 6, int(int32(binary.LittleEndian.Uint32(b[2:])))
			case b[0] == forms[firstForm[op]].opcode-0x10:
				size, d = 2, int(int8(b[1]))
			default:
				t.Fatalf("distance %d: no jump at %d: % x", distance, at, b[:6])
			}
			at += size
			if at+d != want {
				t.Errorf("distance %d: %s to %d, want %d", distance, op, at+d, want)
			}
			if size > 2 && d >= -124 && d <= 127 { // a long one would be 3 or 4 bytes nearer if short
				t.Errorf("distance %d: %s by %d is long", distance, op, d)
			}
		}
		follow(JE, int(a.offset(forward)))
		follow(JMP, int(a.offset(forward)))
		at += distance
		follow(JMP, 0)
		follow(JG, 0)
		if at != int(a.offset(forward)) || at != o.Text {
			t.Errorf("distance %d: end at %d, want %d", distance, at, int(a.offset(forward)))
		}
	}
}

func TestAlign(t *testing.T) {
	for n := 1; n <= 64; n *= 2 {
		for before := range 70 {
			a := New()
			l, end := a.NewLabel(), a.NewLabel()
			a.Bytes(make([]byte, before)...)
			a.I(JMP, 0, end)
			a.Align(n)
			a.Bind(l)
			a.I(RET, 0)
			a.Bind(end)
			o := finish(t, a)
			at := int(a.offset(l))
			if at%n != 0 || at < before+2 || at >= before+2+n || o.Code[at] != 0xc3 || int(a.offset(end)) != at+1 {
				t.Fatalf("alignment %d after %d bytes: at %d: % x", n, before, at, o.Code)
			}
		}
	}
}

// TestPool checks that constants are where instructions look for them, also
// before an immediate, which the displacement counts from the end of.
func TestPool(t *testing.T) {
	a := New()
	a.I(VMOVSS, 0, Vec(1), a.Const32(0x11223344))
	a.I(VPSHUFD, L128, Vec(1), a.Const([]byte("0123456789abcdef")), Imm(0x1b))
	a.I(ADD, W64, a.Const64(7), Imm(0x1000))
	a.I(VADDPS, L512, Vec(1), Vec(2), a.Const32(0x11223344).Bcast())
	a.I(VMOVUPS, L512, Vec(1), a.Const([]byte(strings.Repeat("x", 64))))
	a.I(VCMPPS, L512, K1, Vec(2), a.Const32(5).Bcast(), Imm(1))
	o := finish(t, a)
	if n := 64 + 16 + 8 + 4 + 4; len(o.Code) != (o.Text+63)/64*64+n {
		t.Errorf("%d bytes, %d of code", len(o.Code), o.Text)
	}
	at := 0
	for _, c := range []struct {
		size, disp, imm int
		want            string
	}{
		{8, 4, 0, "\x44\x33\x22\x11"},
		{9, 4, 1, "0123456789abcdef"},
		{11, 3, 4, "\x07\x00\x00\x00\x00\x00\x00\x00"},
		{10, 6, 0, "\x44\x33\x22\x11"},
		{10, 6, 0, strings.Repeat("x", 64)},
		{11, 6, 1, "\x05\x00\x00\x00"},
	} {
		target := at + c.size + int(int32(binary.LittleEndian.Uint32(o.Code[at+c.disp:])))
		if target < o.Text || target%len(c.want) != 0 || !strings.HasPrefix(string(o.Code[target:]), c.want) {
			t.Errorf("the operand of % x at %d is at %d", o.Code[at:at+c.size], at, target)
		}
		at += c.size
	}
	if at != o.Text {
		t.Errorf("%d bytes of code, want %d", o.Text, at)
	}
}

func TestListing(t *testing.T) {
	a := New()
	a.Listing = true
	l := a.NewLabel()
	a.Note("%1 = sub %0, 1")
	a.I(VSUBSS, 0, Vec(0), Vec(0), a.Const32(0x3f800000))
	a.I(JMP, 0, l)
	a.Align(16)
	a.Bind(l)
	a.Head("end")
	a.I(RET, 0)
	a.Bytes(1, 2)
	want := []listing.Line{
		{Kind: listing.Note, Offset: 0, Size: 0, Text: "%1 = sub %0, 1"},
		{Kind: listing.Insn, Offset: 0, Size: 8, Text: "vsubss xmm0, xmm0, dword ptr [rip+C0] # 0x3f800000, 1"},
		{Kind: listing.Insn, Offset: 8, Size: 2, Text: "jmp L0"},
		{Kind: listing.Pad, Offset: 10, Size: 6, Text: ""},
		{Kind: listing.Label, Offset: 16, Size: 0, Text: "L0"},
		{Kind: listing.Head, Offset: 16, Size: 0, Text: "end"},
		{Kind: listing.Insn, Offset: 16, Size: 1, Text: "ret"},
		{Kind: listing.Data, Offset: 17, Size: 2, Text: ""},
	}
	o := finish(t, a)
	for i, w := range want {
		if i >= len(o.Lines) || o.Lines[i] != w {
			t.Fatalf("lines %+v, want %+v", o.Lines, want)
		}
	}
	a.Reset()
	a.I(RET, 0)
	if o := finish(t, a); len(o.Code) != 1 || len(o.Lines) != 1 {
		t.Errorf("after Reset: % x, %v", o.Code, o.Lines)
	}
}

// TestInsert compares code that is put at a mark behind the code that follows it with the same code in its order: between labels, and before
// jumps, padding and constants.
func TestInsert(t *testing.T) {
	assemble := func(later bool) *listing.Object {
		a := New()
		a.Listing = true
		again, loop, end := a.NewLabel(), a.NewLabel(), a.NewLabel()
		loads := func() {
			for i := range Vec(9) {
				a.I(VMOVUPS, L256, i, a.Const(bytes.Repeat([]byte{byte(i)}, 32)))
			}
		}
		a.I(JE, 0, end)
		a.I(VADDPS, L256, Vec(9), Vec(9), a.Const(make([]byte, 32)))
		a.Bind(again)
		m := a.Mark()
		if !later {
			loads()
		}
		a.Bind(loop)
		a.I(VSUBPS, L256, Vec(9), Vec(9), a.Const(make([]byte, 32)))
		a.I(JNE, 0, loop)
		a.Align(32)
		a.I(JNE, 0, again)
		a.Bind(end)
		a.I(RET, 0)
		if later {
			a.Insert(m, loads)
		}
		return finish(t, a)
	}
	if got, want := assemble(true), assemble(false); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func BenchmarkAssemble(b *testing.B) {
	a := New()
	b.ReportAllocs()
	for b.Loop() {
		a.Reset()
		loop := a.NewLabel()
		a.Align(32)
		a.Bind(loop)
		for i := range Vec(16) {
			a.I(VMOVUPS, L512, i, AtX(RSI, RCX, 4, int32(i)*64))
			a.I(VFMADD213PS, L512, i, Vec(31), a.Const32(uint32(i)).Bcast())
			a.I(VMAXPS, L512, i, i, Vec(30))
			a.I(VMOVUPS, L512, AtX(RDI, RCX, 4, int32(i)*64), i)
		}
		a.I(ADD, W64, RCX, Imm(256))
		a.I(CMP, W64, RCX, RDX)
		a.I(JL, 0, loop)
		a.I(VZEROUPPER, 0)
		a.I(RET, 0)
		if _, err := a.Finish(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/69, "ns/insn")
}

// TestVEX refuses instructions that a processor without AVX-512 does not have.
func TestVEX(t *testing.T) {
	for _, c := range []struct {
		l   Len
		ops []Operand
		ok  bool
	}{
		{L256, []Operand{Vec(1), Vec(2), Vec(15)}, true},
		{L512, []Operand{Vec(1), Vec(2), Vec(15)}, false},
		{L256, []Operand{Vec(1), Vec(2), Vec(16)}, false},
		{L256, []Operand{Vec(1), Vec(2), Vec(3), Merge(K1)}, false},
	} {
		a := New()
		a.VEX = true
		if a.I(VADDPS, c.l, c.ops...); (a.Err() == nil) != c.ok {
			t.Errorf("vaddps of %d bits with %v: %v", c.l, c.ops, a.Err())
		}
		a.Reset()
		if a.I(VADDPS, c.l, c.ops...); (a.Err() == nil) != c.ok {
			t.Errorf("after Reset, vaddps of %d bits with %v: %v", c.l, c.ops, a.Err())
		}
	}
}
