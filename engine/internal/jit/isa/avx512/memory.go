package avx512

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// inside returns the mask of the lanes that a guarded site reads.
func (is Target) inside(f *isa.Emitter, s *layout.Site) x86.Mask {
	k := f.TmpMask()
	l := f.LenOf(dtype.I32)
	if s.Staged {
		f.I(x86.MOV, x86.W64, x86.RCX, isa.Frame(s.Arg+frame.SiteInside))
		lane := x86.AtX(x86.RCX, x86.RSI, 1, int32((f.Base+f.Copy)*f.W))
		if f.Phase.Kind == lower.ScalarPhase {
			t := f.Tmp()
			f.I(x86.VPBROADCASTB, x86.L128, t, x86.At(x86.RCX, 0))
			f.I(x86.VPTESTMB, x86.L128, k, t, t)
			return k
		}
		is.loadBool(f, k, lane)
		return k
	}
	t := f.Tmp()
	f.I(x86.VPBROADCASTD, l, t, x86.RSI)
	f.I(x86.VPADDD, l, t, t, f.Iota32((f.Base+f.Copy)*f.W))
	f.I(x86.VPCMPD, l, k, t, isa.Frame(s.Arg+frame.SiteLo).Bcast(), x86.Imm(5))
	f.I(x86.VPCMPD, l, k, t, isa.Frame(s.Arg+frame.SiteHi).Bcast(), x86.Imm(1), x86.Merge(k))
	return k
}

// loadBool loads bytes as a mask. It reads w bytes.
func (is Target) loadBool(f *isa.Emitter, k x86.Mask, m x86.Mem) {
	t := f.Tmp()
	switch {
	case f.Masked:
		f.I(x86.VMOVDQU8, x86.L128, t, m, x86.Zero(tailMask))
	case f.W == 8:
		f.I(x86.VMOVQ, 0, t, m)
	default:
		f.I(x86.VMOVUPS, x86.L128, t, m)
	}
	f.I(x86.VPTESTMB, x86.L128, k, t, t)
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

func (is Target) load(f *isa.Emitter, n *lower.Node) {
	s := &f.Layout.Sites[n.Aux]
	t := f.Phase.Sites[n.Aux].Type
	reg := t.Register()
	l := f.LenOf(reg)
	one := f.Phase.Kind == lower.ScalarPhase || s.Kind == layout.Uniform
	guarded, k := s.Guard, x86.Mask(0)
	if guarded {
		k = is.inside(f, s)
	}
	if s.Guard && s.Staged {
		guarded = false // scratch memory has all lanes; the blend adds the fill value
	}
	blend := s.Guard || n.Args[1] != lower.None
	if n.Args[1] != lower.None {
		guarded, k = true, f.Mask(n.Args[1])
		if f.Masked {
			both := f.TmpMask()
			f.I(x86.KANDW, 0, both, k, tailMask)
			k = both
		}
	}
	var with []x86.Operand
	switch {
	case guarded:
		with = []x86.Operand{x86.Zero(k)}
	case f.Masked && !one:
		with = []x86.Operand{x86.Zero(tailMask)}
	}
	if t == dtype.Bool {
		is.loadPredicate(f, n, s, k, one, with)
		return
	}
	row := loadRows[t]
	var d x86.Vec
	if blend {
		d = f.Tmp()
	} else {
		f.Release()
		d = f.Dst()
	}
	switch {
	case one && row.convert == 0:
		f.I(row.one, l, append([]x86.Operand{d, f.Address(s, n.Aux)}, with...)...)
	case one:
		f.I(row.one, row.size, append([]x86.Operand{d, f.Address(s, n.Aux)}, with...)...)
		f.I(row.convert, l, d, d)
	case s.Kind == layout.Strided && s.Step != 0 && !guarded && !f.Masked:
		is.stepped(f, s, reg, d)
	case s.Kind == layout.Strided:
		m := f.Strided(s)
		g := f.TmpMask()
		switch {
		case guarded:
			f.I(x86.KMOVW, 0, g, k)
		case f.Masked:
			f.I(x86.KMOVW, 0, g, tailMask)
		default:
			f.I(kop(f, x86.KXNORB, x86.KXNORW), 0, g, g, g)
		}
		f.I(x86.VPXORD, l, d, d, d)
		if isa.Wide(reg) {
			f.I(x86.VGATHERDPD, l, d, m, x86.Merge(g))
		} else {
			f.I(x86.VGATHERDPS, l, d, m, x86.Merge(g))
		}
	default:
		f.I(row.lanes, l, append([]x86.Operand{d, f.Address(s, n.Aux)}, with...)...)
	}
	if t == dtype.BF16 {
		f.I(x86.VPSLLD, l, d, d, x86.Imm(16))
	}
	if blend {
		fill := f.Src(n.Args[0])
		f.I(isa.Pick(reg, x86.VBLENDMPS, x86.VBLENDMPD), l, f.Dst(), fill, d, x86.Merge(k))
	}
}

func (is Target) loadPredicate(f *isa.Emitter, n *lower.Node, s *layout.Site, k x86.Mask, one bool, with []x86.Operand) {
	var d x86.Mask
	blend := s.Guard || n.Args[1] != lower.None
	if blend {
		d = f.TmpMask()
	} else {
		f.Release()
		d = f.DstMask()
	}
	t := f.Tmp()
	m := f.Address(s, n.Aux)
	switch {
	case one:
		f.I(x86.VPBROADCASTB, x86.L128, append([]x86.Operand{t, m}, with...)...)
	case len(with) > 0:
		f.I(x86.VMOVDQU8, x86.L128, append([]x86.Operand{t, m}, with...)...)
	case f.W == 8:
		f.I(x86.VMOVQ, 0, t, m)
	default:
		f.I(x86.VMOVUPS, x86.L128, t, m)
	}
	f.I(x86.VPTESTMB, x86.L128, d, t, t)
	if one && f.W == 8 {
		f.I(x86.KMOVB, 0, d, d)
	}
	if blend {
		fill, u := f.Mask(n.Args[0]), f.TmpMask()
		f.I(x86.KANDW, 0, d, d, k)
		f.I(x86.KANDNW, 0, u, k, fill)
		f.I(x86.KORW, 0, f.DstMask(), d, u)
	}
}

// StoreTo stores the operand of n as contiguous elements of type t.
func (is Target) StoreTo(f *isa.Emitter, n *lower.Node, t dtype.Type, m x86.Mem, masked bool) {
	l := f.LenOf(t.Register())
	var with []x86.Operand
	if masked {
		with = []x86.Operand{x86.Merge(tailMask)}
	}
	if t == dtype.Bool {
		v := f.Tmp()
		k := f.Mask(n.Args[0])
		f.I(x86.VMOVDQU8, x86.L128, v, f.Asm.Const(isa.Repeat(1, 16)), x86.Zero(k))
		switch {
		case masked:
			f.I(x86.VMOVDQU8, x86.L128, m, v, x86.Merge(tailMask))
		case f.W == 8:
			f.I(x86.VMOVQ, 0, m, v)
		default:
			f.I(x86.VMOVUPS, x86.L128, m, v)
		}
		return
	}
	x := f.Src(n.Args[0])
	switch t {
	case dtype.BF16:
		d := f.Tmp()
		is.bf16(f, d, x)
		f.I(x86.VPSRLD, l, d, d, x86.Imm(16))
		f.I(x86.VPMOVDW, l, append([]x86.Operand{m, d}, with...)...)
	case dtype.F16:
		f.I(x86.VCVTPS2PH, l, append([]x86.Operand{m, x, x86.Imm(0)}, with...)...)
	case dtype.I8, dtype.U8:
		f.I(x86.VPMOVDB, l, append([]x86.Operand{m, x}, with...)...)
	default:
		op := isa.Pick(t, x86.VMOVUPS, x86.VMOVUPD)
		if f.Passes(n.Aux) && !masked {
			op = isa.Pick(t, x86.VMOVNTPS, x86.VMOVNTPD)
		}
		f.I(op, l, append([]x86.Operand{m, x}, with...)...)
	}
}

// index computes an affine index, or loads a staged one.
func (is Target) index(f *isa.Emitter, n *lower.Node) {
	s := &f.Layout.Sites[n.Aux]
	l := f.LenOf(dtype.I64)
	if s.Kind == layout.Scratch {
		is.load(f, n)
		return
	}
	d := f.Dst()
	if f.Phase.Kind == lower.ScalarPhase || f.Prolog || s.Line.Step() == 0 {
		f.I(x86.VPBROADCASTQ, l, d, isa.Frame(s.Arg+f.Pointer(s)))
		return
	}
	f.I(x86.VPBROADCASTQ, l, d, x86.RSI)
	f.I(x86.VPADDQ, l, d, d, f.Iota64((f.Base+f.Copy)*f.W))
	f.I(x86.VPMULLQ, l, d, d, isa.Frame(s.Arg+frame.SiteStride).Bcast())
	f.I(x86.VPADDQ, l, d, d, isa.Frame(s.Arg+f.Pointer(s)).Bcast())
}

func (is Target) fault(f *isa.Emitter, n *lower.Node) {
	k := f.Mask(n.Args[0])
	if f.Masked {
		f.I(x86.KANDW, 0, maskTmp, k, tailMask)
		k = maskTmp
	}
	skip := f.Asm.NewLabel()
	f.I(kop(f, x86.KORTESTB, x86.KORTESTW), 0, k, k)
	f.I(x86.JE, 0, skip)
	f.I(x86.OR, x86.W64, isa.Frame(frame.Fault), x86.Imm(int64(1)<<n.Aux))
	f.Asm.Bind(skip)
}

// export writes lane 0 to a cell.
func (is Target) export(f *isa.Emitter, n *lower.Node) {
	m := x86.At(x86.RDI, int32(f.Program.CellBase)+n.Aux*8)
	switch {
	case n.Type == dtype.Bool:
		f.I(x86.KMOVW, 0, m, f.Mask(n.Args[0]))
	case isa.Wide(n.Type):
		f.I(x86.VMOVQ, 0, m, f.Src(n.Args[0]))
	default:
		f.I(x86.VMOVD, 0, m, f.Src(n.Args[0]))
	}
}

// gather loads elements of 32 or 64 bits from computed offsets. gatherNarrow loads
// narrower ones.
func (is Target) gather(f *isa.Emitter, n *lower.Node) {
	s := &f.Layout.Sites[n.Aux]
	t := f.Phase.Sites[n.Aux].Type
	if t.Size() < 4 {
		is.gatherNarrow(f, n, s, t)
		return
	}
	offs, g, d := f.Src(n.Args[0]), f.TmpMask(), f.Dst()
	l := f.LenOf(t)
	switch {
	case n.Args[1] != lower.None:
		k := f.Mask(n.Args[1])
		f.I(x86.VMOVAPS, l, d, f.Src(n.Args[2]))
		if f.Masked {
			f.I(x86.KANDW, 0, g, k, tailMask)
		} else {
			f.I(x86.KMOVW, 0, g, k)
		}
	case f.Masked:
		f.I(x86.KMOVW, 0, g, tailMask)
	default:
		f.I(kop(f, x86.KXNORB, x86.KXNORW), 0, g, g, g)
	}
	f.I(x86.MOV, x86.W64, x86.RCX, isa.Frame(s.Arg+f.Pointer(s)))
	if isa.Wide(t) {
		f.I(x86.VGATHERQPD, f.LenOf(dtype.I64), d, x86.AtV(x86.RCX, offs, 8, 0), x86.Merge(g))
	} else {
		f.I(x86.VGATHERQPS, f.LenOf(dtype.I64), d, x86.AtV(x86.RCX, offs, 4, 0), x86.Merge(g))
	}
}

// gatherNarrow loads elements of less than 32 bits. It gathers the aligned 32 bits
// around each element, which never cross a page, and shifts.
func (is Target) gatherNarrow(f *isa.Emitter, n *lower.Node, s *layout.Site, t dtype.Type) {
	offs := f.Src(n.Args[0])
	k, guard := f.TmpMask(), n.Args[1] != lower.None
	switch {
	case guard && f.Masked:
		f.I(x86.KANDW, 0, k, f.Mask(n.Args[1]), tailMask)
	case guard:
		f.I(x86.KMOVW, 0, k, f.Mask(n.Args[1]))
	case f.Masked:
		f.I(x86.KMOVW, 0, k, tailMask)
	default:
		f.I(kop(f, x86.KXNORB, x86.KXNORW), 0, k, k, k)
	}
	l, ll := f.LenOf(dtype.I32), f.LenOf(dtype.I64)
	at, v, g := f.Tmp(), f.Tmp(), f.TmpMask()
	f.I(x86.VPSLLQ, ll, at, offs, x86.Imm(t.Size()-1))
	f.I(x86.VPADDQ, ll, at, at, isa.Frame(s.Arg+f.Pointer(s)).Bcast())
	shift := f.Tmp()
	f.I(x86.VPANDQ, ll, shift, at, f.ConstBcast(dtype.I64, 3))
	f.I(x86.VPXORQ, ll, at, at, shift)
	f.I(x86.VPSLLQ, ll, shift, shift, x86.Imm(3))
	f.I(x86.VPMOVQD, ll, shift, shift)
	f.I(x86.KMOVW, 0, g, k)
	f.I(x86.XOR, x86.W32, x86.RCX, x86.RCX)
	f.I(x86.VPXORD, l, v, v, v)
	f.I(x86.VGATHERQPS, ll, v, x86.AtV(x86.RCX, at, 1, 0), x86.Merge(g))
	f.I(x86.VPSRLVD, l, v, v, shift)
	switch t {
	case dtype.Bool:
		f.I(x86.VPTESTMD, l, g, v, f.ConstBcast(dtype.I32, 0xff), x86.Merge(k))
		if guard {
			f.I(x86.KANDNW, 0, k, k, f.Mask(n.Args[2]))
			f.I(x86.KORW, 0, g, g, k)
		}
		f.I(x86.KMOVW, 0, f.DstMask(), g)
		return
	case dtype.F16:
		f.I(x86.VPMOVDW, l, v, v)
		f.I(x86.VCVTPH2PS, l, v, v)
	case dtype.BF16:
		f.I(x86.VPSLLD, l, v, v, x86.Imm(16))
	default:
		f.Canon(t, v)
	}
	if guard {
		f.I(x86.VBLENDMPS, l, f.Dst(), f.Src(n.Args[2]), v, x86.Merge(k))
		return
	}
	f.I(x86.VMOVAPS, l, f.Dst(), v)
}

// stepped loads a site with a small step: each window gives its lanes by a permute.
func (is Target) stepped(f *isa.Emitter, s *layout.Site, t dtype.Type, d x86.Vec) {
	l, size, ix := f.LenOf(t), t.Size(), f.Tmp()
	load, pair := isa.Pick(t, x86.VMOVUPS, x86.VMOVUPD), isa.Pick(t, x86.VPERMT2PS, x86.VPERMT2PD)
	windows := f.Windows(s)
	f.I(load, l, d, windows[0].Mem)
	for i := range windows {
		w := &windows[i]
		if i == 0 && len(windows) > 1 {
			continue
		}
		var next x86.Operand = w.Mem
		switch i {
		case 0:
			f.I(load, l, ix, f.Selector(w, size, 0, false))
			next = d
		case 1:
			both := isa.Window{Lanes: slices.Clone(windows[0].Lanes)}
			for _, p := range w.Lanes {
				both.Lanes = append(both.Lanes, isa.Picked{Lane: p.Lane, At: f.W + p.At})
			}
			f.I(load, l, ix, f.Selector(&both, size, 0, false))
		default:
			f.I(load, l, ix, f.Selector(w, size, f.W, true))
		}
		f.I(pair, l, d, ix, next)
	}
}
