package jit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// inside returns the mask of the lanes that a guarded site reads.
func (is avx512) inside(f *emitter, s *boundSite) x86.Mask {
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
		is.loadBool(f, k, lane)
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
func (is avx512) loadBool(f *emitter, k x86.Mask, m x86.Mem) {
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

// A loadRow has the instructions that load elements of a memory type: contiguous ones,
// or one for all lanes, by a broadcast and a conversion.
type loadRow struct {
	lanes   x86.Op // contiguous elements
	one     x86.Op // broadcast of one element
	convert x86.Op // conversion after a broadcast; 0: none
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

func (is avx512) load(f *emitter, n *node) {
	s := &f.bp.sites[n.aux]
	t := f.ph.sites[n.aux].typ
	reg := t.Register()
	l := f.lenOf(reg)
	one := f.ph.kind == scalarPhase || s.kind == uniSite
	guarded, k := s.guard, x86.Mask(0)
	if guarded {
		k = is.inside(f, s)
	}
	if s.guard && s.staged {
		guarded = false // scratch memory has all lanes; the blend adds the fill value
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
		is.loadPredicate(f, n, s, k, one, with)
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

func (is avx512) loadPredicate(f *emitter, n *node, s *boundSite, k x86.Mask, one bool, with []x86.Operand) {
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

// storeTo stores the operand of n as contiguous elements of type t.
func (is avx512) storeTo(f *emitter, n *node, t dtype.Type, m x86.Mem, masked bool) {
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
		is.bf16(f, d, x)
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

// index computes an affine index, or loads a staged one.
func (is avx512) index(f *emitter, n *node) {
	s := &f.bp.sites[n.aux]
	l := f.lenOf(dtype.I64)
	if s.kind == flatSite {
		is.load(f, n)
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

func (is avx512) fault(f *emitter, n *node) {
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

// export writes lane 0 to a cell.
func (is avx512) export(f *emitter, n *node) {
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

// gather loads elements of 32 or 64 bits from computed offsets. gatherNarrow loads
// narrower ones.
func (is avx512) gather(f *emitter, n *node) {
	s := &f.bp.sites[n.aux]
	t := f.ph.sites[n.aux].typ
	if t.Size() < 4 {
		is.gatherNarrow(f, n, s, t)
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

// gatherNarrow loads elements of less than 32 bits. It gathers the aligned 32 bits
// around each element, which never cross a page, and shifts.
func (is avx512) gatherNarrow(f *emitter, n *node, s *boundSite, t dtype.Type) {
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
