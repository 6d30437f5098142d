package probe

import (
	"time"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

// A take is y = x at offsets z of 64 bits, of float32 and in vectors of 8 or 4 elements: by gathers,
// or by a load for each element.
type take struct{ gathers, wide bool }

// write emits the loop. The loop counts the bytes of the offsets.
func (t take) write(a *x86.Asm) {
	l, lanes := x86.Len(x86.L256), 4
	if t.wide {
		l, lanes = x86.L512, 8
	}
	writeLoop(a, 8*lanes, false, func() {
		a.I(x86.VMOVUPS, l, x86.Vec(1), x86.AtX(x86.R9, x86.RSI, 1, 0))
		from := x86.AtV(x86.R8, x86.Vec(1), 4, 0)
		switch {
		case t.gathers && t.wide:
			a.I(x86.KXNORW, 0, x86.Mask(1), x86.Mask(1), x86.Mask(1))
			a.I(x86.VGATHERQPS, l, x86.Vec(0), from, x86.Merge(x86.Mask(1)))
		case t.gathers:
			a.I(x86.VPCMPEQD, x86.L256, x86.Vec(2), x86.Vec(2), x86.Vec(2))
			a.I(x86.VGATHERQPS, l, x86.Vec(0), from, x86.Vec(2))
		default:
			t.loads(a, lanes)
		}
		a.I(x86.VMOVUPS, l/2, x86.At(x86.R10, 0), x86.Vec(0))
		a.I(x86.ADD, x86.W64, x86.R10, x86.Imm(4*lanes))
	})
}

// loads loads the elements one by one, as the rules of gathers do.
func (t take) loads(a *x86.Asm, lanes int) {
	for lane := 0; lane < lanes; lane += 2 {
		pair, to := x86.Vec(1), x86.Vec(lane/4*3)
		if lane > 0 && t.wide {
			pair = 2
			a.I(x86.VEXTRACTF32X4, x86.L512, pair, x86.Vec(1), x86.Imm(lane/2))
		} else if lane > 0 {
			pair = 2
			a.I(x86.VEXTRACTF128, x86.L256, pair, x86.Vec(1), x86.Imm(lane/2))
		}
		a.I(x86.VMOVQ, 0, x86.RAX, pair)
		a.I(x86.VPEXTRQ, 0, x86.RDX, pair, x86.Imm(1))
		for i, at := range []x86.Reg{x86.RAX, x86.RDX} {
			m := x86.AtX(x86.R8, at, 4, 0)
			if k := lane%4 + i; k > 0 {
				a.I(x86.VPINSRD, 0, to, to, m, x86.Imm(k))
			} else {
				a.I(x86.VMOVD, 0, to, m)
			}
		}
	}
	if t.wide {
		a.I(x86.VINSERTF128, x86.L256, x86.Vec(0), x86.Vec(0), x86.Vec(3), x86.Imm(1))
	}
}

// elements returns the least times of an element by loads and by gathers, in ns. The arrays are in
// the first level. It writes the first bytes of mem.
func elements(mem []byte) (least [2]float64, err error) {
	const n = 1 << 10
	offsets := unsafe.Slice((*int64)(unsafe.Pointer(&mem[0])), n)
	for i := range offsets {
		offsets[i] = int64(i * 377 % n)
	}
	at := func(k int) unsafe.Pointer { return unsafe.Pointer(&mem[(8*k+k)*n]) }
	arg := args{at(1), at(0), at(2), 8 * n}
	var codes [2]*exec.Code
	for i := range codes {
		if codes[i], err = install(take{i == 1, cpu.X86.HasAVX512F}); err != nil {
			return least, err
		}
		defer codes[i].Release()
	}
	for round := range 3 * rounds {
		for i, c := range codes {
			start := time.Now()
			for range 8 {
				c.Call(unsafe.Pointer(&arg))
			}
			if each := float64(time.Since(start)) / (8 * n); round == 1 || round > 1 && each < least[i] {
				least[i] = each
			}
		}
	}
	return least, nil
}
