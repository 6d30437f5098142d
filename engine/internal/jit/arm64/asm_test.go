package arm64

import (
	"debug/elf"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/listing"
)

var update = flag.Bool("update", false, "write testdata/gas.txt with GNU as for aarch64")

const golden = "testdata/gas.txt"

// ops has all instructions.
var ops = []Op{
	MOVZ, MOVN, MOVK, MOV, ADD, ADDI, SUB, SUBI, AND, ORR, EOR, CMP, CMPI, MUL, MSUB, UMULH, UDIV, SDIV, LSLV, LSRV,
	ASRV, LSL, LSR, ASR, CSEL, CSET, B, BEQ, BNE, BGE, BLT, BGT, BLE, CBZ, CBNZ, TBNZ, RET, ADR, LDRB, LDRH, LDRW,
	LDRX, STRB, STRH, STRW, STRX, PRFM, LDRVB, LDRVH, LDRVS, LDRVD, LDRVQ, STRVB, STRVH, STRVS, STRVD, STRVQ,
	LDRL, LD1, ST1, LD1R, VADD, VSUB, VMUL, VSMAX, VSMIN, VUMAX, VUMIN, VCMGT, VCMHI, VCMEQ, VCMTST, VSSHL, VUSHL,
	VZIP1, VZIP2, VUZP2, VAND, VBIC, VORR, VEOR, VBSL, VBIT, VBIF, VNOT, VNEG, VABS, VXTN, VSQXTN, VUQXTN,
	VUMULL, VUMAXV, VADDV, VFADD, VFSUB, VFMUL, VFDIV, VFMLA, VFMLS, VFMAX, VFMIN, VFCMEQ, VFCMGE, VFCMGT, VFABS, VFNEG,
	VFSQRT, VFRINTN, VFRINTM, VFRINTP, VFRINTZ, VSCVTF, VUCVTF, VFCVTZS, VFCVTZU, VFCVTL, VFCVTN, VSHL, VSSHR, VUSHR,
	VSSHLL, VUSHLL, VSHRN, VEXT, VDUP, VDUPR, VINS, VUMOV, VZERO, VONES, FMOVW, SCVTFS, UCVTFS,
}

// TestOps finds an instruction that the list of the tests lacks.
func TestOps(t *testing.T) {
	source, err := os.ReadFile("insns.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), " = &insn{"); n != len(ops) {
		t.Errorf("%d instructions, of which the tests have %d", n, len(ops))
	}
}

// TestUsed finds an instruction that no code outside tests emits. Its row can leave insns.go
// until a rule needs it.
func TestUsed(t *testing.T) {
	files, err := filepath.Glob("../isa/neon/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files: ", err)
	}
	used := map[string]bool{}
	for _, path := range append(files, "asm.go") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`\b[A-Z][A-Z0-9]*\b`).FindAllString(string(text), -1) {
			used[name] = true
		}
	}
	source, err := os.ReadFile("insns.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(\w+) += &insn{`).FindAllStringSubmatch(string(source), -1) {
		if !used[m[1]] {
			t.Errorf("no rule emits %s", m[1])
		}
	}
}

// arrangements returns the arrangements in which package neon may use an instruction.
func arrangements(op Op) []Arr {
	if op == UMULH {
		return []Arr{X}
	}
	switch op.class {
	case general:
		return []Arr{W, X}
	case floats:
		return []Arr{S2, S4, D2}
	case halves:
		return []Arr{H4, H8, S2, S4}
	case whole:
		return []Arr{B8, B16}
	}
	switch {
	case op == VUMAXV || op == VADDV:
		return []Arr{B8, B16, H4, H8, S4}
	case strings.ContainsAny(op.ops, "DN"):
		return []Arr{B8, B16, H4, H8, S2, S4}
	case op == VMUL || op == VSMAX || op == VSMIN || op == VUMAX || op == VUMIN:
		return []Arr{B8, B16, H4, H8, S2, S4}
	case op == VUMOV:
		return []Arr{B8, H4, S2, D2}
	case op == VINS || op == LD1 || op == ST1:
		return []Arr{B16, H8, S4, D2}
	case op == LD1R:
		return []Arr{B8, B16, H4, H8, S2, S4, D1, D2}
	case op.class == ints || op.class == one || op.class == copies:
		return []Arr{B8, B16, H4, H8, S2, S4, D2}
	}
	return []Arr{B8}
}

// values returns operands for a letter.
func values(in *insn, r Arr, letter byte) (out []Operand) {
	width := 8 << r.Size()
	if in.class == general {
		width = map[Arr]int{W: 32, X: 64}[r]
	}
	numbers := func(x ...int) (out []Operand) {
		for _, x := range x {
			out = append(out, Imm(x))
		}
		return out
	}
	switch letter {
	case 'd', 'n', 'm', 'D', 'N', '1', '3', 'S', 'q':
		return []Operand{Vec(0), Vec(13), Vec(31)}
	case 'r', 's', 't', 'u', 'x', 'y', 'g', 'h', '4':
		return []Operand{Reg(0), Reg(9), Reg(17)}
	case 'i', 'j', 'p':
		top := 16>>r.Size() - 1
		return []Operand{Lane{3, 0}, Lane{30, top}, Lane{7, top / 2}}
	case '<':
		return numbers(0, 1, width-1)
	case '>':
		return numbers(1, width-1, width/2)
	case 'e':
		return numbers(0, 4, 7)
	case 'a':
		return numbers(0, 1, 4095)
	case 'w':
		return numbers(0, 1, 65535)
	case 'f':
		return numbers(0, 16)
	case 'l':
		return numbers(0, 1, 3)
	case 'k':
		return numbers(0, 31, 63)
	case 'c':
		return []Operand{EQ, NE, LT, GT, LE, GE}
	case 'v':
		if in.name == "ldr q" || strings.HasPrefix(in.name, "ldr b") || in.bits>>26&1 != 0 {
			return []Operand{Vec(0), Vec(31)}
		}
		return []Operand{Reg(0), Reg(15)}
	case 'o':
		return []Operand{
			Mem{Base: 3},
			Mem{Base: 3, Disp: 1 << in.size},
			Mem{Base: 17, Disp: 4095 << in.size},
			Mem{Base: 3, Disp: -1},
			Mem{Base: 3, Disp: -256},
			Mem{Base: 3, Index: 5, Indexed: true},
			Mem{Base: 4, Index: 16, Indexed: true, Shift: uint8(in.size)},
		}
	case 'A', 'B', 'C', 'T':
		return []Operand{Label(0), Label(1)}
	}
	panic("letter " + string(letter))
}

// every calls do for instructions with all operands of each place, and others of the others.
func every(do func(op Op, r Arr, ops []Operand)) {
	for _, op := range ops {
		letters := strings.TrimSuffix(op.ops, "z")
		for _, r := range arrangements(op) {
			most := 1
			for _, l := range []byte(letters) {
				most = max(most, len(values(op, r, l)))
			}
			for k := range most {
				var ops []Operand
				for i, l := range []byte(letters) {
					v := values(op, r, l)
					ops = append(ops, v[(k+i)%len(v)])
					if k >= len(v) && l != 'c' {
						ops[i] = v[k%len(v)]
					}
				}
				do(op, r, ops)
			}
		}
	}
}

// assembled returns all cases as one object with a listing.
func assembled(t *testing.T) *listing.Object {
	t.Helper()
	a := New()
	a.Listing = true
	first, last := a.NewLabel(), a.NewLabel()
	a.Bind(first)
	every(func(op Op, r Arr, ops []Operand) { a.I(op, r, ops...) })
	a.Bind(last)
	o, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestGAS compares the bits of all instructions with those of GNU as, which
// -update writes.
func TestGAS(t *testing.T) {
	o := assembled(t)
	if *update {
		writeGolden(t, o)
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(want), "\n"), "\n")
	i := 0
	for _, l := range o.Lines {
		if l.Kind != listing.Insn {
			continue
		}
		have := fmt.Sprintf("%08x %s", binary.LittleEndian.Uint32(o.Code[l.Offset:]), l.Text)
		if i >= len(lines) {
			t.Fatalf("%s has no %q", golden, have)
		}
		if have != lines[i] {
			t.Errorf("have %q\nwant %q", have, lines[i])
		}
		i++
	}
	if i != len(lines) {
		t.Errorf("%s has %d lines more", golden, len(lines)-i)
	}
}

// writeGolden assembles the texts of o with GNU as.
func writeGolden(t *testing.T, o *listing.Object) {
	var src strings.Builder
	for _, l := range o.Lines {
		switch l.Kind {
		case listing.Label:
			src.WriteString(l.Text + ":\n")
		case listing.Insn:
			src.WriteString(l.Text + "\n")
		}
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o")
	if err := os.WriteFile(in, []byte(src.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command("aarch64-linux-gnu-as", "-o", out, in).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg[:min(len(msg), 3000)])
	}
	f, err := elf.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	at := 0
	for _, l := range o.Lines {
		if l.Kind == listing.Insn {
			fmt.Fprintf(&b, "%08x %s\n", binary.LittleEndian.Uint32(text[at:]), l.Text)
			at += 4
		}
	}
	if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestErrors makes mistakes, which Finish reports.
func TestErrors(t *testing.T) {
	for name, write := range map[string]func(a *Asm){
		"label":        func(a *Asm) { a.I(B, 0, a.NewLabel()) },
		"twice":        func(a *Asm) { l := a.NewLabel(); a.Bind(l); a.Bind(l) },
		"unknown":      func(a *Asm) { a.I(B, 0, Label(7)) },
		"operands":     func(a *Asm) { a.I(VADD, S4, Vec(1), Vec(2)) },
		"kind":         func(a *Asm) { a.I(VADD, S4, Vec(1), Vec(2), nil) },
		"number":       func(a *Asm) { a.I(ADDI, X, Reg(1), Reg(2), Imm(4096)) },
		"shift":        func(a *Asm) { a.I(VUSHR, S4, Vec(1), Vec(2), Imm(0)) },
		"displacement": func(a *Asm) { a.I(LDRX, 0, Reg(1), Mem{Base: 2, Disp: 257}) },
		"scale":        func(a *Asm) { a.I(LDRX, 0, Reg(1), Mem{Base: 2, Index: 3, Indexed: true, Shift: 2}) },
		"far": func(a *Asm) {
			l := a.NewLabel()
			a.I(CBZ, X, Reg(1), l)
			a.Bytes(make([]byte, 1<<20)...)
			a.Bind(l)
		},
	} {
		a := New()
		a.Reset()
		if write(a); a.err == nil {
			if _, err := a.Finish(); err == nil {
				t.Error(name, "is no error")
			}
		}
	}
}

// TestConstants places constants after the code, equal ones once.
func TestConstants(t *testing.T) {
	a := New()
	x, y := [16]byte{1}, [16]byte{2}
	a.I(LDRL, 0, Vec(1), a.Const(x))
	a.I(LDRL, 0, Vec(2), a.Const(y))
	a.I(LDRL, 0, Vec(3), a.Const(x))
	a.Align(8)
	o, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Consts) != 2 || o.Text != 16 || !bytesEqual(o.Code[o.Consts[0]:], x) || !bytesEqual(o.Code[o.Consts[1]:], y) {
		t.Errorf("constants at %v of %x", o.Consts, o.Code)
	}
	for i, want := range []uint32{0x9c000081, 0x9c0000e2, 0x9c000043, nop} {
		if have := binary.LittleEndian.Uint32(o.Code[4*i:]); have != want {
			t.Errorf("instruction %d is %#x, want %#x", i, have, want)
		}
	}
}

func bytesEqual(b []byte, x [16]byte) bool { return [16]byte(b[:16]) == x }
