package amd64

import (
	"bytes"
	le "encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// An emitter emits the instructions of a phase for both targets.
type emitter struct {
	*isa.Emitter
	*x86.Asm
	asm   *asm
	rules *isa.Rules[rule]
	own   set
	evex  bool // AVX-512: predicates are in mask registers
	holder
}

// A rule emits one copy of a node.
type rule func(f *emitter, n *lower.Node)

// A set is the target of an emitter: its part of [isa.Lanes], and the forms that rules of
// both targets need.
type set interface {
	isa.Lanes
	// minMax emits the IEEE 754-2019 minimum or maximum of floats.
	minMax(op prim.Op, t dtype.Type, d, x, y x86.Vec)
	// These emit a conversion. A float out of range saturates, and NaN becomes 0. narrow
	// takes the lower halves of 64-bit lanes.
	fromPredicate(n *lower.Node)
	intToFloat(n *lower.Node)
	floatToInt(n *lower.Node)
	narrow(d, x x86.Vec)
	// compareInts sets predicate d to the result of a comparison, in lanes of type t.
	compareInts(op prim.Op, t dtype.Type, d x86.Operand, x, y x86.Vec)
	load(n *lower.Node)
	// loadLanes makes lanes of d of neighbouring elements of type t, but no predicates, in memory or in a vector.
	loadLanes(d x86.Vec, t dtype.Type, from x86.Operand)
	// splitFields is SplitFields for fields of type t, which have the size of the lanes.
	splitFields(s *layout.Site, t dtype.Type, v []isa.Vec) []isa.Vec
	// loadPart loads n lanes of a vector from memory, those from lane first on, and keeps the lanes
	// before them. The lanes after them are lost. It may overwrite RDX.
	loadPart(t dtype.Type, d x86.Vec, m x86.Mem, first, n int)
	// pick loads the lanes that windows have.
	pick(windows []window, t dtype.Type, d x86.Vec)
	// pickLaid loads the current vector of a laid site.
	pickLaid(s *layout.Site, i int32, t dtype.Type, d x86.Vec)
	gatherLaid(s *layout.Site, i int32, t dtype.Type, d x86.Vec) // the lanes of the tail
	// permute puts lane lanes[i] of x into lane i of d, or lane i of fill where lanes[i] is
	// negative.
	shiftUp(t dtype.Type, d, x, fill x86.Vec, by int)
	// permuteTable emits a look-up in a table by permutes. It returns false, and emits
	// nothing, if the target has none that suit.
	permuteTable(n *lower.Node, t *ir.Table) bool
	// gathered gives a node its predicates: the low bytes of v, in the lanes of k.
	gathered(n *lower.Node, v x86.Vec, k x86.Operand)
	// packWords packs the 32-bit lanes of v to 16-bit lanes, in order.
	packWords(v x86.Vec)
	// takePosition replaces position di by xi in the lanes of m, which are as wide
	// as type t. before clears the lanes of m where xi is not less than di.
	takePosition(t dtype.Type, di, xi x86.Vec, m x86.Operand)
	before(t dtype.Type, m x86.Operand, xi, di x86.Vec)
}

func newEmitter(f *isa.Emitter, rules *isa.Rules[rule]) emitter {
	a := f.Asm.(*asm)
	return emitter{Emitter: f, Asm: a.Asm, asm: a, rules: rules, evex: f.Predicates > 0}
}

// as returns a method of a target as a rule.
func as[T set](emit func(T, *lower.Node)) rule {
	return func(f *emitter, n *lower.Node) { emit(f.own.(T), n) }
}

// LenOf returns the size in bits of a vector of register type t.
func (f *emitter) LenOf(t dtype.Type) x86.Len { return x86.Len(8 * f.VecBytes(t)) }

// pick returns q if t has 64 bits, d otherwise.
func pick(t dtype.Type, d, q x86.Op) x86.Op {
	if isa.Wide(t) {
		return q
	}
	return d
}

// lane returns the type of lanes with values of type t.
func (f *emitter) lane(t dtype.Type) dtype.Type {
	if f.LaneSize > 0 && isa.Narrow(t) {
		return frame.Lane(t, f.LaneSize)
	}
	return isa.Lane32(t)
}

// pickLane picks by the size of the lanes of values of type t: of 1, 2, 4 or 8 bytes.
func (f *emitter) pickLane(t dtype.Type, b, w, d, q x86.Op) x86.Op {
	switch {
	case f.LaneSize == 0 || t.Size() > 2:
		return pick(t, d, q)
	case f.LaneSize == 1:
		return b
	}
	return w
}

// laneMove returns the instruction of AVX-512 that moves the lanes of a mask.
func (f *emitter) laneMove(t dtype.Type) x86.Op {
	return f.pickLane(t, x86.VMOVDQU8, x86.VMOVDQU16, x86.VMOVUPS, x86.VMOVUPD)
}

func (f *emitter) LoadVec(t dtype.Type, d isa.Vec, m isa.Mem) {
	f.I(x86.VMOVUPS, f.LenOf(t), d, mem(m))
}

func (f *emitter) StoreVec(t dtype.Type, m isa.Mem, x isa.Vec) {
	f.I(x86.VMOVUPS, f.LenOf(t), mem(m), x)
}

func (f *emitter) CopyVec(t dtype.Type, d, x isa.Vec) { f.I(x86.VMOVAPS, f.LenOf(t), d, x) }

func (f *emitter) StoreFirst(size int, m isa.Mem, x isa.Vec) {
	switch size {
	case 1:
		f.I(x86.VPEXTRB, 0, mem(m), x, x86.Imm(0))
	case 2:
		f.I(x86.VPEXTRW, 0, mem(m), x, x86.Imm(0))
	default:
		f.storeFirst(size, mem(m), x)
	}
}

func (f *emitter) Constant(d isa.Vec, t dtype.Type, x uint64) { f.broadcast(d, t, f.constant(t, x)) }

func (f *emitter) StoreOffsets(m isa.Mem, x isa.Vec) {
	f.I(x86.VMOVUPS, x86.L256, mem(m), x)
	if f.W == 8 { // two stores, which the processor forwards to the loads of single offsets
		high := f.Tmp()
		f.I(x86.VEXTRACTF64X4, x86.L512, high, x, x86.Imm(1))
		m.Disp += 32
		f.I(x86.VMOVUPS, x86.L256, mem(m), high)
	}
}

func (f *emitter) OffsetLane(d isa.Reg, x isa.Vec, lane int) {
	if lane >= 2 {
		part := f.Tmp()
		if f.evex {
			f.I(x86.VEXTRACTF32X4, x86.Len(64*f.W), part, x, x86.Imm(lane/2))
		} else {
			f.UpperHalf(part, x, 32)
		}
		x, lane = part, lane%2
	}
	if lane == 0 {
		f.I(x86.VMOVQ, 0, regs[d.N()], x)
	} else {
		f.I(x86.VPEXTRQ, 0, regs[d.N()], x, x86.Imm(1))
	}
}

func (f *emitter) UpperHalf(d, x isa.Vec, bytes int) {
	switch {
	case bytes == 64:
		f.I(x86.VEXTRACTF64X4, x86.L512, d, x, x86.Imm(1))
	case bytes == 32 && f.evex:
		f.I(x86.VEXTRACTF32X4, x86.L256, d, x, x86.Imm(1))
	case bytes == 32:
		f.I(x86.VEXTRACTF128, x86.L256, d, x, x86.Imm(1))
	case bytes == 16:
		f.I(x86.VPSHUFD, x86.L128, d, x, x86.Imm(0x4e))
	case bytes == 8:
		f.I(x86.VPSHUFD, x86.L128, d, x, x86.Imm(0xb1))
	default: // in each 4 bytes
		f.I(x86.VPSRLD, f.LenOf(dtype.I32), d, x, x86.Imm(4*bytes))
	}
}

// Halves is for [isa.Folder].
func (f *emitter) Halves(lower, upper, x, y isa.Vec, bytes, all int) {
	l := x86.Len(8 * all)
	switch {
	case bytes >= 32 && f.evex:
		parts := [...][2]x86.Imm{{0, 3}, {0x88, 0xdd}, {0x44, 0xee}}[(all+bytes)/32-2] // parts of 16 bytes
		f.I(x86.VSHUFF64X2, l, lower, x, y, parts[0])
		f.I(x86.VSHUFF64X2, l, upper, x, y, parts[1])
	case bytes == 32:
		f.I(x86.VPERM2F128, x86.L256, lower, x, y, x86.Imm(0x20))
		f.I(x86.VPERM2F128, x86.L256, upper, x, y, x86.Imm(0x31))
	case bytes == 16:
		f.I(x86.VUNPCKLPD, l, lower, x, y)
		f.I(x86.VUNPCKHPD, l, upper, x, y)
	default:
		f.I(x86.VSHUFPS, l, lower, x, y, x86.Imm(0x88))
		f.I(x86.VSHUFPS, l, upper, x, y, x86.Imm(0xdd))
	}
}

// Order is for [isa.Folder].
func (f *emitter) Order(x isa.Vec, rows []int, all int) {
	f.Within(func() {
		k, from, words := f.Tmp(), []byte{}, all/4/len(rows)
		for row := range rows {
			for i := range words {
				from = le.LittleEndian.AppendUint32(from, uint32(slices.Index(rows, row)*words+i))
			}
		}
		f.I(x86.VMOVUPS, x86.Len(8*all), k, f.Const(from))
		f.I(x86.VPERMPS, x86.Len(8*all), x, k, x)
	})
}

// Quotients is for targets with Reciprocals only.
func (f *emitter) Quotients() []int32 { return nil }

func (f *emitter) VecName(r int8, t dtype.Type) string {
	return fmt.Sprintf("%smm%d", map[x86.Len]string{x86.L128: "x", x86.L256: "y", x86.L512: "z"}[f.LenOf(t)], r)
}

// Constants stand after the code of a function, in its pool or as tables.

// constant returns one element of a constant in memory.
func (f *emitter) constant(t dtype.Type, x uint64) x86.Mem {
	if isa.Wide(t) {
		return f.Const64(x)
	}
	return f.Const32(uint32(x))
}

// constBcast returns a constant operand of type t, broadcast from memory.
func (f *emitter) constBcast(t dtype.Type, x uint64) x86.Mem { return f.constant(t, x).Bcast() }

// full returns memory with a constant in every lane of a vector of type t.
func (f *emitter) full(t dtype.Type, x uint64) x86.Mem {
	switch {
	case t == dtype.Bool:
		return f.Const(repeat(byte(-(x & 1)), 32))
	case f.LaneSize == 1:
		return f.Const(repeat(byte(x), f.W))
	case f.LaneSize == 2:
		return f.words(uint16(frame.Canonical(t, x)))
	}
	return f.series(int(f.LenOf(t))/8, frame.Canonical(t, x), 0, isa.Wide(t))
}

// series returns bytes of lanes that are first, first+step and so on.
func (f *emitter) series(bytes int, first, step uint64, wide bool) x86.Mem {
	b := make([]byte, 0, bytes)
	for ; len(b) < bytes; first += step {
		if wide {
			b = le.LittleEndian.AppendUint64(b, first)
		} else {
			b = le.LittleEndian.AppendUint32(b, uint32(first))
		}
	}
	return f.Const(b)
}

// iota32 returns the constant first, first+1, ... in 32-bit lanes, and iota64 in lanes of
// 64 bits.
func (f *emitter) iota32(first int) x86.Mem { return f.series(4*f.W, uint64(first), 1, false) }
func (f *emitter) iota64(first int) x86.Mem { return f.series(8*f.W, uint64(first), 1, true) }

// ones returns 32 bytes of ones.
func (f *emitter) ones() x86.Mem { return f.Const(repeat(0xff, 32)) }

// operand returns the memory operand of a constant for all lanes of type t.
func (f *emitter) operand(t dtype.Type, x uint64) x86.Mem {
	if f.Broadcasts {
		return f.constBcast(t, x)
	}
	return f.full(t, x)
}

// repeat returns a byte n times.
func repeat(b byte, n int) []byte { return bytes.Repeat([]byte{b}, n) }

// floatBits returns a number in the bits of a type.
func floatBits(t dtype.Type, x float64) uint64 {
	switch t {
	case dtype.F32:
		return uint64(math.Float32bits(float32(x)))
	case dtype.F64:
		return math.Float64bits(x)
	}
	return uint64(x)
}

// table puts a table, repeated a number of times, after the code and returns its label. Equal
// tables of a function are one.
func (f *emitter) table(t *ir.Table, times int) x86.Label {
	var data []byte
	for _, x := range t.Bits {
		x = frame.Canonical(t.Type, x)
		for b := range max(4, t.Type.Size()) {
			data = append(data, byte(x>>(8*b)))
		}
	}
	return f.tableOf(bytes.Repeat(data, times))
}

// tableOf puts bytes after the code and returns their label.
func (f *emitter) tableOf(data []byte) x86.Label {
	for _, old := range f.asm.tables {
		if bytes.Equal(old.bits, data) {
			return old.label
		}
	}
	label := f.NewLabel()
	f.asm.tables = append(f.asm.tables, table{label, data})
	return label
}

// broadcast loads one element of type t into all lanes.
func (f *emitter) broadcast(d x86.Vec, t dtype.Type, m x86.Mem) {
	op := f.pickLane(t, x86.VPBROADCASTB, x86.VPBROADCASTW, x86.VBROADCASTSS, x86.VBROADCASTSD)
	f.I(op, f.LenOf(t), d, m)
}

// uniform returns the memory of a uniform node: one element if the target broadcasts,
// else all lanes.
func (f *emitter) uniform(n int32) x86.Mem {
	nd := &f.Nodes[n]
	switch {
	case nd.Op == prim.Const && f.Broadcasts:
		return f.constant(nd.Type, frame.Canonical(nd.Type, nd.Imm))
	case nd.Op == prim.Const:
		return f.full(nd.Type, nd.Imm)
	case nd.Op == lower.OpCell && f.Broadcasts:
		return mem(f.CellAt(nd.Aux))
	}
	return mem(f.Slot(f.UniformSlot[n]))
}

func (f *emitter) LoadUniform(d isa.Vec, n int32) {
	if t := f.Nodes[n].Type; f.Broadcasts {
		f.broadcast(d, t, f.uniform(n))
	} else {
		f.I(x86.VMOVUPS, f.LenOf(t), d, f.uniform(n))
	}
}

func (f *emitter) UniformInt(d isa.Reg, n int32) { f.I(x86.MOV, x86.W64, regs[d.N()], f.uniform(n)) }

// srcM returns operand n in a register, or a uniform or folded one in memory. The instruction
// must broadcast elements of its width if the target broadcasts. It may overwrite RCX.
func (f *emitter) srcM(n int32) x86.Operand {
	switch {
	case f.Folded(n):
		i := f.Nodes[n].Aux
		return f.site(&f.Layout.Sites[i], i)
	case !f.inMemory(n):
		return f.Src(n)
	case f.Broadcasts:
		return f.uniform(n).Bcast()
	}
	return f.uniform(n)
}

// inMemory reports whether operand n is uniform and in no register.
func (f *emitter) inMemory(n int32) bool { return f.Uniform[n] && f.Home[n] < 0 }

// unary returns the operand of a node, and takes the register of its result, which may be
// that of the operand.
func (f *emitter) unary(n *lower.Node) (d, x x86.Vec) {
	x = f.Src(n.Args[0])
	f.Release()
	return f.Dst(), x
}

// site returns the memory of a site for the lanes of the current copy. It may overwrite
// RCX.
func (f *emitter) site(s *layout.Site, i int32) x86.Mem { return mem(f.Address(s, i)) }

// pointer returns the word with the address of a site in this phase.
func (f *emitter) pointer(s *layout.Site) x86.Mem { return at(s.Arg + f.Pointer(s)) }

// strided emits the base (RCX) and the index of a gather with a constant stride, and
// returns its memory operand. It may overwrite RAX.
func (f *emitter) strided(s *layout.Site) x86.Mem {
	l, ix := f.LenOf(dtype.I32), f.Tmp()
	// Index: lane * stride in bytes.
	f.I(x86.VPBROADCASTD, l, ix, at(s.Arg+frame.SiteStride))
	f.I(x86.VPMULLD, l, ix, ix, f.iota32(0))
	f.FirstAddress(s)
	return x86.AtV(x86.RCX, ix, 1, 0)
}

// bytes reports whether node n of this body is in lanes of 8 bits.
func (f *emitter) bytes(n *lower.Node) bool {
	if !n.Bytes || n.Op != ir.Load || n.Args[0] != lower.None || n.Args[1] != lower.None || f.LaneSize > 0 || f.Masked || f.Phase.Kind == lower.ScalarPhase {
		return false
	}
	s := &f.Layout.Sites[n.Aux]
	return !s.Guard && (s.Kind == layout.Unit || s.Kind == layout.Scratch || s.Kind == layout.Transposed)
}

// moveBytes moves a byte for each lane between a vector and memory.
func (f *emitter) moveBytes(to, from x86.Operand) { f.moveGroup(f.W, to, from) }

type types = []dtype.Type

// on returns a row of rules: for some operations, on operands of some types.
func on(emit rule, ts types, ops ...prim.Op) isa.Row[rule] {
	return isa.Row[rule]{Emit: emit, Types: ts, Ops: ops}
}

// An avx2 emits the instructions of AVX2 with FMA and BMI2.
type avx2 struct{ emitter }

// An avx512 emits the instructions of AVX-512 with its extensions BW, DQ and VL.
// Predicates are in mask registers.
type avx512 struct {
	emitter
	estimator
	shared share
}

// An estimator has the nodes of a phase that take estimates, or nil.
type estimator struct{ soft []bool }

// A holder keeps vectors of memory that does not change in registers, which no other code of the
// loop uses.
type holder struct {
	open   bool
	free   []x86.Vec
	kept   []heldVec
	before x86.Mark // the place of their loads
}

type heldVec struct {
	l x86.Len
	m x86.Mem
	v x86.Vec
}

// I appends an instruction. With AVX2, which broadcasts no operand, an operand that is a constant comes from the register that keeps it, but
// for the tail, which uses it once.
func (f *emitter) I(op x86.Op, l x86.Len, ops ...x86.Operand) {
	for i, o := range ops {
		if m, ok := o.(x86.Mem); ok && f.open && !f.evex && !f.Masked && l >= x86.L128 && f.ConstLen(m) == l {
			if v, ok := f.hold(l, m); ok {
				ops[i] = v
			}
		}
	}
	f.Asm.I(op, l, ops...)
}

// hold returns the register that keeps a vector of memory, if there is one.
func (f *emitter) hold(l x86.Len, m x86.Mem) (x86.Vec, bool) {
	if !f.open {
		return 0, false
	}
	for _, h := range f.kept {
		if h.l == l && h.m == m {
			return h.v, true
		}
	}
	if len(f.free) == 0 {
		return 0, false
	}
	v := f.free[0]
	f.free = f.free[1:]
	f.kept = append(f.kept, heldVec{l, m, v})
	return v, true
}

// constantFor returns the register that keeps a vector in memory, or that memory.
func (f *emitter) constantFor(l x86.Len, m x86.Mem) x86.Operand {
	if v, ok := f.hold(l, m); ok {
		return v
	}
	return m
}

// A share is the windows of a laid site that the copies of a node share.
type share struct {
	windows []window // of all lanes of the group
	regs    []x86.Vec
}

// moveGroup moves a group of bytes between a vector and memory.
func (f *emitter) moveGroup(n int, to, from x86.Operand) {
	switch n {
	case 32:
		f.I(x86.VMOVUPS, x86.L256, to, from)
	case 16:
		f.I(x86.VMOVUPS, x86.L128, to, from)
	case 8:
		f.I(x86.VMOVQ, 0, to, from)
	default:
		f.I(x86.VMOVD, 0, to, from)
	}
}

// storeFirst stores the first bytes of x, without a mask: a load that overlaps a store under a mask waits for its end, also where
// the mask excludes it.
func (f *emitter) storeFirst(bytes int, m x86.Mem, x x86.Vec) {
	least := 16
	if bytes%4 == 0 {
		least = 4
	}
	for part := 32; part >= least && bytes > 0; part /= 2 {
		if bytes&part == 0 {
			continue
		}
		f.storePart(part, m, x)
		if bytes &^= part; bytes > 0 {
			rest := f.Tmp()
			f.UpperHalf(rest, x, 2*part)
			x = rest
			m.Disp += int32(part)
		}
	}
	f.storeFew(bytes, m, x)
}

// storePart stores the first bytes of x, a power of two from 4 to 32.
func (f *emitter) storePart(bytes int, m x86.Mem, x x86.Vec) {
	switch bytes {
	case 4:
		f.I(x86.VMOVD, 0, m, x)
	case 8:
		f.I(x86.VMOVQ, 0, m, x)
	default:
		f.I(x86.VMOVUPS, x86.Len(8*bytes), m, x)
	}
}

// loadPower loads 4, 8, 16 or 32 bytes, and zeros behind them: such a load crosses fewer lines than one under a mask. It reports false
// for other numbers.
func (f *emitter) loadPower(d x86.Vec, bytes int, m x86.Mem) bool {
	switch bytes {
	case 4:
		f.I(x86.VMOVD, 0, d, m)
	case 8:
		f.I(x86.VMOVQ, 0, d, m)
	case 16, 32:
		f.I(x86.VMOVUPS, x86.Len(8*bytes), d, m)
	default:
		return false
	}
	return true
}

// storeFew stores fewer than 16 bytes of x by way of RAX.
func (f *emitter) storeFew(bytes int, m x86.Mem, x x86.Vec) {
	upper := bytes >= 8
	if upper {
		f.I(x86.VMOVQ, 0, m, x)
		m.Disp += 8
	}
	switch bytes &= 7; {
	case bytes == 0:
		return
	case upper:
		f.I(x86.VPEXTRQ, x86.L128, x86.RAX, x, x86.Imm(1))
	default:
		f.I(x86.VMOVQ, 0, x86.RAX, x)
	}
	for n := 4; n > 0; n /= 2 {
		if bytes&n == 0 {
			continue
		}
		f.I(x86.MOV, x86.Len(8*n), m, x86.RAX)
		if bytes&(n-1) > 0 {
			f.I(x86.SHR, x86.W64, x86.RAX, x86.Imm(8*n))
		}
		m.Disp += int32(n)
	}
}

// words returns memory with a constant in every 16 bits of a vector.
func (f *emitter) words(x uint16) x86.Mem {
	b := make([]byte, f.VecBytes(dtype.U8))
	for i := range b {
		b[i] = byte(x >> (i % 2 * 8))
	}
	return f.Const(b)
}

// A window is contiguous elements that have some lanes of a site, in memory or in a vector.
type window struct {
	from    x86.Operand
	lanes   []picked
	bounded bool // only the elements that lanes have may be read
	back    bool // bounded, and of rows that are read from their ends: a mask keeps the processor from fetching lines before them
}

// A picked is a lane and the position of its element in a window.
type picked = layout.Picked
