package amd64

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// Lanes of 8 bits, for phases that need no wider ones. A vector has as many lanes as
// bytes. There are no products and no shifts of 8 bits: lanes of 16 bits compute the even
// bytes and the odd bytes.

var octetTypes = types{dtype.I8, dtype.U8}

// octetRules are the rules of lanes of 8 bits, where those of wider lanes do not serve.
var octetRules = isa.Table(
	on(octetMul, octetTypes, prim.Mul),
	on(octetMulHi, octetTypes, prim.MulHi),
	on(octetShift, octetTypes, prim.Shl, prim.Shr),
	on(octetShiftAll, nil, lower.OpShift),
	on(octetCount, nil, lower.OpCount),
	on(octetShifted, nil, lower.OpShifted),
	on(octetCell, nil, lower.OpCell),
)

// octetOps are the instructions on lanes of 8 bits for primitives of two operands.
var octetOps = [prim.NumOps][dtype.F64 + 1]x86.Op{
	prim.Add: {dtype.I8: x86.VPADDB, dtype.U8: x86.VPADDB},
	prim.Sub: {dtype.I8: x86.VPSUBB, dtype.U8: x86.VPSUBB},
	prim.Min: {dtype.I8: x86.VPMINSB, dtype.U8: x86.VPMINUB},
	prim.Max: {dtype.I8: x86.VPMAXSB, dtype.U8: x86.VPMAXUB},
}

// words returns memory with a constant in every 16 bits of a vector.
func (f *emitter) words(x uint16) x86.Mem {
	b := make([]byte, f.W)
	for i := range b {
		b[i] = byte(x >> (i % 2 * 8))
	}
	return f.Const(b)
}

// and and or emit the bitwise operations on whole vectors.
func (f *emitter) and(d, x x86.Vec, y x86.Operand) {
	f.I(f.simple(prim.And, dtype.I32), x86.Len(8*f.W), d, x, y)
}

func (f *emitter) or(d, x x86.Vec, y x86.Operand) {
	f.I(f.simple(prim.Or, dtype.I32), x86.Len(8*f.W), d, x, y)
}

func octetMul(f *emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	d := f.Dst()
	f.mulOctets(d, x, y)
}

// mulOctets sets d, which is neither x nor y, to the products of their lanes.
func (f *emitter) mulOctets(d, x, y x86.Vec) {
	t, u, l := f.Tmp(), f.Tmp(), x86.Len(8*f.W)
	f.I(x86.VPSRLW, l, t, x, x86.Imm(8))
	f.and(u, y, f.words(0xff00))
	f.I(x86.VPMULLW, l, t, t, u) // the odd lanes
	f.I(x86.VPMULLW, l, d, x, y)
	f.and(d, d, f.words(0x00ff))
	f.or(d, d, t)
}

// octetMulHi multiplies x by y * 2^8 in lanes of 16 bits, whose upper halves have the upper
// halves of the products.
func octetMulHi(f *emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	t, u, d, l := f.Tmp(), f.Tmp(), f.Dst(), f.LenOf(n.In)
	f.and(t, x, f.words(0xff00))
	f.and(u, y, f.words(0xff00))
	f.I(x86.VPMULHUW, l, t, t, u)
	f.and(t, t, f.words(0xff00)) // the odd lanes
	f.and(d, x, f.words(0x00ff))
	f.I(x86.VPSLLW, l, u, y, x86.Imm(8))
	f.I(x86.VPMULHUW, l, d, d, u)
	f.or(d, d, t)
}

// shiftWords returns the instruction that shifts lanes of 16 bits.
func shiftWords(op prim.Op) x86.Op {
	if op == prim.Shl {
		return x86.VPSLLW
	}
	return x86.VPSRLW
}

// octetShift shifts each lane by its own count: by 1, 2 and 4, where the count has these
// bits. A signed shift to the right complements negative numbers before and after.
func octetShift(f *emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	d, t, zero, l := f.Dst(), f.Tmp(), f.Tmp(), f.LenOf(n.In)
	xor, sign := f.simple(prim.Xor, dtype.I32), t
	f.zero(n.In, zero)
	f.I(x86.VMOVAPS, l, d, x)
	if n.Op == prim.Shr && n.In.IsSigned() {
		sign = f.Tmp()
		f.Within(func() { f.spread(sign, f.comparison(prim.Lt, dtype.I8, x, zero)) })
		f.I(xor, l, d, d, sign)
	}
	for bit := 1; bit < 8; bit *= 2 {
		part := uint64(0xff >> bit)
		if n.Op == prim.Shl {
			part = 0xff << bit & 0xff
		}
		f.I(shiftWords(n.Op), l, t, d, x86.Imm(bit))
		f.and(t, t, f.full(dtype.U8, part))
		f.Within(func() {
			b := f.Tmp()
			f.and(b, y, f.full(dtype.U8, uint64(bit)))
			f.blend(dtype.U8, d, t, d, f.comparison(prim.Eq, dtype.U8, b, zero))
		})
	}
	f.I(x86.VMOVUPS, l, t, f.full(dtype.U8, 7))
	f.Within(func() { f.blend(dtype.U8, d, d, zero, f.comparison(prim.Lt, dtype.U8, t, y)) })
	if sign != t {
		f.I(xor, l, d, d, sign)
	}
}

// comparison returns the lanes of 8 bits where a comparison holds.
func (f *emitter) comparison(op prim.Op, t dtype.Type, x, y x86.Vec) x86.Operand {
	k := f.tmpPred()
	f.own.compareInts(op, t, k, x, y)
	return k
}

// spread sets the lanes of 8 bits of d to ones where predicate k holds, and to zeros.
func (f *emitter) spread(d x86.Vec, k x86.Operand) {
	if f.evex {
		f.I(x86.VPMOVM2B, x86.Len(8*f.W), d, k)
	} else {
		f.I(x86.VMOVAPS, x86.L256, d, k)
	}
}

// octetShiftAll shifts all lanes by one count: see [lower.OpShift].
func octetShiftAll(f *emitter, n *lower.Node) {
	x, count, part := f.Src(n.Args[0]), f.Src(n.Args[1]), f.srcM(n.Args[2])
	f.Release()
	d := f.Dst()
	f.I(shiftWords(prim.Op(n.Imm)), f.LenOf(n.In), d, x, count)
	f.and(d, d, part)
}

func octetCount(f *emitter, n *lower.Node) {
	x := f.Src(n.Args[0])
	f.Release()
	d := f.Dst()
	f.I(x86.VPMINUB, f.LenOf(n.In), d, x, f.full(dtype.U8, n.Imm))
	f.I(x86.VPMOVZXBQ, x86.L128, d, d)
}

func octetShifted(f *emitter, n *lower.Node) {
	count := f.Src(n.Args[0])
	d, l := f.Dst(), f.LenOf(n.In)
	f.I(x86.VMOVUPS, l, d, f.words(uint16(n.Aux)))
	f.I(shiftWords(prim.Op(n.Imm)), l, d, d, count)
	f.I(x86.VPBROADCASTB, l, d, d)
}

// octetCell puts a cell into all lanes. Bit 0 of a cell is its truth; above it lie other
// lanes of the code that wrote it.
func octetCell(f *emitter, n *lower.Node) {
	m, l := mem(f.CellAt(n.Aux)), f.LenOf(n.Type)
	switch {
	case n.Type != dtype.Bool:
		f.I(x86.VPBROADCASTB, l, f.Dst(), m)
	case f.evex:
		t := f.Tmp()
		f.I(x86.VPBROADCASTB, l, t, m)
		f.I(x86.VPTESTMB, l, f.DstMask(), t, f.full(dtype.U8, 1))
	default:
		t, d := f.Tmp(), f.Dst()
		f.I(x86.VPBROADCASTB, l, t, m)
		f.I(x86.VPSLLW, l, t, t, x86.Imm(7))
		f.zero(n.Type, d)
		f.I(x86.VPCMPGTB, l, d, d, t)
	}
}

func (f *emitter) stepMul(d, x x86.Vec) {
	p := f.Tmp()
	f.mulOctets(p, d, x)
	f.I(x86.VMOVAPS, x86.Len(8*f.W), d, p)
}

// sumOctets adds the sums of each 8 lanes of x to the 64-bit lanes of d. A predicate
// counts 1 in the lanes where it holds, which are ones. Signed numbers are summed with 128
// added to each.
func (f *emitter) sumOctets(t dtype.Type, d, x x86.Vec) {
	s, l := f.Tmp(), x86.Len(8*f.W)
	if f.Masked {
		if f.evex {
			f.I(x86.VMOVDQU8, l, s, x, x86.Zero(tailMask))
		} else {
			f.I(x86.VPAND, l, s, x, tailVec)
		}
		x = s
	}
	zero := f.Tmp()
	f.zero(dtype.I8, zero)
	switch t {
	case dtype.Bool:
		f.I(x86.VPABSB, l, s, x)
		x = s
	case dtype.I8:
		f.I(f.simple(prim.Xor, dtype.I32), l, s, x, f.full(dtype.U8, 0x80))
		x = s
	}
	f.I(x86.VPSADBW, l, s, x, zero)
	f.I(x86.VPADDQ, l, d, d, s)
	if t == dtype.I8 {
		f.I(x86.VPSUBQ, l, d, d, f.series(f.W, 8*128, 0, true))
	}
}

// AVX2 has no stores or loads of bytes under a mask. The tail goes by way of scratch
// memory, in parts of powers of two.

// setOctetTail makes the tail mask and stores its number of lanes.
func (f *avx2) setOctetTail() {
	f.I(x86.MOV, x86.W32, x86.RAX, x86.Imm(f.W))
	f.I(x86.CMP, x86.W64, x86.RCX, x86.RAX)
	f.I(x86.CMOVG, x86.W64, x86.RCX, x86.RAX)
	f.I(x86.MOV, x86.W64, at(frame.Counter), x86.RCX)
	f.I(x86.VMOVD, 0, tailVec, x86.RCX)
	f.I(x86.VPBROADCASTB, x86.L256, tailVec, tailVec)
	b := make([]byte, f.W)
	for i := range b {
		b[i] = byte(i)
	}
	f.I(x86.VPCMPGTB, x86.L256, tailVec, tailVec, f.Const(b))
}

// copyTail copies the bytes of the lanes of the tail between memory and the scratch
// memory of the frame.
func (f *avx2) copyTail(m x86.Mem, store bool) {
	v := f.Tmp()
	f.I(x86.LEA, x86.W64, x86.RCX, m)
	f.I(x86.XOR, x86.W32, x86.RDX, x86.RDX)
	for part := f.W; part > 0; part /= 2 {
		skip := f.NewLabel()
		f.I(x86.MOV, x86.W64, x86.RAX, at(frame.Counter))
		f.asm.Unset(isa.T0, bits.TrailingZeros(uint(part)), skip)
		to, from := x86.AtX(x86.RDI, x86.RDX, 1, frame.Tmp), x86.AtX(x86.RCX, x86.RDX, 1, 0)
		if store {
			to, from = from, to
		}
		switch part {
		case 32, 16:
			f.I(x86.VMOVUPS, x86.Len(8*part), v, from)
			f.I(x86.VMOVUPS, x86.Len(8*part), to, v)
		case 8, 4:
			op := map[int]x86.Op{8: x86.VMOVQ, 4: x86.VMOVD}[part]
			f.I(op, 0, v, from)
			f.I(op, 0, to, v)
		default:
			f.asm.load(part, x86.RAX, from)
			f.I(x86.MOV, x86.Len(8*part), to, x86.RAX)
		}
		f.I(x86.ADD, x86.W64, x86.RDX, x86.Imm(part))
		f.Bind(skip)
	}
}

func (f *avx2) loadOctets(d x86.Vec, i int32, one, masked bool) {
	s, t := &f.Layout.Sites[i], f.Phase.Sites[i].Type
	m := f.site(s, i)
	switch {
	case one:
		f.I(x86.VPBROADCASTB, x86.L256, d, m)
	case masked:
		f.Within(func() { f.copyTail(m, false) })
		f.I(x86.VMOVUPS, x86.L256, d, at(frame.Tmp))
	default:
		f.I(x86.VMOVUPS, x86.L256, d, m)
	}
	f.fromOctets(d, d, t)
}

// fromOctets sets the lanes of d to the bytes x of memory type t.
func (f *avx2) fromOctets(d x86.Vec, x x86.Operand, t dtype.Type) {
	if d != x {
		f.I(x86.VMOVUPS, x86.L256, d, x)
	}
	if t == dtype.Bool {
		f.notZero(d, d, dtype.U8)
	}
}

func (f *avx2) storeOctets(t dtype.Type, m x86.Mem, x x86.Vec, masked bool) {
	if t == dtype.Bool {
		v := f.Tmp()
		f.I(x86.VPAND, x86.L256, v, x, f.full(dtype.U8, 1))
		x = v
	}
	if !masked {
		f.I(x86.VMOVUPS, x86.L256, m, x)
		return
	}
	f.I(x86.VMOVUPS, x86.L256, at(frame.Tmp), x)
	f.copyTail(m, true)
}

// Bytes with a small step go by groups of up to 16 lanes: each window of a group gives its
// lanes by a byte shuffle.

// moveGroup moves a group of bytes between a vector and memory.
func (f *emitter) moveGroup(n int, to, from x86.Operand) {
	switch n {
	case 16:
		f.I(x86.VMOVUPS, x86.L128, to, from)
	case 8:
		f.I(x86.VMOVQ, 0, to, from)
	default:
		f.I(x86.VMOVD, 0, to, from)
	}
}

// shuffle returns the constant that moves bytes of a vector, and clears the others.
func (f *emitter) shuffle(move []picked) x86.Mem {
	b := repeat(0x80, 16)
	for _, p := range move {
		b[p.lane] = byte(p.at)
	}
	return f.Const(b)
}

// steppedBytes loads a byte of a site with a small step for each lane of d.
func (f *emitter) steppedBytes(s *layout.Site, d x86.Vec) {
	n, k := min(f.W, 16), f.stepAddress(s)*f.W
	half := f.Tmp()
	for at := 0; at < f.W; at += n {
		f.Within(func() {
			x, u := f.Tmp(), f.Tmp()
			for i, w := range windowsAt(s, k+at, n) {
				to := u
				if i == 0 {
					to = x
				}
				f.moveGroup(n, to, w.mem)
				f.I(x86.VPSHUFB, x86.L128, to, to, f.shuffle(w.lanes))
				if i > 0 {
					f.I(f.simple(prim.Or, dtype.I32), x86.L128, x, x, u)
				}
			}
			switch to := [...]x86.Vec{d, half}[at/32]; {
			case at%32 == 0:
				f.I(x86.VMOVAPS, x86.L128, to, x)
			case f.evex:
				f.I(x86.VINSERTF32X4, x86.L256, to, to, x, x86.Imm(1))
			default:
				f.I(x86.VINSERTF128, x86.L256, to, to, x, x86.Imm(1))
			}
		})
	}
	if f.W == 64 {
		f.I(x86.VINSERTF64X4, x86.L512, d, d, half, x86.Imm(1))
	}
}

// stepped8 returns the bytes of a site with a small step: in a vector, or in the frame for
// the lanes of the tail.
func (f *emitter) stepped8(s *layout.Site) x86.Operand {
	if f.Masked {
		f.CopyTail(s, frame.Tmp, false)
		return at(frame.Tmp)
	}
	d := f.Tmp()
	f.steppedBytes(s, d)
	return d
}

// loadStepped8 loads bytes with a small step.
func (f *avx512) loadStepped8(s *layout.Site, t dtype.Type) {
	x := f.stepped8(s)
	l := max(x86.L128, x86.Len(8*f.W))
	switch {
	case t == dtype.Bool:
		v := f.Tmp()
		f.I(x86.VMOVUPS, l, v, x)
		k := f.DstMask()
		f.I(x86.VPTESTMB, l, k, v, v)
		if f.W == 8 {
			f.I(x86.KMOVB, 0, k, k)
		}
	case f.Octets:
		f.I(x86.VMOVUPS, l, f.Dst(), x)
	default:
		f.I(loadRows[t].lanes, f.LenOf(t), f.Dst(), x)
	}
}

// storeStepped8 stores bytes with a small step: for each window those of its lanes, under
// a mask.
func (f *avx512) storeStepped8(n *lower.Node, t dtype.Type) {
	s, x, k := &f.Layout.Sites[n.Aux], f.Tmp(), f.TmpMask()
	switch a := n.Args[0]; {
	case t == dtype.Bool:
		l := max(x86.L128, x86.Len(8*f.W))
		f.I(x86.VMOVDQU8, l, x, f.Const(repeat(1, int(l)/8)), x86.Zero(f.Mask(a)))
	case f.Octets || f.bytes(&f.Nodes[a]):
		x = f.Src(a)
	default:
		f.I(x86.VPMOVDB, f.LenOf(t), x, f.Src(a))
	}
	lanes, first := min(f.W, 16), f.stepAddress(s)*f.W
	groups := []x86.Vec{x}
	for g := 1; g < f.W/lanes; g++ {
		groups = append(groups, f.Tmp())
		f.I(x86.VEXTRACTF32X4, x86.Len(8*f.W), groups[g], x, x86.Imm(g))
	}
	u := f.Tmp()
	for i, w := range windowsAt(s, first, lanes) {
		bits, from := int64(0), make([]picked, len(w.lanes))
		for j, p := range w.lanes {
			bits |= 1 << p.at
			from[j] = picked{lane: p.at, at: p.lane}
		}
		f.I(x86.MOV, x86.W32, x86.RAX, x86.Imm(bits))
		f.I(x86.KMOVW, 0, k, x86.RAX)
		for g, v := range groups {
			f.I(x86.VPSHUFB, x86.L128, u, v, f.shuffle(from))
			f.I(x86.VMOVDQU8, x86.L128, windowsAt(s, first+g*lanes, lanes)[i].mem, u, x86.Merge(k))
		}
	}
}
