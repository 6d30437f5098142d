package amd64

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// Vectors with the lanes of several short rows: see layout.Laid.

// laidLane returns the first lane of the current vector in its block.
func (f *emitter) laidLane() int { return f.iterationLane() % (f.Layout.Block(f.W) * f.W) }

// iterationLane returns the first lane of the current vector in the iteration.
func (f *emitter) iterationLane() int { return (f.Base+f.Copy)*f.W - f.Overlap() }

// laidKnown returns the number of lanes from the block of the current vector on that are there, or 0 if only those up to the vector are.
func (f *emitter) laidKnown() int { return f.Iterated - f.iterationLane() + f.laidLane() }

// planeSlot returns the slot of the current vector of a site that is interleaved from planes, and whether there is one.
func (f *emitter) planeSlot(i int32) (m isa.Mem, ok bool) {
	slot, ok := f.PlaneSlots[i]
	return f.Slot(slot + int32(f.Base+f.Copy)), ok && !f.Masked
}

// loadLaid loads the current vector of a laid site.
func (f *emitter) loadLaid(s *layout.Site, i int32, t dtype.Type, d x86.Vec) {
	row := f.Layout.LaidRow(s)
	switch slot, ok := f.LaidSlots[i]; {
	case ok:
		if m := f.laidSlot(slot, s.Size); !f.held(f.LenOf(t), mem(m), d) {
			f.LoadVec(t, d, m)
		}
	case s.Gather != nil:
		f.loadChosen(s, i, t, d)
	case f.Masked && row != 0: // a window may leave the array
		f.own.gatherLaid(s, i, t, d)
	default:
		f.own.pickLaid(s, i, t, d)
	}
}

// laidSlot returns the memory of the current vector of a site that each call reads once. It begins with any element of a row.
func (f *emitter) laidSlot(first int32, size int) isa.Mem {
	return f.Slot(first).Plus(f.laidLane() % f.Layout.Laid * size)
}

// loadChosen loads the current vector of a site whose rows an index selects: the lanes of each row
// under a mask.
func (f *emitter) loadChosen(s *layout.Site, i int32, t dtype.Type, d x86.Vec) {
	base, slot := f.LaidAddress(s, i).Base, f.Slot(f.ChosenSlots[i])
	first := (f.Base + f.Copy) * f.W
	for lane := 0; lane < f.W; {
		row, e := (first+lane)/f.Layout.Laid, (first+lane)%f.Layout.Laid
		n := min(f.Layout.Laid-e, f.W-lane)
		f.Int(isa.Mov, isa.T0, isa.Word(int(slot.Disp)+8*row))
		m := mem(isa.AtX(base, isa.T0, s.Size, (row*f.Layout.LaidRow(s)+e-lane)*s.Size))
		f.Within(func() { f.own.loadPart(t, d, m, lane, n) })
		lane += n
	}
}

// mostInline is the most vectors of a copy without a loop, whose last iterations would have the processor fetch lines behind
// the copied ones, and copiedAtOnce the vectors of an iteration of one with a loop.
const (
	mostInline   = 128
	copiedAtOnce = 4
)

// CopyBytes copies by the widest moves. The last one may overlap the one before it. It may overwrite RAX, RCX and RDX.
// Under a mask it is one move of the lanes of the tail mask, which are n bytes.
func (f *emitter) CopyBytes(to, from isa.Mem, n int, predicates bool) {
	if f.Masked {
		move := [...]x86.Op{1: x86.VMOVDQU8, 2: x86.VMOVDQU16, 4: x86.VMOVUPS, 8: x86.VMOVUPD}[n/f.Layout.Laid]
		f.Within(func() {
			x, l := f.Tmp(), x86.Len(8*max(16, 1<<bits.Len(uint(n-1))))
			f.I(move, l, x, mem(from), x86.Zero(tailMask))
			f.I(move, l, mem(to), x, x86.Merge(tailMask))
		})
		return
	}
	if n > mostInline*f.Facts.Bytes && !predicates {
		f.copyLong(to, from, n)
		return
	}
	for at := 0; at < n; {
		size := 1 << (bits.Len(uint(n-at)) - 1)
		switch left := n - at; {
		case predicates && left < 16 && n >= 16:
			size, at = 16, n-16
		case size < left && 2*size <= min(n, f.Facts.Bytes):
			size, at = 2*size, n-2*size
		}
		size = min(size, f.Facts.Bytes)
		a, b := mem(from), mem(to)
		a.Disp += int32(at)
		b.Disp += int32(at)
		at += size
		f.Within(func() {
			if size <= 8 {
				f.asm.load(size, x86.RDX, a)
				if predicates {
					x := f.Tmp()
					f.I(x86.VMOVQ, 0, x, x86.RDX)
					f.I(x86.VPMINUB, x86.L128, x, x, f.Const(repeat(1, 16)))
					f.I(x86.VMOVQ, 0, x86.RDX, x)
				}
				f.I(x86.MOV, x86.Len(8*size), b, x86.RDX)
				return
			}
			x, l := f.Tmp(), x86.Len(8*size)
			f.I(x86.VMOVUPS, l, x, a)
			if predicates {
				f.I(x86.VPMINUB, l, x, x, f.Const(repeat(1, size)))
			}
			f.I(x86.VMOVUPS, l, b, x)
		})
	}
}

func (f *emitter) PackBytes() int {
	if f.evex && Permutes8 {
		return 64
	}
	return 16
}

func (f *emitter) PackRows(to isa.Mem, size int, loads []isa.Bytes, predicates bool) {
	f.Within(func() {
		d, l := f.Tmp(), x86.Len(8*size)
		if l == x86.L512 {
			f.permuteLoads(d, loads)
		} else {
			f.shuffleLoads(d, loads)
		}
		if predicates {
			f.I(x86.VPMINUB, l, d, d, f.constantFor(l, f.Const(repeat(1, size))))
		}
		f.I(x86.VMOVUPS, l, mem(to), d)
	})
}

// loadBytes loads bytes side by side.
func (f *emitter) loadBytes(x x86.Vec, b isa.Bytes) {
	switch b.N {
	case 4, 8:
		f.I([...]x86.Op{4: x86.VMOVD, 8: x86.VMOVQ}[b.N], 0, x, mem(b.From[0]))
	default:
		f.I(x86.VMOVUPS, x86.Len(8*b.N), x, mem(b.From[0]))
	}
	for k, m := range b.From[1:] {
		f.I(insertions[b.N], 0, x, x, mem(m), x86.Imm(k+1))
	}
}

// selectBytes sets the lanes of a selector that take bytes of b. The numbers of these begin at base.
func selectBytes(sel []byte, b isa.Bytes, base int) {
	for _, p := range b.Picked {
		sel[p.Lane] = byte(base + p.At)
	}
}

// permuteLoads packs bytes of loads into a vector of 64 bytes. Each permute takes bytes of one load, and keeps those of the loads before.
func (f *emitter) permuteLoads(d x86.Vec, loads []isa.Bytes) {
	const l, size = x86.L512, 64
	sel := repeat(0x80, size)
	f.loadBytes(d, loads[0])
	if selectBytes(sel, loads[0], 0); len(loads) == 1 {
		f.Within(func() { f.I(x86.VPERMB, l, d, f.vectorFor(l, f.Const(sel)), d) })
	}
	for _, b := range loads[1:] {
		f.Within(func() {
			x := f.Tmp()
			f.loadBytes(x, b)
			selectBytes(sel, b, size)
			f.I(x86.VPERMT2B, l, d, f.vectorFor(l, f.Const(sel)), x)
		})
		for k := range sel {
			sel[k] = byte(k)
		}
	}
}

// shuffleLoads is permuteLoads for a vector of 16 bytes.
func (f *emitter) shuffleLoads(d x86.Vec, loads []isa.Bytes) {
	const l, size = x86.L128, 16
	or := x86.VPOR
	if f.evex {
		or = x86.VPORQ
	}
	for i, b := range loads {
		sel := repeat(0x80, size)
		selectBytes(sel, b, 0)
		f.Within(func() {
			x := d
			if i > 0 {
				x = f.Tmp()
			}
			f.loadBytes(x, b)
			if f.I(x86.VPSHUFB, l, x, x, f.constantFor(l, f.Const(sel))); i > 0 {
				f.I(or, l, d, d, x)
			}
		})
	}
}

// copyLong is CopyBytes with a loop.
func (f *emitter) copyLong(to, from isa.Mem, n int) {
	f.I(x86.LEA, x86.W64, x86.RCX, mem(from)) // its index may be RAX
	f.I(x86.LEA, x86.W64, x86.RAX, mem(to))
	vector := f.Facts.Bytes
	step := copiedAtOnce * vector
	f.I(x86.MOV, x86.W32, x86.RDX, x86.Imm(n/step))
	loop := f.NewLabel()
	f.Bind(loop)
	f.moveEach(step)
	f.I(x86.ADD, x86.W64, x86.RCX, x86.Imm(step))
	f.I(x86.ADD, x86.W64, x86.RAX, x86.Imm(step))
	f.I(x86.SUB, x86.W32, x86.RDX, x86.Imm(1))
	f.I(x86.JNE, 0, loop)
	f.moveEach(n % step)
}

// moveEach moves n bytes, at most copiedAtOnce vectors, from RCX to RAX: first it loads all. The last vector may overlap the one
// before it, and what comes before RCX.
func (f *emitter) moveEach(n int) {
	f.Within(func() {
		vector, l := f.Facts.Bytes, x86.Len(8*f.Facts.Bytes)
		x := make([]x86.Vec, (n+vector-1)/vector)
		at := func(i int) int32 { return int32(min(i*vector, n-vector)) }
		for i := range x {
			x[i] = f.Tmp()
			f.I(x86.VMOVUPS, l, x[i], x86.At(x86.RCX, at(i)))
		}
		for i := range x {
			f.I(x86.VMOVUPS, l, x86.At(x86.RAX, at(i)), x[i])
		}
	})
}

// laidMem returns the memory of the first row of the block of the current vector.
func (f *emitter) laidMem(s *layout.Site, i int32) x86.Mem {
	m := mem(f.LaidAddress(s, i))
	m.Disp += int32(f.laidBefore(s) * s.Size)
	return m
}

// laidWindows returns the windows of n lanes of the current vector from lane first on. m is the
// memory of the first row of the block.
func (f *emitter) laidWindows(s *layout.Site, m x86.Mem, first, n int) (out []window) {
	return windowsOf(s, m, f.Layout.LaidWindows(s, f.laidLane()+first, n, n, f.laidKnown()))
}

// windowsOf returns windows with their memory, where m is that of offset 0.
func windowsOf(s *layout.Site, m x86.Mem, windows []layout.Window) (out []window) {
	for _, w := range windows {
		at := m
		at.Disp += int32(w.Start * s.Size)
		out = append(out, window{from: at, lanes: w.Lanes})
	}
	return out
}

// laidBefore returns the elements from the block where the iteration begins to the block of the
// current vector.
func (f *emitter) laidBefore(s *layout.Site) int {
	return (f.iterationLane() - f.laidLane()) / f.Layout.Laid * f.Layout.LaidRow(s)
}

func (f *emitter) GatherLaid(i int32, d isa.Vec) {
	s, t := &f.Layout.Sites[i], f.Phase.Sites[i].Type
	if s.Size < 4 {
		f.I(x86.MOV, x86.W64, at(frame.Counter), x86.Imm(f.W))
		f.copyLaid(s, i)
		f.I(x86.VMOVUPS, max(x86.L128, x86.Len(8*f.W*s.Size)), d, at(frame.Tmp))
		return
	}
	offsets := f.Layout.LaidOffsets(s, f.laidLane(), f.W)
	first := slices.Min(offsets)
	m := f.laidMem(s, i)
	ix, k := f.Tmp(), f.tmpPred()
	f.I(x86.VMOVUPS, f.LenOf(dtype.I32), ix, f.Const(words(offsets, first, s.Size)))
	if f.Masked {
		f.predOp(x86.KMOVW, x86.VMOVAPS, k, f.fit(f.tail(), t))
	} else {
		f.everyLane(k)
	}
	f.zero(t, d)
	f.gatherLanes(t, dtype.I32, d, x86.AtV(m.Base, ix, 1, m.Disp+int32(first*s.Size)), k)
}

// words returns the bytes from the first element to each other, in lanes of 32 bits.
func words(offsets []int, first, size int) []byte {
	var out []byte
	for _, o := range offsets {
		x := uint32((o - first) * size)
		out = append(out, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return out
}

// copyLaid copies elements of 1 or 2 bytes of the current vector to the frame, in a loop: as many as Counter in the
// frame says.
func (f *emitter) copyLaid(s *layout.Site, i int32) {
	offsets := f.Layout.LaidOffsets(s, f.laidLane(), f.W)
	first := slices.Min(offsets)
	m, loop := f.laidMem(s, i), f.NewLabel()
	f.I(x86.LEA, x86.W64, x86.RBX, x86.AtLabel(f.tableOf(words(offsets, first, s.Size)), 0))
	f.Int(isa.Mov, isa.T0, isa.K(0))
	f.Bind(loop)
	f.Load(4, isa.T2, isa.AtX(isa.Count, isa.T0, 4, 0))
	f.asm.load(s.Size, x86.RDX, x86.AtX(m.Base, x86.RDX, 1, m.Disp+int32(first*s.Size)))
	f.Store(s.Size, isa.AtX(isa.Frame, isa.T0, s.Size, frame.Tmp), isa.T2)
	f.Int(isa.Add, isa.T0, isa.K(1))
	f.Branch(isa.LT, isa.T0, isa.Word(frame.Counter), loop)
}

// laidValues is where the frame has the values of a vector whose lanes are stored in parts.
const laidValues = frame.Tmp + 128

// copyLaidTo copies the lanes of the tail of the operand of n to elements of a laid site, in a
// loop.
func (f *emitter) copyLaidTo(n *lower.Node, t dtype.Type) {
	s, size := &f.Layout.Sites[n.Aux], t.Size()
	f.own.StoreTo(n, t, isa.At(isa.Frame, laidValues), false)
	offsets := f.Layout.LaidOffsets(s, f.laidLane(), f.W)
	first := slices.Min(offsets)
	loop := f.NewLabel()
	f.I(x86.LEA, x86.W64, x86.RBX, x86.AtLabel(f.tableOf(words(offsets, first, size)), 0))
	f.Int(isa.Mov, isa.T0, isa.K(0))
	f.Bind(loop)
	m := f.laidMem(s, n.Aux)
	f.Load(4, isa.T2, isa.AtX(isa.Count, isa.T0, 4, 0))
	f.I(x86.LEA, x86.W64, x86.RDX, x86.AtX(m.Base, x86.RDX, 1, m.Disp+int32(first*size)))
	f.CopyElement(t, isa.At(isa.T2, 0), isa.AtX(isa.Frame, isa.T0, size, laidValues), isa.T1)
	f.Int(isa.Add, isa.T0, isa.K(1))
	f.Branch(isa.LT, isa.T0, isa.Word(frame.Counter), loop)
}

func (f *avx2) pickLaid(s *layout.Site, i int32, t dtype.Type, d x86.Vec) {
	first, m := f.laidLane(), f.laidMem(s, i)
	if same := f.Layout.LaidSame(s, first, f.W); same != nil {
		f.broadcastEach(s, m, same, d)
		return
	}
	f.pickEither(windowsOf(s, m, f.Layout.LaidVector(s, first, f.W, f.laidKnown())), f.W, t, d)
}

// pickEither loads n lanes from windows, or their elements one by one if the windows have few.
func (f *emitter) pickEither(windows []window, n int, t dtype.Type, d x86.Vec) {
	if !layout.LoadsEach(len(windows), n, t.Size()) {
		f.own.pick(windows, t, d)
		return
	}
	elements := make([]x86.Mem, n)
	for _, w := range windows {
		for _, p := range w.lanes {
			m := w.from.(x86.Mem)
			m.Disp += int32(p.At * t.Size())
			elements[p.Lane] = m
		}
	}
	f.loadEach(t, d, n, func(lane int) x86.Mem { return elements[lane] })
}

// broadcastEach loads an element for each part of the lanes of d. m is the memory of the first row of the block.
func (f *avx2) broadcastEach(s *layout.Site, m x86.Mem, parts []layout.Window, d x86.Vec) {
	for k, part := range parts {
		x, from, lanes := d, m, 0
		from.Disp += int32(part.Start * s.Size)
		if k > 0 {
			x = f.Tmp()
		}
		if s.Size == 8 {
			f.I(x86.VBROADCASTSD, x86.L256, x, from)
		} else {
			f.I(x86.VBROADCASTSS, x86.L256, x, from)
		}
		if k == 0 {
			continue
		}
		for _, p := range part.Lanes {
			lanes |= (1<<(s.Size/4) - 1) << (p.Lane * s.Size / 4)
		}
		f.I(x86.VPBLENDD, x86.L256, d, d, x, x86.Imm(lanes))
	}
}

func (f *avx2) gatherLaid(s *layout.Site, i int32, t dtype.Type, d x86.Vec) {
	if windows := f.Layout.LaidVector(s, f.laidLane(), f.W, f.laidKnown()); s.Size >= 4 && !layout.LoadsEach(len(windows), f.W, s.Size) {
		f.pickMasked(windowsOf(s, f.laidMem(s, i), windows), t, d, f.maskFor(tailVec, t))
		return
	}
	f.GatherLaid(i, d)
}

func (f *avx512) gatherLaid(s *layout.Site, i int32, t dtype.Type, d x86.Vec) {
	if f.Tail == 0 {
		f.emitter.GatherLaid(i, d)
		return
	}
	f.pickBounded(s, i, t, d, f.Tail)
}

// GatherLaid reads all lanes by windows.
func (f *avx512) GatherLaid(i int32, d isa.Vec) {
	s, t := &f.Layout.Sites[i], f.Phase.Sites[i].Type
	if f.Masked || s.Size < 4 && !f.Layout.Permutes(s.Size, f.W) {
		f.emitter.GatherLaid(i, d)
		return
	}
	if s.Size >= 4 {
		f.pickBounded(s, i, t, d, f.W)
		return
	}
	f.InLanes(s.Size, func() { f.pickBounded(s, i, frame.Lane(dtype.U8, s.Size), d, f.W) })
}

// pickBounded loads the first n lanes of the current vector of a laid site, and no other elements.
func (f *avx512) pickBounded(s *layout.Site, i int32, t dtype.Type, d x86.Vec, n int) {
	windows := f.Layout.LaidWindows(s, f.laidLane(), n, f.W, 0)
	bounded := windowsOf(s, f.laidMem(s, i), windows)
	for i := range bounded {
		bounded[i].bounded = true
	}
	f.pickEither(bounded, n, t, d)
}

func (f *avx2) loadPart(t dtype.Type, d x86.Vec, m x86.Mem, first, n int) {
	l := f.LenOf(t)
	if n == f.W && !f.Masked {
		f.I(x86.VMOVUPS, l, d, m)
		return
	}
	lanes := make([]byte, f.W*t.Size())
	for i := range n * t.Size() {
		lanes[first*t.Size()+i] = 0xff
	}
	k, x := f.Tmp(), d
	if f.I(x86.VMOVUPS, l, k, f.Const(lanes)); f.Masked {
		f.I(x86.VANDPS, l, k, k, f.maskFor(tailVec, t))
	}
	if first > 0 {
		x = f.Tmp()
	}
	f.I(maskMove(t), l, x, k, m)
	if first > 0 {
		f.I(x86.VORPS, l, d, d, x)
	}
}

// spareWindows is the number of vectors that are left beside shared windows.
const spareWindows = 4

// pickLaid loads the current vector of a laid site. The copies of a node share their windows, if
// that takes fewer loads.
func (f *avx512) pickLaid(s *layout.Site, i int32, t dtype.Type, d x86.Vec) {
	if f.Copy == 0 {
		f.shared = share{}
		if f.Copies > 1 && !f.Masked {
			f.shareWindows(s, i, t)
		}
	}
	if f.shared.regs == nil {
		f.pickAlone(s, i, t, d)
		return
	}
	f.pick(f.lanesOf(f.Copy), t, d)
	if f.Copy == f.Copies-1 {
		for _, v := range f.shared.regs {
			f.Vecs.Give(int8(v))
		}
		f.shared = share{}
	}
}

// pickAlone loads the current vector of a laid site by loads of its own.
func (f *avx512) pickAlone(s *layout.Site, i int32, t dtype.Type, d x86.Vec) {
	first, m := f.laidLane(), f.laidMem(s, i)
	if same := f.Layout.LaidSame(s, first, f.W); same != nil {
		for k, w := range windowsOf(s, m, same) {
			with := []x86.Operand{d, w.from}
			if k > 0 {
				with = append(with, x86.Merge(f.lanesMask(w.lanes)))
			}
			f.I(f.pickLane(t, x86.VPBROADCASTB, x86.VPBROADCASTW, x86.VBROADCASTSS, x86.VBROADCASTSD), f.LenOf(t), with...)
		}
		return
	}
	if f.Bounded || f.Layout.Bounded(s, f.W) {
		f.pickBounded(s, i, t, d, f.W)
		return
	}
	f.pickEither(windowsOf(s, m, f.Layout.LaidVector(s, first, f.W, f.laidKnown())), f.W, t, d)
}

// lanesMask returns a mask of some lanes.
func (f *avx512) lanesMask(lanes []picked) x86.Mask {
	k, bits := f.TmpMask(), int64(0)
	for _, p := range lanes {
		bits |= 1 << p.Lane
	}
	f.setMask(k, x86.RDX, bits)
	return k
}

// lanesOf returns the shared windows with the lanes of one copy.
func (f *avx512) lanesOf(c int) (out []window) {
	for _, w := range f.shared.windows {
		var lanes []picked
		for _, p := range w.lanes {
			if p.Lane/f.W == c {
				lanes = append(lanes, picked{Lane: p.Lane % f.W, At: p.At})
			}
		}
		if len(lanes) > 0 {
			out = append(out, window{from: w.from, lanes: lanes})
		}
	}
	return out
}

// shareWindows loads the windows of all copies of a site. Windows whose elements fit one vector
// are joined, as each copy has one permute less then. It loads none if each copy has elements of at most two rows, which
// broadcasts take: a window could leave the lanes.
func (f *avx512) shareWindows(s *layout.Site, i int32, t dtype.Type) {
	first, alone, apart := f.Base*f.W, 0, false
	for c := range f.Copies {
		alone += len(f.Layout.LaidWindows(s, first+c*f.W, f.W, f.W, f.Iterated))
		apart = apart || f.Layout.LaidSame(s, first+c*f.W, f.W) == nil
	}
	windows := windowsOf(s, mem(f.LaidAddress(s, i)), f.Layout.LaidWindows(s, first, f.Copies*f.W, f.W, f.Iterated))
	if len(windows) >= alone || !apart {
		return
	}
	for k := range windows {
		windows[k].bounded = f.Layout.Bounded(s, f.W)
	}
	var joined [][]window
	used := f.W + 1
	for _, w := range windows {
		if n := elements(w); used+n <= f.W {
			joined[len(joined)-1], used = append(joined[len(joined)-1], w), used+n
		} else {
			joined, used = append(joined, []window{w}), n
		}
	}
	if len(joined)+f.Copies+spareWindows > bits.OnesCount64(f.Vecs.Free) {
		return
	}
	for _, list := range joined {
		v := f.Vecs.TakeTop()
		f.shared.regs = append(f.shared.regs, v)
		f.shared.windows = append(f.shared.windows, f.join(list, t, v))
	}
}

// elements returns the number of elements of a window that lanes have.
func elements(w window) int {
	seen := map[int]bool{}
	for _, p := range w.lanes {
		seen[p.At] = true
	}
	return len(seen)
}

// join loads windows to one vector. Those after the first go behind the elements before them.
func (f *avx512) join(list []window, t dtype.Type, v x86.Vec) window {
	f.loadWindow(t, v, &list[0])
	out := window{from: v, lanes: list[0].lanes}
	for _, w := range list[1:] {
		a, put := f.dense(out.lanes, 0)
		b, more := f.dense(w.lanes, len(a))
		f.Within(func() {
			f.I(f.pair(t), f.LenOf(t), v, f.index(t, f.joined(a, b), 0, false), f.windowFrom(t, &w))
		})
		out.lanes = append(put, more...)
	}
	return out
}

// dense puts the elements that lanes have side by side, from lane first on. It returns where they
// are taken from, and where the lanes have them then.
func (f *avx512) dense(lanes []picked, first int) (taken, put []picked) {
	place := map[int]int{}
	for _, p := range lanes {
		to, ok := place[p.At]
		if !ok {
			to = first + len(place)
			place[p.At] = to
			taken = append(taken, picked{Lane: to, At: p.At})
		}
		put = append(put, picked{Lane: p.Lane, At: to})
	}
	return taken, put
}

func (f *avx512) loadPart(t dtype.Type, d x86.Vec, m x86.Mem, first, n int) {
	op, l := pick(t, x86.VMOVUPS, x86.VMOVUPD), f.LenOf(t)
	if n == f.W && !f.Masked {
		f.I(op, l, d, m)
		return
	}
	k := f.TmpMask()
	f.setMask(k, x86.RDX, (1<<n-1)<<first)
	if f.Masked {
		f.I(x86.KANDW, 0, k, k, tailMask)
	}
	with := x86.Merge(k)
	if first == 0 {
		with = x86.Zero(k)
	}
	f.I(op, l, d, m, with)
}

// StoreLaid stores the lanes of the tail one by one.
func (f *avx512) StoreLaid(n *lower.Node, t dtype.Type) {
	if f.Masked {
		f.copyLaidTo(n, t)
		return
	}
	x, s := f.Src(n.Args[0]), &f.Layout.Sites[n.Aux]
	f.place(f.laidWindows(s, f.laidMem(s, n.Aux), 0, f.W), t, x)
}

// StoreLaid stores by way of the frame: elements that follow each other at once.
func (f *avx2) StoreLaid(n *lower.Node, t dtype.Type) {
	if f.Masked {
		f.copyLaidTo(n, t)
		return
	}
	s, size := &f.Layout.Sites[n.Aux], t.Size()
	f.own.StoreTo(n, t, isa.At(isa.Frame, laidValues), false)
	to := f.LaidAddress(s, n.Aux)
	before := f.laidBefore(s)
	offsets := f.Layout.LaidOffsets(s, f.laidLane(), f.W)
	for lane := 0; lane < f.W; {
		n := 1
		for lane+n < f.W && offsets[lane+n] == offsets[lane]+n {
			n++
		}
		m := to
		m.Disp += int32((before + offsets[lane]) * size)
		f.CopyBytes(m, isa.At(isa.Frame, laidValues+lane*size), n*size, false)
		lane += n
	}
}
