package amd64

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// Elements of 1 or 2 bytes with a small step, and bytes of rows that are laid across vectors, go by
// groups of 16 bytes: each window of a group gives its lanes by a byte shuffle. Where the
// processor permutes such elements of whole vectors, all lanes are one group.

// shuffle returns the constant that moves elements of size bytes of a vector, and clears the
// others.
func (f *emitter) shuffle(move []picked, size int) x86.Mem {
	return f.Const(shuffleBytes(move, size, 16))
}

// shuffleBytes returns the bytes of the constant of [emitter.shuffle], for a vector of n bytes.
func shuffleBytes(move []picked, size, n int) []byte {
	b := repeat(0x80, n)
	for _, p := range move {
		for i := range size {
			b[p.Lane*size+i] = byte(p.At*size + i)
		}
	}
	return b
}

// byteWindows emits the address of a site whose bytes are shuffled, and returns a function that
// returns the windows of some lanes of the current vector.
func (f *emitter) byteWindows(s *layout.Site, i int32) func(at, n int) []window {
	if s.Kind == layout.Laid {
		m := f.laidMem(s, i)
		return func(at, n int) []window { return f.laidWindows(s, m, at, n) }
	}
	k := f.stepLane(s, s.Step)
	return func(at, n int) []window { return windowsAt(s, k+at, n) }
}

// shuffledElements loads an element of a site for each lane of d.
func (f *emitter) shuffledElements(s *layout.Site, i int32, d x86.Vec) {
	if t := frame.Lane(dtype.U8, s.Size); f.Layout.Permutes(s.Size, f.W) && (s.Kind == layout.Laid || f.W*s.Size == 64) {
		f.InLanes(s.Size, func() {
			if s.Kind == layout.Laid {
				f.own.pickLaid(s, i, t, d)
			} else {
				f.own.pick(f.windows(s), t, d)
			}
		})
		return
	}
	n, windows := min(f.W, 16/s.Size), f.byteWindows(s, i)
	if s.Kind == layout.Laid {
		if x, few := f.Layout.LaidFew(s, f.laidLane(), f.W); few > 0 {
			f.repeatFew(windowsOf(s, f.laidMem(s, i), []layout.Window{x})[0], few*s.Size, s.Size, d)
			return
		}
	}
	if f.W*s.Size == 32 && !f.evex {
		if s.Kind == layout.Laid {
			if x := f.Layout.LaidBlended(s, f.laidLane(), f.W); x != nil {
				f.blendNarrow(windowsOf(s, f.laidMem(s, i), x), s.Size, d)
				return
			}
		}
		if s.Kind == layout.Strided && s.Step == 2 {
			f.packEven(s, windows(0, f.W), d)
			return
		}
		if lower, upper := windows(0, n), windows(n, n); !layout.LoadsEach(max(len(lower), len(upper)), n, s.Size) {
			f.shuffledPair(lower, upper, s.Size, d)
			return
		}
	}
	half := f.Tmp()
	for at := 0; at < f.W; at += n {
		f.Within(func() {
			x := f.Tmp()
			f.shuffledGroup(windows(at, n), n, s.Size, x)
			if to := [...]x86.Vec{d, half}[at*s.Size/32]; at*s.Size%32 == 0 {
				f.I(x86.VMOVAPS, x86.L128, to, x)
			} else {
				f.insertPart(x86.L256, to, x, 1)
			}
		})
	}
	if f.W*s.Size == 64 {
		f.I(x86.VINSERTF64X4, x86.L512, d, d, half, x86.Imm(1))
	}
}

// blendNarrow loads elements of size bytes that have the numbers of their lanes in windows of whole vectors.
func (f *emitter) blendNarrow(windows []window, size int, d x86.Vec) {
	f.I(x86.VMOVUPS, x86.L256, d, windows[0].from)
	for _, w := range windows[1:] {
		f.Within(func() {
			k, lanes := f.Tmp(), repeat(0, 32)
			for _, p := range w.lanes {
				copy(lanes[p.Lane*size:], repeat(0xff, size))
			}
			f.I(x86.VMOVUPS, x86.L256, k, f.Const(lanes))
			f.I(x86.VPBLENDVB, x86.L256, d, d, w.from, k)
		})
	}
}

// repeatFew loads a window of bytes bytes to each part of d, from which one shuffle takes the elements of size bytes of all lanes.
func (f *emitter) repeatFew(w window, bytes, size int, d x86.Vec) {
	f.I([...]x86.Op{1: x86.VPBROADCASTB, 2: x86.VPBROADCASTW, 4: x86.VBROADCASTSS, 8: x86.VBROADCASTSD}[bytes], x86.L256, d, w.from)
	if bytes == size {
		return
	}
	f.I(x86.VPSHUFB, x86.L256, d, d, f.Const(shuffleBytes(w.lanes, size, 32)))
}

// shuffledGroup loads n elements of at most 16 bytes from windows.
func (f *emitter) shuffledGroup(windows []window, n, size int, d x86.Vec) {
	if layout.LoadsEach(len(windows), n, size) {
		f.pickEither(windows, n, frame.Lane(dtype.U8, size), d)
		return
	}
	u := f.Tmp()
	for i, w := range windows {
		to := u
		if i == 0 {
			to = d
		}
		f.moveGroup(n*size, to, w.from)
		f.I(x86.VPSHUFB, x86.L128, to, to, f.shuffle(w.lanes, size))
		if i > 0 {
			f.I(f.simple(prim.Or, dtype.I32), x86.L128, d, d, u)
		}
	}
}

// packEven loads every other element: those at even places of the first window, and those at odd places of the
// second one, which ends with the last element.
func (f *emitter) packEven(s *layout.Site, w []window, d x86.Vec) {
	const l = x86.L256
	u, shift, pack, part := f.Tmp(), x86.VPSRLW, x86.VPACKUSWB, uint64(0x00ff00ff)
	if s.Size == 2 {
		shift, pack, part = x86.VPSRLD, x86.VPACKUSDW, 0xffff
	}
	f.I(x86.VMOVUPS, l, d, w[0].from)
	f.I(x86.VPAND, l, d, d, f.series(32, part, 0, false))
	f.I(x86.VMOVUPS, l, u, w[1].from)
	f.I(shift, l, u, u, x86.Imm(8*s.Size))
	f.I(pack, l, d, d, u)
	f.I(x86.VPERMPD, l, d, d, x86.Imm(0xd8))
}

// shuffledPair loads elements from windows of 16 bytes: the lower half of d from lower ones, and the
// upper half from upper ones.
func (f *emitter) shuffledPair(lower, upper []window, size int, d x86.Vec) {
	if len(lower) > 1 || len(upper) > 1 {
		made := sideBySide([2][]window{lower, upper}, size)
		lower, upper = made[0], made[1]
	}
	for i := range max(len(lower), len(upper)) {
		f.Within(func() {
			x, sel := d, repeat(0x80, 32)
			if i > 0 {
				x = f.Tmp()
			}
			if i < len(lower) {
				copy(sel, shuffleBytes(lower[i].lanes, size, 16))
			}
			if i < len(upper) {
				copy(sel[16:], shuffleBytes(upper[i].lanes, size, 16))
			}
			f.loadHalves(lower[min(i, len(lower)):], upper[min(i, len(upper)):], x)
			f.I(x86.VPSHUFB, x86.L256, x, x, f.Const(sel))
			if i > 0 {
				f.I(x86.VPOR, x86.L256, d, d, x)
			}
		})
	}
}

// sideBySide returns windows of the same lanes that are the halves of two vectors in memory: the first one begins with the first element, and
// the second one ends with the last one. It returns the given ones, those of the lower half and of the upper half, if these vectors lack a lane.
func sideBySide(given [2][]window, size int) [2][]window {
	type element struct{ half, at, lane int }
	var all []element
	for half, list := range given {
		for _, w := range list {
			for _, p := range w.lanes {
				all = append(all, element{half, int(w.from.(x86.Mem).Disp) + p.At*size, p.Lane})
			}
		}
	}
	place := func(a, b element) int { return a.at - b.at }
	first, m, made := slices.MinFunc(all, place), given[0][0].from.(x86.Mem), [2][]window{}
	starts := []int{first.at, slices.MaxFunc(all, place).at + size - 32}
	for half := range made {
		for _, at := range starts {
			m.Disp = int32(at + 16*(half^first.half))
			made[half] = append(made[half], window{from: m})
		}
	}
	for _, e := range all {
		at := func(w window) int { return e.at - int(w.from.(x86.Mem).Disp) }
		k := slices.IndexFunc(made[e.half], func(w window) bool { return 0 <= at(w) && at(w) <= 16-size })
		if k < 0 || starts[1] < starts[0] {
			return given
		}
		w := &made[e.half][k]
		w.lanes = append(w.lanes, picked{Lane: e.lane, At: at(*w) / size})
	}
	return made
}

// loadHalves loads the first of some lower windows of 16 bytes to the lower half of x, and the first of some upper ones to the upper
// half: by one load if they are neighbours.
func (f *emitter) loadHalves(lower, upper []window, x x86.Vec) {
	if len(lower) > 0 && len(upper) > 0 {
		a, b := lower[0].from.(x86.Mem), upper[0].from.(x86.Mem)
		apart := b.Disp - a.Disp
		if a.Disp = b.Disp; a == b && apart == 16 {
			f.I(x86.VMOVUPS, x86.L256, x, lower[0].from)
			return
		} else if a == b && apart == -16 {
			f.I(x86.VPERM2F128, x86.L256, x, x, b, x86.Imm(0x23))
			return
		}
	}
	if len(lower) > 0 {
		f.I(x86.VMOVUPS, x86.L128, x, lower[0].from)
	}
	if len(upper) > 0 {
		f.I(x86.VINSERTF128, x86.L256, x, x, upper[0].from, x86.Imm(1))
	}
}

// widenApart loads elements of 1 or 2 bytes with a step into lanes of 32 bits, if each half of these has its elements in 16 bytes
// of which none is before the first element or behind the last one. It reports whether it does.
func (f *avx2) widenApart(s *layout.Site, t dtype.Type, d x86.Vec) bool {
	step, window := max(s.Step, -s.Step), 16/s.Size
	if f.W != 8 || f.LaneSize > 0 || t == dtype.Bool || t == dtype.F16 || 3*step >= window || 7*step+1 < window {
		return false
	}
	from, sel := f.stepLane(s, s.Step)*s.Size*s.Step, repeat(0x80, 32)
	starts := [2]int{0, 7*step + 1 - window} // of the elements in the order of their addresses
	shift := 0
	if t.IsSigned() || t == dtype.BF16 { // to the upper bytes
		shift = 4 - s.Size
	}
	for lane := range f.W {
		e := lane * step
		half := lane / 4
		if s.Step < 0 {
			e = 7*step - e
			half = 1 - half
		}
		for i := range s.Size {
			sel[4*lane+shift+i] = byte((e-starts[half])*s.Size + i)
		}
	}
	if s.Step < 0 {
		from -= 7 * step * s.Size
		starts[0], starts[1] = starts[1], starts[0]
	}
	f.I(x86.VMOVUPS, x86.L128, d, x86.At(x86.RCX, int32(from+starts[0]*s.Size)))
	f.I(x86.VINSERTF128, x86.L256, d, d, x86.At(x86.RCX, int32(from+starts[1]*s.Size)), x86.Imm(1))
	f.I(x86.VPSHUFB, x86.L256, d, d, f.Const(sel))
	if shift > 0 && t != dtype.BF16 {
		f.I(x86.VPSRAD, x86.L256, d, d, x86.Imm(8*shift))
	}
	return true
}

// widenPermuted loads elements of 1 or 2 bytes with a step into wider lanes, if two windows of at most a vector begin with the first
// and end with the last one. One permute takes the bytes of the lanes from the windows. It takes the others from behind the first window, where
// its load clears the register, or a shift clears them. It reports whether it does.
func (f *avx512) widenPermuted(s *layout.Site, t dtype.Type) bool {
	l, lane, step := f.LenOf(dtype.I32), cmp.Or(f.LaneSize, 4), max(s.Step, -s.Step)
	span, window := ((f.W-1)*step+1)*s.Size, int(l)/16
	switch {
	case span < window:
		window /= 2
	case span > 2*window:
		window *= 2
	}
	if s.Kind != layout.Strided || f.Masked || !Permutes8 || lane <= s.Size || t == dtype.Bool || t == dtype.F16 || window < 16 || span < window || span > 2*window {
		return false
	}
	clears, rest := window < int(l)/8, window // the bytes of the second window: short ones cross fewer lines
	for rest > 16 && rest/2 >= span-window {
		rest /= 2
	}
	shift, sel := 0, repeat(byte(window), int(l)/8)
	if t.IsSigned() || (t == dtype.BF16) == clears { // to the upper bytes
		shift = lane - s.Size
	}
	from := f.stepLane(s, s.Step) * s.Size * s.Step
	if s.Step < 0 {
		from -= span - s.Size
	}
	for k := range f.W {
		e := k * step * s.Size
		if s.Step < 0 {
			e = span - s.Size - e
		}
		for i := range s.Size {
			b := e + i
			if b >= window {
				b += len(sel) - (span - rest)
			}
			sel[lane*k+shift+i] = byte(b)
		}
	}
	d, part := f.Dst(), x86.Len(8*window)
	f.I(x86.VMOVUPS, part, d, x86.At(x86.RCX, int32(from)))
	f.Within(func() {
		u, m := f.Tmp(), f.Const(sel)
		f.I(x86.VMOVUPS, x86.Len(8*rest), u, x86.At(x86.RCX, int32(from+span-rest)))
		index, ok := f.hold(l, m)
		if !ok {
			index = f.Tmp()
			f.I(x86.VMOVUPS, l, index, m)
		}
		f.I(x86.VPERMT2B, l, d, index, u)
	})
	switch {
	case t == dtype.BF16 && !clears:
		f.I(x86.VPSLLD, l, d, d, x86.Imm(8*s.Size))
	case t != dtype.BF16 && shift > 0:
		right := [...]x86.Op{x86.VPSRLW, x86.VPSRAW, x86.VPSRLD, x86.VPSRAD}
		f.I(right[lane/4*2+int(frame.Bit(t.IsSigned()))], l, d, d, x86.Imm(8*shift))
	}
	return true
}

// shuffled returns the elements of a site for all lanes: in a vector, or in the frame for those
// of the tail. take returns the vector.
func (f *emitter) shuffled(s *layout.Site, i int32, take func() x86.Vec) x86.Operand {
	if slot, ok := f.LaidSlots[i]; ok {
		return mem(f.laidSlot(slot, s.Size))
	}
	switch {
	case f.Masked && s.Kind == layout.Laid:
		f.copyLaid(s, i)
		return at(frame.Tmp)
	case f.Masked:
		f.CopyTail(s, frame.Tmp, false)
		return at(frame.Tmp)
	}
	d := take()
	f.shuffledElements(s, i, d)
	return d
}

// storeStepped8 stores bytes with a small step: for each window those of its lanes, under
// a mask.
func (f *avx512) storeStepped8(n *lower.Node, t dtype.Type) {
	s, x, k := &f.Layout.Sites[n.Aux], f.Tmp(), f.TmpMask()
	switch a := n.Args[0]; {
	case t == dtype.Bool:
		l := max(x86.L128, x86.Len(8*f.W))
		f.I(x86.VMOVDQU8, l, x, f.Const(repeat(1, int(l)/8)), x86.Zero(f.Mask(a)))
	case f.LaneSize == 1 || f.bytes(&f.Nodes[a]):
		x = f.Src(a)
	default:
		f.I(f.packing(n, t), f.LenOf(t), x, f.Src(a))
	}
	lanes, first := min(f.W, 16), f.stepLane(s, s.Step)
	if f.W == 64 && Permutes8 {
		lanes = f.W
	}
	groups := []x86.Vec{x}
	for g := 1; g < f.W/lanes; g++ {
		groups = append(groups, f.Tmp())
		f.I(x86.VEXTRACTF32X4, x86.Len(8*f.W), groups[g], x, x86.Imm(g))
	}
	u := f.Tmp()
	for i, w := range windowsAt(s, first, lanes) {
		bits, from := int64(0), make([]picked, len(w.lanes))
		for j, p := range w.lanes {
			bits |= 1 << p.At
			from[j] = picked{Lane: p.At, At: p.Lane}
		}
		if lanes == 64 {
			f.setMask(k, x86.RAX, bits)
			f.I(x86.VMOVUPS, x86.L512, u, f.selector(from, 1, 0, false))
			f.I(x86.VPERMB, x86.L512, u, u, x)
			f.I(x86.VMOVDQU8, x86.L512, w.from, u, x86.Merge(k))
			continue
		}
		f.setMask(k, x86.RAX, bits)
		for g, v := range groups {
			f.I(x86.VPSHUFB, x86.L128, u, v, f.shuffle(from, 1))
			f.I(x86.VMOVDQU8, x86.L128, windowsAt(s, first+g*lanes, lanes)[i].from, u, x86.Merge(k))
		}
	}
}
