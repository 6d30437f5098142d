package sorting

import (
	"slices"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/tree"
)

// Rows of integers of two bytes are divided by kernels that compress vectors, or as integers of four bytes where the processor does not
// compress lanes of two.

// compressesPairs says that the processor has AVX512-VBMI2. Tests replace it.
var compressesPairs = cpu.X86.HasAVX512VBMI2

// compresses reports whether there are kernels that compress vectors.
func (f *family) compresses() bool {
	return compressesPairs && f.stored == 2 && f.compression(true) != nil && f.compression(false) != nil
}

// divideWide divides a row of integers of two bytes as integers of four. To is room for three rows of these.
func (u *run) divideWide(r tree.Rows, p part) {
	n := r.Length
	room, parted := unsafe.Slice((*int32)(r.To), 3*n), unsafe.Slice((*int16)(r.Parted), n)
	convert(room[:n], unsafe.Slice((*int16)(r.From), n))
	r.From, r.To, r.Parted = unsafe.Pointer(&room[0]), unsafe.Pointer(&room[n]), unsafe.Pointer(&room[2*n])
	if p.from, p.data = r.From, r.To; !u.few(r.To, r.From, 1, n) {
		u.sort(&p)
	}
	if !u.of.Stopped() {
		divide[int32](u, &r)
		convert(parted, room[2*n:])
	}
}

// dividePairs divides a row of integers of two bytes as divide does. The upper ones go to To first: if the row changes at the same time, there
// may be too many of them.
func (u *run) dividePairs(r *tree.Rows) {
	n, place := r.Length, r.Places[0]
	row, room, to := unsafe.Slice((*int16)(r.From), n), unsafe.Slice((*int16)(r.To), n), unsafe.Slice((*int16)(r.Parted), n)
	value, less := u.placed(r)
	key, at := u.order.key(int64(value)), find(u, row, value, place-less)
	a, lower, upper := &u.args, 0, 0
	part := func(row []int16, pivot int64) {
		for a.pivot = pivot; len(row) > 0; row = row[a.n:] {
			a.from, a.to, a.high, a.n = unsafe.Pointer(&row[0]), unsafe.Pointer(&to[lower]), unsafe.Pointer(&room[upper]), min(callKeys, len(row))
			u.f.compression(true).Call(unsafe.Pointer(a))
			lower, upper = lower+a.low, upper+a.n-a.low
		}
	}
	if key == u.most {
		lower = copy(to, row[:at])
	} else {
		part(row[:at], key+1)
	}
	part(row[at+1:], key)
	to[place] = value
	copy(to[place+1:], room)
}

// placed returns the number at a place of a row in order, and how many are below it. Passes keep the numbers between two keys, those of a
// sample on both sides of the place as in keepBand, until there are so few that networks sort them, or all have one key. They store to
// To and Parted.
func (u *run) placed(r *tree.Rows) (value int16, less int) {
	place, room, other := r.Places[0], r.To, r.Parted
	p := part{from: r.From, n: r.Length, values: true, floor: ^u.most}
	ceil := u.most // no wanted key is above it
	for tries := 0; p.n > 2*u.f.largest() && p.floor < ceil; tries++ {
		var sample part
		lo, hi, ok := u.bandOf(&p, &sample, bandErrors[tries%len(bandErrors)])
		lo, hi = max(lo, p.floor), min(hi, ceil)
		switch stuck := lo > hi || hi-lo >= ceil-p.floor; {
		case !ok, stuck && tries%2 > 0:
			lo, hi = p.floor, p.floor+(ceil-p.floor)/2
		case stuck: // many may have one key
			lo = min(max(u.load(&sample, beside(&p, sample.n, place, 0)), p.floor), ceil)
			hi = lo
		}
		n, less := u.keep(p, room, lo, hi)
		switch at := place - p.at; {
		case at < less:
			ceil = lo - 1
		case at >= less+n:
			p.floor = hi + 1
		case lo == hi:
			return int16(u.order.value(lo)), p.at + less
		default:
			p.from, p.n, p.at, p.floor, ceil, tries = room, n, p.at+less, lo, hi, -1
			room, other = other, room
		}
	}
	if p.n > 2*u.f.largest() {
		_, less := u.keep(p, room, p.floor, p.floor)
		return int16(u.order.value(p.floor)), p.at + less
	}
	sorted := unsafe.Slice((*int16)(unsafe.Pointer(&u.spare)), p.n)
	if !u.few(unsafe.Pointer(&u.spare), p.from, 1, p.n) { // there is no memory for a kernel
		u.compare(&part{from: p.from, data: unsafe.Pointer(&u.spare), n: p.n, values: true})
	}
	value = sorted[place-p.at]
	less, _ = slices.BinarySearchFunc(sorted, u.order.key(int64(value)), func(x int16, key int64) int { return int(u.order.key(int64(x)) - key) })
	return value, p.at + less
}

// keep stores the numbers of a part with keys from lo to hi to other memory. It returns how many these are, and how many have lower keys.
func (u *run) keep(p part, to unsafe.Pointer, lo, hi int64) (n, less int) {
	a, code := &u.args, u.f.compression(false)
	a.pivot, a.above = lo, hi
	for at := 0; at < p.n; at += a.n {
		a.from, a.to, a.n = unsafe.Add(p.from, at*2), unsafe.Add(to, n*2), min(callKeys, p.n-at)
		code.Call(unsafe.Pointer(a))
		n, less = n+a.low, less+a.n-a.atLeast
	}
	return n, less
}

// compression returns the kernel that moves numbers of two bytes in their order. It stores those with keys from pivot to above at to, or with
// split those below the pivot at to and the others at high. It stores whole vectors, also behind those numbers, but no more than it reads.
func (f *family) compression(split bool) *exec.Code {
	return f.compressions[is(split)].Make(func() ([]byte, error) {
		w := newWriter(f)
		w.load(partFrom, argFrom)
		w.load(partLow, argTo)
		w.load(partHigh, argHigh)
		w.load(partLeft, argN)
		w.prepare(enter | turned)
		low, high := w.everywhere(argPivot), w.everywhere(argAbove)
		x, key, t := w.take(), w.take(), w.take()
		w.I(x86.XOR, x86.W32, partOther, partOther)
		store := func(to x86.Reg, k x86.Mask, rest ...x86.Operand) {
			w.I(x86.VPXOR, x86.L128, t, t, t) // else it waits for the last result
			w.I(x86.VPCOMPRESSW, w.l, t, x, x86.Zero(k))
			w.I(x86.VMOVDQU16, w.l, append([]x86.Operand{x86.At(to, 0), t}, rest...)...)
			w.I(x86.KMOVQ, 0, partBits, k)
			w.I(x86.POPCNT, x86.W64, partBits, partBits)
			w.I(x86.LEA, x86.W64, to, x86.AtX(to, partBits, 2, 0))
		}
		vector := func(rest ...x86.Operand) {
			w.I(x86.VMOVUPS, w.l, key, x)
			w.enter(key)
			w.I(x86.VPCMPW, w.l, append([]x86.Operand{x86.K1, key, low, x86.Imm(notLess)}, rest...)...)
			if split {
				w.I(x86.VPCMPW, w.l, append([]x86.Operand{x86.K2, low, key, x86.Imm(above)}, rest...)...)
				store(partLow, x86.K2, rest...)
				store(partHigh, x86.K1, rest...)
				return
			}
			w.I(x86.VPCMPW, w.l, x86.K2, high, key, x86.Imm(notLess), x86.Merge(x86.K1))
			w.I(x86.KMOVQ, 0, partBits, x86.K1)
			w.I(x86.POPCNT, x86.W64, partBits, partBits)
			w.I(x86.ADD, x86.W64, partOther, partBits)
			store(partLow, x86.K2, rest...)
		}
		loop, rest, end := w.NewLabel(), w.NewLabel(), w.NewLabel()
		w.I(x86.SUB, x86.W64, partLeft, x86.Imm(f.lanes()))
		w.I(x86.JL, 0, rest)
		w.Align(32)
		w.Bind(loop)
		w.I(x86.VMOVUPS, w.l, x, x86.At(partFrom, 0))
		vector()
		w.I(x86.ADD, x86.W64, partFrom, x86.Imm(f.vector))
		w.I(x86.SUB, x86.W64, partLeft, x86.Imm(f.lanes()))
		w.I(x86.JGE, 0, loop)
		w.Bind(rest)
		w.I(x86.ADD, x86.W64, partLeft, x86.Imm(f.lanes()))
		w.I(x86.JE, 0, end)
		w.I(x86.MOV, x86.W64, partBits, x86.Imm(-1))
		w.I(x86.BZHI, x86.W64, partBits, partBits, partLeft)
		w.I(x86.KMOVQ, 0, x86.K3, partBits)
		w.I(x86.VMOVDQU16, w.l, x, x86.At(partFrom, 0), x86.Zero(x86.K3))
		vector(x86.Merge(x86.K3))
		w.Bind(end)
		w.I(x86.SUB, x86.W64, partLow, x86.At(x86.RDI, argTo))
		w.I(x86.SHR, x86.W64, partLow, x86.Imm(1))
		w.I(x86.MOV, x86.W64, x86.At(x86.RDI, argLow), partLow)
		w.I(x86.MOV, x86.W64, x86.At(x86.RDI, argAtLeast), partOther)
		w.end()
		return w.Code()
	})
}
