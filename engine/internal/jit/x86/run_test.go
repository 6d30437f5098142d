package x86_test

import (
	"math"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	. "github.com/oneloop/oneloop/engine/internal/jit/x86"
	"golang.org/x/sys/cpu"
)

type block struct {
	x, y, idx unsafe.Pointer
	n         int
}

// TestRun runs y[i] = rint(x[idx[i]]*2.5 + 1), or -1 where that is below 3,
// with gathers, constants, masks and tails, as AVX-512 and as AVX2 code.
func TestRun(t *testing.T) {
	if _, err := exec.Probe(); err != nil {
		t.Skip(err)
	}
	for name, c := range map[string]struct {
		ok    bool
		lanes int
		body  func(a *Asm)
	}{
		"avx512": {cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ, 16, avx512Body},
		"avx2":   {cpu.X86.HasAVX2 && cpu.X86.HasFMA, 8, avx2Body},
	} {
		t.Run(name, func(t *testing.T) {
			if !c.ok {
				t.Skip("the processor cannot")
			}
			code := assemble(t, c.lanes, c.body)
			defer code.Release()
			for n := range 70 {
				x, y, idx := make([]float32, 70), make([]float32, 70), make([]int32, 70)
				for i := range x {
					x[i] = float32(i) * 0.37
					y[i] = -7
					idx[i] = int32((i * 31) % 70)
				}
				b := block{unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0]), unsafe.Pointer(&idx[0]), n}
				code.Call(unsafe.Pointer(&b))
				for i := range y {
					want := float32(-7)
					if i < n {
						sum := float32(math.FMA(float64(x[idx[i]]), 2.5, 1))
						want = float32(math.RoundToEven(float64(sum)))
						if want < 3 {
							want = -1
						}
					}
					if y[i] != want {
						t.Fatalf("n = %d: y[%d] = %v, want %v", n, i, y[i], want)
					}
				}
			}
		})
	}
}

func assemble(t *testing.T, lanes int, body func(a *Asm)) *exec.Code {
	a := New()
	a.Listing = true
	loop, done := a.NewLabel(), a.NewLabel()
	a.I(MOV, W64, RSI, At(RDI, 0))
	a.I(MOV, W64, R8, At(RDI, 8))
	a.I(MOV, W64, R9, At(RDI, 16))
	a.I(MOV, W64, RDX, At(RDI, 24))
	a.I(XOR, W32, RCX, RCX)
	a.Align(32)
	a.Bind(loop)
	a.I(SUB, W64, RDX, RCX) // what is left
	a.I(JLE, 0, done)
	body(a)
	a.I(ADD, W64, RDX, RCX)
	a.I(ADD, W64, RCX, Imm(lanes))
	a.I(JMP, 0, loop)
	a.Bind(done)
	a.I(VZEROUPPER, 0)
	a.I(RET, 0)
	o, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	code, err := exec.Install(o.Code)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func f32(x float32) uint32 { return math.Float32bits(x) }

// avx512Body takes the tail as a mask of the lanes that are left.
func avx512Body(a *Asm) {
	a.I(MOV, W32, R10, Imm(16))
	a.I(MOV, W64, RAX, RDX)
	a.I(CMP, W64, RAX, R10)
	a.I(CMOVG, W64, RAX, R10)
	a.I(MOV, W32, R10, Imm(-1))
	a.I(BZHI, W32, R10, R10, RAX)
	a.I(KMOVW, 0, K1, R10)
	a.I(VMOVUPS, L512, Vec(20), AtX(R9, RCX, 4, 0), Zero(K1))
	a.I(KMOVW, 0, K2, K1)
	a.I(VXORPS, L512, Vec(17), Vec(17), Vec(17))
	a.I(VGATHERDPS, L512, Vec(17), AtV(RSI, 20, 4, 0), Merge(K2))
	a.I(VBROADCASTSS, L512, Vec(31), a.Const32(f32(2.5)))
	a.I(VFMADD213PS, L512, Vec(17), Vec(31), a.Const32(f32(1)).Bcast())
	a.I(VRNDSCALEPS, L512, Vec(17), Vec(17), Imm(8))
	a.I(VCMPPS, L512, K3, Vec(17), a.Const32(f32(3)).Bcast(), Imm(1), Merge(K1)) // imm8 after rip
	a.I(VBROADCASTSS, L512, Vec(17), a.Const32(f32(-1)), Merge(K3))
	a.I(VMOVUPS, L512, AtX(R8, RCX, 4, 0), Vec(17), Merge(K1))
}

// avx2Body takes the tail as a vector mask, from the lane numbers.
func avx2Body(a *Asm) {
	lanes := make([]byte, 32)
	for i := range 8 {
		lanes[4*i] = byte(i)
	}
	all := func(x float32) Mem {
		b := make([]byte, 0, 32)
		for range 8 {
			u := f32(x)
			b = append(b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
		}
		return a.Const(b)
	}
	a.I(VMOVD, 0, Vec(1), RDX)
	a.I(VPBROADCASTD, L256, Vec(1), Vec(1))
	a.I(VPCMPGTD, L256, Vec(1), Vec(1), a.Const(lanes))
	a.I(VMASKMOVPS, L256, Vec(8), Vec(1), AtX(R9, RCX, 4, 0))
	a.I(VMOVAPS, L256, Vec(15), Vec(1))
	a.I(VXORPS, L256, Vec(9), Vec(9), Vec(9))
	a.I(VGATHERDPS, L256, Vec(9), AtV(RSI, 8, 4, 0), Vec(15))
	a.I(VMOVUPS, L256, Vec(10), all(2.5))
	a.I(VFMADD213PS, L256, Vec(9), Vec(10), all(1))
	a.I(VROUNDPS, L256, Vec(9), Vec(9), Imm(8))
	a.I(VCMPPS, L256, Vec(11), Vec(9), all(3), Imm(1)) // imm8 after rip
	a.I(VBLENDVPS, L256, Vec(9), Vec(9), all(-1), Vec(11))
	a.I(VMASKMOVPS, L256, AtX(R8, RCX, 4, 0), Vec(1), Vec(9))
}
