package sorting

import (
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

// A way says where the keys of a partition are, and what it moves.
type way uint8

const (
	apart     way = iota // keys that are elsewhere
	inPlace              // keys where they go
	values               // values that are elsewhere
	positions            // the positions of values, as integers of the size of a key
	between              // only the keys from one to another
	ways      = iota
)

// partition returns the kernel that moves keys below a pivot to the beginning of a place, and
// the others to the end of one, or the keys between two to the beginning; nil if there is no memory for it.
func (f *family) partition(k form, how way) *exec.Code {
	if how != between {
		f = f.partitioner()
	}
	return f.partitions[how][k].Make(func() ([]byte, error) {
		w := partitionWriter{writer: newWriter(f), form: k, way: how}
		w.write()
		return w.Code()
	})
}

// partitioner returns the family whose partitions f has.
func (f *family) partitioner() *family {
	if f.avx512 && f.size == 4 {
		return avx2.of(4) // the table of the lanes of a vector of AVX-512 would have 2^16 entries
	}
	return f
}

// unroll is the number of vectors that a partition reads at once, and unrollInPlace of one in
// place, which chooses a side each time.
const (
	unroll        = 4
	unrollInPlace = 8
)

// The registers of a partition.
const (
	partFrom  = x86.RSI
	partEnd   = x86.R9  // in place: the end of the keys that have not been read
	partLow   = x86.RDX // where the next key below the pivot is stored
	partHigh  = x86.R8  // the end of the next other key
	partLeft  = x86.RCX // number of keys that have not been read
	partLows  = x86.RBX // number of keys below the pivot; not in place
	partTable = x86.R10
	partBits  = x86.RAX
	partOther = x86.R11
)

// A partitionWriter writes a partition. It puts the keys of a vector that are below the
// pivot before the others, and stores the whole vector behind the lower keys, and again
// before the higher ones, unless only keys between two are kept. What is too much is overwritten later. If both kinds of keys go to
// one place, no vector may store too much behind less than two vectors of room, but in all of
// it: so the keys that fill no vector must come first.
//
// Values and positions fill vectors. With tables that put the others backward the lower ones keep
// their order, and the others have the reverse of it.
//
// In place, there is room for unrollInPlace vectors behind the lower keys and before the higher
// ones: the caller has moved so many keys away. The loop reads where there is less room, so
// there is always enough.
type partitionWriter struct {
	*writer
	form       form
	way        way
	pivot, nan x86.Vec
	at, step   x86.Vec // the positions of the next keys, and the number of lanes

	above, below x86.Vec // of the keys between two: the greater one, and the number of those below the other one
	minusOne     x86.Vec // of AVX-512
}

// offsets are the arguments of a partition in place that change, and their registers.
var offsets = []struct {
	r  x86.Reg
	at int32
}{{partFrom, argLeft}, {partEnd, argRight}, {partLow, argLower}, {partHigh, argEnd}}

func (w *partitionWriter) write() {
	if w.way == inPlace {
		for _, o := range offsets {
			w.load(o.r, argTo)
			w.I(x86.ADD, x86.W64, o.r, x86.At(x86.RDI, o.at))
		}
	} else {
		w.load(partFrom, argFrom)
		w.load(partLow, argTo)
		w.I(x86.XOR, x86.W32, partLows, partLows)
		if w.way == between {
			w.above, w.below = w.everywhere(argAbove), w.take()
			w.I(x86.VMOVUPS, w.l, w.below, x86.At(x86.RDI, argBelow))
			if w.f.avx512 {
				w.minusOne = w.take()
				w.I(x86.VMOVUPS, w.l, w.minusOne, w.lanes(func(int) int64 { return -1 }))
			}
		} else {
			w.load(partHigh, argHigh)
			w.I(x86.ADD, x86.W64, partHigh, x86.At(x86.RDI, argEnd))
		}
	}
	w.load(partTable, argTables)
	w.pivot = w.everywhere(argPivot)
	w.greatestKey(w.form)
	w.prepare(w.form)
	w.nan = w.take()
	w.I(x86.VPXOR, x86.L256, w.nan, w.nan, w.nan) // and the upper half with AVX-512
	w.load(partLeft, argN)
	if w.way == positions {
		w.at, w.step = w.everywhere(argFirst), w.take()
		w.I(w.pick(x86.VPADDD, x86.VPADDQ), w.l, w.at, w.at, w.lanes(func(lane int) int64 { return int64(lane) }))
		w.I(x86.VMOVUPS, w.l, w.step, w.lanes(func(int) int64 { return int64(w.f.lanes()) }))
	}
	if w.way == inPlace {
		w.loop(unrollInPlace)
		for _, o := range offsets {
			w.I(x86.SUB, x86.W64, o.r, x86.At(x86.RDI, argTo))
			w.I(x86.MOV, x86.W64, x86.At(x86.RDI, o.at), o.r)
		}
	} else {
		w.loop(unroll)
		w.loop(1)
		if w.way == apart || w.way == between {
			end := w.NewLabel()
			w.I(x86.TEST, x86.W64, partLeft, partLeft)
			w.I(x86.JE, 0, end)
			w.tail()
			w.Bind(end)
		}
		w.I(x86.MOV, x86.W64, x86.At(x86.RDI, argLow), partLows)
	}
	if w.way == between {
		w.I(x86.VMOVUPS, w.l, x86.At(x86.RDI, argBelow), w.below)
	}
	if w.f.avx512 {
		w.I(w.pick(x86.VPCMPUD, x86.VPCMPUQ), w.l, x86.K6, w.nan, w.lanes(func(int) int64 { return -1 << w.pickInt(24, 53) }), x86.Imm(above)) // twice the bits of infinity
		w.I(w.maskMove(), 0, partBits, x86.K6)
	} else {
		w.I(w.pick(x86.VMOVMSKPS, x86.VMOVMSKPD), w.l, partBits, w.nan)
	}
	w.I(x86.MOV, x86.W64, x86.At(x86.RDI, argNaN), partBits)
	w.end()
}

// loop writes a loop over n vectors at a time, while there are so many.
func (w *partitionWriter) loop(n int) {
	loop, end := w.NewLabel(), w.NewLabel()
	w.I(x86.SUB, x86.W64, partLeft, x86.Imm(n*w.f.lanes()))
	w.I(x86.JL, 0, end)
	w.Align(32)
	w.Bind(loop)
	var v []x86.Vec
	from := partFrom
	if w.way == inPlace {
		from = partOther
		w.side(n * w.f.vector)
	}
	for i := range n {
		x := w.take()
		w.I(x86.VMOVUPS, w.l, x, x86.At(from, int32(i*w.f.vector)))
		v = append(v, x)
	}
	keys := v
	if w.way == values && w.form&enter != 0 {
		keys = nil
		for _, x := range v {
			k := w.take()
			w.I(x86.VMOVUPS, w.l, k, x)
			keys = append(keys, k)
		}
	}
	for _, x := range keys {
		w.read(x)
	}
	for i, x := range v {
		if w.way == between {
			w.between(x, false, x)
		} else {
			w.compare(keys[i], i)
		}
		if w.way == positions {
			w.I(x86.VMOVUPS, w.l, x, w.at)
			w.I(w.pick(x86.VPADDD, x86.VPADDQ), w.l, w.at, w.at, w.step)
		}
		w.arrange(x)
		w.I(x86.VMOVUPS, w.l, x86.At(partLow, 0), x)
		if w.way != between {
			w.I(x86.VMOVUPS, w.l, x86.At(partHigh, int32(-w.f.vector)), x)
		}
		w.I(x86.POPCNT, x86.W32, partBits, partBits)
		if w.way != inPlace {
			w.I(x86.ADD, x86.W64, partLows, partBits)
		}
		w.I(x86.LEA, x86.W64, partLow, x86.AtX(partLow, partBits, uint8(w.f.size), 0))
		if w.way != between {
			w.I(x86.LEA, x86.W64, partHigh, x86.AtX(partHigh, partBits, uint8(w.f.size), int32(-w.f.vector)))
		}
	}
	w.give(v...)
	if len(keys) > 0 && keys[0] != v[0] {
		w.give(keys...)
	}
	if w.way != inPlace {
		w.I(x86.ADD, x86.W64, partFrom, x86.Imm(n*w.f.vector))
	}
	w.I(x86.SUB, x86.W64, partLeft, x86.Imm(n*w.f.lanes()))
	w.I(x86.JGE, 0, loop)
	w.Bind(end)
	w.I(x86.ADD, x86.W64, partLeft, x86.Imm(n*w.f.lanes()))
}

// side sets partOther to the bytes that a loop in place reads next: those on the side with
// less room. It moves partFrom or partEnd past them. It branches, because the next loads
// would wait for a conditional move.
func (w *partitionWriter) side(bytes int) {
	right, read := w.NewLabel(), w.NewLabel()
	w.I(x86.MOV, x86.W64, partBits, partFrom)
	w.I(x86.SUB, x86.W64, partBits, partLow)
	w.I(x86.MOV, x86.W64, partOther, partHigh)
	w.I(x86.SUB, x86.W64, partOther, partEnd)
	w.I(x86.CMP, x86.W64, partBits, partOther)
	w.I(x86.JG, 0, right)
	w.I(x86.MOV, x86.W64, partOther, partFrom)
	w.I(x86.ADD, x86.W64, partFrom, x86.Imm(bytes))
	w.I(x86.JMP, 0, read)
	w.Bind(right)
	w.I(x86.SUB, x86.W64, partEnd, x86.Imm(bytes))
	w.I(x86.MOV, x86.W64, partOther, partEnd)
	w.Bind(read)
}

// read makes keys of what has been read.
func (w *partitionWriter) read(x x86.Vec) {
	switch {
	case w.form&enter == 0:
	case w.form&raw == 0:
		w.enter(x)
	case w.f.avx512: // the greatest bits without a sign: there are few masks
		t := w.take()
		w.I(w.pick(x86.VPADDD, x86.VPADDQ), w.l, t, x, x)
		w.I(w.pick(x86.VPMAXUD, x86.VPMAXUQ), w.l, w.nan, w.nan, t)
		w.give(t)
	case w.f.size == 8:
		w.unlike(w.nan, x)
	default: // the networks are those of AVX-512
		t := w.take()
		w.I(x86.VCMPPS, w.l, t, x, x, x86.Imm(unordered))
		w.I(x86.VPOR, w.l, w.nan, w.nan, t)
		w.give(t)
	}
}

// compare sets the bits of the keys of vector i of a loop that are below the pivot.
func (w *partitionWriter) compare(x x86.Vec, i int) {
	if w.f.avx512 {
		k := x86.K1 + x86.Mask(i%4)
		w.masks(k, x, w.pivot, less)
		w.I(w.maskMove(), 0, partBits, k)
		return
	}
	t := w.take()
	w.lower(t, x, w.pivot)
	w.I(w.pick(x86.VMOVMSKPS, x86.VMOVMSKPD), w.l, partBits, t)
	w.give(t)
}

// between sets the bits of the keys from the pivot to above, and counts those below. tail says that the lanes of a mask alone have keys.
func (w *partitionWriter) between(x x86.Vec, tail bool, mask x86.Vec) {
	if w.f.avx512 {
		var lanes []x86.Operand
		if tail {
			lanes = append(lanes, x86.Merge(x86.K3))
		}
		w.masks(x86.K1, x, w.pivot, less, lanes...)
		w.masks(x86.K2, w.above, x, notLess, lanes...)
		w.I(w.pick(x86.VPADDD, x86.VPADDQ), w.l, w.below, w.below, w.minusOne, x86.Merge(x86.K1))
		w.I(x86.KANDNQ, 0, x86.K1, x86.K1, x86.K2)
		w.I(w.maskMove(), 0, partBits, x86.K1)
		return
	}
	low, high := w.take(), w.take()
	w.lower(low, x, w.pivot)
	w.lower(high, w.above, x)
	if tail {
		w.I(x86.VPAND, w.l, low, low, mask)
	}
	w.I(w.pick(x86.VPADDD, x86.VPADDQ), w.l, w.below, w.below, low)
	w.I(x86.VPOR, w.l, high, high, low)
	w.I(w.pick(x86.VMOVMSKPS, x86.VMOVMSKPD), w.l, partBits, high)
	w.I(x86.XOR, x86.W32, partBits, x86.Imm(1<<w.f.lanes()-1))
	w.give(low, high)
}

// lower sets the lanes of t, of AVX2, where keys a are less than b.
func (w *partitionWriter) lower(t, a, b x86.Vec) {
	if w.form&raw != 0 {
		w.I(w.pick(x86.VCMPPS, x86.VCMPPD), w.l, t, a, b, x86.Imm(less))
	} else {
		w.I(w.pick(x86.VPCMPGTD, x86.VPCMPGTQ), w.l, t, b, a)
	}
}

// masks compares keys into a mask of AVX-512. The three low bits of a comparison of floats are the one of integers.
func (w *partitionWriter) masks(k x86.Mask, a, b x86.Vec, how int, of ...x86.Operand) {
	op := w.pick(x86.VPCMPD, x86.VPCMPQ)
	if w.form&raw != 0 {
		op = w.pick(x86.VCMPPS, x86.VCMPPD)
	} else {
		how &= 7
	}
	w.I(op, w.l, append([]x86.Operand{k, a, b, x86.Imm(how)}, of...)...)
}

// arrange puts the keys whose bits are set before the others. Where only these are kept, AVX-512 compresses them.
func (w *partitionWriter) arrange(x x86.Vec) {
	if w.f.avx512 && w.way == between {
		t := w.take()
		w.I(x86.VPXOR, x86.L128, t, t, t) // else it waits for the last result
		w.I(w.pick(x86.VPCOMPRESSD, x86.VPCOMPRESSQ), w.l, t, x, x86.Zero(x86.K1))
		w.I(x86.VMOVAPS, w.l, x, t)
		w.give(t)
		return
	}
	table, widen, permute := tableLanes8, x86.VPMOVZXBD, x86.VPERMPS
	switch {
	case w.f.avx512:
		widen, permute = x86.VPMOVZXBQ, x86.VPERMPD
	case w.f.size == 8:
		table = tableLanes4
	}
	t := w.take()
	w.I(widen, w.l, t, x86.AtX(partTable, partBits, 8, table))
	w.I(permute, w.l, x, t, x)
	w.give(t)
}

// tail partitions the keys that do not fill a vector. The lanes without a key come last in
// order.
func (w *partitionWriter) tail() {
	x, mask := w.take(), w.take()
	move := w.pick(x86.VMASKMOVPS, x86.VMASKMOVPD)
	if w.f.avx512 {
		w.I(x86.MOV, x86.W64, partOther, x86.Imm(-1))
		w.I(x86.BZHI, x86.W64, partOther, partOther, partLeft)
		w.I(w.maskMove(), 0, x86.K3, partOther)
		w.I(w.move(), w.l, x, x86.At(partFrom, 0), x86.Zero(x86.K3))
	} else {
		w.I(x86.MOV, x86.W64, partOther, partLeft)
		w.I(x86.NEG, x86.W64, partOther)
		w.I(x86.VMOVUPS, w.l, mask, x86.AtX(partTable, partOther, uint8(w.f.size), tableWindow))
		w.I(move, w.l, x, mask, x86.At(partFrom, 0))
	}
	w.read(x)
	stores := []x86.Mem{x86.At(partLow, 0)}
	if w.way == between {
		w.between(x, true, mask)
	} else {
		w.compare(x, 0)
	}
	w.I(x86.BZHI, x86.W64, partBits, partBits, partLeft)
	w.arrange(x)
	w.I(x86.POPCNT, x86.W32, partBits, partBits)
	w.I(x86.ADD, x86.W64, partLows, partBits)
	w.I(x86.NEG, x86.W64, partLeft)
	if w.way != between {
		stores = append(stores, x86.AtX(partHigh, partLeft, uint8(w.f.size), 0))
	}
	for _, to := range stores {
		if w.f.avx512 {
			w.I(w.move(), w.l, to, x, x86.Merge(x86.K3))
		} else {
			w.I(move, w.l, to, mask, x)
		}
	}
	w.give(x, mask)
}
