package amd64

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// Narrow lanes, of 8 or 16 bits, for phases that need no wider ones. A vector has as many lanes as
// elements of this size. There are no products and no shifts of 8 bits: lanes of 16 bits compute
// the even bytes and the odd bytes. In lanes of 16 bits, integers of 8 bits are extended.

var octetTypes = types{dtype.I8, dtype.U8}

// narrowRules are the rules of lanes of 8 and of 16 bits, where those of wider lanes do not serve.
var narrowRules = [2]*isa.Rules[rule]{
	isa.Table(
		on(octetMul, octetTypes, prim.Mul),
		on(octetMulHi, octetTypes, prim.MulHi),
		on(octetShiftEach, octetTypes, prim.Shl, prim.Shr),
		on(octetShiftAll, nil, lower.OpShift),
		on(octetCount, nil, lower.OpCount),
		on(octetShifted, nil, lower.OpShifted),
		on(octetTimes, nil, lower.OpTimes),
		on(average, nil, lower.OpAverage),
		on(narrowCell, nil, lower.OpCell),
	),
	isa.Table(
		on(wordMulHi, types{dtype.U16}, prim.MulHi),
		on(wordShift, isa.IntsOf(true, 2), prim.Shl, prim.Shr),
		on(wordShift, isa.IntsOf(false, 2), prim.Shl, prim.Shr),
		on(wordShiftAll, nil, lower.OpShift),
		on(wordCount, nil, lower.OpCount),
		on(average, nil, lower.OpAverage),
		on(narrowCell, nil, lower.OpCell),
	),
}

// and and or emit the bitwise operations on whole vectors.
func (f *emitter) and(d, x x86.Vec, y x86.Operand) {
	f.I(f.simple(prim.And, dtype.I32), f.LenOf(dtype.U8), d, x, y)
}

func (f *emitter) or(d, x x86.Vec, y x86.Operand) {
	f.I(f.simple(prim.Or, dtype.I32), f.LenOf(dtype.U8), d, x, y)
}

// mergeLow sets d to its even bytes and to x, whose even bytes are 0.
func (f *emitter) mergeLow(d, x x86.Vec) {
	if f.evex {
		f.I(x86.VPTERNLOGD, f.LenOf(dtype.U8), d, x, f.words(0x00ff), x86.Imm(0xec)) // d and the mask, or x
		return
	}
	f.and(d, d, f.constantFor(f.LenOf(dtype.U8), f.words(0x00ff)))
	f.or(d, d, x)
}

func octetMul(f *emitter, n *lower.Node) {
	a, b := n.Args[0], n.Args[1]
	if f.Uniform[a] {
		a, b = b, a
	}
	x, y := f.Src(a), f.Src(b)
	d := f.Dst()
	if !f.Uniform[b] {
		f.mulOctets(d, x, y)
		return
	}
	t, l := f.Tmp(), x86.Len(8*f.W) // 256 times y is y*2^8 in the lower 16 bits, as both bytes are equal
	f.and(t, x, f.words(0xff00))
	f.I(x86.VPMULLW, l, t, t, y)
	f.I(x86.VPMULLW, l, d, x, y)
	f.mergeLow(d, t)
}

// mulOctets sets d, which is neither x nor y, to the products of their lanes.
func (f *emitter) mulOctets(d, x, y x86.Vec) {
	t, u, l := f.Tmp(), f.Tmp(), x86.Len(8*f.W)
	f.I(x86.VPSRLW, l, t, x, x86.Imm(8))
	f.and(u, y, f.constantFor(l, f.words(0xff00)))
	f.I(x86.VPMULLW, l, t, t, u) // the odd lanes
	f.I(x86.VPMULLW, l, d, x, y)
	f.mergeLow(d, t)
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
func shiftWords(op prim.Op, signed bool) x86.Op {
	switch {
	case op == prim.Shl:
		return x86.VPSLLW
	case signed:
		return x86.VPSRAW
	}
	return x86.VPSRLW
}

// octetShiftEach shifts each lane by its own count: with AVX-512 the odd bytes and the even ones in lanes of 16 bits.
func octetShiftEach(f *emitter, n *lower.Node) {
	if !f.evex {
		octetShiftPowers(f, n)
		return
	}
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	d, even, count, l := f.Dst(), f.Tmp(), f.Tmp(), f.LenOf(n.In)
	op := binaryOp(n.Op, frame.Lane(n.In, 2))
	f.I(x86.VPSRLW, l, count, y, x86.Imm(8))
	odd := x
	if n.Op == prim.Shl { // no bits from the even bytes
		f.and(d, x, f.words(0xff00))
		odd = d
	}
	f.I(op, l, d, odd, count)
	f.and(count, y, f.words(0x00ff))
	switch {
	case n.Op == prim.Shl:
		f.I(op, l, even, x, count)
	case n.In.IsSigned():
		f.I(x86.VPSLLW, l, even, x, x86.Imm(8))
		f.I(op, l, even, even, count)
		f.I(x86.VPSRLW, l, even, even, x86.Imm(8))
	default:
		f.and(even, x, f.words(0x00ff))
		f.I(op, l, even, even, count)
	}
	f.I(x86.VPTERNLOGD, l, d, even, f.words(0x00ff), x86.Imm(0xd8)) // even where the mask is set, else d
}

// octetShiftPowers does the same with AVX2, by multiplications of 16-bit lanes by powers of two. A right shift of x by y is
// 2*x*2^(7-y) / 2^8. For the byte in the upper half of a lane, VPMULLW leaves the result in the upper byte. For the byte in the lower
// half, the factor is 2^8 times as large, and VPMULHUW returns the result. A signed right shift complements negative numbers before
// and after.
func octetShiftPowers(f *emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	d, power, even, l := f.Dst(), f.Tmp(), f.Tmp(), f.LenOf(n.In)
	powers := make([]byte, 32) // of a count, or 0 where nothing is left
	for i := range 8 {
		powers[i] = 1 << i
		if n.Op == prim.Shr {
			powers[i] = 1 << (7 - i)
		}
		powers[16+i] = powers[i]
	}
	f.I(x86.VPMINUB, l, power, y, f.constantFor(l, f.full(dtype.U8, 15)))
	table, ok := f.hold(l, f.Const(powers))
	if !ok {
		table = even
		f.I(x86.VMOVUPS, l, table, f.Const(powers))
	}
	f.I(x86.VPSHUFB, l, power, table, power)
	if n.Op == prim.Shl {
		f.mulOctets(d, x, power)
		return
	}
	sign := d
	if n.In.IsSigned() {
		f.zero(n.In, even)
		sign = f.comparison(prim.Lt, dtype.I8, x, even).(x86.Vec)
		f.I(x86.VPXOR, l, d, x, sign)
		x = d
	}
	count := f.Tmp()
	f.I(x86.VPSLLW, l, count, power, x86.Imm(8))
	f.I(x86.VPSRLW, l, power, power, x86.Imm(8))
	low := f.constantFor(l, f.words(0x00ff))
	f.and(even, x, low)
	f.I(x86.VPADDW, l, even, even, even)
	f.I(x86.VPMULHUW, l, even, even, count)
	f.I(x86.VPSRLW, l, d, x, x86.Imm(7)) // bit 0 is of the even byte, and stays out of the upper byte
	f.I(x86.VPMULLW, l, d, d, power)
	if mask, ok := low.(x86.Vec); ok {
		f.I(x86.VPBLENDVB, l, d, d, even, mask)
	} else {
		f.and(d, d, f.words(0xff00))
		f.or(d, d, even)
	}
	if sign != d {
		f.I(x86.VPXOR, l, d, d, sign)
	}
}

// wordShiftEach shifts each lane of 16 bits by its own count with AVX2: the odd ones and the even ones in lanes of 32 bits.
func wordShiftEach(f *emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	d, even, count, lower, l := f.Dst(), f.Tmp(), f.Tmp(), f.Tmp(), f.LenOf(n.In)
	op := binaryOp(n.Op, frame.Lane32(n.In))
	f.I(x86.VMOVUPS, l, lower, f.series(32, 0xffff, 0, false))
	f.I(x86.VPSRLD, l, count, y, x86.Imm(16))
	odd := x
	if n.Op == prim.Shl { // no bits from the even lanes
		f.I(x86.VPANDN, l, d, lower, x)
		odd = d
	}
	f.I(op, l, d, odd, count)
	f.and(count, y, lower)
	switch {
	case n.Op == prim.Shl:
		f.I(op, l, even, x, count)
	case n.In.IsSigned():
		f.I(x86.VPSLLD, l, even, x, x86.Imm(16))
		f.I(x86.VPSRAD, l, even, even, x86.Imm(16))
		f.I(op, l, even, even, count)
	default:
		f.and(even, x, lower)
		f.I(op, l, even, even, count)
	}
	f.I(x86.VPBLENDVB, l, d, d, even, lower)
}

// comparison returns the narrow lanes where a comparison holds.
func (f *emitter) comparison(op prim.Op, t dtype.Type, x, y x86.Vec) x86.Operand {
	k := f.tmpPred()
	f.own.compareInts(op, t, k, x, y)
	return k
}

// octetShiftAll shifts all lanes by one count: see [lower.OpShift].
func octetShiftAll(f *emitter, n *lower.Node) {
	x, count, part := f.Src(n.Args[0]), f.Src(n.Args[1]), f.srcM(n.Args[2])
	f.Release()
	d := f.Dst()
	f.I(shiftWords(prim.Op(n.Imm), false), f.LenOf(n.In), d, x, count)
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
	f.I(shiftWords(prim.Op(n.Imm), false), l, d, d, count)
	f.I(x86.VPBROADCASTB, l, d, d)
}

// wordMulHi is the rule of lanes of 16 bits.
func wordMulHi(f *emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.srcM(n.Args[1])
	f.Release()
	f.I(x86.VPMULHUW, f.LenOf(n.In), f.Dst(), x, y)
}

// wordShift shifts lanes of 16 bits: with AVX-512 by an instruction, and else by one count if all
// lanes have the same.
func wordShift(f *emitter, n *lower.Node) {
	switch {
	case f.evex:
		binary(f, n)
		return
	case !f.Uniform[n.Args[1]]:
		wordShiftEach(f, n)
	default: // in the prologue
		x, count := f.Src(n.Args[0]), f.Tmp()
		f.I(x86.VPMOVZXWQ, x86.L128, count, f.Src(n.Args[1]))
		f.shiftAll(n, n.Op, x, count)
		return
	}
	if n.Op == prim.Shl {
		f.canon(n.Type, x86.Vec(f.lastReg()))
	}
}

// shiftAll shifts lanes of 16 bits by one count.
func (f *emitter) shiftAll(n *lower.Node, op prim.Op, x x86.Vec, count x86.Operand) {
	f.Release()
	d := f.Dst()
	f.I(shiftWords(op, n.In.IsSigned()), f.LenOf(n.In), d, x, count)
	if op == prim.Shl {
		f.canon(n.Type, d)
	}
}

func wordShiftAll(f *emitter, n *lower.Node) {
	x, count := f.Src(n.Args[0]), f.srcM(n.Args[1])
	f.shiftAll(n, prim.Op(n.Imm), x, count)
}

func wordCount(f *emitter, n *lower.Node) {
	d, x := f.unary(n)
	f.I(x86.VPMOVZXWQ, x86.L128, d, x)
}

func average(f *emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.srcM(n.Args[1])
	f.Release()
	f.I(f.pickLane(n.In, x86.VPAVGB, x86.VPAVGW, 0, 0), f.LenOf(n.In), f.Dst(), x, y)
}

// octetTimes doubles the sum for each bit of the factor after the first, and adds the operand for those that are set.
func octetTimes(f *emitter, n *lower.Node) {
	x, d, l := f.Src(n.Args[0]), f.Dst(), f.LenOf(n.In)
	sum := x
	for bit := bits.Len64(n.Imm) - 2; bit >= 0; bit-- {
		f.I(x86.VPADDB, l, d, sum, sum)
		if sum = d; n.Imm>>bit&1 != 0 {
			f.I(x86.VPADDB, l, d, d, x)
		}
	}
}

// narrowCell puts a cell into all lanes. Bit 0 of a cell is its truth; above it lie other
// lanes of the code that wrote it.
func narrowCell(f *emitter, n *lower.Node) {
	m, l := mem(f.CellAt(n.Aux)), f.LenOf(n.Type)
	one := f.pickLane(n.Type, x86.VPBROADCASTB, x86.VPBROADCASTW, 0, 0)
	switch {
	case n.Type != dtype.Bool:
		f.I(one, l, f.Dst(), m)
	case f.evex:
		t := f.Tmp()
		f.I(one, l, t, m)
		f.I(f.pickLane(n.Type, x86.VPTESTMB, x86.VPTESTMW, 0, 0), l, f.DstMask(), t, f.full(dtype.U8, 1))
	default:
		t, d := f.Tmp(), f.Dst()
		f.I(one, l, t, m)
		f.I(x86.VPSLLW, l, t, t, x86.Imm(8*f.LaneSize-1))
		f.zero(n.Type, d)
		f.I(f.pickLane(n.Type, x86.VPCMPGTB, x86.VPCMPGTW, 0, 0), l, d, d, t)
	}
}

func (f *emitter) stepMul(d, x x86.Vec) {
	p := f.Tmp()
	f.mulOctets(p, d, x)
	f.I(x86.VMOVAPS, x86.Len(8*f.W), d, p)
}

// sumNarrow adds the sums of each 8 bytes of x to the 64-bit lanes of d. A predicate
// counts 1 in the lanes where it holds, which are ones. Signed bytes are summed as if their
// sign bit were flipped, which adds half of their range to each. The upper bytes of unsigned lanes of 16
// bits are summed by themselves.
func (f *emitter) sumNarrow(t dtype.Type, d, x x86.Vec) {
	s, lane, l := f.Tmp(), frame.Lane(t, f.LaneSize), f.LenOf(t)
	if f.Masked {
		if f.evex {
			f.I(f.laneMove(t), l, s, x, x86.Zero(tailMask))
		} else {
			f.I(x86.VPAND, l, s, x, tailVec)
		}
		x = s
	}
	u := f.Tmp()
	if f.LaneSize == 2 && t.IsSigned() { // a product by 1 extends the sign of the sum of four words
		f.I(x86.VPMADDWD, l, s, x, f.words(1))
		f.I(x86.VPSRLQ, l, u, s, x86.Imm(32))
		f.I(x86.VPADDD, l, s, s, u)
		f.I(x86.VPMULDQ, l, s, s, f.series(f.VecBytes(t), 1, 0, true))
		f.I(x86.VPADDQ, l, d, d, s)
		return
	}
	zero := f.Tmp()
	f.zero(dtype.I8, zero)
	switch {
	case t == dtype.Bool:
		f.I(f.pickLane(t, x86.VPABSB, x86.VPABSW, 0, 0), l, s, x)
		x = s
	case t.IsSigned():
		f.I(f.simple(prim.Xor, dtype.I32), l, s, x, f.full(lane, signBit(lane)))
		x = s
	}
	if f.LaneSize == 2 && t.Size() == 2 {
		f.I(x86.VPSRLW, l, u, x, x86.Imm(8))
		f.I(x86.VPSADBW, l, u, u, zero)
		f.I(x86.VPSLLQ, l, u, u, x86.Imm(8))
		f.I(x86.VPADDQ, l, d, d, u)
		f.and(s, x, f.words(0x00ff))
		x = s
	}
	f.I(x86.VPSADBW, l, s, x, zero)
	f.I(x86.VPADDQ, l, d, d, s)
	if t.IsSigned() {
		f.I(x86.VPSUBQ, l, d, d, f.series(f.VecBytes(t), 8*signBit(lane), 0, true))
	}
}

// AVX2 has no stores or loads of narrow lanes under a mask. The tail goes by way of scratch
// memory, in parts of powers of two.

// setNarrowTail makes the tail mask and stores its number of lanes.
func (f *avx2) setNarrowTail() {
	f.I(x86.MOV, x86.W32, x86.RAX, x86.Imm(f.W))
	f.I(x86.CMP, x86.W64, x86.RCX, x86.RAX)
	f.I(x86.CMOVG, x86.W64, x86.RCX, x86.RAX)
	f.I(x86.MOV, x86.W64, at(frame.Counter), x86.RCX)
	f.I(x86.VMOVD, 0, tailVec, x86.RCX)
	f.I(f.pickLane(dtype.U8, x86.VPBROADCASTB, x86.VPBROADCASTW, 0, 0), x86.L256, tailVec, tailVec)
	b := make([]byte, f.W*f.LaneSize)
	for i := range f.W {
		b[i*f.LaneSize] = byte(i)
	}
	f.I(f.pickLane(dtype.U8, x86.VPCMPGTB, x86.VPCMPGTW, 0, 0), x86.L256, tailVec, tailVec, f.Const(b))
}

// copyTail copies the elements of size bytes of the lanes of the tail between memory and the
// scratch memory of the frame.
func (f *avx2) copyTail(m x86.Mem, size int, store bool) {
	v := f.Tmp()
	f.I(x86.LEA, x86.W64, x86.RCX, m)
	f.I(x86.XOR, x86.W32, x86.RDX, x86.RDX)
	for part := f.W * size; part >= size; part /= 2 {
		skip := f.NewLabel()
		f.I(x86.MOV, x86.W64, x86.RAX, at(frame.Counter))
		f.asm.Unset(isa.T0, bits.TrailingZeros(uint(part/size)), skip)
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

// loadFew loads fewer than 16 bytes, and zeros behind them.
func (f *avx2) loadFew(d x86.Vec, bytes int, m x86.Mem) {
	at, disp := 0, m.Disp
	switch {
	case bytes >= 8:
		f.I(x86.VMOVQ, 0, d, m)
		at = 8
	case bytes >= 4:
		f.I(x86.VMOVD, 0, d, m)
		at = 4
	default:
		f.I(x86.VXORPS, x86.L128, d, d, d)
	}
	for n := 4; n > 0; n /= 2 {
		if (bytes-at)&n == 0 {
			continue
		}
		m.Disp = disp + int32(at)
		f.I(map[int]x86.Op{4: x86.VPINSRD, 2: x86.VPINSRW, 1: x86.VPINSRB}[n], x86.L128, d, d, m, x86.Imm(at/n))
		at += n
	}
}

// loadKnown loads fewer than 32 bytes, and zeros behind them.
func (f *avx2) loadKnown(d x86.Vec, bytes int, m x86.Mem) {
	if bytes < 16 {
		f.loadFew(d, bytes, m)
		return
	}
	upper := m
	upper.Disp += 16
	if bytes == 16 {
		f.I(x86.VMOVUPS, x86.L128, d, m)
		return
	}
	t := f.Tmp()
	f.loadFew(t, bytes-16, upper)
	f.I(x86.VMOVUPS, x86.L128, d, m)
	f.I(x86.VINSERTF128, x86.L256, d, d, t, x86.Imm(1))
}

func (f *avx2) loadNarrow(d x86.Vec, i int32, one, masked bool) {
	s, t := &f.Layout.Sites[i], f.Phase.Sites[i].Type
	m := f.site(s, i)
	switch {
	case one && t.Size() == 2:
		f.I(x86.VPBROADCASTW, x86.L256, d, m)
		return
	case one:
		f.I(x86.VPBROADCASTB, x86.L256, d, m)
		f.fromNarrow(d, d, t)
		return
	case masked && f.Tail > 0:
		f.loadKnown(d, f.Tail*t.Size(), m)
		f.fromNarrow(d, d, t)
		return
	case masked:
		f.Within(func() { f.copyTail(m, t.Size(), false) })
		m = at(frame.Tmp)
	}
	f.fromNarrow(d, m, t)
}

// fromNarrow sets the lanes of d to the elements x of memory type t.
func (f *avx2) fromNarrow(d x86.Vec, x x86.Operand, t dtype.Type) {
	switch {
	case t.Size() < f.LaneSize && t.IsSigned():
		f.I(x86.VPMOVSXBW, x86.L256, d, x)
	case t.Size() < f.LaneSize:
		f.I(x86.VPMOVZXBW, x86.L256, d, x)
		x = d
	case d != x && t != dtype.Bool:
		f.I(x86.VMOVUPS, x86.L256, d, x)
	}
	if t != dtype.Bool {
		return
	}
	zero := f.Tmp()
	f.zero(dtype.U8, zero)
	f.I(f.pickLane(dtype.U8, x86.VPCMPEQB, x86.VPCMPEQW, 0, 0), x86.L256, d, zero, x)
	if f.Cur.Op != ir.Load || f.Cur.Imm == 0 { // not the complement
		f.I(x86.VPXOR, x86.L256, d, d, f.ones())
	}
}

// truth is the instruction that makes ones of the lanes of a predicate, or of the others if a store complements it.
func (f *avx2) truth() x86.Op {
	if f.Cur.Op == ir.Store && f.Cur.Imm == lower.Complement {
		return x86.VPANDN
	}
	return x86.VPAND
}
