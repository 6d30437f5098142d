package amd64

import (
	"math/bits"
	"slices"

	"golang.org/x/sys/cpu"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// Windows are contiguous elements that have some lanes of a vector.

// Permutes8 says that the processor has AVX512-VBMI. Tests replace it.
var Permutes8 = cpu.X86.HasAVX512VBMI

// windows emits the address of a site with a small step and returns the loads that have
// its lanes. They read no element before the first or after the last of the group. It may overwrite
// RCX.
func (f *emitter) windows(s *layout.Site) []window {
	return f.windowsOfField(s, f.stepLane(s, s.Step), 0, 0)
}

// windowsOfField returns the windows of a field, of which site s is the first that is loaded and whose address is in RCX: the field is
// so many elements after it, and the last one is far.
func (f *emitter) windowsOfField(s *layout.Site, lane0, field, far int) []window {
	last, step := f.Copies-1, max(s.Step, -s.Step)
	if s.Step < 0 {
		last = 0
	}
	reach := (f.W-1)*step + 1 + far
	if f.Phase.Kind == lower.MapPhase && !f.Masked && f.Half == 0 && f.Ends == 0 && f.Back == 0 && f.PerRow == 0 && f.Copy != last { // neighbouring windows cross fewer lines
		reach = f.W * step
	}
	out := windowsReach(s, lane0, f.W, reach, field)
	if s.Step == -1 && f.Layout.Cached {
		out[0].bounded, out[0].back = true, true
	}
	return out
}

// stepLane emits the address of a site with a small step, to RCX, and returns how many lanes after it the current vector begins. The copies
// of a load share it; those of a store with AVX2 alone, as stores of AVX-512 may take RCX.
func (f *emitter) stepLane(s *layout.Site, step int) int {
	index, k := f.FirstLane()
	if (!f.evex || f.Cur.Op == ir.Load) && f.Copy > 0 && f.Copy != f.Half && f.sharesAddress(s) {
		return k*f.W - f.Overlap()
	}
	i := s.Index(f.Phase)
	r := f.SiteReg[i]
	switch seq := f.Phase.Kind == lower.SeqPhase; {
	case (seq || f.FromStart) && r >= 0:
		f.I(x86.LEA, x86.W64, x86.RCX, mem(isa.At(isa.SiteReg(int(r)), f.SiteApart[i])))
	case seq:
		f.I(x86.MOV, x86.W64, x86.RCX, at(s.Arg+frame.SiteCur))
	default:
		f.I(x86.IMUL, x86.W64, x86.RCX, regs[index.N()], x86.Imm(step*s.Size))
		if r >= 0 {
			f.I(x86.ADD, x86.W64, x86.RCX, regs[isa.SiteReg(int(r)).N()])
		} else {
			f.I(x86.ADD, x86.W64, x86.RCX, at(s.Arg+s.Origin))
		}
	}
	return k*f.W - f.Overlap()
}

// sharesAddress reports whether the copies of the current node share the address that the first one computed: no
// other code comes between them.
func (f *emitter) sharesAddress(s *layout.Site) bool {
	n := f.Cur
	return f.Phase.Kind == lower.MapPhase && (n.Op == ir.Load || n.Op == ir.Store) && !s.Guard && n.Args[1] == lower.None && f.Ends == 0
}

// windowsAt returns the loads of n lanes of a site with a small step, from lane lane0 on
// after the address in RCX.
func windowsAt(s *layout.Site, lane0, n int) []window {
	return windowsReach(s, lane0, n, (n-1)*max(s.Step, -s.Step)+1, 0)
}

// windowsReach is windowsAt where so many elements in the order of memory may be read from the lowest one on, for the elements so many
// places after those of the site.
func windowsReach(s *layout.Site, lane0, n, reach, field int) []window {
	first := min((n-1)*s.Step, 0)
	var out []window
	lane := make([]bool, n)
	for at := 0; at < reach; at += n {
		start := first + min(at, reach-n) // the last window ends with the last element
		w := window{from: x86.At(x86.RCX, int32((lane0*s.Step+start)*s.Size))}
		for i := range lane {
			if e := i*s.Step + field - start; !lane[i] && 0 <= e && e < n {
				lane[i] = true
				w.lanes = append(w.lanes, picked{Lane: i, At: e})
			}
		}
		out = append(out, w)
	}
	return out
}

// tailWindows loads the elements from the first lane of the tail to the last into vectors, d first, and
// returns them as windows. It may overwrite RAX, RCX and RDX.
func (f *avx512) tailWindows(s *layout.Site, t dtype.Type, d x86.Vec) []window {
	first, step := f.stepLane(s, s.Step)*s.Step, max(s.Step, -s.Step)
	f.I(f.kop(kmov), 0, x86.RAX, tailMask)
	if f.W == 4 { // the mask has at least 8 bits
		f.I(x86.AND, x86.W32, x86.RAX, x86.Imm(1<<4-1))
	}
	f.I(x86.POPCNT, x86.W32, x86.RAX, x86.RAX)
	f.I(x86.IMUL, x86.W64, x86.RAX, x86.RAX, x86.Imm(step))
	f.I(x86.SUB, x86.W64, x86.RAX, x86.Imm(step-1)) // the elements of all windows, of which there are at most 64
	f.I(x86.MOV, x86.W64, x86.RDX, x86.Imm(-1))
	if s.Step < 0 {
		f.I(x86.NEG, x86.W64, x86.RAX)
		f.I(x86.ADD, x86.W64, x86.RAX, x86.Imm(step*f.W))
	}
	f.I(x86.BZHI, x86.W64, x86.RDX, x86.RDX, x86.RAX)
	if s.Step < 0 {
		f.I(x86.XOR, x86.W64, x86.RDX, x86.Imm(-1))
	}
	k, out := f.TmpMask(), make([]window, step)
	for q := range out { // in the order of memory
		i, start := q, q*f.W
		if s.Step < 0 {
			i, start = step-1-q, 1+(q-step)*f.W
		}
		w := &out[i]
		for lane := range f.W {
			if e := lane*s.Step - start; 0 <= e && e < f.W {
				w.lanes = append(w.lanes, picked{Lane: lane, At: e})
			}
		}
		x := d
		if i > 0 {
			x = f.Tmp()
		}
		w.from = x
		f.I(f.kop(kmov), 0, k, x86.RDX)
		f.zeroing(k, pick(t, x86.VMOVUPS, x86.VMOVUPD), f.LenOf(t), x, x86.At(x86.RCX, int32((first+start)*s.Size)))
		if q < step-1 {
			f.I(x86.SHR, x86.W64, x86.RDX, x86.Imm(f.W))
		}
	}
	return out
}

// selector returns the constant that selects elements of 4 or 8 bytes for the lanes of
// a vector: those of a window as numbers from base on, else own, or else 0.
func (f *emitter) selector(lanes []picked, size, base int, own bool) x86.Mem {
	b := make([]byte, f.W*size)
	for i := 0; own && i < f.W; i++ {
		b[i*size] = byte(i)
	}
	for _, p := range lanes {
		b[p.Lane*size] = byte(base + p.At)
	}
	return f.Const(b)
}

// pick loads lanes from windows: each window gives its lanes by a permute.
func (f *avx512) pick(windows []window, t dtype.Type, d x86.Vec) {
	l, pair := f.LenOf(t), f.pair(t)
	f.loadWindow(t, d, &windows[0])
	if w := &windows[0]; len(windows) == 1 && !inOrder(w.lanes) {
		f.Within(func() { f.reorder(t, d, f.index(t, w.lanes, 0, false)) })
	}
	for i := range windows[1:] {
		f.Within(func() {
			lanes, base := windows[i+1].lanes, f.W
			if i == 0 {
				lanes, base = f.joined(windows[0].lanes, lanes), 0
			}
			from := f.windowFrom(t, &windows[i+1])
			f.I(pair, l, d, f.index(t, lanes, base, i > 0), from)
		})
	}
}

// windowFrom returns the operand that a permute reads a window from: its memory, or a register if it is bounded.
func (f *avx512) windowFrom(t dtype.Type, w *window) x86.Operand {
	if !w.bounded {
		return w.from
	}
	x := f.Tmp()
	f.loadWindow(t, x, w)
	return x
}

// loadWindow loads a window. If it is bounded, only the elements that lanes have are read, by a vector that is as short as can be.
func (f *avx512) loadWindow(t dtype.Type, d x86.Vec, w *window) {
	if !w.bounded {
		f.move(t, d, w.from)
		return
	}
	last, used := 0, uint64(0)
	for _, p := range w.lanes {
		last, used = max(last, p.At), used|1<<p.At
	}
	l, element := f.LenOf(t), int(f.LenOf(t))/f.W
	for l > x86.L128 && 2*(last+1)*element <= int(l) {
		l /= 2
	}
	move := f.laneMove(t)
	if bits.OnesCount64(used)*element == int(l) && !w.back {
		f.I(move, l, d, w.from)
		return
	}
	f.Within(func() {
		k := f.TmpMask()
		f.setMask(k, x86.RDX, int64(used))
		f.I(move, l, d, w.from, x86.Zero(k))
	})
}

// reorder gives the elements of a vector another order, which ix has. A permute of two vectors, both of them this one, has half of the
// throughput.
func (f *avx512) reorder(t dtype.Type, d, ix x86.Vec) {
	l, op := f.LenOf(t), f.pickLane(t, x86.VPERMB, x86.VPERMW, x86.VPERMPS, x86.VPERMPD)
	if l == x86.L128 && (op == x86.VPERMPS || op == x86.VPERMPD) { // there is none of one vector
		op = f.pair(t)
	}
	f.I(op, l, d, ix, d)
}

// pair returns the permute of two vectors.
func (f *avx512) pair(t dtype.Type) x86.Op {
	return f.pickLane(t, x86.VPERMT2B, x86.VPERMT2W, x86.VPERMT2PS, x86.VPERMT2PD)
}

// move loads or copies a vector.
func (f *avx512) move(t dtype.Type, d x86.Vec, from x86.Operand) {
	if v, ok := from.(x86.Vec); !ok || v != d {
		f.I(pick(t, x86.VMOVUPS, x86.VMOVUPD), f.LenOf(t), d, from)
	}
}

// joined returns lanes of two vectors as lanes of the pair.
func (f *avx512) joined(a, b []picked) []picked {
	both := slices.Clone(a)
	for _, p := range b {
		both = append(both, picked{Lane: p.Lane, At: f.W + p.At})
	}
	return both
}

// inOrder reports whether each lane has the element of its number.
func inOrder(lanes []picked) bool {
	return !slices.ContainsFunc(lanes, func(p picked) bool { return p.Lane != p.At })
}

// index returns a selector in a register, which the caller must not change.
func (f *avx512) index(t dtype.Type, lanes []picked, base int, own bool) x86.Vec {
	return f.vectorFor(f.LenOf(t), f.selector(lanes, t.Size(), base, own))
}

// setMask makes a mask of constant bits by way of a register.
func (f *avx512) setMask(k x86.Mask, by x86.Reg, bits int64) {
	if bits>>16 == 0 {
		f.I(x86.MOV, x86.W32, by, x86.Imm(bits))
		f.I(x86.KMOVW, 0, k, by)
		return
	}
	f.I(x86.MOV, x86.W64, by, x86.Imm(bits))
	f.I(x86.KMOVQ, 0, k, by)
}

// place stores the lanes that windows have: a permute puts those of each window in place, and a
// mask keeps the elements between them.
func (f *avx512) place(windows []window, t dtype.Type, x x86.Vec) {
	l, d, k := f.LenOf(t), f.Tmp(), f.TmpMask()
	for _, w := range windows {
		f.Within(func() {
			bits := int64(0)
			from := make([]picked, len(w.lanes))
			for i, p := range w.lanes {
				bits |= 1 << p.At
				from[i] = picked{Lane: p.At, At: p.Lane}
			}
			f.setMask(k, x86.RAX, bits)
			ix := f.index(t, from, 0, false)
			f.I(x86.VMOVAPS, l, d, x)
			f.reorder(t, d, ix)
			f.I(f.laneMove(t), l, w.from, d, x86.Merge(k))
		})
	}
}

// storeApart stores the lanes of the operand of n one by one to a site with a small step.
func (f *emitter) storeApart(n *lower.Node, t dtype.Type) {
	s, size := &f.Layout.Sites[n.Aux], t.Size()
	if size < 4 {
		f.storeNarrowSteps(n, s, t)
		return
	}
	x, part := f.Src(n.Args[0]), f.Tmp()
	first, each := f.stepLane(s, s.Step), 16/size
	for lane := range f.W {
		m := x86.At(x86.RCX, int32((first+lane)*s.Step*size))
		from := part
		if lane < each {
			from = x
		}
		switch k := lane % each; {
		case k > 0 && size == 4:
			f.I(x86.VEXTRACTPS, 0, m, from, x86.Imm(k))
		case k > 0:
			f.I(x86.VMOVHPS, 0, m, from)
		default:
			if lane > 0 {
				f.extractPart(f.LenOf(t), part, x, lane/each)
			}
			f.I(pick(t, x86.VMOVD, x86.VMOVQ), 0, m, from)
		}
	}
}

// storeNarrowSteps stores narrow elements from a general register that has 8 bytes of them: one load and shifts. A load for
// each element, or an instruction that takes it from a vector, limits these stores to one in a cycle.
func (f *emitter) storeNarrowSteps(n *lower.Node, s *layout.Site, t dtype.Type) {
	const values = frame.Tmp + 128
	size := t.Size()
	f.own.StoreTo(n, t, isa.At(isa.Frame, values), false)
	first, bytes := f.stepLane(s, s.Step), min(8, f.W*size)
	for lane := range f.W {
		if from := lane * size; from%bytes == 0 {
			f.asm.load(bytes, x86.RAX, at(values+from))
		} else {
			f.I(x86.SHR, x86.W64, x86.RAX, x86.Imm(8*size))
		}
		f.I(x86.MOV, x86.Len(8*size), x86.At(x86.RCX, int32((first+lane)*s.Step*size)), x86.RAX)
	}
}

// spread is windows with starts a lane less than a vector apart. If the step is no multiple of that, no two
// lanes have their elements at the same place of their windows.
func (f *avx2) spread(s *layout.Site) []window {
	first := f.stepLane(s, s.Step)
	step, far := max(s.Step, -s.Step), f.W-1
	out := make([]window, step)
	for i := range out {
		start := i * far
		if s.Step < 0 {
			start = -start - far
		}
		out[i].from = x86.At(x86.RCX, int32((first*s.Step+start)*s.Size))
	}
	for lane := range f.W {
		e := lane * step
		q := min(e/far, step-1)
		at := e - q*far
		if s.Step < 0 {
			at = far - at
		}
		out[q].lanes = append(out[q].lanes, picked{Lane: lane, At: at})
	}
	return out
}

// distinct reports whether no two windows have elements at the same place.
func distinct(windows []window) bool {
	seen := 0
	for _, w := range windows {
		own := places(w)
		if seen&own != 0 {
			return false
		}
		seen |= own
	}
	return true
}

// places returns a bit for each place where a window has an element of a lane.
func places(w window) (bits int) {
	for _, p := range w.lanes {
		bits |= 1 << p.At
	}
	return bits
}

// pick loads lanes from windows. If their elements are at different places, blends join the windows and
// a permute puts the elements in their lanes.
func (f *avx2) pick(windows []window, t dtype.Type, d x86.Vec) {
	if !distinct(windows) {
		f.pickEach(windows, t, d)
		return
	}
	l := f.LenOf(t)
	if len(windows) == 1 && !inOrder(windows[0].lanes) {
		f.order(windows[0].lanes, t, d, windows[0].from)
		return
	}
	var all []picked
	for i, w := range windows {
		if all = append(all, w.lanes...); i == 0 {
			f.I(x86.VMOVUPS, l, d, w.from)
		} else {
			f.I(x86.VPBLENDD, l, d, d, w.from, x86.Imm(blendLanes(places(w), t)))
		}
	}
	if !inOrder(all) {
		f.order(all, t, d, d)
	}
}

// blendLanes returns the immediate of a blend of lanes.
func blendLanes(lanes int, t dtype.Type) int {
	if isa.Wide(t) { // two halves for each lane
		return lanes&1*3 | lanes>>1&1*12 | lanes>>2&1*48 | lanes>>3&1*192
	}
	return lanes
}

// order puts the elements of one vector in their lanes.
func (f *avx2) order(lanes []picked, t dtype.Type, d x86.Vec, from x86.Operand) {
	l, order := f.LenOf(t), 0
	for _, p := range lanes {
		order |= p.At << (2 * p.Lane)
	}
	switch {
	case isa.Wide(t):
		f.I(x86.VPERMPD, l, d, from, x86.Imm(order))
	case f.W == 4:
		f.I(x86.VPERMILPS, l, d, from, x86.Imm(order))
	default:
		f.Within(func() {
			v := f.Tmp()
			f.I(x86.VMOVUPS, l, v, f.selector(lanes, 4, 0, false))
			f.I(x86.VPERMPS, l, d, v, from)
		})
	}
}

// pickEach is pick where two elements have the same place: a permute puts the lanes of each window
// in place, and a blend joins them.
func (f *avx2) pickEach(windows []window, t dtype.Type, d x86.Vec) {
	v := f.Tmp()
	for i, w := range windows {
		if i == 0 {
			f.order(w.lanes, t, d, w.from)
			continue
		}
		blend := 0
		for _, p := range w.lanes {
			blend |= 1 << p.Lane
		}
		f.order(w.lanes, t, v, w.from)
		f.I(x86.VPBLENDD, f.LenOf(t), d, d, v, x86.Imm(blendLanes(blend, t)))
	}
}

// pickMasked is pick for the lanes of k, of the tail: a window loads the elements of these lanes alone. The others are 0.
func (f *avx2) pickMasked(windows []window, t dtype.Type, d, k x86.Vec) {
	l, apart := f.LenOf(t), distinct(windows)
	var all []picked
	for i, w := range windows {
		all = append(all, w.lanes...)
		f.Within(func() {
			x := d
			if i > 0 {
				x = f.Tmp()
			}
			f.I(maskMove(t), l, x, f.windowMask(w, t, k), w.from)
			lanes := places(w)
			if !apart {
				f.order(w.lanes, t, x, x)
				lanes = 0
				for _, p := range w.lanes {
					lanes |= 1 << p.Lane
				}
			}
			if i > 0 {
				f.I(x86.VPBLENDD, l, d, d, x, x86.Imm(blendLanes(lanes, t)))
			}
		})
	}
	if apart && !inOrder(all) {
		f.order(all, t, d, d)
	}
}

// windowMask returns the elements of a window that lanes of k have. If several lanes have one, the first of them
// decides: k has the first lanes.
func (f *avx2) windowMask(w window, t dtype.Type, k x86.Vec) x86.Vec {
	l, used, from := f.LenOf(t), make([]byte, f.W*t.Size()), make([]picked, 0, f.W)
	for _, p := range w.lanes {
		if used[p.At*t.Size()] == 0 {
			from = append(from, picked{Lane: p.At, At: p.Lane})
		}
		for i := range t.Size() {
			used[p.At*t.Size()+i] = 0xff
		}
	}
	if len(from) == f.W && inOrder(from) {
		return k
	}
	m := f.Tmp()
	if !inOrder(from) {
		f.order(from, t, m, k)
		k = m
	}
	f.I(x86.VANDPS, l, m, k, f.Const(used))
	return m
}

func maskMove(t dtype.Type) x86.Op { return pick(t, x86.VMASKMOVPS, x86.VMASKMOVPD) }
