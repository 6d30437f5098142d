package x86

import (
	"fmt"
	"strconv"
	"strings"
)

// Texts are in Intel's syntax, as GNU as reads it (.intel_syntax noprefix).

func (op Op) String() string {
	if op >= numOps {
		return "?"
	}
	return opNames[op]
}

// mnemonic is the name without the size that ours has where Intel's does not.
func (op Op) mnemonic() string {
	if op == MOVZXB || op == MOVZXW {
		return "movzx"
	}
	return op.String()
}

// requestText is an instruction as it was asked for, whether it exists or not.
func requestText(op Op, l Len, ops []Operand) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s:%d", op, l)
	for i, o := range ops {
		if b.WriteString(" "); i > 0 {
			b.WriteString(", ")
		}
		switch o := o.(type) {
		case Reg:
			b.WriteString(o.name(W64))
		case Vec:
			b.WriteString("v" + strconv.Itoa(int(o)))
		case Mask:
			b.WriteString("k" + strconv.Itoa(int(o)))
		case Mem:
			b.WriteString(o.text(o.Index, "v"))
		case Imm:
			b.WriteString(strconv.FormatInt(int64(o), 10))
		case Label:
			b.WriteString("L" + strconv.Itoa(int(o)))
		case With:
			fmt.Fprintf(b, "{k%d zero=%t}", o.K, o.Zero)
		default:
			b.WriteString("?")
		}
	}
	return b.String()
}

// text is in, in the form f.
func (in *insn) text(f *form) string {
	b := &strings.Builder{}
	b.WriteString(f.op.mnemonic())
	immediate := ""
	for i := range in.n {
		t := ""
		switch in.kind[i] {
		case kindReg:
			t = Reg(in.reg[i]).name(in.regSize(f, i))
		case kindVec:
			t = vecName(in.reg[i], in.vecBytes(f, i))
		case kindMask:
			t = "k" + strconv.Itoa(int(in.reg[i]))
		case kindLabel:
			t = "L" + strconv.Itoa(int(in.label))
		case kindMem:
			t = in.memText(f, i)
		case kindImm:
			immediate = strconv.FormatInt(in.imm, 10)
			if f.ops[i] == patI {
				immediate = strconv.Itoa(int(uint8(in.imm)))
			}
			continue
		}
		if i == 0 && in.with.K != 0 {
			t += fmt.Sprintf("{k%d}", in.with.K)
			if in.with.Zero {
				t += "{z}"
			}
		}
		b.WriteString([]string{" ", ", "}[min(i, 1)])
		b.WriteString(t)
	}
	if immediate != "" {
		b.WriteString(", " + immediate)
	}
	return b.String()
}

// name is the register's at the operand size l.
func (r Reg) name(l Len) string {
	if r >= R8 {
		return "r" + strconv.Itoa(int(r)) + map[Len]string{W8: "b", W16: "w", W32: "d"}[l]
	}
	n := [...]string{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"}[r&7]
	switch {
	case l == W8 && r >= RSP:
		return n + "l"
	case l == W8:
		return n[:1] + "l"
	case l == W16:
		return n
	case l == W32:
		return "e" + n
	}
	return "r" + n
}

func (r Reg) String() string { return r.name(W64) }

func vecName(v uint8, bytes int) string {
	return string("xyz"[min(bytes/32, 2)]) + "mm" + strconv.Itoa(int(v))
}

// regSize is the size of a general-purpose operand.
func (in *insn) regSize(f *form, i int) Len {
	switch n := f.size[i]; {
	case size1 <= n && n <= size8:
		return W8 << (n - size1)
	case f.gp:
		return in.gpSize(f)
	}
	return in.len
}

// vecBytes is the size of a vector operand.
func (in *insn) vecBytes(f *form, i int) int {
	n := int(in.len) / 8
	if (f.vex|f.evex)&lenScalar != 0 {
		n = 16
	}
	switch f.size[i] {
	case sizeHalf:
		n /= 2
	case sizeQuarter:
		n /= 4
	case sizeEighth:
		n /= 8
	case sizeX:
		n = 16
	case sizeY:
		n = 32
	}
	return n
}

func (in *insn) memText(f *form, i int) string {
	p := f.ops[i]
	size, bcast := 0, ""
	switch {
	case p == patVSIB, p == patMem && (f.gp || f.flags == 0 && f.evex == 0 && f.vex&lenK != 0):
	case p == patM && f.size[i] == sizeLen && f.tup == tupFixed && f.evex&^lenScalar != 0:
		size = in.vecBytes(f, i) // VCOMPRESSPS and its like, whose unit is the element
	case f.evex != 0 && f.tup == tupFixed:
		size = int(f.elem)
	case p == patGM:
		size = int(in.regSize(f, i)) / 8
	case in.mem.Broadcast:
		size = int(f.elem)
		n := in.vecBytes(f, i) / size
		if f.tup == tupFull {
			n = int(in.len) / 8 / size
		}
		bcast = fmt.Sprintf("{1to%d}", n)
	case f.evex != 0:
		size = int(f.unit(in))
	case f.vex&(lenScalar|lenGPR|lenK) == 0:
		size = in.vecBytes(f, i)
	}
	t := in.mem.text(in.mem.Index, vecName(0, max(16, in.vecBytes(f, i)))[:3])
	if size != 0 {
		t = map[int]string{1: "byte", 2: "word", 4: "dword", 8: "qword", 16: "xmmword", 32: "ymmword", 64: "zmmword"}[size] + " ptr " + t
	}
	return t + bcast
}

// text is the address; vec is how vector indices begin.
func (m *Mem) text(index uint8, vec string) string {
	b := &strings.Builder{}
	b.WriteString("[")
	switch {
	case m.rip && m.ref < 0:
		fmt.Fprintf(b, "rip+C%d", -1-m.ref)
	case m.rip:
		fmt.Fprintf(b, "rip+L%d", m.ref)
	default:
		b.WriteString(m.Base.name(W64))
	}
	switch {
	case m.Scale == 0:
	case m.VecIndex:
		fmt.Fprintf(b, "+%s%d*%d", vec, index, m.Scale)
	default:
		fmt.Fprintf(b, "+%s*%d", Reg(index).name(W64), m.Scale)
	}
	if m.Disp != 0 {
		fmt.Fprintf(b, "%+d", m.Disp)
	}
	b.WriteString("]")
	return b.String()
}
