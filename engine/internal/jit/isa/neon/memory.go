package neon

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/arm64"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
)

// Loads and stores. Elements come to a vector packed, whole vectors by one instruction and others
// one by one. Then they are widened to lanes. Stores pack lanes first.

// active says which lanes an access has: all, those of the tail, or those of a predicate, or of the
// predicate and the tail.
type active struct {
	tail bool
	k    isa.Vec
	some bool // k counts
}

// eachLane emits code for the active lanes. It may overwrite x15 before the first.
func (f *neon) eachLane(on active, do func(lane int)) {
	if on.some {
		f.Within(func() {
			k := on.k
			if on.tail {
				k = f.tail()
				f.I(arm64.VAND, arm64.B16, k, k, on.k)
			}
			f.laneBits(x15, k)
		})
	}
	end := f.NewLabel()
	for lane := range f.W {
		switch {
		case on.some:
			skip := f.NewLabel()
			f.asm.unset(x15, lane, skip)
			do(lane)
			f.Bind(skip)
		case on.tail && lane > 0: // the tail has a lane
			f.I(arm64.CMPI, arm64.X, tailCount, arm64.Imm(lane))
			f.I(arm64.BLE, 0, end)
			do(lane)
		default:
			do(lane)
		}
	}
	f.Bind(end)
}

// loadLane and storeLane move the element at m. They may overwrite x16 and x17.
func (f *neon) loadLane(t dtype.Type, d isa.Vec, lane int, m isa.Mem) {
	f.I(arm64.LD1, elements(t), arm64.Lane{V: d, I: lane}, f.at(m))
}

func (f *neon) storeLane(t dtype.Type, m isa.Mem, x isa.Vec, lane int) {
	f.I(arm64.ST1, elements(t), arm64.Lane{V: x, I: lane}, f.at(m))
}

// at returns a register with an address.
func (f *neon) at(m isa.Mem) arm64.Reg {
	if m.Scale == 0 && m.Disp == 0 {
		return regs[m.Base.N()]
	}
	f.asm.address(x16, m)
	return x16
}

// load is the rule of loads.
func (f *neon) load(n *lower.Node) {
	s, t := &f.Layout.Sites[n.Aux], f.Phase.Sites[n.Aux].Type
	one := f.Phase.Kind == lower.ScalarPhase || s.Kind == layout.Uniform
	if !s.Guard && n.Args[1] == lower.None {
		f.loadInto(f.Dst(), n.Aux, active{tail: f.Masked && !one})
		return
	}
	on := active{some: true}
	if s.Guard {
		on.k = f.inside(s)
	} else {
		on.k, on.tail = f.Src(n.Args[1]), f.Masked
	}
	k, reg, d := on.k, t.Register(), f.Tmp()
	if s.Staged && (one || !f.Masked) { // scratch memory has all lanes
		on = active{}
	}
	f.loadInto(d, n.Aux, on)
	fill := f.Src(n.Args[0])
	f.blend(reg, f.Dst(), fill, d, f.fit(k, reg))
}

// loadInto loads the active lanes of a site into d.
func (f *neon) loadInto(d isa.Vec, i int32, on active) {
	s, t := &f.Layout.Sites[i], f.Phase.Sites[i].Type
	whole := !on.tail && !on.some
	switch {
	case s.Kind == layout.Laid && !f.ByRow && f.Phase.Kind != lower.ScalarPhase:
		f.loadLaid(d, i, s, t)
		return
	case f.Phase.Kind == lower.ScalarPhase || s.Kind == layout.Uniform:
		f.one(d, f.Address(s, i), t, on)
	case s.Kind == layout.Strided:
		f.FirstAddress(s)
		f.I(arm64.VZERO, 0, d)
		f.eachLane(on, func(lane int) { f.loadLane(t, d, lane, f.stepped(s, lane)) })
	case whole:
		f.asm.loadVec(f.W*t.Size(), d, f.Address(s, i))
	default:
		m := f.Address(s, i)
		f.I(arm64.VZERO, 0, d)
		f.eachLane(on, func(lane int) {
			e := m
			e.Disp += int32(lane * t.Size())
			f.loadLane(t, d, lane, e)
		})
	}
	f.widen(d, d, t)
}

// stepped returns the address of a lane of a site with a stride. T1 has that of the first.
func (f *neon) stepped(s *layout.Site, lane int) isa.Mem {
	if s.Step != 0 || lane == 0 {
		return isa.At(isa.T1, lane*s.Step*s.Size)
	}
	f.Load(8, isa.T0, isa.At(isa.Frame, s.Arg+frame.SiteStride))
	f.asm.number(x16, lane)
	f.I(arm64.MUL, arm64.X, regs[isa.T0.N()], regs[isa.T0.N()], x16)
	return isa.AtX(isa.T1, isa.T0, 1, 0)
}

// one puts the element at m into all lanes, if there are active ones.
func (f *neon) one(d isa.Vec, m isa.Mem, t dtype.Type, on active) {
	skip := f.NewLabel()
	if on.some {
		f.I(arm64.VZERO, 0, d)
		f.any(x15, on.k)
		f.I(arm64.CBZ, arm64.W, x15, skip)
	}
	f.I(arm64.LD1R, elements(t), d, f.at(m))
	f.Bind(skip)
}

// widen converts packed elements to lanes.
func (f *neon) widen(d, x isa.Vec, t dtype.Type) {
	long := arm64.VUSHLL
	if t.IsSigned() {
		long = arm64.VSSHLL
	}
	switch {
	case t == dtype.F16:
		f.I(arm64.VFCVTL, arm64.H4, d, x)
		return
	case t.Size() >= 4:
		f.CopyVec(t, d, x)
		return
	case t.Size() == 1:
		f.I(long, arm64.B8, d, x, arm64.Imm(0))
		x = d
	}
	f.I(long, arm64.H4, d, x, arm64.Imm(0))
	switch {
	case t == dtype.BF16:
		f.I(arm64.VSHL, arm64.S4, d, d, arm64.Imm(16))
	case t == dtype.Bool:
		if f.W == 2 {
			f.I(long, arm64.S2, d, d, arm64.Imm(0))
		}
		f.I(arm64.VCMTST, f.arr(t), d, d, d)
	}
}

// pack returns a vector with the operand of a store, packed as elements of type t.
func (f *neon) pack(n *lower.Node, t dtype.Type) isa.Vec {
	x := f.Src(n.Args[0])
	if t.Size() >= 4 {
		return x
	}
	v := f.Tmp()
	switch {
	case t == dtype.F16:
		f.I(arm64.VFCVTN, arm64.H4, v, x)
	case t == dtype.BF16:
		if !n.Rounded {
			f.bf16(v, x)
			x = v
		}
		f.I(arm64.VSHRN, arm64.H4, v, x, arm64.Imm(16))
	default:
		if t == dtype.Bool && f.W == 2 {
			f.I(arm64.VXTN, arm64.S2, v, x)
			x = v
		}
		f.I(arm64.VXTN, arm64.H4, v, x)
		if t.Size() == 1 {
			f.I(arm64.VXTN, arm64.B8, v, v)
		}
		if t == dtype.Bool {
			f.I(arm64.VUSHR, arm64.B8, v, v, arm64.Imm(7))
		}
	}
	return v
}

func (f *neon) StoreTo(n *lower.Node, t dtype.Type, m isa.Mem, masked bool) {
	f.storePacked(t, m, f.pack(n, t), masked)
}

// storePacked stores packed elements: all, or those of the tail.
func (f *neon) storePacked(t dtype.Type, m isa.Mem, x isa.Vec, masked bool) {
	if !masked {
		f.asm.storeVec(f.W*t.Size(), m, x)
		return
	}
	f.eachLane(active{tail: true}, func(lane int) {
		e := m
		e.Disp += int32(lane * t.Size())
		f.storeLane(t, e, x, lane)
	})
}

func (f *neon) StoreLanes(t dtype.Type, m isa.Mem, x isa.Vec, masked bool) {
	if !masked {
		f.StoreVec(t, m, x)
		return
	}
	f.storePacked(t, m, x, true)
}

func (f *neon) StoreStepped(n *lower.Node, t dtype.Type) {
	s, x := &f.Layout.Sites[n.Aux], f.pack(n, t)
	f.FirstAddress(s)
	for lane := range f.W {
		f.storeLane(t, f.stepped(s, lane), x, lane)
	}
}

func (f *neon) StoreOffsets(m isa.Mem, x isa.Vec) { f.asm.storeVec(16, m, x) }

// inside returns the predicate of the lanes that a guarded site reads.
func (f *neon) inside(s *layout.Site) isa.Vec {
	k := f.Tmp()
	if s.Staged {
		f.Load(8, isa.T1, isa.At(isa.Frame, s.Arg+frame.SiteInside))
		m := isa.AtX(isa.T1, isa.Lane, 1, (f.Base+f.Copy)*f.W)
		if f.Phase.Kind == lower.ScalarPhase {
			f.I(arm64.LD1R, arm64.B8, k, f.at(m))
		} else {
			f.asm.loadVec(f.W, k, m)
		}
		f.widen(k, k, dtype.Bool)
		return k
	}
	f.Within(func() {
		r, x, lo := f.arr(dtype.I32), f.Tmp(), f.Tmp()
		f.numbers(x, dtype.I32)
		bound := func(d isa.Vec, off int) {
			f.asm.loadWord(arm64.W, x16, s.Arg+off)
			f.I(arm64.VDUPR, r, d, x16)
			f.I(arm64.VCMGT, r, d, d, x)
		}
		bound(lo, frame.SiteLo) // before the first
		bound(k, frame.SiteHi)
		f.I(arm64.VBIC, f.whole(dtype.I32), k, k, lo)
	})
	f.predicate(k, dtype.I32)
	return k
}

// numbers sets each lane of d, of type t, to its number in the call.
func (f *neon) numbers(d isa.Vec, t dtype.Type) {
	r, first := f.arr(t), f.Tmp()
	f.I(arm64.VDUPR, r, d, regs[isa.Lane.N()])
	f.numberSeries(first, r, (f.Base+f.Copy)*f.W)
	f.I(arm64.VADD, r, d, d, first)
}

// multiples sets each 64-bit lane of d to its number times x17, plus x15. It overwrites x16.
func (f *neon) multiples(d isa.Vec) {
	f.I(arm64.ADDI, arm64.X, x16, regs[isa.Lane.N()], arm64.Imm((f.Base+f.Copy)*f.W))
	f.I(arm64.MUL, arm64.X, x16, x16, x17)
	f.I(arm64.ADD, arm64.X, x16, x16, x15, arm64.Imm(0))
	f.I(arm64.VDUPR, arm64.D2, d, x16)
	f.I(arm64.ADD, arm64.X, x16, x16, x17, arm64.Imm(0))
	f.I(arm64.VINS, arm64.D2, arm64.Lane{V: d, I: 1}, x16)
}

// iota sets each lane to its number times a constant.
func (f *neon) iota(n *lower.Node) {
	f.asm.number(x15, 0)
	f.asm.number(x17, int(n.Imm))
	f.multiples(f.Dst())
}

// index computes an affine index, or loads a staged one.
func (f *neon) index(n *lower.Node) {
	s := &f.Layout.Sites[n.Aux]
	if s.Kind == layout.Scratch {
		f.load(n)
		return
	}
	d := f.Dst()
	f.asm.loadWord(arm64.X, x15, s.Arg+f.Pointer(s))
	if f.Phase.Kind == lower.ScalarPhase || f.Prolog || s.Line.Step() == 0 {
		f.I(arm64.VDUPR, arm64.D2, d, x15)
		return
	}
	if s.Counts() {
		f.asm.number(x17, 1)
	} else {
		f.asm.loadWord(arm64.X, x17, s.Arg+frame.SiteStride)
	}
	f.multiples(d)
}

// gather loads elements from computed offsets.
func (f *neon) gather(n *lower.Node) {
	s, t := &f.Layout.Sites[n.Aux], f.Phase.Sites[n.Aux].Type
	offs, on := f.Src(n.Args[0]), active{tail: f.Masked}
	guard := n.Args[1] != lower.None
	if guard {
		on.k, on.some = f.Src(n.Args[1]), true
	}
	v := f.Tmp()
	f.I(arm64.VZERO, 0, v)
	f.Int(isa.Mov, isa.T1, isa.Word(s.Arg+f.Pointer(s)))
	f.eachLane(on, func(lane int) {
		f.I(arm64.VUMOV, arm64.D2, x16, arm64.Lane{V: offs, I: lane})
		f.I(arm64.ADD, arm64.X, x16, regs[isa.T1.N()], x16, arm64.Imm(log(t.Size())))
		f.I(arm64.LD1, elements(t), arm64.Lane{V: v, I: lane}, x16)
	})
	f.widen(v, v, t)
	if d := f.Dst(); guard {
		f.blend(t.Register(), d, f.Src(n.Args[2]), v, f.fit(on.k, t.Register()))
	} else {
		f.CopyVec(t, d, v)
	}
}

// Vectors with the lanes of several short rows: see layout.Laid.

// laidVector returns the number of the current vector in its block.
func (f *neon) laidVector() int { return (f.Base + f.Copy) % f.Layout.Block(f.W) }

// laidLanes returns the offsets in bytes of the lanes of the current vector from the address of the
// block where the iteration begins.
func (f *neon) laidLanes(s *layout.Site) []int {
	before := (f.Base + f.Copy - f.laidVector()) * f.W / f.Layout.Laid * f.Layout.LaidRow(s)
	out := f.Layout.LaidOffsets(s, f.laidVector()*f.W, f.W)
	for i := range out {
		out[i] = (out[i] + before) * s.Size
	}
	return out
}

// follow reports whether elements follow each other.
func follow(offsets []int, size int) bool {
	for i, o := range offsets {
		if o != offsets[0]+i*size {
			return false
		}
	}
	return true
}

// loadLaid loads the current vector of a laid site.
func (f *neon) loadLaid(d isa.Vec, i int32, s *layout.Site, t dtype.Type) {
	switch slot, ok := f.LaidSlots[i]; {
	case ok:
		f.LoadVec(t, d, f.Slot(slot+int32(f.laidVector())))
	case s.Gather != nil:
		f.loadChosen(d, i, s, t)
	default:
		f.GatherLaid(i, d)
	}
}

func (f *neon) GatherLaid(i int32, d isa.Vec) {
	s, t := &f.Layout.Sites[i], f.Phase.Sites[i].Type
	m, offsets := f.LaidAddress(s, i), f.laidLanes(s)
	element := func(lane int) isa.Mem { return isa.At(m.Base, int(m.Disp)+offsets[lane]) }
	if !f.Masked && follow(offsets, s.Size) {
		f.asm.loadVec(f.W*s.Size, d, element(0))
	} else {
		f.I(arm64.VZERO, 0, d)
		f.eachLane(active{tail: f.Masked}, func(lane int) { f.loadLane(t, d, lane, element(lane)) })
	}
	f.widen(d, d, t)
}

// loadChosen loads the current vector of a site whose rows an index selects.
func (f *neon) loadChosen(d isa.Vec, i int32, s *layout.Site, t dtype.Type) {
	base, slot := f.LaidAddress(s, i).Base, f.Slot(f.ChosenSlots[i])
	first := (f.Base + f.Copy) * f.W
	f.I(arm64.VZERO, 0, d)
	f.eachLane(active{tail: f.Masked}, func(lane int) {
		row, e := (first+lane)/f.Layout.Laid, (first+lane)%f.Layout.Laid
		f.Int(isa.Mov, isa.T0, isa.Word(int(slot.Disp)+8*row))
		f.loadLane(t, d, lane, isa.AtX(base, isa.T0, s.Size, (row*f.Layout.LaidRow(s)+e)*s.Size))
	})
	f.widen(d, d, t)
}

func (f *neon) StoreLaid(n *lower.Node, t dtype.Type) {
	s, x := &f.Layout.Sites[n.Aux], f.pack(n, t)
	m, offsets := f.LaidAddress(s, n.Aux), f.laidLanes(s)
	element := func(lane int) isa.Mem { return isa.At(m.Base, int(m.Disp)+offsets[lane]) }
	if !f.Masked && follow(offsets, s.Size) {
		f.asm.storeVec(f.W*s.Size, element(0), x)
		return
	}
	f.eachLane(active{tail: f.Masked}, func(lane int) { f.storeLane(t, element(lane), x, lane) })
}

// CopyBytes copies by the widest moves. The last one may overlap the one before it.
func (f *neon) CopyBytes(to, from isa.Mem, n int, _ bool) {
	for at := 0; at < n; {
		size := 1 << (bits.Len(uint(n-at)) - 1)
		if left := n - at; size < left && 2*size <= min(n, 16) {
			size, at = 2*size, n-2*size
		}
		size = min(size, 16)
		a, b := from, to
		a.Disp += int32(at)
		b.Disp += int32(at)
		if at += size; size <= 8 {
			f.Load(size, isa.T2, a)
			f.Store(size, b, isa.T2)
			continue
		}
		f.Within(func() {
			x := f.Tmp()
			f.asm.loadVec(size, x, a)
			f.asm.storeVec(size, b, x)
		})
	}
}
