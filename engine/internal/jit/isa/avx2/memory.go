package avx2

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
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

func maskMove(t dtype.Type) x86.Op { return isa.Pick(t, x86.VMASKMOVPS, x86.VMASKMOVPD) }

func (is Target) load(f *isa.Emitter, n *lower.Node) {
	s := &f.Layout.Sites[n.Aux]
	reg := f.Phase.Sites[n.Aux].Type.Register()
	one := f.Phase.Kind == lower.ScalarPhase || s.Kind == layout.Uniform
	if !s.Guard && n.Args[1] == lower.None {
		is.loadInto(f, f.Dst(), n.Aux, tailVec, f.Masked && !one)
		return
	}
	var k x86.Vec
	if s.Guard {
		k = is.inside(f, s)
	} else if k = f.Src(n.Args[1]); f.Masked {
		both := f.Tmp()
		f.I(x86.VANDPS, x86.L256, both, k, tailVec)
		k = both
	}
	d := f.Tmp()
	masked := f.Masked && !one
	if !s.Staged {
		masked = true
	}
	is.loadInto(f, d, n.Aux, k, masked)
	fill := f.Src(n.Args[0])
	blendv(f, reg, f.Dst(), fill, d, maskFor(f, k, reg))
}

// loadInto loads a site into d: all lanes, or only the lanes of predicate k if masked
// is set.
func (is Target) loadInto(f *isa.Emitter, d x86.Vec, i int32, k x86.Vec, masked bool) {
	s, t := &f.Layout.Sites[i], f.Phase.Sites[i].Type
	reg, one := t.Register(), f.Phase.Kind == lower.ScalarPhase || s.Kind == layout.Uniform
	l := f.LenOf(reg)
	plain := t.Size() >= 4
	switch {
	case one && masked: // all lanes or none
		skip := f.Asm.NewLabel()
		f.I(x86.VXORPS, x86.L256, d, d, d)
		f.I(x86.VMOVMSKPS, x86.L256, x86.RAX, k)
		f.I(x86.TEST, x86.W32, x86.RAX, x86.RAX)
		f.I(x86.JE, 0, skip)
		is.one(f, d, i, s, t)
		f.Asm.Bind(skip)
	case one:
		is.one(f, d, i, s, t)
	case s.Kind == layout.Strided && s.Step != 0 && !masked:
		is.stepped(f, s, reg, d)
	case s.Kind == layout.Strided:
		m := f.Strided(s)
		g := f.Tmp()
		if masked {
			f.I(x86.VMOVAPS, x86.L256, g, maskFor(f, k, reg))
		} else {
			f.I(x86.VPCMPEQD, x86.L256, g, g, g)
		}
		f.I(x86.VXORPS, x86.L256, d, d, d)
		f.I(isa.Pick(reg, x86.VGATHERDPS, x86.VGATHERDPD), l, d, m, g)
	case plain && masked:
		p := maskFor(f, k, reg)
		f.I(maskMove(reg), l, d, p, f.Address(s, i))
	case plain:
		f.I(x86.VMOVUPS, l, d, f.Address(s, i))
	default:
		m := f.Address(s, i)
		if masked {
			m = is.gatherNarrow(f, m, t.Size(), k)
		}
		is.widen(f, d, t, m)
	}
}

// widen loads contiguous narrow elements into the lanes of d.
func (is Target) widen(f *isa.Emitter, d x86.Vec, t dtype.Type, m x86.Mem) {
	l := f.LenOf(t.Register())
	switch t {
	case dtype.Bool:
		if f.W == 8 {
			f.I(x86.VPMOVZXBD, x86.L256, d, m)
			f.I(x86.VPCMPEQD, x86.L256, d, d, f.Full(dtype.I32, 0))
		} else {
			f.I(x86.VPMOVZXBQ, x86.L256, d, m)
			f.I(x86.VPCMPEQQ, x86.L256, d, d, f.Full(dtype.I64, 0))
		}
		f.I(x86.VPXOR, x86.L256, d, d, f.Ones())
	default:
		f.I(loadRows2[t], l, d, m)
		if t == dtype.BF16 {
			f.I(x86.VPSLLD, l, d, d, x86.Imm(16))
		}
	}
}

// gatherNarrow copies the elements of the lanes of k to scratch memory, and returns it.
func (is Target) gatherNarrow(f *isa.Emitter, m x86.Mem, size int, k x86.Vec) x86.Mem {
	f.I(x86.LEA, x86.W64, x86.RCX, m)
	is.laneBits(f, k)
	for lane := range f.W {
		skip := f.Asm.NewLabel()
		f.I(x86.BT, x86.W32, x86.RAX, x86.Imm(lane))
		f.I(x86.JAE, 0, skip)
		if size == 1 {
			f.I(x86.MOVZXB, x86.W32, x86.RDX, x86.At(x86.RCX, int32(lane)))
			f.I(x86.MOV, x86.W8, isa.Frame(frame.Tmp+lane), x86.RDX)
		} else {
			f.I(x86.MOVZXW, x86.W32, x86.RDX, x86.At(x86.RCX, int32(2*lane)))
			f.I(x86.MOV, x86.W16, isa.Frame(frame.Tmp+2*lane), x86.RDX)
		}
		f.Asm.Bind(skip)
	}
	return isa.Frame(frame.Tmp)
}

// laneBits puts one bit for each lane of k into RAX.
func (is Target) laneBits(f *isa.Emitter, k x86.Vec) {
	if f.W == 8 {
		f.I(x86.VMOVMSKPS, x86.L256, x86.RAX, k)
	} else {
		f.I(x86.VMOVMSKPD, x86.L256, x86.RAX, k)
	}
}

// one puts one element into all lanes.
func (is Target) one(f *isa.Emitter, d x86.Vec, i int32, s *layout.Site, t dtype.Type) {
	m := f.Address(s, i)
	reg := t.Register()
	switch t.Size() {
	case 4, 8:
		f.Broadcast(d, reg, m)
		return
	case 1:
		f.I(x86.VPBROADCASTB, x86.L128, d, m)
	default:
		f.I(x86.VPBROADCASTW, x86.L128, d, m)
	}
	switch t {
	case dtype.Bool:
		f.I(x86.VPMOVZXBQ, x86.L256, d, d)
		f.I(x86.VPCMPEQQ, x86.L256, d, d, f.Full(dtype.I64, 0))
		f.I(x86.VPXOR, x86.L256, d, d, f.Ones())
		if f.W == 8 {
			break // 64-bit lanes all alike are 32-bit lanes all alike
		}
	default:
		f.I(loadRows2[t], f.LenOf(reg), d, d)
		if t == dtype.BF16 {
			f.I(x86.VPSLLD, f.LenOf(reg), d, d, x86.Imm(16))
		}
	}
}

// inside returns the predicate of the lanes that a guarded site reads.
func (is Target) inside(f *isa.Emitter, s *layout.Site) x86.Vec {
	k := f.Tmp()
	if s.Staged {
		f.I(x86.MOV, x86.W64, x86.RCX, isa.Frame(s.Arg+frame.SiteInside))
		m := x86.AtX(x86.RCX, x86.RSI, 1, int32((f.Base+f.Copy)*f.W))
		is.widen(f, k, dtype.Bool, m) // scratch memory has room for a vector after its end
		if f.Phase.Kind == lower.ScalarPhase {
			f.I(x86.VPBROADCASTQ, x86.L256, k, k)
			if f.W == 8 {
				f.I(x86.VPBROADCASTD, x86.L256, k, k)
			}
		}
		return k
	}
	l := f.LenOf(dtype.I32)
	t, u := f.Tmp(), f.Tmp()
	is.position(f, t)
	f.I(x86.VPBROADCASTD, l, u, isa.Frame(s.Arg+frame.SiteLo))
	f.I(x86.VPCMPGTD, l, u, u, t) // before the first
	f.I(x86.VPBROADCASTD, l, k, isa.Frame(s.Arg+frame.SiteHi))
	f.I(x86.VPCMPGTD, l, k, k, t)
	f.I(x86.VPANDN, l, k, u, k)
	predicate(f, k, dtype.I32)
	return k
}

// position sets each lane of t to its position in the call.
func (is Target) position(f *isa.Emitter, t x86.Vec) {
	l := f.LenOf(dtype.I32)
	f.I(x86.VMOVD, 0, t, x86.RSI)
	f.I(x86.VPBROADCASTD, l, t, t)
	f.I(x86.VPADDD, l, t, t, f.Iota32((f.Base+f.Copy)*f.W))
}

// StoreTail stores the lanes of the tail of a vector of lanes of t.
func (is Target) StoreTail(f *isa.Emitter, t dtype.Type, m x86.Mem, x x86.Vec) {
	f.I(maskMove(t), f.LenOf(t), m, maskFor(f, tailVec, t), x)
}

func (is Target) StoreTo(f *isa.Emitter, n *lower.Node, t dtype.Type, m x86.Mem, masked bool) {
	l := f.LenOf(t.Register())
	x := f.Src(n.Args[0])
	if t.Size() >= 4 {
		if masked {
			f.I(maskMove(t), l, m, maskFor(f, tailVec, t), x)
		} else {
			op := x86.VMOVUPS
			if f.Passes(n.Aux) {
				op = isa.Pick(t, x86.VMOVNTPS, x86.VMOVNTPD)
			}
			f.I(op, l, m, x)
		}
		return
	}
	v := f.Tmp()
	switch t {
	case dtype.F16:
		f.I(x86.VCVTPS2PH, l, v, x, x86.Imm(0))
	case dtype.BF16:
		is.bf16(f, v, x)
		f.I(x86.VPSRLD, l, v, v, x86.Imm(16))
		is.packWords(f, v, x86.VPACKUSDW)
	case dtype.Bool:
		p := maskFor(f, x, dtype.I32)
		f.I(x86.VMOVAPS, f.LenOf(dtype.I32), v, p)
		is.packWords(f, v, x86.VPACKSSDW)
		f.I(x86.VPACKSSWB, x86.L128, v, v, v)
		f.I(x86.VPAND, x86.L128, v, v, f.Asm.Const(isa.Repeat(1, 16)))
	default:
		f.I(x86.VPAND, l, v, x, f.Full(dtype.U32, 0xff))
		is.packWords(f, v, x86.VPACKUSDW)
		f.I(x86.VPACKUSWB, x86.L128, v, v, v)
	}
	bytes := f.W * t.Size()
	if !masked {
		switch bytes {
		case 16:
			f.I(x86.VMOVUPS, x86.L128, m, v)
		case 8:
			f.I(x86.VMOVQ, 0, m, v)
		default:
			f.I(x86.VMOVD, 0, m, v)
		}
		return
	}
	f.I(x86.LEA, x86.W64, x86.RCX, m)
	f.I(x86.VMOVUPS, x86.L128, isa.Frame(frame.Tmp), v)
	is.laneBits(f, tailVec)
	for lane := range f.W {
		skip := f.Asm.NewLabel()
		f.I(x86.BT, x86.W32, x86.RAX, x86.Imm(lane))
		f.I(x86.JAE, 0, skip)
		if t.Size() == 1 {
			f.I(x86.MOVZXB, x86.W32, x86.RDX, isa.Frame(frame.Tmp+lane))
			f.I(x86.MOV, x86.W8, x86.At(x86.RCX, int32(lane)), x86.RDX)
		} else {
			f.I(x86.MOVZXW, x86.W32, x86.RDX, isa.Frame(frame.Tmp+2*lane))
			f.I(x86.MOV, x86.W16, x86.At(x86.RCX, int32(2*lane)), x86.RDX)
		}
		f.Asm.Bind(skip)
	}
}

// packWords packs the 32-bit lanes of v to 16-bit lanes, in order.
func (is Target) packWords(f *isa.Emitter, v x86.Vec, op x86.Op) {
	if f.W == 8 {
		t := f.Tmp()
		f.I(x86.VEXTRACTF128, x86.L256, t, v, x86.Imm(1))
		f.I(op, x86.L128, v, v, t)
		return
	}
	f.I(op, x86.L128, v, v, v)
}

func (is Target) index(f *isa.Emitter, n *lower.Node) {
	s := &f.Layout.Sites[n.Aux]
	if s.Kind == layout.Scratch {
		is.load(f, n)
		return
	}
	if f.Phase.Kind == lower.ScalarPhase || f.Prolog || s.Line.Step() == 0 {
		f.I(x86.VPBROADCASTQ, x86.L256, f.Dst(), isa.Frame(s.Arg+f.Pointer(s)))
		return
	}
	a, k, t := f.Tmp(), f.Tmp(), f.Tmp()
	d := f.Dst()
	f.I(x86.VMOVQ, x86.W64, a, x86.RSI)
	f.I(x86.VPBROADCASTQ, x86.L256, a, a)
	f.I(x86.VPADDQ, x86.L256, a, a, f.Iota64((f.Base+f.Copy)*f.W))
	f.I(x86.VPBROADCASTQ, x86.L256, k, isa.Frame(s.Arg+frame.SiteStride))
	is.mulWide(f, d, a, k, t)
	f.I(x86.VPBROADCASTQ, x86.L256, t, isa.Frame(s.Arg+f.Pointer(s)))
	f.I(x86.VPADDQ, x86.L256, d, d, t)
}

func (is Target) fault(f *isa.Emitter, n *lower.Node) {
	k := f.Src(n.Args[0])
	if f.Masked {
		t := f.Tmp()
		f.I(x86.VPAND, x86.L256, t, k, tailVec)
		k = t
	}
	skip := f.Asm.NewLabel()
	f.I(x86.VMOVMSKPS, x86.L256, x86.RAX, k)
	f.I(x86.TEST, x86.W32, x86.RAX, x86.RAX)
	f.I(x86.JE, 0, skip)
	f.I(x86.OR, x86.W64, isa.Frame(frame.Fault), x86.Imm(int64(1)<<n.Aux))
	f.Asm.Bind(skip)
}

func (is Target) gather(f *isa.Emitter, n *lower.Node) {
	s := &f.Layout.Sites[n.Aux]
	t := f.Phase.Sites[n.Aux].Type
	offs, k, d := f.Src(n.Args[0]), f.Tmp(), f.Dst()
	f.I(x86.VPCMPEQD, x86.L256, k, k, k)
	if t.Size() < 4 {
		is.gatherNarrowNode(f, n, offs, k, d)
		return
	}
	if f.Masked {
		f.I(x86.VMOVAPS, x86.L256, k, tailVec)
	}
	if n.Args[1] != lower.None {
		f.I(x86.VPAND, x86.L256, k, k, f.Src(n.Args[1]))
		f.I(x86.VMOVAPS, f.LenOf(t), d, f.Src(n.Args[2]))
	} else {
		f.I(x86.VXORPS, x86.L256, d, d, d)
	}
	p := maskFor(f, k, t)
	f.I(x86.MOV, x86.W64, x86.RCX, isa.Frame(s.Arg+f.Pointer(s)))
	is.gatherMasked(f, t, dtype.I64, d, x86.AtV(x86.RCX, offs, uint8(t.Size()), 0), p)
}

// export writes lane 0 to a cell.
func (is Target) export(f *isa.Emitter, n *lower.Node) {
	m := x86.At(x86.RDI, int32(f.Program.CellBase)+n.Aux*8)
	if isa.Wide(n.Type) {
		f.I(x86.VMOVQ, 0, m, f.Src(n.Args[0]))
	} else {
		f.I(x86.VMOVD, 0, m, f.Src(n.Args[0]))
	}
}

// gatherNarrowNode gathers elements of less than 32 bits. It gathers the aligned 32
// bits around each element, which never cross a page, and shifts. k are all ones.
func (is Target) gatherNarrowNode(f *isa.Emitter, n *lower.Node, offs, k, d x86.Vec) {
	s, t := &f.Layout.Sites[n.Aux], f.Phase.Sites[n.Aux].Type
	if f.Masked {
		f.I(x86.VMOVAPS, x86.L256, k, tailVec)
	}
	guard := n.Args[1] != lower.None
	if guard {
		f.I(x86.VPAND, x86.L256, k, k, f.Src(n.Args[1]))
	}
	l := f.LenOf(dtype.I32)
	at, shift := f.Tmp(), f.Tmp()
	f.I(x86.VPBROADCASTQ, x86.L256, shift, isa.Frame(s.Arg+f.Pointer(s)))
	f.I(x86.VPSLLQ, x86.L256, at, offs, x86.Imm(t.Size()-1))
	f.I(x86.VPADDQ, x86.L256, at, at, shift)
	f.I(x86.VPAND, x86.L256, shift, at, f.Full(dtype.I64, 3))
	f.I(x86.VPXOR, x86.L256, at, at, shift)
	f.I(x86.VPSLLQ, x86.L256, shift, shift, x86.Imm(3))
	shift = maskFor(f, shift, dtype.I32)
	lanes := f.Tmp()
	f.I(x86.VMOVAPS, l, lanes, maskFor(f, k, dtype.I32)) // the gather clears it
	f.I(x86.XOR, x86.W32, x86.RCX, x86.RCX)
	f.I(x86.VXORPS, l, d, d, d)
	f.I(x86.VGATHERQPS, x86.L256, d, x86.AtV(x86.RCX, at, 1, 0), lanes)
	f.I(x86.VPSRLVD, l, d, d, shift)
	switch t {
	case dtype.Bool:
		f.I(x86.VPAND, l, d, d, f.Full(dtype.U32, 0xff))
		f.I(x86.VPCMPEQD, l, d, d, f.Full(dtype.I32, 0))
		f.I(x86.VPXOR, l, d, d, f.Ones())
		predicate(f, d, dtype.I32)
	case dtype.F16:
		f.I(x86.VPAND, l, d, d, f.Full(dtype.U32, 0xffff))
		is.packWords(f, d, x86.VPACKUSDW)
		f.I(x86.VCVTPH2PS, l, d, d)
	case dtype.BF16:
		f.I(x86.VPSLLD, l, d, d, x86.Imm(16))
	default:
		f.Canon(t, d)
	}
	if guard {
		blendv(f, t.Register(), d, f.Src(n.Args[2]), d, maskFor(f, k, t.Register()))
	}
}

// stepped loads a site with a small step: a permute puts the lanes of each window in
// place, and a blend joins them.
func (is Target) stepped(f *isa.Emitter, s *layout.Site, t dtype.Type, d x86.Vec) {
	l, v := f.LenOf(t), f.Tmp()
	for i, w := range f.Windows(s) {
		to := d
		if i > 0 {
			to = v
		}
		order, blend := 0, 0
		for _, p := range w.Lanes {
			order |= p.At << (2 * p.Lane)
			blend |= 1 << p.Lane
		}
		switch {
		case isa.Wide(t):
			f.I(x86.VPERMPD, l, to, w.Mem, x86.Imm(order))
		case f.W == 4:
			f.I(x86.VPERMILPS, l, to, w.Mem, x86.Imm(order))
		default:
			f.I(x86.VMOVUPS, l, v, f.Selector(&w, 4, 0, false))
			f.I(x86.VPERMPS, l, to, v, w.Mem)
		}
		if i == 0 {
			continue
		}
		if isa.Wide(t) { // two halves for each lane
			blend = blend&1*3 | blend>>1&1*12 | blend>>2&1*48 | blend>>3&1*192
		}
		f.I(x86.VPBLENDD, l, d, d, v, x86.Imm(blend))
	}
}
