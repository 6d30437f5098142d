package jit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// Loads and stores. In a masked body only the lanes of the tail mask are
// touched, which never faults on what lies behind the array.

// address is the memory of the current copy's lanes of a site.
func (f *flow) address(s *boundSite, i int32) x86.Mem {
	index, k := f.lane()
	lane := int32(k * f.w * s.size)
	if f.ph.kind == scalarPhase || s.kind == uniSite {
		if r := f.siteReg[i]; r >= 0 {
			return x86.At(x86.Reg(r), 0)
		}
		f.i(x86.MOV, x86.W64, x86.RCX, frameAt(s.arg+f.pointer(s)))
		return x86.At(x86.RCX, 0)
	}
	if f.ph.kind == seqPhase {
		lane = int32(f.copy * f.w * s.size)
		if r := f.siteReg[i]; r >= 0 {
			return x86.At(x86.Reg(r), lane)
		}
		f.i(x86.MOV, x86.W64, x86.RCX, frameAt(s.arg+siteCur))
		return x86.At(x86.RCX, lane)
	}
	if r := f.siteReg[i]; r >= 0 {
		return x86.AtX(x86.Reg(r), index, uint8(s.size), lane)
	}
	f.i(x86.MOV, x86.W64, x86.RCX, frameAt(s.arg+s.origin))
	return x86.AtX(x86.RCX, index, uint8(s.size), lane)
}

// lane is where the current copy's lanes begin: so many vectors behind an index.
func (f *flow) lane() (index x86.Reg, vectors int) {
	if f.half > 0 && f.copy >= f.half {
		return x86.RBX, f.copy - f.half
	}
	return x86.RSI, f.base + f.copy
}

// pointer is where the frame has the address of a site in this phase.
func (f *flow) pointer(s *boundSite) int {
	if f.ph.kind == seqPhase && !f.prolog {
		return siteCur
	}
	return s.origin
}

// strided sets up a gather with a constant stride: base register and index.
func (f *flow) strided(s *boundSite) x86.Mem {
	l := f.lenOf(dtype.I32)
	ix := f.tmp()
	// Index: lane * stride in bytes.
	f.i(x86.VPBROADCASTD, l, ix, frameAt(s.arg+siteStride))
	f.i(x86.VPMULLD, l, ix, ix, f.iota32(0))
	f.i(x86.MOV, x86.W64, x86.RCX, frameAt(s.arg+siteStride))
	if f.ph.kind == seqPhase {
		f.i(x86.IMUL, x86.W64, x86.RCX, x86.RCX, x86.Imm(f.copy*f.w))
		f.i(x86.ADD, x86.W64, x86.RCX, frameAt(s.arg+siteCur))
	} else {
		f.i(x86.LEA, x86.W64, x86.RAX, x86.At(x86.RSI, int32((f.base+f.copy)*f.w)))
		f.i(x86.IMUL, x86.W64, x86.RCX, x86.RAX)
		f.i(x86.ADD, x86.W64, x86.RCX, frameAt(s.arg+s.origin))
	}
	return x86.AtV(x86.RCX, ix, 1, 0)
}

// inside makes the mask of the lanes that a guarded site reads.
func (f *flow) inside(s *boundSite) x86.Mask {
	k := f.mtmp()
	l := f.lenOf(dtype.I32)
	if s.staged {
		f.i(x86.MOV, x86.W64, x86.RCX, frameAt(s.arg+siteInside))
		lane := x86.AtX(x86.RCX, x86.RSI, 1, int32((f.base+f.copy)*f.w))
		if f.ph.kind == scalarPhase {
			t := f.tmp()
			f.i(x86.VPBROADCASTB, x86.L128, t, x86.At(x86.RCX, 0))
			f.i(x86.VPTESTMB, x86.L128, k, t, t)
			return k
		}
		f.loadBool(k, lane)
		return k
	}
	t := f.tmp()
	f.i(x86.VPBROADCASTD, l, t, x86.RSI)
	f.i(x86.VPADDD, l, t, t, f.iota32((f.base+f.copy)*f.w))
	f.i(x86.VPCMPD, l, k, t, frameAt(s.arg+siteLo).Bcast(), x86.Imm(5))
	f.i(x86.VPCMPD, l, k, t, frameAt(s.arg+siteHi).Bcast(), x86.Imm(1), x86.Merge(k))
	return k
}

// loadBool loads bytes as a mask. It reads w bytes.
func (f *flow) loadBool(k x86.Mask, m x86.Mem) {
	t := f.tmp()
	switch {
	case f.masked:
		f.i(x86.VMOVDQU8, x86.L128, t, m, x86.Zero(tailMask))
	case f.w == 8:
		f.i(x86.VMOVQ, 0, t, m)
	default:
		f.i(x86.VMOVUPS, x86.L128, t, m)
	}
	f.i(x86.VPTESTMB, x86.L128, k, t, t)
}

// A loadRow is how elements of a memory type are loaded: lanes, or one for all
// lanes by way of a broadcast and a conversion.
type loadRow struct {
	lanes   x86.Op // next to each other
	one     x86.Op // one element
	convert x86.Op // of the broadcast ones; 0: none
	size    x86.Len
}

var loadRows = map[dtype.Type]loadRow{
	dtype.F32:  {x86.VMOVUPS, x86.VBROADCASTSS, 0, 0},
	dtype.I32:  {x86.VMOVUPS, x86.VBROADCASTSS, 0, 0},
	dtype.U32:  {x86.VMOVUPS, x86.VBROADCASTSS, 0, 0},
	dtype.F64:  {x86.VMOVUPD, x86.VBROADCASTSD, 0, 0},
	dtype.I64:  {x86.VMOVUPD, x86.VBROADCASTSD, 0, 0},
	dtype.U64:  {x86.VMOVUPD, x86.VBROADCASTSD, 0, 0},
	dtype.I8:   {x86.VPMOVSXBD, x86.VPBROADCASTB, x86.VPMOVSXBD, x86.L128},
	dtype.U8:   {x86.VPMOVZXBD, x86.VPBROADCASTB, x86.VPMOVZXBD, x86.L128},
	dtype.F16:  {x86.VCVTPH2PS, x86.VPBROADCASTW, x86.VCVTPH2PS, x86.L256},
	dtype.BF16: {x86.VPMOVZXWD, x86.VPBROADCASTW, x86.VPMOVZXWD, x86.L256},
}

func (f *flow) load(n *node) {
	s := &f.bp.sites[n.aux]
	t := f.ph.sites[n.aux].typ
	reg := t.Register()
	l := f.lenOf(reg)
	one := f.ph.kind == scalarPhase || s.kind == uniSite
	guarded, k := s.guard, x86.Mask(0)
	if guarded {
		k = f.inside(s)
	}
	if s.guard && s.staged {
		guarded = false // the memory is there; the fill value comes after
	}
	blend := s.guard || n.args[1] != none
	if n.args[1] != none {
		guarded, k = true, f.mask(n.args[1])
		if f.masked {
			both := f.mtmp()
			f.i(x86.KANDW, 0, both, k, tailMask)
			k = both
		}
	}
	var with []x86.Operand
	switch {
	case guarded:
		with = []x86.Operand{x86.Zero(k)}
	case f.masked && !one:
		with = []x86.Operand{x86.Zero(tailMask)}
	}
	if t == dtype.Bool {
		f.loadPred(n, s, k, one, with)
		return
	}
	row := loadRows[t]
	var d x86.Vec
	if blend {
		d = f.tmp()
	} else {
		f.release()
		d = f.dst()
	}
	switch {
	case one && row.convert == 0:
		f.i(row.one, l, append([]x86.Operand{d, f.address(s, n.aux)}, with...)...)
	case one:
		f.i(row.one, row.size, append([]x86.Operand{d, f.address(s, n.aux)}, with...)...)
		f.i(row.convert, l, d, d)
	case s.kind == strideSite:
		m := f.strided(s)
		g := f.mtmp()
		switch {
		case guarded:
			f.i(x86.KMOVW, 0, g, k)
		case f.masked:
			f.i(x86.KMOVW, 0, g, tailMask)
		default:
			f.i(f.kop(x86.KXNORB, x86.KXNORW), 0, g, g, g)
		}
		f.i(x86.VPXORD, l, d, d, d)
		if wide(reg) {
			f.i(x86.VGATHERDPD, l, d, m, x86.Merge(g))
		} else {
			f.i(x86.VGATHERDPS, l, d, m, x86.Merge(g))
		}
	default:
		f.i(row.lanes, l, append([]x86.Operand{d, f.address(s, n.aux)}, with...)...)
	}
	if t == dtype.BF16 {
		f.i(x86.VPSLLD, l, d, d, x86.Imm(16))
	}
	if blend {
		fill := f.src(n.args[0])
		f.i(pick(reg, x86.VBLENDMPS, x86.VBLENDMPD), l, f.dst(), fill, d, x86.Merge(k))
	}
}

func (f *flow) loadPred(n *node, s *boundSite, k x86.Mask, one bool, with []x86.Operand) {
	var d x86.Mask
	blend := s.guard || n.args[1] != none
	if blend {
		d = f.mtmp()
	} else {
		f.release()
		d = f.mdst()
	}
	t := f.tmp()
	m := f.address(s, n.aux)
	switch {
	case one:
		f.i(x86.VPBROADCASTB, x86.L128, append([]x86.Operand{t, m}, with...)...)
	case len(with) > 0:
		f.i(x86.VMOVDQU8, x86.L128, append([]x86.Operand{t, m}, with...)...)
	case f.w == 8:
		f.i(x86.VMOVQ, 0, t, m)
	default:
		f.i(x86.VMOVUPS, x86.L128, t, m)
	}
	f.i(x86.VPTESTMB, x86.L128, d, t, t)
	if one && f.w == 8 {
		f.i(x86.KMOVB, 0, d, d)
	}
	if blend {
		fill, u := f.mask(n.args[0]), f.mtmp()
		f.i(x86.KANDW, 0, d, d, k)
		f.i(x86.KANDNW, 0, u, k, fill)
		f.i(x86.KORW, 0, f.mdst(), d, u)
	}
}

func (f *flow) storeNode(n *node) {
	s := &f.bp.sites[n.aux]
	t := f.ph.sites[n.aux].typ
	if s.kind == gatherSite {
		f.scatter(n, s, t)
		return
	}
	f.storeTo(n, t, f.address(s, n.aux), f.masked)
}

// storeTo stores the value of a store, as lanes next to each other of type t.
func (f *flow) storeTo(n *node, t dtype.Type, m x86.Mem, masked bool) {
	if !f.avx512 {
		f.storeTo2(n, t, m, masked)
		return
	}
	l := f.lenOf(t.Register())
	var with []x86.Operand
	if masked {
		with = []x86.Operand{x86.Merge(tailMask)}
	}
	if t == dtype.Bool {
		v := f.tmp()
		k := f.mask(n.args[0])
		f.i(x86.VMOVDQU8, x86.L128, v, f.a.Const(repeat(1, 16)), x86.Zero(k))
		switch {
		case masked:
			f.i(x86.VMOVDQU8, x86.L128, m, v, x86.Merge(tailMask))
		case f.w == 8:
			f.i(x86.VMOVQ, 0, m, v)
		default:
			f.i(x86.VMOVUPS, x86.L128, m, v)
		}
		return
	}
	x := f.src(n.args[0])
	switch t {
	case dtype.BF16:
		d := f.tmp()
		f.bf16(d, x)
		f.i(x86.VPSRLD, l, d, d, x86.Imm(16))
		f.i(x86.VPMOVDW, l, append([]x86.Operand{m, d}, with...)...)
	case dtype.F16:
		f.i(x86.VCVTPS2PH, l, append([]x86.Operand{m, x, x86.Imm(0)}, with...)...)
	case dtype.I8, dtype.U8:
		f.i(x86.VPMOVDB, l, append([]x86.Operand{m, x}, with...)...)
	default:
		op := pick(t, x86.VMOVUPS, x86.VMOVUPD)
		if f.passes(n.aux) && !masked {
			op = pick(t, x86.VMOVNTPS, x86.VMOVNTPD)
		}
		f.i(op, l, append([]x86.Operand{m, x}, with...)...)
	}
}

func repeat(b byte, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = b
	}
	return out
}

// iota32 is the constant first, first+1, ... in 32-bit lanes.
func (f *flow) iota32(first int) x86.Mem {
	b := make([]byte, 4*f.w)
	for i := range f.w {
		x := uint32(first + i)
		b[4*i], b[4*i+1], b[4*i+2], b[4*i+3] = byte(x), byte(x>>8), byte(x>>16), byte(x>>24)
	}
	return f.a.Const(b)
}

func (f *flow) iota64(first int) x86.Mem {
	b := make([]byte, 8*f.w)
	for i := range f.w {
		x := uint64(first + i)
		for k := range 8 {
			b[8*i+k] = byte(x >> (8 * k))
		}
	}
	return f.a.Const(b)
}

// indexNode computes an affine index, or loads a staged one.
func (f *flow) indexNode(n *node) {
	s := &f.bp.sites[n.aux]
	l := f.lenOf(dtype.I64)
	if s.kind == flatSite {
		f.load(n)
		return
	}
	d := f.dst()
	if f.ph.kind == scalarPhase || f.prolog || s.line.Step() == 0 {
		f.i(x86.VPBROADCASTQ, l, d, frameAt(s.arg+f.pointer(s)))
		return
	}
	f.i(x86.VPBROADCASTQ, l, d, x86.RSI)
	f.i(x86.VPADDQ, l, d, d, f.iota64((f.base+f.copy)*f.w))
	f.i(x86.VPMULLQ, l, d, d, frameAt(s.arg+siteStride).Bcast())
	f.i(x86.VPADDQ, l, d, d, frameAt(s.arg+f.pointer(s)).Bcast())
}

func (f *flow) faultNode(n *node) {
	k := f.mask(n.args[0])
	if f.masked {
		f.i(x86.KANDW, 0, maskTmp, k, tailMask)
		k = maskTmp
	}
	skip := f.a.NewLabel()
	f.i(f.kop(x86.KORTESTB, x86.KORTESTW), 0, k, k)
	f.i(x86.JE, 0, skip)
	f.i(x86.OR, x86.W64, frameAt(frameFault), x86.Imm(int64(1)<<n.aux))
	f.a.Bind(skip)
}

// exportNode writes lane 0 to a cell.
func (f *flow) exportNode(n *node) {
	m := x86.At(x86.RDI, int32(f.c.cellBase)+n.aux*8)
	switch {
	case n.typ == dtype.Bool:
		f.i(x86.KMOVW, 0, m, f.mask(n.args[0]))
	case wide(n.typ):
		f.i(x86.VMOVQ, 0, m, f.src(n.args[0]))
	default:
		f.i(x86.VMOVD, 0, m, f.src(n.args[0]))
	}
}

// gatherNode loads from computed offsets: an element at a time if it is narrow.
func (f *flow) gatherNode(n *node) {
	s := &f.bp.sites[n.aux]
	t := f.ph.sites[n.aux].typ
	if t.Size() < 4 {
		f.gatherNarrowNode(n, s, t)
		return
	}
	offs, g, d := f.src(n.args[0]), f.mtmp(), f.dst()
	l := f.lenOf(t)
	switch {
	case n.args[1] != none:
		k := f.mask(n.args[1])
		f.i(x86.VMOVAPS, l, d, f.src(n.args[2]))
		if f.masked {
			f.i(x86.KANDW, 0, g, k, tailMask)
		} else {
			f.i(x86.KMOVW, 0, g, k)
		}
	case f.masked:
		f.i(x86.KMOVW, 0, g, tailMask)
	default:
		f.i(f.kop(x86.KXNORB, x86.KXNORW), 0, g, g, g)
	}
	f.i(x86.MOV, x86.W64, x86.RCX, frameAt(s.arg+f.pointer(s)))
	if wide(t) {
		f.i(x86.VGATHERQPD, f.lenOf(dtype.I64), d, x86.AtV(x86.RCX, offs, 8, 0), x86.Merge(g))
	} else {
		f.i(x86.VGATHERQPS, f.lenOf(dtype.I64), d, x86.AtV(x86.RCX, offs, 4, 0), x86.Merge(g))
	}
}

// gatherNarrowNode loads elements of less than 32 bits: gathers the aligned 32
// bits that each is part of, which never reach into another page, and shifts.
func (f *flow) gatherNarrowNode(n *node, s *boundSite, t dtype.Type) {
	offs := f.src(n.args[0])
	k, guard := f.mtmp(), n.args[1] != none
	switch {
	case guard && f.masked:
		f.i(x86.KANDW, 0, k, f.mask(n.args[1]), tailMask)
	case guard:
		f.i(x86.KMOVW, 0, k, f.mask(n.args[1]))
	case f.masked:
		f.i(x86.KMOVW, 0, k, tailMask)
	default:
		f.i(f.kop(x86.KXNORB, x86.KXNORW), 0, k, k, k)
	}
	l, ll := f.lenOf(dtype.I32), f.lenOf(dtype.I64)
	at, v, g := f.tmp(), f.tmp(), f.mtmp()
	f.i(x86.VPSLLQ, ll, at, offs, x86.Imm(t.Size()-1))
	f.i(x86.VPADDQ, ll, at, at, frameAt(s.arg+f.pointer(s)).Bcast())
	shift := f.tmp()
	f.i(x86.VPANDQ, ll, shift, at, f.imm(dtype.I64, 3))
	f.i(x86.VPXORQ, ll, at, at, shift)
	f.i(x86.VPSLLQ, ll, shift, shift, x86.Imm(3))
	f.i(x86.VPMOVQD, ll, shift, shift)
	f.i(x86.KMOVW, 0, g, k)
	f.i(x86.XOR, x86.W32, x86.RCX, x86.RCX)
	f.i(x86.VPXORD, l, v, v, v)
	f.i(x86.VGATHERQPS, ll, v, x86.AtV(x86.RCX, at, 1, 0), x86.Merge(g))
	f.i(x86.VPSRLVD, l, v, v, shift)
	switch t {
	case dtype.Bool:
		f.i(x86.VPTESTMD, l, g, v, f.imm(dtype.I32, 0xff), x86.Merge(k))
		if guard {
			f.i(x86.KANDNW, 0, k, k, f.mask(n.args[2]))
			f.i(x86.KORW, 0, g, g, k)
		}
		f.i(x86.KMOVW, 0, f.mdst(), g)
		return
	case dtype.F16:
		f.i(x86.VPMOVDW, l, v, v)
		f.i(x86.VCVTPH2PS, l, v, v)
	case dtype.BF16:
		f.i(x86.VPSLLD, l, v, v, x86.Imm(16))
	default:
		f.canon(t, v)
	}
	if guard {
		f.i(x86.VBLENDMPS, l, f.dst(), f.src(n.args[2]), v, x86.Merge(k))
		return
	}
	f.i(x86.VMOVAPS, l, f.dst(), v)
}
