package sorting

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

// A network is a kernel that sorts rows of keys in registers. A row fills so many vectors,
// the last of them perhaps in part. Where a row is one vector, each group of lanes may be
// a row.
type network struct {
	vectors int
	group   int // lanes
	form    form
}

// network returns the kernel of a network; nil if there is no memory for it.
func (f *family) network(n network) *exec.Code {
	return f.code(&f.networks[n.vectors][log2(n.group)][n.form], n, (*networkWriter).write)
}

// code returns the kernel that write writes into at; nil if there is no memory for it.
func (f *family) code(at *exec.Lazy, n network, write func(*networkWriter)) *exec.Code {
	return at.Make(func() ([]byte, error) {
		w := networkWriter{writer: newWriter(f), network: n}
		write(&w)
		return w.Code()
	})
}

func log2(n int) (log int) {
	for ; n > 1; n >>= 1 {
		log++
	}
	return log
}

// A networkWriter writes a network. Vector i of the row is in register v[i].
type networkWriter struct {
	*writer
	network
	v       []x86.Vec
	reverse [groups]x86.Vec // by log2 of a group: places of its lanes from behind, where swapLanes needs them
	bitonic bool            // a row is a bitonic sequence
	halves  x86.Vec         // of a merge with AVX-512: places of the lanes of a vector with its halves exchanged
}

// The masks of AVX-512. K7, and K6 where no group has more than 16 lanes, are free for a short time.
const (
	lastMask  = x86.K1 // the lanes of the last vector
	upperMask = x86.K2 // the upper halves of groups of 2 lanes; the next four masks are for groups of 4, 8, 16 and 32
)

// merge returns the kernel that merges the two halves of rows, which networks have sorted. The
// first half is the largest that a network sorts. The form may be leave and raw.
func (f *family) merge(second int, k form) *exec.Code {
	return f.code(&f.merges[second][k], network{f.most + second, f.lanes(), k}, (*networkWriter).write)
}

// bitonic returns the kernel that sorts whole blocks, each a bitonic sequence.
func (f *family) bitonic(k form) *exec.Code {
	return f.code(&f.bitonics[k], network{f.most, f.lanes(), k}, func(w *networkWriter) {
		w.bitonic = true
		w.write()
	})
}

// exchange returns the kernel that compares vectors at from and to, and moves the lesser keys to
// from. It goes up from both, or with opposite down from from, and then compares lanes from behind. n
// is the number of vectors of each row, a multiple of exchanged.
func (f *family) exchange(opposite bool, k form) *exec.Code {
	way := 0
	if opposite {
		way = 1
	}
	return f.code(&f.exchanges[way][k], network{2, f.lanes(), k}, func(w *networkWriter) { w.writeExchange(opposite) })
}

// exchanged is the number of pairs of vectors that a loop exchanges.
const exchanged = 4

func (w *networkWriter) writeExchange(opposite bool) {
	const from, to, rows, step, n, low, high, left = x86.RSI, x86.RDX, x86.RCX, x86.R8, x86.R9, x86.R10, x86.R11, x86.RAX
	w.load(from, argFrom)
	w.load(to, argTo)
	w.load(rows, argRows)
	w.load(step, argStep)
	w.load(n, argN)
	w.prepareGroup(w.group)
	move := w.f.vector
	if opposite {
		move = -move
	}
	loop, row := w.NewLabel(), w.NewLabel()
	w.Bind(row)
	w.I(x86.MOV, x86.W64, low, from)
	w.I(x86.MOV, x86.W64, high, to)
	w.I(x86.MOV, x86.W64, left, n)
	w.Align(32)
	w.Bind(loop)
	for i := range exchanged {
		x, y := w.take(), w.take()
		w.I(x86.VMOVUPS, w.l, x, x86.At(low, int32(i*move)))
		w.I(x86.VMOVUPS, w.l, y, x86.At(high, int32(i*w.f.vector)))
		if opposite {
			w.swapLanes(y, y, w.group-1)
		}
		w.v = append(w.v[:0], x, y)
		w.exchange(0, 1, y)
		if opposite {
			w.swapLanes(w.v[1], w.v[1], w.group-1)
		}
		w.I(x86.VMOVUPS, w.l, x86.At(low, int32(i*move)), w.v[0])
		w.I(x86.VMOVUPS, w.l, x86.At(high, int32(i*w.f.vector)), w.v[1])
		w.give(w.v...)
	}
	w.I(x86.ADD, x86.W64, low, x86.Imm(exchanged*move))
	w.I(x86.ADD, x86.W64, high, x86.Imm(exchanged*w.f.vector))
	w.I(x86.SUB, x86.W64, left, x86.Imm(exchanged))
	w.I(x86.JNE, 0, loop)
	w.I(x86.ADD, x86.W64, from, step)
	w.I(x86.ADD, x86.W64, to, step)
	w.I(x86.SUB, x86.W64, rows, x86.Imm(1))
	w.I(x86.JNE, 0, row)
	w.end()
}

// rowEnd has the number of keys of the last vector of a row; of AVX2 their bytes.
const rowEnd = x86.R9

func (w *networkWriter) write() {
	const from, to, rows, step, n, table, toStep = x86.RSI, x86.RDX, x86.RCX, x86.R8, rowEnd, x86.R10, x86.R11
	w.load(from, argFrom)
	w.load(to, argTo)
	w.load(rows, argRows)
	w.load(step, argStep)
	w.load(toStep, argToStep)
	w.load(n, argN)
	w.greatestKey(w.form)
	w.prepare(w.form)
	if w.f.avx512 {
		w.I(x86.MOV, x86.W64, x86.RAX, x86.Imm(-1))
		w.I(x86.BZHI, x86.W64, x86.RAX, x86.RAX, n)
		w.I(w.maskMove(), 0, lastMask, x86.RAX)
	} else {
		w.load(table, argTables)
		w.I(x86.SHL, x86.W64, n, x86.Imm(log2(w.f.size)))
		w.I(x86.SUB, x86.W64, table, n)
	}
	for group := 2; group <= w.group; group *= 2 {
		w.prepareGroup(group)
	}
	if (w.bitonic || w.vectors > w.f.most) && w.f.avx512 {
		w.halves = w.take()
		w.I(x86.VMOVUPS, w.l, w.halves, w.lanes(func(lane int) int64 { return int64(lane ^ w.f.lanes()/2) }))
	}
	loop, done := w.NewLabel(), w.NewLabel()
	w.Align(32)
	w.Bind(loop)
	switch {
	case w.vectors > w.f.most:
		w.mergeHalves(from, to, table)
	case w.bitonic:
		w.loadKeys(from)
		w.sortBitonic()
		w.store(to, 0, table, false)
	default:
		w.loadRow(from, table, done)
		w.columns()
		for group := 2; group <= w.group; group *= 2 {
			w.merge(group)
		}
		w.storeRow(to, table)
	}
	w.I(x86.ADD, x86.W64, from, step)
	w.I(x86.ADD, x86.W64, to, toStep)
	w.I(x86.SUB, x86.W64, rows, x86.Imm(1))
	w.I(x86.JNE, 0, loop)
	w.Bind(done)
	w.I(x86.MOV, x86.W64, x86.At(x86.RDI, argRows), rows)
	w.end()
}

// findNaN jumps to found if the row has a NaN, or with AVX2 a -0, whose minimum with 0 would depend on the order.
func (w *networkWriter) findNaN(found x86.Label) {
	if !w.f.avx512 {
		all := w.take()
		w.I(x86.VPXOR, w.l, all, all, all)
		for _, x := range w.v {
			w.unlike(all, x)
		}
		w.I(x86.VMOVMSKPD, w.l, x86.RAX, all)
		w.I(x86.TEST, x86.W32, x86.RAX, x86.RAX)
		w.I(x86.JNE, 0, found)
		w.give(all)
		return
	}
	w.I(x86.KXORW, 0, x86.K7, x86.K7, x86.K7)
	for i := 0; i < len(w.v); i += 2 { // a comparison finds the NaNs of both operands
		w.I(w.pick(x86.VCMPPS, x86.VCMPPD), w.l, x86.K6, w.v[i], w.v[min(i+1, len(w.v)-1)], x86.Imm(unordered))
		w.I(x86.KORW, 0, x86.K7, x86.K7, x86.K6)
	}
	w.I(x86.KORTESTW, 0, x86.K7, x86.K7)
	w.I(x86.JNE, 0, found)
}

// Immediates of comparisons, of floats where nothing else is said.
const (
	equal     = 0
	less      = 0x11
	unordered = 3
	notLess   = 5
	above     = 6 // of numbers without signs
)

// prepareGroup loads what steps in groups of so many lanes need.
func (w *networkWriter) prepareGroup(group int) {
	if group >= 8 || w.f.size == 2 && group == 4 {
		v := w.take()
		w.I(x86.VMOVUPS, w.l, v, w.lanes(func(lane int) int64 { return int64(lane ^ (group - 1)) }))
		w.reverse[log2(group)] = v
	}
	if w.f.avx512 {
		w.I(x86.MOV, x86.W64, x86.RAX, x86.Imm(upperLanes(group, w.f.lanes())))
		w.I(w.maskMove(), 0, upperMask+x86.Mask(log2(group)-1), x86.RAX)
	}
}

// swapLanes sets to to x with the lanes i and i ^ flip in each other's place.
func (w *networkWriter) swapLanes(to, x x86.Vec, flip int) {
	move := func(op x86.Op, places int) { w.I(op, w.l, to, x, x86.Imm(places)) }
	if w.f.size == 8 {
		flip *= 2 // in lanes of 4 bytes, whose order in pairs stays
	}
	const swapped, reversed, halves, neighbours = 0x4e, 0x1b, 0x4e, 0xb1
	if w.f.size == 2 {
		switch flip {
		case 1: // bytes
			w.I(x86.VPSHUFB, w.l, to, x, w.lanes(func(lane int) int64 { at := int64(lane%8^1) * 2; return at | (at+1)<<8 }))
			return
		case 2, 4, 8:
			flip /= 2 // in lanes of 4 bytes
		case 16:
			w.I(x86.VSHUFF64X2, w.l, to, x, x, x86.Imm(halves))
			return
		default: // a whole group
			if to != x {
				w.I(x86.VMOVAPS, w.l, to, x)
			}
			w.I(x86.VPERMT2W, w.l, to, w.reverse[bits.Len(uint(flip))], to)
			return
		}
	}
	switch {
	case w.f.size < 8 && flip == 1:
		move(x86.VPSHUFD, neighbours)
	case w.f.size == 4 && flip == 3:
		move(x86.VPSHUFD, reversed)
	case flip == 2:
		move(x86.VPSHUFD, swapped)
	case flip == 4:
		move(x86.VPERMPD, halves)
	case w.f.size == 8 && flip == 6:
		move(x86.VPERMPD, reversed)
	case flip == 8:
		w.I(w.pick(x86.VPERMPS, x86.VPERMPD), w.l, to, w.halves, x)
	default: // a whole group
		w.I(w.pick(x86.VPERMPS, x86.VPERMPD), w.l, to, w.reverse[bits.Len(uint(flip))-w.f.size/8], x)
	}
}

// loadRow loads a row. The lanes behind its end become the greatest key. If the row has a NaN
// that the kernel looks for, it jumps to done.
func (w *networkWriter) loadRow(from, table x86.Reg, done x86.Label) {
	w.v = w.v[:0]
	for i := range w.vectors {
		x, at := w.take(), x86.At(from, int32(i*w.f.lanes()*w.f.stored))
		w.v = append(w.v, x)
		if i < w.vectors-1 {
			w.I(w.widen(x86.VMOVUPS), w.l, x, at)
		} else {
			w.loadLast(x, at, table)
		}
		if w.form&(enter|raw) == enter {
			w.enter(x)
		}
	}
	if w.form&raw != 0 && w.form&enter != 0 {
		w.findNaN(done)
	}
	w.fillLast(w.v[w.vectors-1], table)
}

// fillLast sets the lanes behind the end of a row to the greatest key.
func (w *networkWriter) fillLast(x x86.Vec, table x86.Reg) {
	if w.f.avx512 {
		w.I(w.of(x86.KNOTD, x86.KNOTW, x86.KNOTB), 0, x86.K7, lastMask)
		w.I(w.move(), w.l, x, w.last, x86.Merge(x86.K7))
		return
	}
	t := w.take()
	w.I(x86.VMOVUPS, w.l, t, x86.At(table, tableWindow))
	w.I(w.pick(x86.VBLENDVPS, x86.VBLENDVPD), w.l, x, w.last, x, t)
	w.give(t)
}

func (w *networkWriter) loadLast(x x86.Vec, at x86.Mem, table x86.Reg) {
	if w.f.avx512 {
		w.I(w.widen(w.move()), w.l, x, at, x86.Zero(lastMask))
		return
	}
	t := w.take()
	w.I(x86.VMOVUPS, w.l, t, x86.At(table, tableWindow))
	w.I(w.pick(x86.VMASKMOVPS, x86.VMASKMOVPD), w.l, x, t, at)
	w.give(t)
}

// loadKeys loads a row of whole vectors of keys.
func (w *networkWriter) loadKeys(from x86.Reg) {
	w.v = w.v[:0]
	for i := range w.vectors {
		x := w.take()
		w.I(x86.VMOVUPS, w.l, x, x86.At(from, int32(i*w.f.vector)))
		w.v = append(w.v, x)
	}
}

func (w *networkWriter) storeRow(to, table x86.Reg) { w.store(to, 0, table, true) }

// store stores the vectors from number first of a row on. If end is set, the last one is the end of
// the row, which may fill it in part.
func (w *networkWriter) store(to x86.Reg, first int, table x86.Reg, end bool) {
	for i, x := range w.v {
		if w.form&leave != 0 {
			w.leave(x)
		}
		at := x86.At(to, int32((first+i)*w.f.lanes()*w.f.stored))
		switch {
		case i < w.vectors-1 || !end:
			w.I(w.narrow(x86.VMOVUPS), w.l, at, x)
		case w.f.avx512:
			w.I(w.narrow(w.move()), w.l, at, x, x86.Merge(lastMask))
		default:
			w.storeLast(at, x, table)
		}
	}
	w.give(w.v...)
}

// storeLast stores the vector that a row may fill in part, of AVX2. A store with a mask takes many
// cycles, and a load of what it has stored waits for it, so a whole vector is stored without.
func (w *networkWriter) storeLast(at x86.Mem, x x86.Vec, table x86.Reg) {
	part, end := w.NewLabel(), w.NewLabel()
	w.I(x86.CMP, x86.W64, rowEnd, x86.Imm(w.f.vector))
	w.I(x86.JNE, 0, part)
	w.I(x86.VMOVUPS, w.l, at, x)
	w.I(x86.JMP, 0, end)
	w.Bind(part)
	t := w.take()
	w.I(x86.VMOVUPS, w.l, t, x86.At(table, tableWindow))
	w.I(w.pick(x86.VMASKMOVPS, x86.VMASKMOVPD), w.l, at, t, x)
	w.give(t)
	w.Bind(end)
}

// columns sorts the vectors lane by lane, by Batcher's merge of odd and even places.
func (w *networkWriter) columns() {
	n := w.vectors
	for p := 1; p < n; p *= 2 {
		for k := p; k >= 1; k /= 2 {
			for j := k % p; j < n-k; j += 2 * k {
				for i := range min(k, n-j-k) {
					if (i+j)/(2*p) == (i+j+k)/(2*p) {
						w.exchange(i+j, i+j+k, w.v[i+j+k])
					}
				}
			}
		}
	}
}

// merge sorts the rows of groups of lanes of all vectors, of which the two halves are
// sorted: a bitonic merge. A step over m vectors compares lane j of vector i with the lane
// from behind of vector m-1-i. The second half of the lesser keys then lies from behind in
// the other half of the group, so the next step is the same over m/2 vectors. The last steps
// compare lanes. A vector that does not exist is above everything.
func (w *networkWriter) merge(group int) {
	full := 1
	for full < w.vectors {
		full *= 2
	}
	for m := full; m >= 2; m /= 2 {
		for base := 0; base < full; base += m {
			for i := range m / 2 {
				if a, b := base+i, base+m-1-i; b < w.vectors {
					t := w.take()
					w.swapLanes(t, w.v[b], group-1)
					w.exchange(a, b, t)
					w.give(t)
				}
			}
		}
	}
	w.within(group, group-1)
	for group /= 2; group >= 2; group /= 2 {
		w.within(group, group/2)
	}
}

// mergeHalves merges two sorted halves. Key k of the second half is compared with the one of the first
// half that has k keys behind it. The lesser ones and the greater ones are bitonic
// sequences then, in the places of k.
func (w *networkWriter) mergeHalves(from, to, table x86.Reg) {
	most, second, vectors := w.f.most, w.vectors-w.f.most, w.vectors
	at := func(r x86.Reg, i int) x86.Mem { return x86.At(r, int32(i*w.f.vector)) }
	load := func(i int) x86.Vec {
		x := w.take()
		w.I(x86.VMOVUPS, w.l, x, at(from, i))
		return x
	}
	v := make([]x86.Vec, second, second+1)
	for i := range second - 1 {
		v[i] = load(most + i)
	}
	v[second-1] = w.take()
	w.loadLast(v[second-1], at(from, vectors-1), table)
	w.fillLast(v[second-1], table)
	for i := range most / 2 {
		x, y := load(i), load(most-1-i) // before one of them is overwritten
		for _, p := range []struct {
			x x86.Vec
			k int
		}{{y, i}, {x, most - 1 - i}} {
			t := w.take()
			w.swapLanes(t, p.x, w.group-1)
			w.give(p.x)
			if p.k < second {
				w.v = append(v, t)
				w.exchange(second, p.k, v[p.k])
				t = w.v[second]
			}
			w.I(x86.VMOVUPS, w.l, at(to, p.k), t)
			w.give(t)
		}
	}
	w.v, w.vectors = v, second
	w.sortBitonic()
	w.store(to, most, table, true)
	w.vectors = most
	w.loadKeys(to)
	w.sortBitonic()
	w.store(to, 0, table, false)
	w.vectors = vectors
}

// sortBitonic sorts a bitonic sequence.
func (w *networkWriter) sortBitonic() {
	for k := w.f.most / 2; k > 0; k /= 2 {
		for i := range w.vectors {
			if i&k == 0 && i+k < w.vectors {
				w.exchange(i, i+k, w.v[i+k])
			}
		}
	}
	for group := w.group; group >= 2; group /= 2 {
		w.within(group, group/2)
	}
}

// exchange puts the lesser ones of vector a and of x into vector a, and the others
// into vector b. x may be vector b.
func (w *networkWriter) exchange(a, b int, x x86.Vec) {
	t := w.take()
	switch {
	case w.form&raw != 0 && !w.f.avx512:
		w.I(x86.VMINPD, w.l, t, w.v[a], x)
		w.I(x86.VMAXPD, w.l, w.v[b], w.v[a], x)
	case w.form&raw != 0:
		w.extreme(t, w.v[a], x, lesser)
		w.extreme(w.v[b], w.v[a], x, greater)
	case w.f.size == 4 || w.f.avx512:
		w.I(w.of(x86.VPMINSW, x86.VPMINSD, x86.VPMINSQ), w.l, t, w.v[a], x)
		w.I(w.of(x86.VPMAXSW, x86.VPMAXSD, x86.VPMAXSQ), w.l, w.v[b], w.v[a], x)
	default:
		k := w.take()
		w.I(x86.VPCMPGTQ, w.l, k, w.v[a], x)
		w.I(x86.VBLENDVPD, w.l, t, w.v[a], x, k)
		w.I(x86.VBLENDVPD, w.l, w.v[b], x, w.v[a], k)
		w.give(k)
	}
	w.give(w.v[a])
	w.v[a] = t
}

// lesser and greater are immediates of extremes of floats, with -0 below +0.
const (
	lesser  = 0x4
	greater = 0x5
)

// extreme sets to to the lesser or the greater ones of floats.
func (w *networkWriter) extreme(to, x, y x86.Vec, which int, mask ...x86.Operand) {
	w.I(w.pick(x86.VRANGEPS, x86.VRANGEPD), w.l, append([]x86.Operand{to, x, y, x86.Imm(which)}, mask...)...)
}

// within compares the lanes i and i ^ flip of all vectors. The lesser keys go to the lower
// halves of groups.
func (w *networkWriter) within(group, flip int) {
	for i, x := range w.v {
		t := w.take()
		w.swapLanes(t, x, flip)
		low := w.take()
		switch {
		case w.form&raw != 0 && !w.f.avx512:
			w.I(x86.VMINPD, w.l, low, x, t)
			w.I(x86.VMAXPD, w.l, t, x, t)
			w.I(x86.VPBLENDD, w.l, low, low, t, x86.Imm(upperLanes(2*group, 8)))
		case w.form&raw != 0:
			w.extreme(low, x, t, lesser)
			w.extreme(low, x, t, greater, x86.Merge(upperMask+x86.Mask(log2(group)-1)))
		case w.f.avx512:
			w.I(w.of(x86.VPMINSW, x86.VPMINSD, x86.VPMINSQ), w.l, low, x, t)
			w.I(w.of(x86.VPMAXSW, x86.VPMAXSD, x86.VPMAXSQ), w.l, low, x, t, x86.Merge(upperMask+x86.Mask(log2(group)-1)))
		case w.f.size == 4:
			w.I(x86.VPMINSD, w.l, low, x, t)
			w.I(x86.VPMAXSD, w.l, t, x, t)
			w.I(x86.VPBLENDD, w.l, low, low, t, x86.Imm(upperLanes(group, 8)))
		default:
			w.I(x86.VPCMPGTQ, w.l, low, x, t)
			w.I(x86.VPXOR, w.l, low, low, w.lanes(func(lane int) int64 { return int64(-(upperLanes(group, 4) >> lane & 1)) }))
			w.I(x86.VBLENDVPD, w.l, low, x, t, low)
		}
		w.give(t, x)
		w.v[i] = low
	}
}

// upperLanes has a bit for each lane in the upper half of its group.
func upperLanes(group, lanes int) (bits int) {
	for i := range lanes {
		if i%group >= group/2 {
			bits |= 1 << i
		}
	}
	return bits
}
