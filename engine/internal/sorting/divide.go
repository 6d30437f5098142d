package sorting

import (
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/expr/tree"
)

// A division moves the elements of a row, or their positions, to another place: the lower ones from its
// beginning on, the others from its end down.
type division[K int32 | int64] struct {
	*run
	row, to    []K
	code       *exec.Code // nil: there is none
	positions  bool
	lower, end int // what is left of to
}

// divide stores the elements of the row at From, or their positions, in two parts. The sort has put the
// element between them to To.
func (u *run) divide(r *tree.Rows) {
	if u.f.size == 8 {
		divide[int64](u, r)
	} else {
		divide[int32](u, r)
	}
}

// divide puts the elements whose keys are less than the key at the place into the lower part, and the others into the upper
// part. The upper part begins with an element with this key. If some elements with this key belong to the lower part, these are
// the first of them in the row, and the next one begins the upper part. The elements before that one are divided by the next
// key, and the elements behind it by its own.
func divide[K int32 | int64](u *run, r *tree.Rows) {
	place, n := r.Places[0], r.Length
	sorted, row := unsafe.Slice((*K)(r.To), n), unsafe.Slice((*K)(r.From), n)
	value := sorted[place]
	key := u.order.key(int64(value))
	first := place // of the equal keys
	for first > u.low && sorted[first-1] == value {
		first--
	}
	d := division[K]{run: u, row: row, to: unsafe.Slice((*K)(r.Parted), n), positions: r.Positions, end: n}
	how, narrow := values, false
	if r.Positions {
		how, narrow = positions, u.f.size < 8
	}
	if narrow {
		d.to = sorted
	}
	d.code = u.f.partition(u.order.form(enter), how)
	if first == place && how == values && n*u.f.size <= smallBytes { // a move in the upper part takes less time than two parts of the row
		d.part(0, n, key)
		upper := d.to[place:]
		reverse(u, upper)
		at := find(u, upper, value, 0)
		value = upper[at]
		copy(upper[1:], upper[:at])
		upper[0] = value
		return
	}
	at := find(u, row, value, place-first)
	if d.move(at, false); key == u.order.most {
		for i := range at {
			d.move(i, true)
		}
	} else {
		d.part(0, at, key+1)
	}
	d.part(at+1, n, key)
	if narrow {
		widen(u, unsafe.Slice((*int64)(r.Parted), n), d.to, place)
	} else {
		reverse(u, d.to[place:])
	}
}

// widen stores positions of 32 bits, which have no sign: the lower ones, then the others in reverse.
func widen[K int32 | int64](u *run, to []int64, from []K, place int) {
	lower, upper := from[:place], from[place:]
	done := widened(u, to, lower, false)
	for i, x := range lower[done:] {
		to[done+i] = int64(uint32(x))
	}
	done = widened(u, to[place:], upper, true)
	for i, x := range upper[:len(upper)-done] {
		to[len(to)-1-i] = int64(uint32(x))
	}
}

// widened widens most of some positions by a kernel, from the last one down if backward is set, and returns their number.
func widened[K int32 | int64](u *run, to []int64, from []K, backward bool) (done int) {
	code := u.avx2.widening(backward)
	if code == nil {
		return 0
	}
	for a := &u.args; len(from)-done >= widenedAtOnce; done += a.n * widenedAtOnce {
		rest := from[done:]
		if a.end = 0; backward {
			rest = from[:len(from)-done]
			a.end = len(rest) * u.f.size
		}
		a.from, a.to, a.n = unsafe.Pointer(&rest[0]), unsafe.Pointer(&to[done]), min(callKeys, len(rest))/widenedAtOnce
		code.Call(unsafe.Pointer(a))
	}
	return done
}

// widenedAtOnce is the number of positions that a step of the kernel widens.
const widenedAtOnce = 8

// widening returns the kernel, of AVX2, of n steps that widen keys of 4 bytes without signs: from byte end of from on, or before it.
func (f *family) widening(backward bool) *exec.Code {
	return f.widenings[is(backward)].Make(func() ([]byte, error) {
		w := newWriter(f)
		w.load(partFrom, argFrom)
		w.I(x86.ADD, x86.W64, partFrom, x86.At(x86.RDI, argEnd))
		w.load(partLow, argTo)
		w.load(partLeft, argN)
		x, loop, step := w.take(), w.NewLabel(), widenedAtOnce*f.size
		w.Bind(loop)
		for i := range 2 {
			if backward {
				w.I(x86.VPSHUFD, 128, x, x86.At(partFrom, int32(-(i+1)*step/2)), x86.Imm(0b00011011)) // in reverse
				w.I(x86.VPMOVZXDQ, w.l, x, x)
			} else {
				w.I(x86.VPMOVZXDQ, w.l, x, x86.At(partFrom, int32(i*step/2)))
			}
			w.I(x86.VMOVUPS, w.l, x86.At(partLow, int32(i*step)), x)
		}
		if backward {
			step = -step
		}
		w.I(x86.ADD, x86.W64, partFrom, x86.Imm(step))
		w.I(x86.ADD, x86.W64, partLow, x86.Imm(8*widenedAtOnce))
		w.I(x86.SUB, x86.W64, partLeft, x86.Imm(1))
		w.I(x86.JG, 0, loop)
		w.end()
		return w.Code()
	})
}

// find returns the position of an element of a row that has the same key as a value. It skips some of them.
func find[K int16 | int32 | int64](u *run, row []K, value K, skip int) int {
	at := 0
	if u.order.fold != 0 && u.order.key(int64(value)) == u.order.most { // NaN has several values
		for ; at < len(row)-1; at++ {
			if u.order.key(int64(row[at])) == u.order.most {
				if skip--; skip < 0 {
					break
				}
			}
		}
		return at
	}
	at, skip = seek(u, row[:len(row)-1], value, skip)
	for ; skip >= 0 && at < len(row)-1; at++ { // the last one is not compared: the row may change at the same time
		if skip -= is(row[at] == value); skip < 0 {
			break
		}
	}
	return at
}

func is(b bool) int { return scalar.FromBool[int](b) }

// reverse reverses the order of keys: by a kernel from both ends on, and by Go in the middle.
func reverse[K int32 | int64](u *run, x []K) {
	if code := u.avx2.reversal(); code != nil {
		a, lanes := &u.args, u.avx2.lanes()
		for len(x) >= 2*lanes {
			a.n = min(callKeys, len(x)/2) / lanes
			a.from, a.end = unsafe.Pointer(&x[0]), len(x)*u.f.size
			code.Call(unsafe.Pointer(a))
			x = x[a.n*lanes : len(x)-a.n*lanes]
		}
	}
	slices.Reverse(x)
}

// reversal returns the kernel, of AVX2, that exchanges n vectors at from with those before byte end, and reverses each.
func (f *family) reversal() *exec.Code {
	return f.reversals.Make(func() ([]byte, error) {
		w := newWriter(f)
		w.load(partFrom, argFrom)
		w.load(partLeft, argN)
		w.I(x86.MOV, x86.W64, partHigh, partFrom)
		w.I(x86.ADD, x86.W64, partHigh, x86.At(x86.RDI, argEnd))
		low, high, back := w.take(), w.take(), w.take()
		w.I(x86.VMOVUPS, w.l, back, w.lanes(func(lane int) int64 {
			if lane = f.lanes() - 1 - lane; f.size == 4 {
				return int64(lane)
			}
			return int64(2*lane) | int64(2*lane+1)<<32
		}))
		loop := w.NewLabel()
		w.Bind(loop)
		w.I(x86.VPERMPS, w.l, low, back, x86.At(partFrom, 0))
		w.I(x86.VPERMPS, w.l, high, back, x86.At(partHigh, int32(-f.vector)))
		w.I(x86.VMOVUPS, w.l, x86.At(partFrom, 0), high)
		w.I(x86.VMOVUPS, w.l, x86.At(partHigh, int32(-f.vector)), low)
		w.I(x86.ADD, x86.W64, partFrom, x86.Imm(f.vector))
		w.I(x86.SUB, x86.W64, partHigh, x86.Imm(f.vector))
		w.I(x86.SUB, x86.W64, partLeft, x86.Imm(1))
		w.I(x86.JG, 0, loop)
		w.end()
		return w.Code()
	})
}

// seek goes over the vectors of a row to the element that find looks for, with a kernel. It returns where it ends, and how many of the
// elements with the value are still skipped: -1 if it ends at the element.
func seek[K int16 | int32 | int64](u *run, row []K, value K, skip int) (at, left int) {
	code, lanes := u.f.search(), u.f.lanes()
	if code == nil {
		return 0, skip
	}
	a := &u.args
	a.pivot, a.low, a.first = int64(value), skip, 0
	for a.low >= 0 && len(row)-at >= lanes {
		n := min(callKeys, len(row)-at) / lanes
		a.from, a.n = unsafe.Pointer(&row[at]), n
		code.Call(unsafe.Pointer(a))
		at += (n-a.n)*lanes + a.first
	}
	return at, a.low
}

// searched is the number of vectors that a search counts equal elements of at once.
const searched = 4

// search returns the kernel that goes over n vectors and skips low keys that equal the pivot. It ends before the vector with the next one: then
// low is -1, n the number of vectors that are left, and first the lane of that key. Else n is 0, and low the keys that it did not skip.
func (f *family) search() *exec.Code {
	return f.searches.Make(func() ([]byte, error) {
		w := newWriter(f)
		w.load(partFrom, argFrom)
		w.load(partLeft, argN)
		w.load(partOther, argLow)
		value, same := w.everywhere(argPivot), w.take()
		found, end := w.NewLabel(), w.NewLabel()
		for _, n := range []int{searched, 1} {
			loop, next := w.NewLabel(), w.NewLabel()
			w.I(x86.SUB, x86.W64, partLeft, x86.Imm(n))
			w.I(x86.JL, 0, next)
			w.Align(32)
			w.Bind(loop)
			w.I(x86.XOR, x86.W32, partLows, partLows)
			for i := range n {
				if at := x86.At(partFrom, int32(i*f.vector)); f.avx512 {
					w.I(w.of(x86.VPCMPW, x86.VPCMPD, x86.VPCMPQ), w.l, x86.K1+x86.Mask(i), value, at, x86.Imm(equal))
					w.I(w.maskMove(), 0, partBits, x86.K1+x86.Mask(i))
				} else {
					w.I(w.pick(x86.VPCMPEQD, x86.VPCMPEQQ), w.l, same, value, at)
					w.I(w.pick(x86.VMOVMSKPS, x86.VMOVMSKPD), w.l, partBits, same)
				}
				w.I(x86.POPCNT, x86.W64, partHigh, partBits)
				w.I(x86.ADD, x86.W64, partLows, partHigh)
			}
			w.I(x86.CMP, x86.W64, partOther, partLows)
			w.I(x86.JL, 0, [2]x86.Label{next, found}[is(n == 1)]) // a single vector has the key
			w.I(x86.SUB, x86.W64, partOther, partLows)
			w.I(x86.ADD, x86.W64, partFrom, x86.Imm(n*f.vector))
			w.I(x86.SUB, x86.W64, partLeft, x86.Imm(n))
			w.I(x86.JGE, 0, loop)
			w.Bind(next)
			w.I(x86.ADD, x86.W64, partLeft, x86.Imm(n))
		}
		w.I(x86.JMP, 0, end)
		w.Bind(found)
		w.I(x86.ADD, x86.W64, partLeft, x86.Imm(1))
		w.I(x86.MOV, x86.W64, partHigh, x86.Imm(-1))
		w.I(x86.BZHI, x86.W64, partOther, partHigh, partOther)
		w.I(x86.ADD, x86.W64, partOther, x86.Imm(1))
		w.I(x86.PDEP, x86.W64, partOther, partOther, partBits) // the bit of the key
		w.I(x86.TZCNT, x86.W64, partOther, partOther)
		w.I(x86.MOV, x86.W64, x86.At(x86.RDI, argFirst), partOther)
		w.I(x86.MOV, x86.W64, partOther, partHigh)
		w.Bind(end)
		w.I(x86.MOV, x86.W64, x86.At(x86.RDI, argN), partLeft)
		w.I(x86.MOV, x86.W64, x86.At(x86.RDI, argLow), partOther)
		w.end()
		return w.Code()
	})
}

// part moves the elements lo..hi of the row. The lower ones have keys below a pivot.
func (d *division[K]) part(lo, hi int, pivot int64) {
	a, size, lanes := &d.args, d.f.size, d.f.partitioner().lanes()
	end := hi // of the vectors
	if rest := d.end - d.lower - (hi - lo); d.code == nil {
		end = lo
	} else if rest > 0 && rest < lanes { // both stores of the last vector would not fit
		end -= lanes
	}
	for ; lo < end && (end-lo)%lanes > 0; lo++ {
		d.move(lo, d.order.key(int64(d.row[lo])) < pivot)
	}
	a.tables, a.pivot, a.high = backwardTables(), pivot, unsafe.Pointer(&d.to[0])
	for ; lo < end; lo += a.n {
		a.n, a.first = min(callKeys, end-lo), lo
		a.from, a.to, a.end = unsafe.Pointer(&d.row[lo]), unsafe.Pointer(&d.to[d.lower]), d.end*size
		d.code.Call(unsafe.Pointer(a))
		d.lower += a.low
		d.end -= a.n - a.low
	}
	a.tables = theTables()
	for ; lo < hi; lo++ {
		d.move(lo, d.order.key(int64(d.row[lo])) < pivot)
	}
}

// move moves one element of the row.
func (d *division[K]) move(i int, lower bool) {
	x := d.row[i]
	if d.positions {
		x = K(i)
	}
	low := is(lower)
	d.to[d.lower], d.to[d.end-1] = x, x // without a branch, and one of them is overwritten
	d.lower += low
	d.end -= 1 - low
}
