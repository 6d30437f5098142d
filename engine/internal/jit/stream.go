package jit

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// caches are the cache sizes of this machine in bytes. If they are not known, they
// are the sizes of a common desktop.
var caches = func() cpucache.Sizes {
	s := cpucache.Of()
	if s.L1 == 0 {
		s = cpucache.Sizes{L1: 32 << 10, L2: 1 << 20, L3: 32 << 20}
	}
	return s
}()

// The cost model decides what bounds a loop: arithmetic, the second-level cache or
// memory. This decides the width of its vectors, whether it prefetches, and whether
// its stores bypass the caches.

// A region is the memory that a site touches in a phase.
type region struct {
	lo, hi uintptr
	every  bool // each lane has an element of its own
}

func (r region) meets(x region) bool { return r.lo < x.hi && x.lo < r.hi }

// region returns the addresses of a site in a phase, with all positions outside the
// phase at 0.
func (b *binder) region(bp *boundPhase, s *boundSite) region {
	lo, hi, n := s.line.Base, s.line.Base+1, 1
	for _, x := range s.line.Spans {
		if x.Coef == 0 {
			continue
		}
		n *= x.Extent
		if d := x.Coef * (x.Extent - 1); d > 0 {
			hi += d
		} else {
			lo += d
		}
	}
	at := uintptr(b.bind.Bufs[s.buf].Ptr)
	if at == 0 {
		at = b.bind.Bufs[s.buf].Assumed
	}
	return region{at + uintptr(lo*s.size), at + uintptr(hi*s.size), n == bp.n}
}

// bytes returns the bytes that a phase touches in total, moves for one element, and
// writes without reading for one element. Sites whose memory overlaps count once,
// but every store counts in element.
func (b *binder) bytes(bp *boundPhase) (total, element, fresh int) {
	var seen []region
	for _, i := range bp.native {
		s := &bp.sites[i]
		if s.kind == iotaSite {
			continue
		}
		r := b.region(bp, s)
		again := slices.ContainsFunc(seen, r.meets)
		if !again {
			total += int(r.hi - r.lo)
			seen = append(seen, r)
		}
		store := bp.ph.sites[i].store
		if r.every && (!again || store) {
			element += s.size
		}
		if r.every && !again && store {
			fresh += s.size
		}
	}
	return total, element, fresh
}

// The bytes that a core loads in the time of one instruction on vectors of 256 bits,
// roughly: from the second-level cache, and from memory.
const (
	secondLevelRate = 8
	memoryRate      = 2
)

// waits reports whether loads and stores bound a loop, not arithmetic. element is
// the bytes moved for one element. rate is the bytes that a core loads in the time
// of one instruction.
func (bp *boundPhase) waits(element, rate int) bool {
	issued := 0
	for i := range bp.ph.nodes {
		switch n := &bp.ph.nodes[i]; {
		case n.op == prim.Const || n.op == opCell:
		case n.in.IsFloat() && (n.op == prim.Div || n.op == prim.Sqrt):
			issued += 8
		default:
			issued++
		}
	}
	return rate*issued < 32/bp.ph.widest()*element
}

// dense reports whether a loop bound by the second-level cache also has much
// arithmetic. Then vectors of 256 bits are slower than vectors of 512 bits. moved
// is the bytes moved for one element.
func (bp *boundPhase) dense(moved int) bool {
	computed := 0
	for i := range bp.ph.nodes {
		switch n := &bp.ph.nodes[i]; n.op {
		case prim.Add, prim.Sub, prim.Mul, prim.Fma, prim.Div, prim.Sqrt:
			if n.in.IsFloat() {
				computed++
			}
		}
	}
	return 4*computed*bp.ph.widest() > 5*moved
}

// predicates reports whether a phase computes with masks.
func (ph *phase) predicates() bool {
	for i := range ph.nodes {
		if ph.nodes[i].typ == dtype.Bool || ph.nodes[i].in == dtype.Bool {
			return true
		}
	}
	return false
}

// callBytes is the most bytes that one call of a memory-bound loop moves. Such a call
// takes about 80 us, and the garbage collector waits for its end.
const callBytes = 1 << 20

// choose chooses the variants of a map phase: narrow vectors, stores that bypass the
// caches, prefetches. ADR 0008 has the measurements for its limits.
func (b *binder) choose(ph *phase, bp *boundPhase) {
	if ph.kind != mapPhase || !bp.direct || bp.computes() {
		return
	}
	total, element, fresh := b.bytes(bp)
	moving := bp.waits(element, secondLevelRate)
	// The third-level cache may be shared, or too small for the lines that the
	// second-level cache evicts.
	beyond := total >= max(caches.L2, caches.L3/4)
	far := beyond || total >= max(16*caches.L2, caches.L3/16)
	if bp.fetch = far && bp.waits(element, memoryRate); bp.fetch {
		for _, i := range bp.native {
			bp.sites[i].trails = b.trails(bp, i)
		}
	}
	if len(ph.reds) > 0 {
		bp.narrow = moving && beyond && !ph.predicates() && !slices.ContainsFunc(ph.reds, func(r red) bool { return r.kern.op != prim.Add || r.kern.prog != nil })
		return
	}
	if moving {
		bp.most *= min(max(callBytes/element/maxLanes, 1), 8)
		if total <= 2*caches.L2 {
			bp.most = 8 * maxLanes
		}
	}
	if ph.widest() == 8 && ph.predicates() {
		return // the emitter has no masks of four lanes
	}
	bp.narrow = moving && total > caches.L1 && !(total <= caches.L2 && bp.dense(element+fresh))
	if !beyond {
		return
	}
	for _, i := range bp.native {
		s, info := &bp.sites[i], &ph.sites[i]
		if info.store && s.kind == unitSite && s.size >= 4 && s.size == ph.widest() && !info.cold && b.onlyStores(bp, s) {
			s.pure = true
			bp.pure = append(bp.pure, i)
		}
	}
}

// trails reports whether another load of the phase reads the same lines first, at
// most caches.L2 bytes ahead. The second-level cache still has these lines, so the
// site needs no prefetches.
func (b *binder) trails(bp *boundPhase, site int32) bool {
	s := &bp.sites[site]
	if s.kind != unitSite || bp.ph.sites[site].store {
		return false
	}
	r := b.region(bp, s)
	outer := slices.IndexFunc(s.line.Spans, func(x bound.Span) bool { return x.Coef != 0 })
	return slices.ContainsFunc(bp.native, func(i int32) bool {
		x := &bp.sites[i]
		if i == site || x.kind != unitSite || bp.ph.sites[i].store || !slices.Equal(x.line.Spans, s.line.Spans) {
			return false
		}
		at := b.region(bp, x)
		before := int(at.lo) - int(r.lo)
		if outer >= 0 && s.line.Spans[outer].Coef < 0 {
			before = -before
		}
		return at.meets(r) && before > 0 && before <= caches.L2
	})
}

// onlyStores reports whether the array of a site is write-only and no load of the
// phase overlaps it.
func (b *binder) onlyStores(bp *boundPhase, s *boundSite) bool {
	if b.IR.Bufs[s.buf].Mode != ir.Out {
		return false
	}
	r := b.region(bp, s)
	for i := range bp.sites {
		x := &bp.sites[i]
		if x.buf >= 0 && !bp.ph.sites[i].store && (x.buf == s.buf || b.region(bp, x).meets(r)) {
			return false
		}
	}
	return true
}

// lineBytes is the size of a cache line. A line that is stored partly past the caches
// and partly through them costs as much as a hundred others.
const lineBytes = 64

// aligned reports whether one number of masked lanes before the first vector aligns
// all stores that bypass the caches to a line, in all rows.
func (w *worker) aligned(bp *boundPhase, rows int) bool {
	head := uintptr(0)
	for k, i := range bp.pure {
		s := &bp.sites[i]
		size := uintptr(s.size)
		at := *(*uintptr)(unsafe.Add(w.frame, s.arg+sitePtr))
		if k == 0 {
			head = -at & (lineBytes - 1) / size
		}
		if (at+head*size)&(lineBytes-1) != 0 || rows > 1 && len(bp.pure) > 1 && uintptr(s.row)*size&(lineBytes-1) != 0 {
			return false
		}
	}
	return true
}

// The distance of a prefetch from the use of its line, in bytes: in general, and if
// stores bypass the caches.
const (
	fetchBytes       = 1024
	streamFetchBytes = 2048
)

// apart reports whether one iteration can compute lanes that are far apart: every
// site is contiguous or uniform, without guards or staging.
func (bp *boundPhase) apart() bool {
	return !slices.ContainsFunc(bp.sites, func(s boundSite) bool {
		return s.kind != unitSite && s.kind != uniSite || s.guard || s.staged || s.dyn != nil
	})
}

// ahead emits the prefetches of an iteration of lanes lanes from index: the lines
// that the loop loads some iterations later.
func (f *emitter) ahead(index x86.Reg, lanes int) {
	if !f.fetch {
		return
	}
	by := fetchBytes
	if f.stream {
		by = streamFetchBytes
	}
	for i := range f.bp.sites {
		s := &f.bp.sites[i]
		if s.kind != unitSite || f.ph.sites[i].store || s.trails || f.alias(i) >= 0 {
			continue
		}
		base := x86.RCX
		if r := f.siteReg[i]; r >= 0 {
			base = x86.Reg(r)
		} else {
			f.i(x86.MOV, x86.W64, base, frameAt(s.arg+s.origin))
		}
		for at := 0; at < lanes*s.size; at += lineBytes {
			f.i(x86.PREFETCHT1, 0, x86.AtX(base, index, uint8(s.size), int32(by+at)))
		}
	}
}

// passes reports whether the stores of a site bypass the caches.
func (f *emitter) passes(i int32) bool { return f.stream && !f.part64 && f.bp.sites[i].pure }

// alignedLanes is the fewest lanes for which aligned stores are worth a masked vector
// before them.
const alignedLanes = 64

// alignStores emits a jump to the masked vector for the lanes before the first
// aligned store. Stores are aligned to a vector, or to a line if they bypass the
// caches. It reports whether the loop has a store to align.
func (f *emitter) alignStores(main, masked x86.Label) bool {
	for i := range f.bp.sites {
		s := &f.bp.sites[i]
		if f.stream && !f.passes(int32(i)) || !f.ph.sites[i].store || s.kind != unitSite || s.size != f.ph.widest() {
			continue
		}
		to := f.w * s.size
		if f.stream {
			to = lineBytes
		} else {
			f.i(x86.CMP, x86.W64, frameAt(f.ph.lanes), x86.Imm(alignedLanes))
			f.i(x86.JL, 0, main)
		}
		f.i(x86.MOV, x86.W64, x86.RCX, frameAt(s.arg+s.origin))
		f.i(x86.LEA, x86.W64, x86.RCX, x86.AtX(x86.RCX, x86.RSI, uint8(s.size), 0))
		f.i(x86.NEG, x86.W64, x86.RCX)
		f.i(x86.AND, x86.W64, x86.RCX, x86.Imm(to-1))
		f.i(x86.SHR, x86.W64, x86.RCX, x86.Imm(bits.TrailingZeros(uint(s.size))))
		f.i(x86.JE, 0, main)
		f.i(x86.MOV, x86.W64, x86.RAX, frameAt(f.ph.lanes))
		f.i(x86.SUB, x86.W64, x86.RAX, x86.RSI)
		f.i(x86.CMP, x86.W64, x86.RCX, x86.RAX)
		f.i(x86.CMOVG, x86.W64, x86.RCX, x86.RAX)
		f.i(x86.JMP, 0, masked)
		return true
	}
	return false
}
