package sorting

import (
	"encoding/binary"
	"math"

	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

// A writer writes a kernel. The operations that differ between the instruction sets and
// sizes are its methods.
type writer struct {
	*x86.Asm
	f *family
	l x86.Len
	// Registers.
	free []x86.Vec
	// fold and flip have the members of the order in all lanes, and last the greatest key.
	fold, flip, last x86.Vec
	turned           bool // the form is
}

func newWriter(f *family) *writer {
	w := &writer{Asm: x86.New(), f: f, l: x86.Len(8 * f.vector)}
	n := 16
	if f.avx512 {
		n = 32
	}
	for v := range n {
		w.free = append(w.free, x86.Vec(n-1-v))
	}
	return w
}

// take returns a register that is not in use, give gives it back.
func (w *writer) take() x86.Vec {
	v := w.free[len(w.free)-1]
	w.free = w.free[:len(w.free)-1]
	return v
}

func (w *writer) give(list ...x86.Vec) { w.free = append(w.free, list...) }

// pick returns the operation for the size of the keys.
func (w *writer) pick(op4, op8 x86.Op) x86.Op {
	if w.f.size == 4 {
		return op4
	}
	return op8
}

// of returns the operation for the size of the keys, which may be 2.
func (w *writer) of(op2, op4, op8 x86.Op) x86.Op {
	if w.f.size == 2 {
		return op2
	}
	return w.pick(op4, op8)
}

// move returns the operation that moves the lanes of a mask.
func (w *writer) move() x86.Op { return w.of(x86.VMOVDQU16, x86.VMOVUPS, x86.VMOVUPD) }

// widen returns the operation that loads values, which is load if they have the size of keys.
func (w *writer) widen(load x86.Op) x86.Op {
	if w.f.stored == 1 {
		return x86.VPMOVSXBD
	}
	return load
}

// narrow returns the operation that stores values, which is store if they have the size of keys.
func (w *writer) narrow(store x86.Op) x86.Op {
	if w.f.stored == 1 {
		return x86.VPMOVDB
	}
	return store
}

func (w *writer) pickInt(of4, of8 int) int {
	if w.f.size == 4 {
		return of4
	}
	return of8
}

// maskMove returns the operation that moves between a mask and a general register.
func (w *writer) maskMove() x86.Op { return w.of(x86.KMOVQ, x86.KMOVW, x86.KMOVB) }

func (w *writer) end() {
	w.I(x86.VZEROUPPER, 0)
	w.I(x86.RET, 0)
}

// load loads an argument.
func (w *writer) load(to x86.Reg, at int32) { w.I(x86.MOV, x86.W64, to, x86.At(x86.RDI, at)) }

// everywhere loads an argument into all lanes of a register.
func (w *writer) everywhere(at int32) x86.Vec {
	v := w.take()
	w.I(w.of(x86.VPBROADCASTW, x86.VPBROADCASTD, x86.VPBROADCASTQ), w.l, v, x86.At(x86.RDI, at))
	return v
}

// lanes returns a constant with a value for each lane.
func (w *writer) lanes(value func(lane int) int64) x86.Mem {
	b := make([]byte, w.f.vector)
	for i := range w.f.lanes() {
		switch w.f.size {
		case 2:
			binary.LittleEndian.PutUint16(b[2*i:], uint16(value(i)))
		case 4:
			binary.LittleEndian.PutUint32(b[4*i:], uint32(value(i)))
		default:
			binary.LittleEndian.PutUint64(b[8*i:], uint64(value(i)))
		}
	}
	return w.Const(b)
}

// greatestKey sets last.
func (w *writer) greatestKey(f form) {
	w.last = w.take()
	most := int64(math.MaxInt64) >> (64 - 8*w.f.size)
	if f&raw != 0 {
		most &^= 1<<w.pickInt(23, 52) - 1 // infinity
	}
	w.I(x86.VMOVUPS, w.l, w.last, w.lanes(func(int) int64 { return most }))
}

// prepare loads what the conversions need.
func (w *writer) prepare(f form) {
	w.turned = f&turned != 0
	if f&raw == 0 && f&(enter|leave) != 0 {
		w.fold, w.flip = w.everywhere(argFold), w.everywhere(argFlip)
	}
}

// enter replaces the bits of values by keys.
func (w *writer) enter(x x86.Vec) {
	if w.turned {
		w.I(x86.VXORPS, w.l, x, x, w.flip)
		return
	}
	if w.f.avx512 {
		and, xor, greater := w.pick(x86.VPANDD, x86.VPANDQ), w.pick(x86.VPXORD, x86.VPXORQ), w.pick(x86.VPCMPGTD, x86.VPCMPGTQ)
		t := w.take()
		w.I(and, w.l, t, x, w.fold)
		w.I(greater, w.l, x86.K6, t, w.lanesOf(argLimit))
		w.I(xor, w.l, t, t, t)
		w.I(greater, w.l, x86.K7, t, x)
		w.give(t)
		w.I(xor, w.l, x, x, w.fold, x86.Merge(x86.K7))
		w.I(xor, w.l, x, x, w.flip)
		w.I(w.pick(x86.VMOVUPS, x86.VMOVUPD), w.l, x, w.last, x86.Merge(x86.K6))
		return
	}
	greater := w.pick(x86.VPCMPGTD, x86.VPCMPGTQ)
	nan, t := w.take(), w.take()
	w.I(w.pick(x86.VPBROADCASTD, x86.VPBROADCASTQ), w.l, t, x86.At(x86.RDI, argLimit))
	w.I(x86.VPAND, w.l, nan, x, w.fold)
	w.I(greater, w.l, nan, nan, t)
	w.I(x86.VPXOR, w.l, t, t, t)
	w.I(greater, w.l, t, t, x)
	w.I(x86.VPAND, w.l, t, t, w.fold)
	w.I(x86.VPXOR, w.l, x, x, t)
	w.I(x86.VPXOR, w.l, x, x, w.flip)
	w.I(w.pick(x86.VBLENDVPS, x86.VBLENDVPD), w.l, x, x, w.last, nan)
	w.give(nan, t)
}

// unlike sets lanes of found where a float of 8 bytes, of AVX2, is not its own key: a NaN or -0.
func (w *writer) unlike(found, x x86.Vec) {
	t := w.take()
	w.I(x86.VCMPPD, w.l, t, x, x, x86.Imm(unordered))
	w.I(x86.VPOR, w.l, found, found, t)
	w.I(x86.VPCMPEQQ, w.l, t, x, w.lanes(func(int) int64 { return math.MinInt64 }))
	w.I(x86.VPOR, w.l, found, found, t)
	w.give(t)
}

// lanesOf returns an argument as an operand with equal lanes, of AVX-512.
func (w *writer) lanesOf(at int32) x86.Mem { return x86.At(x86.RDI, at).Bcast() }

// leave replaces keys by the bits of values.
func (w *writer) leave(x x86.Vec) {
	if w.turned {
		w.enter(x)
		return
	}
	greater, equal := w.pick(x86.VPCMPGTD, x86.VPCMPGTQ), w.pick(x86.VPCMPEQD, x86.VPCMPEQQ)
	if w.f.avx512 {
		xor := w.pick(x86.VPXORD, x86.VPXORQ)
		t := w.take()
		w.I(equal, w.l, x86.K6, x, w.last)
		w.I(xor, w.l, x, x, w.flip)
		w.I(xor, w.l, t, t, t)
		w.I(greater, w.l, x86.K7, t, x)
		w.give(t)
		w.I(xor, w.l, x, x, w.fold, x86.Merge(x86.K7))
		w.I(w.pick(x86.VPBROADCASTD, x86.VPBROADCASTQ), w.l, x, x86.At(x86.RDI, argTop), x86.Merge(x86.K6))
		return
	}
	nan, t := w.take(), w.take()
	w.I(equal, w.l, nan, x, w.last)
	w.I(x86.VPXOR, w.l, x, x, w.flip)
	w.I(x86.VPXOR, w.l, t, t, t)
	w.I(greater, w.l, t, t, x)
	w.I(x86.VPAND, w.l, t, t, w.fold)
	w.I(x86.VPXOR, w.l, x, x, t)
	w.I(w.pick(x86.VPBROADCASTD, x86.VPBROADCASTQ), w.l, t, x86.At(x86.RDI, argTop))
	w.I(w.pick(x86.VBLENDVPS, x86.VBLENDVPD), w.l, x, x, t, nan)
	w.give(nan, t)
}
