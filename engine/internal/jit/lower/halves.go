package lower

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// Elements of 16 bits are float32 in registers. Each operation on them ends with a rounding, and so
// does a store.

// keepsHalves are the operations whose results have no more digits than their operands.
var keepsHalves = [prim.NumOps]bool{
	prim.Neg: true, prim.Abs: true, prim.Min: true, prim.Max: true, prim.Select: true,
	prim.Floor: true, prim.Ceil: true, prim.Trunc: true, prim.Rint: true,
}

// roundOnce removes roundings of numbers that are rounded: those of operations that add no digits, and
// those that a store repeats. It returns what it found, or nil for a phase without elements of 16 bits.
func (ph *Phase) roundOnce() *halves {
	some := false
	for i := range ph.Nodes {
		n := &ph.Nodes[i]
		some = some || n.In.IsHalf() || halfOf(n.Op) != dtype.Invalid
	}
	if !some {
		return nil
	}
	h := &halves{ph: ph, rounded: make([]dtype.Type, len(ph.Nodes)), uses: make([]int32, len(ph.Nodes))}
	h.list(ph.Top)
	ph.eachResult(h.use)
	for i := range ph.Nodes {
		if n := &ph.Nodes[i]; n.Op == ir.Store && n.In.IsHalf() {
			h.store(n)
		}
	}
	return h
}

type halves struct {
	ph      *Phase
	rounded []dtype.Type // of which type the elements of a node are, or Invalid
	uses    []int32
	scalars int32 // of the kernel
}

func (h *halves) use(id int32) {
	if id != None {
		h.uses[id]++
	}
}

// list finds what the nodes of a list hold, in order, and passes by roundings that change nothing. Such a rounding
// is no use of its operand.
func (h *halves) list(ids []int32) {
	nodes := h.ph.Nodes
	for _, id := range ids {
		n := &nodes[id]
		for k, a := range n.Args {
			if a == None {
				continue
			}
			if r := &nodes[a]; halfOf(r.Op) != dtype.Invalid && h.of(r.Args[0], halfOf(r.Op)) {
				n.Args[k] = r.Args[0]
			}
			if round := halfOf(n.Op); round == dtype.Invalid || !h.of(n.Args[k], round) {
				h.use(n.Args[k])
			}
		}
		if n.Op == ir.Cold {
			h.list(n.Body)
			h.use(n.Yield)
		}
		h.rounded[id] = h.elements(n)
	}
}

// halfOf returns the type to which an operation rounds, or Invalid.
func halfOf(op prim.Op) dtype.Type {
	switch op {
	case prim.RoundF16:
		return dtype.F16
	case prim.RoundBF16:
		return dtype.BF16
	}
	return dtype.Invalid
}

// elements returns the type whose elements, or their bits, a node has, or Invalid.
func (h *halves) elements(n *Node) dtype.Type {
	switch {
	case n.Op == prim.Bitcast && n.Type.Size() == 4:
		return h.rounded[n.Args[0]]
	case n.Type == dtype.I32:
		return h.bits(n)
	case n.Type != dtype.F32:
		return dtype.Invalid
	case halfOf(n.Op) != dtype.Invalid:
		return halfOf(n.Op)
	case n.Op == ir.Load && n.In.IsHalf():
		return h.all(n.Args[:1], n.In)
	case n.Op == prim.Select:
		return h.common(n.Args[1:])
	case n.Op < prim.NumOps && keepsHalves[n.Op] && n.In == dtype.F32:
		return h.common(n.Args[:])
	}
	return dtype.Invalid
}

// The bits of the sign and those of the magnitude of a float32.
const signBits, magnitudeBits = 1 << 31, 1<<31 - 1

// bits returns the type of which an operation on bits has the sign or the magnitude of an element, or the magnitude with any sign.
func (h *halves) bits(n *Node) dtype.Type {
	switch n.Op {
	case prim.And:
		if h.isConst(n.Args[1], signBits) || h.isConst(n.Args[1], magnitudeBits) {
			return h.rounded[n.Args[0]]
		}
	case prim.Or, prim.Xor:
		for k, a := range n.Args[:2] {
			if h.isSign(a) {
				return h.rounded[n.Args[1-k]]
			}
		}
	}
	return dtype.Invalid
}

// isSign reports whether all bits but the sign are 0.
func (h *halves) isSign(id int32) bool {
	n := &h.ph.Nodes[id]
	switch n.Op {
	case prim.Const:
		return uint32(n.Imm)&magnitudeBits == 0
	case prim.And:
		return h.isSign(n.Args[0]) || h.isSign(n.Args[1])
	case prim.Select:
		return h.isSign(n.Args[1]) && h.isSign(n.Args[2])
	}
	return false
}

func (h *halves) isConst(id int32, bits uint32) bool {
	n := &h.ph.Nodes[id]
	return n.Op == prim.Const && uint32(n.Imm) == bits
}

// common returns the type of which all operands are, or Invalid.
func (h *halves) common(args []int32) dtype.Type {
	for _, t := range []dtype.Type{dtype.F16, dtype.BF16} {
		if h.all(args, t) != dtype.Invalid {
			return t
		}
	}
	return dtype.Invalid
}

// all returns t if all operands are of t, or Invalid.
func (h *halves) all(args []int32, t dtype.Type) dtype.Type {
	for _, a := range args {
		if a != None && !h.of(a, t) {
			return dtype.Invalid
		}
	}
	return t
}

// of reports whether the elements of a node are of a type. A constant may be of both.
func (h *halves) of(id int32, t dtype.Type) bool {
	n := &h.ph.Nodes[id]
	if n.Op != prim.Const || n.Type != dtype.F32 {
		return h.rounded[id] == t
	}
	x := math.Float32frombits(uint32(n.Imm))
	if t == dtype.BF16 {
		return math.Float32bits(dtype.BF16From(x).Float32()) == uint32(n.Imm)
	}
	return math.Float32bits(dtype.F16From(x).Float32()) == uint32(n.Imm)
}

// store lets a store round instead of its operand, if nothing else uses that, and else not round.
func (h *halves) store(n *Node) {
	r := &h.ph.Nodes[n.Args[0]]
	if halfOf(r.Op) == n.In && h.uses[n.Args[0]] == 1 {
		n.Args[0] = r.Args[0]
	}
	n.Rounded = h.of(n.Args[0], n.In)
}

// asBits makes integers of the elements of 16 bits that a phase only moves, selects, or changes the signs of: they get the type of their
// bits. Then loads and stores convert nothing, and narrow lanes may hold the elements. A NaN may get other bits than by conversions.
// Scalars that only stores see are rounded once, to cells of the program.
func (h *halves) asBits(p *Program) {
	if h == nil || len(h.ph.Reds)+len(h.ph.Carries) > 0 {
		return
	}
	nodes := h.ph.Nodes
	h.scalars = int32(len(p.IR.Scalars))
	moved, t := make([]bool, len(nodes)), dtype.Invalid
	for i := range nodes {
		if nodes[i].Op == ir.Store && nodes[i].In.IsHalf() {
			t = nodes[i].In
		}
	}
	for i := range nodes {
		moved[i] = t != dtype.Invalid && h.moves(int32(i), t)
	}
	for h.unmark(moved, t) {
	}
	for i := range moved {
		if moved[i] {
			h.toBits(p, int32(i), t)
		}
	}
	h.ph.removeDead() // constants and cells of floats
}

// moves reports whether a node may have, or store, the bits of elements of type t.
func (h *halves) moves(id int32, t dtype.Type) bool {
	n := &h.ph.Nodes[id]
	switch n.Op {
	case ir.Load:
		return n.In == t && !n.Cold
	case ir.Store:
		return n.In == t && h.near(n.Args[0], t) && !n.Cold
	case prim.Lt:
		return n.In == dtype.I32 && h.rounded[n.Args[0]] == t && h.isConst(n.Args[1], aboveInfinity) && !n.Cold
	case prim.Neg, prim.Abs, prim.Bitcast, prim.Select, prim.And, prim.Or, prim.Xor:
		return (h.rounded[id] == t || h.near(id, t) || n.Type == dtype.I32 && h.isSign(id)) && !n.Cold
	}
	return false
}

// near reports whether a rounding of a node has the bits of an element of type t that operands of it have, or of a scalar.
func (h *halves) near(id int32, t dtype.Type) bool {
	n := &h.ph.Nodes[id]
	return h.of(id, t) || h.isScalar(id) || n.Op == prim.Select && n.Type == dtype.F32 && h.near(n.Args[1], t) && h.near(n.Args[2], t)
}

// isScalar reports whether a node is a scalar of the kernel, of float32.
func (h *halves) isScalar(id int32) bool {
	n := &h.ph.Nodes[id]
	return n.Op == OpCell && n.Aux < h.scalars && n.Type == dtype.F32
}

// elementsOf returns those operands of a node that are elements if the node moves elements.
func (n *Node) elementsOf() []int32 {
	switch n.Op {
	case prim.Select:
		return n.Args[1:]
	case prim.And, prim.Or, prim.Xor, prim.Lt:
		return n.Args[:2]
	}
	return n.Args[:1]
}

// unmark unmarks the nodes that other nodes compute with, and those with operands that are neither marked nor constants. It reports
// whether it found some.
func (h *halves) unmark(moved []bool, t dtype.Type) (some bool) {
	other := func(id int32) {
		if id != None && moved[id] {
			moved[id], some = false, true
		}
	}
	h.ph.eachResult(other)
	for i := range h.ph.Nodes {
		n := &h.ph.Nodes[i]
		elements := n.elementsOf()
		for _, a := range elements {
			if _, ok := h.halfOfConst(a, t); a != None && !ok && !moved[a] && !(n.Op == prim.Select && h.isScalar(a)) {
				other(int32(i))
			}
		}
		for _, a := range n.Args {
			if a != None && h.ph.Nodes[a].Type != dtype.Bool && !(moved[i] && slices.Contains(elements, a)) {
				other(a)
			}
		}
		if n.Op == ir.Cold {
			other(n.Yield)
		}
	}
	return some
}

// aboveInfinity is the bits after -Inf: as signed integers, the bits of all negative numbers are less, and the bits of a NaN are not.
const aboveInfinity = 0xff800001

// halfOfConst returns the bits of an element of type t for a constant: a float with the value of such an element, a mask whose bits are
// equal apart from the sign, or aboveInfinity.
func (h *halves) halfOfConst(id int32, t dtype.Type) (bits uint64, ok bool) {
	if id == None || h.ph.Nodes[id].Op != prim.Const {
		return 0, false
	}
	n := &h.ph.Nodes[id]
	word := uint32(n.Imm)
	switch {
	case n.Type == dtype.F32 && t == dtype.F16:
		return uint64(dtype.F16From(math.Float32frombits(word)).Bits()), h.of(id, t)
	case n.Type == dtype.F32:
		return uint64(word >> 16), h.of(id, t)
	case n.Type == dtype.I32 && word == aboveInfinity && t == dtype.F16:
		return 0xfc01, true
	case n.Type == dtype.I32 && word == aboveInfinity:
		return 0xff81, true
	}
	return uint64(word >> 16), n.Type == dtype.I32 && (word&magnitudeBits == 0 || word&magnitudeBits == magnitudeBits)
}

// toBits rewrites a node that moves elements of type t, and its constants.
func (h *halves) toBits(p *Program, id int32, t dtype.Type) {
	n := h.ph.Nodes[id]
	constant := func(bits uint64) int32 { return h.ph.constant(dtype.I16, bits, ir.None) }
	for k, a := range n.Args {
		if bits, ok := h.halfOfConst(a, t); ok {
			n.Args[k] = constant(bits)
		} else if a != None && h.isScalar(a) {
			n.Args[k] = h.ph.cell(dtype.I16, p.rounded(h.ph.Nodes[a].Aux, t), ir.None)
		}
	}
	switch n.Op {
	case ir.Load, ir.Store:
		h.ph.Sites[n.Aux].Type = dtype.I16
	case prim.Neg:
		n.Op, n.Args[1] = prim.Xor, constant(signBits>>16)
	case prim.Abs:
		n.Op, n.Args[1] = prim.And, constant(magnitudeBits>>16)
	}
	if n.In = dtype.I16; n.HasResult() && n.Type != dtype.Bool {
		n.Type = dtype.I16
	}
	h.ph.Nodes[id] = n
}
