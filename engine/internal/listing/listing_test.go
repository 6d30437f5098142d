package listing

import (
	"slices"
	"strings"
	"testing"
)

// sample returns a function: load a constant, jump over padding, return; two
// constants.
func sample() *Function {
	code := make([]byte, 48)
	for i := range code {
		code[i] = byte(i)
	}
	return &Function{
		Name: "k.0", Variant: "many rows in a call",
		Phases: []*Phase{{
			Kind: "vec loop", Lanes: 8, Elements: 100, Loaded: 4, Stored: 4, Flops: 2,
			Accesses: []Access{{"load b0", "unit stride", 576}, {"store b1", "unit stride", 624}},
			Kept:     []Kept{{"ymm9", "%1 = const f32 2"}},
		}},
		Object: Object{
			Lines: []Line{
				{Head, 0, 0, "main loop"},
				{Note, 0, 0, "%1 = const  f32 2"},
				{Insn, 0, 6, "vbroadcastss ymm9, dword ptr [rip+C1] # 0x40000000, 2"},
				{Insn, 6, 2, "jmp L0"},
				{Pad, 8, 8, ""},
				{Label, 16, 0, "L0"},
				{Insn, 16, 4, "vmovaps ymm3, ymm12"},
				{Insn, 20, 5, "mov ecx, 1"},
				{Insn, 25, 3, "kmovw k2, ecx"},
				{Insn, 28, 1, "ret"},
				{Data, 29, 3, ""},
			}, Code: code, Text: 32, Consts: []int32{40, 36},
		},
	}
}

func TestRegisters(t *testing.T) {
	v, m := sample().Registers()
	if !slices.Equal(v, []int{3, 9, 12}) || !slices.Equal(m, []int{2}) {
		t.Errorf("vectors %v, masks %v", v, m)
	}
}

func TestString(t *testing.T) {
	text := (&Kernel{Name: "k", Backend: "avx2", Functions: []*Function{sample()}}).String()
	for _, want := range []string{
		"falls back to the interpreter: none\n",
		"k.0: 32 bytes of code, many rows in a call\n",
		"vec loop, 8 lanes\n",
		"each: 4 bytes loaded, 4 stored, 2 flops; 0.25 flops/byte\n",
		"registers  3 vector, 1 mask; 0 spills\n",
		"kept       ymm9: %1 = const f32 2\n",
		"accesses   load b0: unit stride, address at [rdi+576]\n             store b1",
		"  -- main loop\n",
		"    14    mov ecx, 1\n",
		"(3 bytes of data)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	text = (&Kernel{Name: "k", Backend: "avx2", Fallback: "a store at computed positions"}).String()
	if !strings.Contains(text, "interpreter: a store at computed positions\nno machine code") {
		t.Error(text)
	}
}

func TestGNU(t *testing.T) {
	f := sample()
	text := GNU([]*Kernel{{Stage: 1, Name: "k", Backend: "avx2", Functions: []*Function{f, f}}})
	for _, want := range []string{
		"\"stage1.k.0\":\n",
		"\t# %1 = const f32 2\n",
		"[rip+.L0_C1]\t# 0x40000000, 2\n",
		"\tjmp .L1_L0\n",
		"\t.byte 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f\n.L0_L0:\n",
		"\t{load} vmovaps ymm3, ymm12\n",
		"\t.byte 0x14, 0x15, 0x16, 0x17, 0x18\t# mov ecx, 1\n",
		"\t.byte 0x1d, 0x1e, 0x1f\n\t.byte 0x20, 0x21, 0x22, 0x23\n.L0_C1:\n\t.byte 0x24, 0x25, 0x26, 0x27\n.L0_C0:\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
