package sorting

import "github.com/oneloop/oneloop/engine/internal/jit/x86"

// A wordWriter writes kernels over rows of words, in lanes of 8 bytes.
type wordWriter struct {
	*writer
	form form
}

const (
	wordFrom = x86.R10
	wordTo   = x86.RBX
)

func newWordWriter(f *family, k form) *wordWriter {
	w := &wordWriter{newWriter(f), k}
	w.last = w.everywhere(argMost)
	w.prepare(k)
	return w
}

// eachVector writes a loop over n vectors of each row. It adds bytes to wordFrom and wordTo after each.
func (w *wordWriter) eachVector(from, to int, begin, vector, end func()) {
	const left = x86.RAX
	registers := []struct {
		r  x86.Reg
		at int32
	}{{x86.RSI, argFrom}, {x86.RDX, argTo}, {x86.RCX, argRows}, {x86.R8, argStep}, {x86.R11, argToStep}, {x86.R9, argN}}
	for _, a := range registers {
		w.load(a.r, a.at)
	}
	row, loop := w.NewLabel(), w.NewLabel()
	w.Bind(row)
	w.I(x86.MOV, x86.W64, wordFrom, x86.RSI)
	w.I(x86.MOV, x86.W64, wordTo, x86.RDX)
	w.I(x86.MOV, x86.W64, left, x86.R9)
	begin()
	w.Align(32)
	w.Bind(loop)
	vector()
	w.I(x86.ADD, x86.W64, wordFrom, x86.Imm(from))
	w.I(x86.ADD, x86.W64, wordTo, x86.Imm(to))
	w.I(x86.SUB, x86.W64, left, x86.Imm(1))
	w.I(x86.JNE, 0, loop)
	end()
	w.I(x86.ADD, x86.W64, x86.RSI, x86.R8)
	w.I(x86.ADD, x86.W64, x86.RDX, x86.R11)
	w.I(x86.SUB, x86.W64, x86.RCX, x86.Imm(1))
	w.I(x86.JNE, 0, row)
}

// key loads values of a size as keys.
func (w *wordWriter) key(x x86.Vec, size int) {
	w.I([...]x86.Op{x86.VPMOVSXBQ, x86.VPMOVSXWQ, x86.VPMOVSXDQ, x86.VMOVUPS}[log2(size)], w.l, x, x86.At(wordFrom, 0))
	if w.form != 0 {
		w.enter(x)
	}
}

func nothing() {}

func (w *wordWriter) measure(size int) ([]byte, error) {
	base, x, t := w.everywhere(argPivot), w.take(), w.take()
	lists := []int32{argLeast, argGreatest, argDiffer}
	var v [3]x86.Vec
	for i, at := range lists {
		v[i] = w.take()
		w.I(x86.VMOVUPS, w.l, v[i], x86.At(x86.RDI, at))
	}
	least, greatest, differ := v[0], v[1], v[2]
	w.eachVector(w.f.lanes()*size, 0, nothing, func() {
		w.key(x, size)
		if w.f.avx512 {
			w.I(x86.VPMINSQ, w.l, least, least, x)
			w.I(x86.VPMAXSQ, w.l, greatest, greatest, x)
		} else {
			w.I(x86.VPCMPGTQ, w.l, t, least, x)
			w.I(x86.VBLENDVPD, w.l, least, least, x, t)
			w.I(x86.VPCMPGTQ, w.l, t, x, greatest)
			w.I(x86.VBLENDVPD, w.l, greatest, greatest, x, t)
		}
		w.I(x86.VXORPS, w.l, t, base, x)
		w.I(x86.VORPS, w.l, differ, differ, t)
	}, nothing)
	for i, at := range lists {
		w.I(x86.VMOVUPS, w.l, x86.At(x86.RDI, at), v[i])
	}
	w.end()
	return w.Code()
}

func (w *wordWriter) pack(size, word int) ([]byte, error) {
	least, first, step := w.everywhere(argPivot), w.everywhere(argFirst), w.take()
	behind, shift, places, at, x, t := w.take(), w.take(), w.take(), w.take(), w.take(), w.take()
	w.I(x86.VPADDQ, w.l, first, first, w.lanes(func(lane int) int64 { return int64(lane) }))
	w.I(x86.VMOVUPS, w.l, step, w.lanes(func(int) int64 { return int64(w.f.lanes()) }))
	w.I(x86.VMOVUPS, w.l, behind, x86.At(x86.RDI, argBehind))
	w.I(x86.VMOVQ, 0, shift, x86.At(x86.RDI, argShift))
	w.I(x86.VMOVQ, 0, places, x86.At(x86.RDI, argPlaces))
	var halves x86.Vec
	if word == 4 && !w.f.avx512 {
		halves = w.take()
		w.I(x86.VMOVUPS, w.l, halves, w.lanes(func(lane int) int64 { return int64(4*lane&7) | int64(4*lane&7+2)<<32 }))
	}
	bytes := w.f.lanes() * word
	store := func(to x86.Mem) {
		switch {
		case word == 8:
			w.I(x86.VMOVUPS, w.l, to, x)
		case w.f.avx512:
			w.I(x86.VPMOVQD, w.l, to, x)
		default:
			w.I(x86.VPERMPS, w.l, t, halves, x)
			w.I(x86.VMOVUPS, x86.L128, to, t)
		}
	}
	w.eachVector(w.f.lanes()*size, bytes, func() { w.I(x86.VMOVUPS, w.l, at, first) }, func() {
		w.key(x, size)
		w.I(x86.VPSUBQ, w.l, x, x, least)
		w.I(x86.VPSRLQ, w.l, x, x, shift)
		w.I(x86.VPSLLQ, w.l, x, x, places)
		w.I(x86.VORPS, w.l, x, x, at)
		w.I(x86.VPADDQ, w.l, at, at, step)
		store(x86.At(wordTo, 0))
	}, func() {
		w.I(x86.VANDPS, w.l, x, x, x86.At(x86.RDI, argWithin)) // there is any number behind a short row
		w.I(x86.VORPS, w.l, x, x, behind)
		store(x86.At(wordTo, int32(-bytes)))
	})
	w.end()
	return w.Code()
}

func (w *wordWriter) unpack(word int) ([]byte, error) {
	mask, places, ties, zero, x, t := w.everywhere(argMask), w.take(), w.take(), w.take(), w.take(), w.take()
	w.I(x86.VMOVQ, 0, places, x86.At(x86.RDI, argPlaces))
	w.I(x86.VXORPS, w.l, ties, ties, ties)
	w.I(x86.VXORPS, w.l, zero, zero, zero)
	if w.f.avx512 {
		w.I(x86.KXORW, 0, x86.K1, x86.K1, x86.K1)
	}
	w.eachVector(w.f.lanes()*word, w.f.vector, nothing, func() {
		if word == 4 {
			w.I(x86.VPMOVZXDQ, w.l, x, x86.At(wordFrom, 0))
		} else {
			w.I(x86.VMOVUPS, w.l, x, x86.At(wordFrom, 0))
			w.I(x86.VXORPS, w.l, t, x, x86.At(wordFrom, 8))
			w.I(x86.VPSRLQ, w.l, t, t, places)
			if w.f.avx512 {
				w.I(x86.VPTESTNMQ, w.l, x86.K2, t, t)
				w.I(x86.KORW, 0, x86.K1, x86.K1, x86.K2)
			} else {
				w.I(x86.VPCMPEQQ, w.l, t, t, zero)
				w.I(x86.VORPS, w.l, ties, ties, t)
			}
		}
		w.I(x86.VANDPS, w.l, x, x, mask)
		w.I(x86.VMOVUPS, w.l, x86.At(wordTo, 0), x)
	}, nothing)
	if w.f.avx512 {
		w.I(x86.KMOVW, 0, x86.RAX, x86.K1)
	} else {
		w.I(x86.VMOVMSKPD, w.l, x86.RAX, ties)
	}
	w.I(x86.MOV, x86.W64, x86.At(x86.RDI, argNaN), x86.RAX)
	w.end()
	return w.Code()
}
