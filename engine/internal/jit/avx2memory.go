package jit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// Loads and stores with AVX2. A masked body uses vmaskmov; there, elements narrower
// than 32 bits go one by one through scratch memory.

// loadRows2 has the instructions that load contiguous elements of a narrow type into
// lanes of 32 bits.
var loadRows2 = map[dtype.Type]x86.Op{
	dtype.I8:   x86.VPMOVSXBD,
	dtype.U8:   x86.VPMOVZXBD,
	dtype.F16:  x86.VCVTPH2PS,
	dtype.BF16: x86.VPMOVZXWD,
}

func maskMove(t dtype.Type) x86.Op { return pick(t, x86.VMASKMOVPS, x86.VMASKMOVPD) }

func (is avx2) load(f *emitter, n *node) {
	s := &f.bp.sites[n.aux]
	t := f.ph.sites[n.aux].typ
	reg := t.Register()
	one := f.ph.kind == scalarPhase || s.kind == uniSite
	if !s.guard && n.args[1] == none {
		is.loadInto(f, f.dst(), n.aux, s, t, one, tailVec, f.masked && !one)
		return
	}
	var k x86.Vec
	if s.guard {
		k = is.inside(f, s)
	} else if k = f.src(n.args[1]); f.masked {
		both := f.tmp()
		f.i(x86.VANDPS, x86.L256, both, k, tailVec)
		k = both
	}
	d := f.tmp()
	masked := f.masked && !one
	if !s.staged {
		masked = true
	}
	is.loadInto(f, d, n.aux, s, t, one, k, masked)
	fill := f.src(n.args[0])
	f.blendv(reg, f.dst(), fill, d, f.maskFor(k, reg))
}

// loadInto loads a site into d: all lanes, or only the lanes of predicate k if masked
// is set.
func (is avx2) loadInto(f *emitter, d x86.Vec, i int32, s *boundSite, t dtype.Type, one bool, k x86.Vec, masked bool) {
	reg := t.Register()
	l := f.lenOf(reg)
	plain := t.Size() >= 4
	switch {
	case one && masked: // all lanes or none
		skip := f.a.NewLabel()
		f.i(x86.VXORPS, x86.L256, d, d, d)
		f.i(x86.VMOVMSKPS, x86.L256, x86.RAX, k)
		f.i(x86.TEST, x86.W32, x86.RAX, x86.RAX)
		f.i(x86.JE, 0, skip)
		is.one(f, d, i, s, t)
		f.a.Bind(skip)
	case one:
		is.one(f, d, i, s, t)
	case s.kind == strideSite:
		m := f.strided(s)
		g := f.tmp()
		if masked {
			f.i(x86.VMOVAPS, x86.L256, g, f.maskFor(k, reg))
		} else {
			f.i(x86.VPCMPEQD, x86.L256, g, g, g)
		}
		f.i(x86.VXORPS, x86.L256, d, d, d)
		f.i(pick(reg, x86.VGATHERDPS, x86.VGATHERDPD), l, d, m, g)
	case plain && masked:
		p := f.maskFor(k, reg)
		f.i(maskMove(reg), l, d, p, f.address(s, i))
	case plain:
		f.i(x86.VMOVUPS, l, d, f.address(s, i))
	default:
		m := f.address(s, i)
		if masked {
			m = is.gatherNarrow(f, m, t.Size(), k)
		}
		is.widen(f, d, t, m)
	}
}

// widen loads contiguous narrow elements into the lanes of d.
func (is avx2) widen(f *emitter, d x86.Vec, t dtype.Type, m x86.Mem) {
	l := f.lenOf(t.Register())
	switch t {
	case dtype.Bool:
		if f.w == 8 {
			f.i(x86.VPMOVZXBD, x86.L256, d, m)
			f.i(x86.VPCMPEQD, x86.L256, d, d, f.full(dtype.I32, 0))
		} else {
			f.i(x86.VPMOVZXBQ, x86.L256, d, m)
			f.i(x86.VPCMPEQQ, x86.L256, d, d, f.full(dtype.I64, 0))
		}
		f.i(x86.VPXOR, x86.L256, d, d, f.ones())
	default:
		f.i(loadRows2[t], l, d, m)
		if t == dtype.BF16 {
			f.i(x86.VPSLLD, l, d, d, x86.Imm(16))
		}
	}
}

// gatherNarrow copies the elements of the lanes of k to scratch memory, and returns it.
func (is avx2) gatherNarrow(f *emitter, m x86.Mem, size int, k x86.Vec) x86.Mem {
	f.i(x86.LEA, x86.W64, x86.RCX, m)
	is.laneBits(f, k)
	for lane := range f.w {
		skip := f.a.NewLabel()
		f.i(x86.BT, x86.W32, x86.RAX, x86.Imm(lane))
		f.i(x86.JAE, 0, skip)
		if size == 1 {
			f.i(x86.MOVZXB, x86.W32, x86.RDX, x86.At(x86.RCX, int32(lane)))
			f.i(x86.MOV, x86.W8, frameAt(frameTmp+lane), x86.RDX)
		} else {
			f.i(x86.MOVZXW, x86.W32, x86.RDX, x86.At(x86.RCX, int32(2*lane)))
			f.i(x86.MOV, x86.W16, frameAt(frameTmp+2*lane), x86.RDX)
		}
		f.a.Bind(skip)
	}
	return frameAt(frameTmp)
}

// laneBits puts one bit for each lane of k into RAX.
func (is avx2) laneBits(f *emitter, k x86.Vec) {
	if f.w == 8 {
		f.i(x86.VMOVMSKPS, x86.L256, x86.RAX, k)
	} else {
		f.i(x86.VMOVMSKPD, x86.L256, x86.RAX, k)
	}
}

// one puts one element into all lanes.
func (is avx2) one(f *emitter, d x86.Vec, i int32, s *boundSite, t dtype.Type) {
	m := f.address(s, i)
	reg := t.Register()
	switch t.Size() {
	case 4, 8:
		f.broadcast(d, reg, m)
		return
	case 1:
		f.i(x86.VPBROADCASTB, x86.L128, d, m)
	default:
		f.i(x86.VPBROADCASTW, x86.L128, d, m)
	}
	switch t {
	case dtype.Bool:
		f.i(x86.VPMOVZXBQ, x86.L256, d, d)
		f.i(x86.VPCMPEQQ, x86.L256, d, d, f.full(dtype.I64, 0))
		f.i(x86.VPXOR, x86.L256, d, d, f.ones())
		if f.w == 8 {
			break // 64-bit lanes all alike are 32-bit lanes all alike
		}
	default:
		f.i(loadRows2[t], f.lenOf(reg), d, d)
		if t == dtype.BF16 {
			f.i(x86.VPSLLD, f.lenOf(reg), d, d, x86.Imm(16))
		}
	}
}

// inside returns the predicate of the lanes that a guarded site reads.
func (is avx2) inside(f *emitter, s *boundSite) x86.Vec {
	k := f.tmp()
	if s.staged {
		f.i(x86.MOV, x86.W64, x86.RCX, frameAt(s.arg+siteInside))
		m := x86.AtX(x86.RCX, x86.RSI, 1, int32((f.base+f.copy)*f.w))
		is.widen(f, k, dtype.Bool, m) // scratch memory has room for a vector after its end
		if f.ph.kind == scalarPhase {
			f.i(x86.VPBROADCASTQ, x86.L256, k, k)
			if f.w == 8 {
				f.i(x86.VPBROADCASTD, x86.L256, k, k)
			}
		}
		return k
	}
	l := f.lenOf(dtype.I32)
	t, u := f.tmp(), f.tmp()
	is.position(f, t)
	f.i(x86.VPBROADCASTD, l, u, frameAt(s.arg+siteLo))
	f.i(x86.VPCMPGTD, l, u, u, t) // before the first
	f.i(x86.VPBROADCASTD, l, k, frameAt(s.arg+siteHi))
	f.i(x86.VPCMPGTD, l, k, k, t)
	f.i(x86.VPANDN, l, k, u, k)
	f.predicate(k, dtype.I32)
	return k
}

// position sets each lane of t to its position in the call.
func (is avx2) position(f *emitter, t x86.Vec) {
	l := f.lenOf(dtype.I32)
	f.i(x86.VMOVD, 0, t, x86.RSI)
	f.i(x86.VPBROADCASTD, l, t, t)
	f.i(x86.VPADDD, l, t, t, f.iota32((f.base+f.copy)*f.w))
}

// storeTail stores the lanes of the tail of a vector of lanes of t.
func (is avx2) storeTail(f *emitter, t dtype.Type, m x86.Mem, x x86.Vec) {
	f.i(maskMove(t), f.lenOf(t), m, f.maskFor(tailVec, t), x)
}

func (is avx2) storeTo(f *emitter, n *node, t dtype.Type, m x86.Mem, masked bool) {
	l := f.lenOf(t.Register())
	x := f.src(n.args[0])
	if t.Size() >= 4 {
		if masked {
			f.i(maskMove(t), l, m, f.maskFor(tailVec, t), x)
		} else {
			op := x86.VMOVUPS
			if f.passes(n.aux) {
				op = pick(t, x86.VMOVNTPS, x86.VMOVNTPD)
			}
			f.i(op, l, m, x)
		}
		return
	}
	v := f.tmp()
	switch t {
	case dtype.F16:
		f.i(x86.VCVTPS2PH, l, v, x, x86.Imm(0))
	case dtype.BF16:
		is.bf16(f, v, x)
		f.i(x86.VPSRLD, l, v, v, x86.Imm(16))
		is.packWords(f, v, x86.VPACKUSDW)
	case dtype.Bool:
		p := f.maskFor(x, dtype.I32)
		f.i(x86.VMOVAPS, f.lenOf(dtype.I32), v, p)
		is.packWords(f, v, x86.VPACKSSDW)
		f.i(x86.VPACKSSWB, x86.L128, v, v, v)
		f.i(x86.VPAND, x86.L128, v, v, f.a.Const(repeat(1, 16)))
	default:
		f.i(x86.VPAND, l, v, x, f.full(dtype.U32, 0xff))
		is.packWords(f, v, x86.VPACKUSDW)
		f.i(x86.VPACKUSWB, x86.L128, v, v, v)
	}
	bytes := f.w * t.Size()
	if !masked {
		switch bytes {
		case 16:
			f.i(x86.VMOVUPS, x86.L128, m, v)
		case 8:
			f.i(x86.VMOVQ, 0, m, v)
		default:
			f.i(x86.VMOVD, 0, m, v)
		}
		return
	}
	f.i(x86.LEA, x86.W64, x86.RCX, m)
	f.i(x86.VMOVUPS, x86.L128, frameAt(frameTmp), v)
	is.laneBits(f, tailVec)
	for lane := range f.w {
		skip := f.a.NewLabel()
		f.i(x86.BT, x86.W32, x86.RAX, x86.Imm(lane))
		f.i(x86.JAE, 0, skip)
		if t.Size() == 1 {
			f.i(x86.MOVZXB, x86.W32, x86.RDX, frameAt(frameTmp+lane))
			f.i(x86.MOV, x86.W8, x86.At(x86.RCX, int32(lane)), x86.RDX)
		} else {
			f.i(x86.MOVZXW, x86.W32, x86.RDX, frameAt(frameTmp+2*lane))
			f.i(x86.MOV, x86.W16, x86.At(x86.RCX, int32(2*lane)), x86.RDX)
		}
		f.a.Bind(skip)
	}
}

// packWords packs the 32-bit lanes of v to 16-bit lanes, in order.
func (is avx2) packWords(f *emitter, v x86.Vec, op x86.Op) {
	if f.w == 8 {
		t := f.tmp()
		f.i(x86.VEXTRACTF128, x86.L256, t, v, x86.Imm(1))
		f.i(op, x86.L128, v, v, t)
		return
	}
	f.i(op, x86.L128, v, v, v)
}

func (is avx2) index(f *emitter, n *node) {
	s := &f.bp.sites[n.aux]
	if s.kind == flatSite {
		is.load(f, n)
		return
	}
	if f.ph.kind == scalarPhase || f.prolog || s.line.Step() == 0 {
		f.i(x86.VPBROADCASTQ, x86.L256, f.dst(), frameAt(s.arg+f.pointer(s)))
		return
	}
	a, k, t := f.tmp(), f.tmp(), f.tmp()
	d := f.dst()
	f.i(x86.VMOVQ, x86.W64, a, x86.RSI)
	f.i(x86.VPBROADCASTQ, x86.L256, a, a)
	f.i(x86.VPADDQ, x86.L256, a, a, f.iota64((f.base+f.copy)*f.w))
	f.i(x86.VPBROADCASTQ, x86.L256, k, frameAt(s.arg+siteStride))
	is.mulWide(f, d, a, k, t)
	f.i(x86.VPBROADCASTQ, x86.L256, t, frameAt(s.arg+f.pointer(s)))
	f.i(x86.VPADDQ, x86.L256, d, d, t)
}

func (is avx2) fault(f *emitter, n *node) {
	k := f.src(n.args[0])
	if f.masked {
		t := f.tmp()
		f.i(x86.VPAND, x86.L256, t, k, tailVec)
		k = t
	}
	skip := f.a.NewLabel()
	f.i(x86.VMOVMSKPS, x86.L256, x86.RAX, k)
	f.i(x86.TEST, x86.W32, x86.RAX, x86.RAX)
	f.i(x86.JE, 0, skip)
	f.i(x86.OR, x86.W64, frameAt(frameFault), x86.Imm(int64(1)<<n.aux))
	f.a.Bind(skip)
}

func (is avx2) gather(f *emitter, n *node) {
	s := &f.bp.sites[n.aux]
	t := f.ph.sites[n.aux].typ
	offs, k, d := f.src(n.args[0]), f.tmp(), f.dst()
	f.i(x86.VPCMPEQD, x86.L256, k, k, k)
	if t.Size() < 4 {
		is.gatherNarrowNode(f, n, s, t, offs, k, d)
		return
	}
	if f.masked {
		f.i(x86.VMOVAPS, x86.L256, k, tailVec)
	}
	if n.args[1] != none {
		f.i(x86.VPAND, x86.L256, k, k, f.src(n.args[1]))
		f.i(x86.VMOVAPS, f.lenOf(t), d, f.src(n.args[2]))
	} else {
		f.i(x86.VXORPS, x86.L256, d, d, d)
	}
	p := f.maskFor(k, t)
	f.i(x86.MOV, x86.W64, x86.RCX, frameAt(s.arg+f.pointer(s)))
	is.gatherMasked(f, t, dtype.I64, d, x86.RCX, offs, p)
}

// export writes lane 0 to a cell.
func (is avx2) export(f *emitter, n *node) {
	m := x86.At(x86.RDI, int32(f.c.cellBase)+n.aux*8)
	if wide(n.typ) {
		f.i(x86.VMOVQ, 0, m, f.src(n.args[0]))
	} else {
		f.i(x86.VMOVD, 0, m, f.src(n.args[0]))
	}
}

// gatherNarrowNode gathers elements of less than 32 bits. It gathers the aligned 32
// bits around each element, which never cross a page, and shifts. k are all ones.
func (is avx2) gatherNarrowNode(f *emitter, n *node, s *boundSite, t dtype.Type, offs, k, d x86.Vec) {
	if f.masked {
		f.i(x86.VMOVAPS, x86.L256, k, tailVec)
	}
	guard := n.args[1] != none
	if guard {
		f.i(x86.VPAND, x86.L256, k, k, f.src(n.args[1]))
	}
	l := f.lenOf(dtype.I32)
	at, shift := f.tmp(), f.tmp()
	f.i(x86.VPBROADCASTQ, x86.L256, shift, frameAt(s.arg+f.pointer(s)))
	f.i(x86.VPSLLQ, x86.L256, at, offs, x86.Imm(t.Size()-1))
	f.i(x86.VPADDQ, x86.L256, at, at, shift)
	f.i(x86.VPAND, x86.L256, shift, at, f.full(dtype.I64, 3))
	f.i(x86.VPXOR, x86.L256, at, at, shift)
	f.i(x86.VPSLLQ, x86.L256, shift, shift, x86.Imm(3))
	shift = f.maskFor(shift, dtype.I32)
	lanes := f.tmp()
	f.i(x86.VMOVAPS, l, lanes, f.maskFor(k, dtype.I32)) // the gather clears it
	f.i(x86.XOR, x86.W32, x86.RCX, x86.RCX)
	f.i(x86.VXORPS, l, d, d, d)
	f.i(x86.VGATHERQPS, x86.L256, d, x86.AtV(x86.RCX, at, 1, 0), lanes)
	f.i(x86.VPSRLVD, l, d, d, shift)
	switch t {
	case dtype.Bool:
		f.i(x86.VPAND, l, d, d, f.full(dtype.U32, 0xff))
		f.i(x86.VPCMPEQD, l, d, d, f.full(dtype.I32, 0))
		f.i(x86.VPXOR, l, d, d, f.ones())
		f.predicate(d, dtype.I32)
	case dtype.F16:
		f.i(x86.VPAND, l, d, d, f.full(dtype.U32, 0xffff))
		is.packWords(f, d, x86.VPACKUSDW)
		f.i(x86.VCVTPH2PS, l, d, d)
	case dtype.BF16:
		f.i(x86.VPSLLD, l, d, d, x86.Imm(16))
	default:
		f.canon(t, d)
	}
	if guard {
		f.blendv(t.Register(), d, f.src(n.args[2]), d, f.maskFor(k, t.Register()))
	}
}
