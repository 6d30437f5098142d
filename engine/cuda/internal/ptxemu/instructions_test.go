package ptxemu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// An instruction is one line of PTX with registers %d, %a, %b, %c and %e, and what
// the PTX ISA says that it stores to %d.
type instruction struct {
	text string
	d    string   // the type of %d
	in   []string // the types of the other registers
	want func(x []uint64) uint64
}

// widthOf returns the bits of a type.
func widthOf(typ string) int {
	if typ == "pred" {
		return 1
	}
	var n int
	_, _ = fmt.Sscanf(strings.TrimLeft(typ, "usbf"), "%d", &n)
	return n
}

func maskOf(typ string) uint64 { return ^uint64(0) >> (64 - widthOf(typ)) }

// signed returns the value of bits as a signed integer of a type.
func signed(x uint64, typ string) int64 {
	unused := 64 - widthOf(typ)
	return int64(x<<unused) >> unused
}

// registerOf returns the declaration, and the type of loads and stores, of a
// register that holds values of a type: 8 bits are in one of 16.
func registerOf(typ string) (declared, access string) {
	switch typ {
	case "pred":
		return ".pred", "u32"
	case "f32", "f64":
		return "." + typ, typ
	}
	w := max(16, widthOf(typ))
	return fmt.Sprintf(".b%d", w), fmt.Sprintf("u%d", w)
}

const inputs = 4 // registers of an instruction, beyond %d

// ptx returns a kernel that carries out the instruction for tuples of 8-byte
// inputs, one a thread.
func (x *instruction) ptx() string {
	var b strings.Builder
	b.WriteString("	.reg .u32 %id;\n	mad.lo.s32 %id, %block, 256, %tid;\n	mul.wide.u32 %rd1, %id, 32;\n	add.s64 %rd2, %in, %rd1;\n	mul.wide.u32 %rd3, %id, 8;\n	add.s64 %rd4, %out, %rd3;\n")
	for i, typ := range x.in {
		r := "%" + string("abce"[i])
		declared, access := registerOf(typ)
		fmt.Fprintf(&b, "	.reg %s %s;\n", declared, r)
		if typ == "pred" {
			fmt.Fprintf(&b, "	ld.global.u32 %%r%d, [%%rd2+%d];\n	setp.ne.s32 %s, %%r%d, 0;\n", i, 8*i, r, i)
		} else {
			fmt.Fprintf(&b, "	ld.global.%s %s, [%%rd2+%d];\n", access, r, 8*i)
		}
	}
	declared, access := registerOf(x.d)
	fmt.Fprintf(&b, "	.reg %s %%d, %%d2;\n	st.global.u64 [%%rd4], 0;\n	%s;\n", declared, x.text)
	if x.d == "pred" {
		b.WriteString("	selp.u32 %r15, 1, 0, %d;\n	st.global.u32 [%rd4], %r15;")
	} else {
		fmt.Fprintf(&b, "	st.global.%s [%%rd4], %%d;", access)
	}
	return entry(b.String())
}

// operands returns values of a type: all that are special, then random bits.
func operands(typ string) []uint64 {
	switch typ {
	case "pred":
		return []uint64{0, 1}
	case "f32":
		var out []uint64
		for _, x := range operands("f64") {
			out = append(out, uint64(math.Float32bits(float32(math.Float64frombits(x)))))
		}
		return append(out, 1, 0x80000001, 0x7fffff, 0x800000, 0x7f7fffff, 0x477fefff, 0x477ff000, 0x33000000, 0x33000001, 0x3f808000, 0x3f818000, 0x3f801000, 0x3f803000, 0x387fe000, 0x387fffff, 0x4effffff, 0x4f7fffff, 0x5effffff)
	case "f64":
		var out []uint64
		for _, x := range []float64{0, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 7, 127.5, 128, 255.5, 32767.5, 65504, 65520, 65535.5, 1 << 24, 1<<31 - 0.5, 1 << 31, 1 << 32, 1 << 63, 1 << 64, 1e-320, 0x1p-1022, 0x1p-126, 0x1p-149, 0x1p-150, 0x1p-24, 0x1p-14, 0x1p126, 0x1p127, math.MaxFloat64, math.Inf(1), math.NaN()} {
			out = append(out, math.Float64bits(x), math.Float64bits(-x))
		}
		return out
	}
	out := []uint64{0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 1 << 16, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 2, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<64 - 2, 1<<64 - 1}
	for i := range out {
		out[i] &= maskOf(typ)
	}
	return out
}

// tuples returns the inputs of an instruction: pairs of special values, and random
// ones.
func (x *instruction) tuples(n int) [][]uint64 {
	r := rand.New(rand.NewPCG(1, uint64(len(x.text))))
	specials := make([][]uint64, len(x.in))
	for k, typ := range x.in {
		specials[k] = operands(typ)
	}
	out := make([][]uint64, n)
	for i := range out {
		out[i] = make([]uint64, len(x.in))
		rest := i
		for k, typ := range x.in {
			special := specials[k]
			v := special[rest%len(special)]
			rest /= len(special)
			if len(x.in) > 2 || i > n/2 {
				if v = special[r.IntN(len(special))]; r.IntN(2) == 0 && typ != "pred" {
					v = r.Uint64() & maskOf(typ)
				}
			}
			out[i][k] = v
		}
	}
	return out
}

func testInstructions(t *testing.T, e *emulator) {
	const n = 4096
	list := slicesOf(integers(), floats(), comparisons(), conversions(), bitwise())
	for _, x := range list {
		t.Run(strings.Fields(x.text)[0], func(t *testing.T) {
			tuples := x.tuples(n)
			input := make([]byte, 8*inputs*n)
			for i, tuple := range tuples {
				for k, v := range tuple {
					binary.LittleEndian.PutUint64(input[8*(inputs*i+k):], v)
				}
			}
			got, err := e.launch(t, x.ptx(), n/256, 256, input, 8*n)
			check(t, err)
			declared, _ := registerOf(x.d)
			for i, tuple := range tuples {
				want := x.want(tuple) & maskOf(strings.TrimPrefix(declared, "."))
				if g := binary.LittleEndian.Uint64(got[8*i:]); g != want {
					t.Fatalf("%s of %#x: %#x, want %#x", x.text, tuple, g, want)
				}
			}
		})
	}
}

func slicesOf(lists ...[]instruction) (out []instruction) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// same returns the operand types of an instruction that has n of one type.
func same(typ string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = typ
	}
	return out
}
