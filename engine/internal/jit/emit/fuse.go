package emit

import (
	"cmp"
	"math"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan/ir"
)

// Instructions that do the work of two nodes, with the same bits: a fused multiply-add negates
// its product and its addend, an instruction computes any function of three bits, one
// multiplies the lower halves of lanes of 64 bits, one compares floats and selects, and one compares in the lanes of a predicate.

// fuse joins nodes of the body for which the target has one instruction. It needs the result of
// findUniform.
func (f *phaseCode) fuse() {
	j := joiner{phaseCode: f}
	lists := [][]int32{f.rowTop, f.top}
	if len(f.owned) > 0 { // each row computes its address
		lists = append(lists, f.hoisted)
	}
	for _, list := range lists {
		j.each(list, func(n *lower.Node) {
			switch {
			case n.Op == prim.Fma && f.Negates:
				j.negate(n)
			case n.Op == prim.Mul && f.Halves && isa.Wide(n.In) && !n.In.IsFloat():
				j.multiply(n)
			case n.Op == prim.Select && f.Extremes && n.In.IsFloat():
				j.extreme(n)
			case n.Op == lower.OpAverage || n.Op == lower.OpTimes: // what they replace may have no other use
				j.joined++
			}
		})
	}
	if f.Numbers && len(f.Phase.Carries) == 0 {
		j.count()
		j.extremes()
	}
	if f.Predicates > 0 {
		j.count()
		j.each(f.top, j.within)
		j.count()
		j.either()
	}
	if f.Ternary {
		j.count()
		j.each(f.top, j.ternary)
	}
	if f.Complements {
		j.count()
		j.each(f.top, j.complement)
	}
	if f.Halving {
		j.count()
		j.each(f.top, j.halve)
	}
	if j.joined > 0 {
		j.count()
		f.top = j.used(f.top)
	}
}

// A joiner joins the nodes of a phase.
type joiner struct {
	*phaseCode
	joined  int // nodes
	counted int // the nodes that were joined when the uses were counted
}

// each calls visit for all nodes of a list and of its cold regions.
func (j *joiner) each(list []int32, visit func(n *lower.Node)) {
	for _, id := range list {
		n := &j.Nodes[id]
		visit(n)
		if n.Op == ir.Cold {
			j.each(n.Body, visit)
		}
	}
}

// count counts the uses of all nodes, unless no node was joined since it did.
func (j *joiner) count() {
	if len(j.uses) > 0 && j.counted == j.joined {
		return
	}
	j.counted = j.joined
	j.uses = slices.Grow(j.uses[:0], len(j.Nodes))[:len(j.Nodes)]
	clear(j.uses)
	visit := func(n *lower.Node) {
		for _, a := range n.Args {
			if a != lower.None {
				j.uses[a]++
			}
		}
		if n.Op == ir.Cold {
			j.uses[n.Yield]++
		}
	}
	j.each(j.top, visit)
	j.each(j.hoisted, visit)
	for i := range j.reds {
		j.uses[j.reds[i].Arg]++
	}
	for i := range j.owned {
		j.uses[j.owned[i].off]++
	}
}

// negate takes the operands of negations as operands of a fused multiply-add, and notes the
// signs in its Imm.
func (j *joiner) negate(n *lower.Node) {
	for i, sign := range [3]uint64{lower.NegProduct, lower.NegProduct, lower.NegAddend} {
		if a := n.Args[i]; j.Nodes[a].Op == prim.Neg && !j.Uniform[a] {
			n.Args[i] = j.Nodes[a].Args[0]
			n.Imm ^= sign
			j.joined++
		}
	}
}

// extreme replaces a selection of what a comparison finds to be less.
func (j *joiner) extreme(n *lower.Node) {
	c, x, y := &j.Nodes[n.Args[0]], n.Args[1], n.Args[2]
	switch {
	case c.Op != prim.Lt || c.In != n.In:
		return
	case c.Args[0] == x && c.Args[1] == y:
		n.Op = lower.OpLesser
	case c.Args[0] == y && c.Args[1] == x:
		n.Op = lower.OpGreater
	default:
		return
	}
	n.Args = [3]int32{x, y, lower.None}
	j.joined++
}

// A tree is minima, or maxima, of floats. All but its root are operands of others of it alone.
type tree struct {
	root int32
	mask int32 // reports whether no operand so far is NaN
	left int32 // an operand that was not compared yet, or None
}

// extremes makes trees of extremes of floats extremes of numbers. Two operands of a tree are compared at once, and the root is NaN where one of
// them is: an extreme of two alone compares them, and adds them where one is NaN.
func (j *joiner) extremes() {
	var trees map[int32]*tree // by node
	suits := func(a int32) bool {
		n := &j.Nodes[a]
		return (n.Op == prim.Min || n.Op == prim.Max) && n.In.IsFloat() && !n.Cold && !j.Uniform[n.Args[0]] && !j.Uniform[n.Args[1]]
	}
	for _, id := range slices.Backward(j.top) {
		if !suits(id) {
			continue
		}
		n := &j.Nodes[id]
		for _, a := range n.Args[:2] {
			if x := &j.Nodes[a]; x.Op == n.Op && x.In == n.In && j.uses[a] == 1 && suits(a) {
				t := trees[id]
				if t == nil {
					t = &tree{root: id, mask: lower.None, left: lower.None}
					zero.Put(&trees, id, t)
				}
				trees[a] = t
			}
		}
	}
	if trees == nil {
		return
	}
	top := make([]int32, 0, len(j.top)+len(trees))
	for _, id := range j.top {
		if t := trees[id]; t != nil {
			j.number(&top, id, t, func(a int32) bool { return trees[a] == t })
		}
		top = append(top, id)
	}
	j.top = top
}

// number makes a node of a tree an extreme of numbers, and adds what compares its operands to a list. inner reports whether an operand is of the
// tree.
func (j *joiner) number(list *[]int32, id int32, t *tree, inner func(a int32) bool) {
	n := j.Nodes[id]
	compare := func(a int32) {
		t.mask, t.left = j.node(list, lower.OpOrdered, dtype.Bool, n.In, false, t.left, a, t.mask), lower.None
		j.Grow(1)
	}
	for _, a := range n.Args[:2] {
		switch {
		case inner(a):
		case t.left == lower.None:
			t.left = a
		default:
			compare(a)
		}
	}
	if n.Op = lower.OpLeast + n.Op - prim.Min; id == t.root {
		if t.left != lower.None {
			compare(t.left)
		}
		n.Args[2] = t.mask
	}
	j.Nodes[id] = n
	j.joined++
}

// multiply replaces a product whose operands are below 2^32 by the product of their lower halves.
func (j *joiner) multiply(n *lower.Node) {
	x, y := j.half(n.Args[0]), j.half(n.Args[1])
	if x != lower.None && y != lower.None {
		n.Op, n.Args[0], n.Args[1] = lower.OpMulLow, x, y
		j.joined++
	}
}

// half returns a node whose lower half is the value of node a, or None if that value may be 2^32
// or more.
func (j *joiner) half(a int32) int32 {
	n := &j.Nodes[a]
	below := func(i int) bool {
		c := &j.Nodes[n.Args[i]]
		return c.Op == prim.Const && c.Imm <= math.MaxUint32
	}
	switch {
	case n.Op == prim.Const && n.Imm <= math.MaxUint32, n.Op == prim.Cvt && n.In.IsUnsigned() && !isa.Wide(n.In),
		n.Op == prim.Shr && n.In.IsUnsigned() && j.Nodes[n.Args[1]].Op == prim.Const && j.Nodes[n.Args[1]].Imm >= 32:
		return a
	case n.Op == prim.Max && below(1) && j.Nodes[n.Args[0]].Op == prim.Min:
		if c := &j.Nodes[j.Nodes[n.Args[0]].Args[1]]; c.Op == prim.Const && c.Imm <= math.MaxUint32 { // clamped
			return a
		}
		return lower.None
	case n.Op != prim.And || !below(0) && !below(1):
		return lower.None
	}
	for i := range 2 {
		if below(i) && j.Nodes[n.Args[i]].Imm == math.MaxUint32 && !j.Uniform[a] {
			return n.Args[1-i]
		}
	}
	return a
}

// halve lets a store convert integers of 64 bits to 32, if nothing else uses these. Those that are transposed in
// registers are converted before.
func (j *joiner) halve(n *lower.Node) {
	if n.Op != ir.Store || j.Uniform[n.Args[0]] || j.Layout.Sites[n.Aux].Kind != layout.Unit || j.Layout.Sites[n.Aux].Transposes {
		return
	}
	if x := &j.Nodes[n.Args[0]]; x.Op == prim.Cvt && j.uses[n.Args[0]] == 1 && isa.Wide(x.In) && x.In.IsInt() && x.Type.IsInt() && x.Type.Size() == 4 {
		n.Args[0] = x.Args[0]
		j.joined++
	}
}

// complement makes the predicate of a selection, a store, a Not or a comparison of predicates its complement, where that takes fewer
// instructions. A selection exchanges its operands, and a store complements the bits.
func (j *joiner) complement(n *lower.Node) {
	x, y := n.Args[0], n.Args[1]
	switch {
	case n.Op == prim.Select && j.saves(x) > 0:
		n.Args = [3]int32{j.complemented(x), n.Args[2], y}
	case n.Op == prim.Not && n.In == dtype.Bool && j.saves(x) >= 0:
		n.Op, n.Args[0] = prim.Cvt, j.complemented(x)
	case (n.Op == prim.Xor || compares(n.Op)) && n.In == dtype.Bool && x != y && j.saves(x)+j.saves(y) > 0:
		n.Args[0], n.Args[1] = j.complemented(x), j.complemented(y)
	case n.Op == ir.Store && n.In == dtype.Bool && j.Layout.Laid == 0 && !j.Paired() && j.unit(n) && j.saves(x) > 0:
		n.Imm, n.Args[0] = lower.Complement, j.complemented(x)
	}
}

// unit reports whether the elements of an access follow each other in memory, and none is left out.
func (j *joiner) unit(n *lower.Node) bool {
	s := &j.Layout.Sites[n.Aux]
	return s.Kind == layout.Unit && !s.Guard && !s.Transposes
}

// noComplement is what saves returns for a predicate whose complement needs an instruction more, or that has other uses. No number of other
// operands makes up for it.
const noComplement = math.MinInt32

// saves returns how many instructions less the complement of a predicate takes.
func (j *joiner) saves(id int32) int {
	n := &j.Nodes[id]
	switch {
	case j.Uniform[id] || j.uses[id] != 1:
	case n.Op == prim.Not:
		return 1
	case n.Op == ir.Load && j.LaneSize > 0 && n.Args[0] == lower.None && n.Args[1] == lower.None && j.unit(n):
		return 1
	case (n.Op == prim.And || n.Op == prim.Or) && n.Args[0] != n.Args[1]:
		return j.saves(n.Args[0]) + j.saves(n.Args[1])
	case compares(n.Op) && n.In.IsFloat():
		return 0
	case compares(n.Op) && n.In.IsInt(): // equality takes one instruction, and so does less for signed lanes, or at most for unsigned ones
		unsigned := n.In.IsUnsigned() && !isa.Wide(n.In) && n.In.Size() >= cmp.Or(j.LaneSize, 4)
		if n.Op == prim.Eq || n.Op == prim.Lt && !unsigned || n.Op == prim.Le && unsigned {
			return -1
		}
		return 1
	}
	return noComplement
}

// complements are the operations that give the complement: of the complements of their operands, or for Lt and Le of exchanged operands.
var complements = map[prim.Op]prim.Op{prim.And: prim.Or, prim.Or: prim.And, prim.Eq: prim.Ne, prim.Ne: prim.Eq, prim.Lt: prim.Le, prim.Le: prim.Lt}

// complemented makes a predicate its complement, and returns it.
func (j *joiner) complemented(id int32) int32 {
	n := &j.Nodes[id]
	switch op := complements[n.Op]; {
	case n.Op == prim.Not:
		j.joined++
		return n.Args[0]
	case n.Op == ir.Load || n.In.IsFloat():
		n.Imm ^= lower.Complement
	case n.Op == prim.And || n.Op == prim.Or:
		n.Op, n.Args[0], n.Args[1] = op, j.complemented(n.Args[0]), j.complemented(n.Args[1])
	case n.Op == prim.Lt || n.Op == prim.Le:
		n.Op, n.Args[0], n.Args[1] = op, n.Args[1], n.Args[0]
	default:
		n.Op = op
	}
	return id
}

// foldLoads lets instructions take vectors from memory in place of loads that nothing else uses. No store is
// between the load and its use.
func (f *phaseCode) foldLoads() {
	if f.FromMemory == nil || f.Phase.Kind == lower.ScalarPhase {
		return
	}
	j := joiner{phaseCode: f, counted: -1}
	j.count()
	since, stores := j.zeros(), int32(1) // of each load, the stores before it
	for _, id := range j.top {
		n := &j.Nodes[id]
		switch {
		case n.Op == ir.Load:
			if j.foldable(id) {
				since[id] = stores
			}
		case n.Op == ir.Store || n.Op == ir.Cold:
			stores++
		case j.FromMemory(n):
			for i := 1; i >= 0 && (i == 1 || n.Op.Info().Commutes || compares(n.Op)); i-- {
				a := n.Args[i]
				if since[a] != stores || n.In == dtype.Bool || n.In.Size() < cmp.Or(j.LaneSize, 4) {
					continue
				}
				if t := j.Phase.Sites[j.Nodes[a].Aux].Type; t == n.In || t == n.Type && t.Size() == n.In.Size() { // the bits of floats
					j.Nodes[a].Folded = true
					break
				}
			}
		}
	}
}

// foldable reports whether an instruction may take a vector that a node loads, as nothing else does, from memory.
func (j *joiner) foldable(id int32) bool {
	n := &j.Nodes[id]
	return n.Op == ir.Load && j.uses[id] == 1 && n.Args[0] == lower.None && n.Args[1] == lower.None && j.unit(n)
}

// tables are the bits of the functions of two bits, each for all values of three: of the first
// and the second, and of their result and the third.
var tables = map[prim.Op]func(x, y uint8) uint8{
	prim.And: func(x, y uint8) uint8 { return x & y },
	prim.Or:  func(x, y uint8) uint8 { return x | y },
	prim.Xor: func(x, y uint8) uint8 { return x ^ y },
}

// ternary replaces a function of two bits by a function of three, if one of its operands is
// another function of two bits that nothing else uses.
func (j *joiner) ternary(n *lower.Node) {
	outer := tables[n.Op]
	if outer == nil || n.Type == dtype.Bool || n.Args[0] == n.Args[1] {
		return
	}
	for i, a := range n.Args[:2] {
		x := &j.Nodes[a]
		if inner := tables[x.Op]; inner != nil && x.Type == n.Type && j.uses[a] == 1 && !j.Uniform[a] {
			n.Op, n.Args, n.Imm = lower.OpTernary, [3]int32{x.Args[0], x.Args[1], n.Args[1-i]}, uint64(outer(inner(0xf0, 0xcc), 0xaa))
			j.joined++
			return
		}
	}
}

// within replaces the conjunction of a predicate and a comparison that nothing else uses by the comparison in the lanes of the predicate.
func (j *joiner) within(n *lower.Node) {
	if n.Op != prim.And || n.Type != dtype.Bool {
		return
	}
	for i := 1; i >= 0; i-- {
		c := &j.Nodes[n.Args[i]]
		if compares(c.Op) && c.In != dtype.Bool && c.Args[2] == lower.None && j.uses[n.Args[i]] == 1 && !j.Uniform[n.Args[i]] {
			n.Op, n.In, n.Args = c.Op, c.In, [3]int32{c.Args[0], c.Args[1], n.Args[1-i]}
			j.joined++
			return
		}
	}
}

// either replaces a disjunction of two comparisons that only selections use by its complement, and exchanges the operands of the
// selections. The second comparison is made as its complement, and the first one too, but only in the lanes where this complement holds:
// the operands of the first one often come later.
func (j *joiner) either() {
	chosen := j.zeros() // the selections by each predicate
	single := func(a int32) bool {
		c := &j.Nodes[a]
		return compares(c.Op) && c.In != dtype.Bool && c.Args[2] == lower.None && j.uses[a] == 1 && !j.Uniform[a]
	}
	j.each(j.top, func(n *lower.Node) {
		if n.Op == prim.Select && n.Type != dtype.Bool {
			chosen[n.Args[0]]++
		}
	})
	for _, id := range j.top {
		n := &j.Nodes[id]
		if x, y := n.Args[0], n.Args[1]; n.Op == prim.Or && n.Type == dtype.Bool && x != y && chosen[id] == int32(j.uses[id]) && single(x) && single(y) {
			j.Nodes[y].Imm |= lower.Complement
			c := j.Nodes[x]
			n.Op, n.In, n.Imm, n.Args = c.Op, c.In, c.Imm|lower.Complement, [3]int32{c.Args[0], c.Args[1], y}
			chosen[id] = -1
			j.joined++
		}
	}
	j.each(j.top, func(n *lower.Node) {
		if n.Op == prim.Select && chosen[n.Args[0]] < 0 {
			n.Args[1], n.Args[2] = n.Args[2], n.Args[1]
		}
	})
}

func compares(op prim.Op) bool {
	return op == prim.Eq || op == prim.Ne || op == prim.Lt || op == prim.Le
}

// limit replaces minima and maxima of floats and a uniform value u by the lesser or the greater, which is the other operand if
// neither is. Where u is NaN or a zero, one operation more makes the result NaN, or orders the zeros.
func (f *phaseCode) limit() {
	extreme := func(id int32) bool { op := f.Nodes[id].Op; return op == prim.Min || op == prim.Max }
	if !f.Extremes || f.Phase.Kind == lower.ScalarPhase || f.Layout.Prefixes || !slices.ContainsFunc(f.top, extreme) {
		return
	}
	plain := f.plainLimits()
	top := make([]int32, 0, len(f.top))
	for _, id := range f.top {
		n := f.Nodes[id]
		x, u := f.limited(&n)
		if u == lower.None {
			top = append(top, id)
			continue
		}
		op, mends, bits := prim.Op(lower.OpLesser), prim.Or, [...]dtype.Type{4: dtype.U32, 8: dtype.U64}[n.In.Size()]
		if n.Op == prim.Max {
			op, mends, bits = lower.OpGreater, prim.Add, n.In
		}
		if to, ok := plain[id]; ok {
			x, u = to, x
		} else if with := f.mend(n.Op, n.In, u); with != lower.None {
			x, u = f.node(&top, op, n.Type, n.In, false, u, x), with
			f.Grow(1)
			op, n.In = mends, bits
		} else {
			x, u = u, x
		}
		f.Nodes[id] = lower.Node{Op: op, Type: n.Type, In: n.In, Args: [3]int32{x, u, lower.None}}
		top = append(top, id)
	}
	f.top = top
}

// limited returns the operands of a minimum or maximum of floats and a uniform value, which is the second one; of others that is None.
func (f *phaseCode) limited(n *lower.Node) (x, u int32) {
	if n.Op != prim.Min && n.Op != prim.Max || !n.In.IsFloat() || n.Cold {
		return lower.None, lower.None
	}
	if x, u = n.Args[0], n.Args[1]; f.Uniform[x] {
		x, u = u, x
	}
	if !f.Uniform[u] {
		u = lower.None
	}
	return x, u
}

// plainLimits returns the uniform values of minima and maxima that need no operation more: of a minimum of a maximum, or the other
// way round, that is only converted to an integer, for which zeros need no order. Where one of both values is NaN, both become 0,
// and so do all results, as a NaN does. The limits of what becomes a narrow integer are in the range of its type.
func (f *phaseCode) plainLimits() map[int32]int32 {
	var out map[int32]int32
	j := joiner{phaseCode: f, counted: -1}
	for _, id := range f.top {
		n := &f.Nodes[id]
		if n.Op != prim.Cvt || !n.In.IsFloat() || !n.Type.IsInt() || n.Cold {
			continue
		}
		j.count()
		outer := n.Args[0]
		if f.Nodes[outer].Op == prim.Rint && j.uses[outer] == 1 {
			outer = f.Nodes[outer].Args[0]
		}
		inner, u := f.limited(&f.Nodes[outer])
		if u == lower.None || f.Nodes[inner].Op == f.Nodes[outer].Op || j.uses[outer] != 1 || j.uses[inner] != 1 {
			continue
		}
		if _, v := f.limited(&f.Nodes[inner]); v != lower.None {
			t := f.Nodes[outer].In
			either := f.uniform(prim.Select, t, t, f.uniform(prim.Eq, dtype.Bool, t, v, v), u, v)
			numbers, zero := f.uniform(prim.Eq, dtype.Bool, t, either, either), f.uniformConst(t, 0)
			if out == nil {
				out = map[int32]int32{}
			}
			limits := [2]int32{f.uniform(prim.Select, t, t, numbers, u, zero), f.uniform(prim.Select, t, t, numbers, v, zero)}
			if isa.Narrow(n.Type) {
				least, above := scalar.Limits(n.Type)
				for i, x := range limits {
					x = f.uniform(lower.OpGreater, t, t, x, f.uniformConst(t, prim.FromFloat(t, least)))
					limits[i] = f.uniform(lower.OpLesser, t, t, x, f.uniformConst(t, prim.FromFloat(t, above-1)))
				}
				f.Nodes[id].Imm = lower.InRange
			}
			out[outer], out[inner] = limits[0], limits[1]
			j.counted = -1
		}
	}
	return out
}

// uniform adds a node to those before the loop.
func (f *phaseCode) uniform(op prim.Op, t, in dtype.Type, args ...int32) int32 {
	id := f.node(&f.hoisted, op, t, in, false, args...)
	f.Grow(1)
	f.Uniform[id], f.UniformSlot[id] = true, f.Slots.Take()
	return id
}

// hoist adds a node with one operand to the prologue.
func (f *phaseCode) hoist(op prim.Op, t dtype.Type, arg, aux int32, imm uint64) int32 {
	id := f.node(&f.hoisted, op, t, t, false, arg)
	f.Nodes[id].Aux, f.Nodes[id].Imm = aux, imm
	f.Grow(1)
	f.Uniform[id] = true
	f.UniformSlot[id] = f.Slots.Take()
	return id
}

func (f *phaseCode) uniformConst(t dtype.Type, x uint64) int32 {
	id := f.constant(t, x)
	f.Grow(1)
	f.Uniform[id] = true
	return id
}

// mend returns the uniform value that the lesser of u and another value is joined with by Or, or that is added to the greater:
// u if that is NaN or a zero, and else what changes nothing. It returns None if u is known to be another number.
func (f *phaseCode) mend(op prim.Op, t dtype.Type, u int32) int32 {
	neutral := uint64(0)
	if op == prim.Max {
		neutral = 1 << (8*t.Size() - 1) // -0
	}
	if n := &f.Nodes[u]; n.Op == prim.Const {
		if magnitude := n.Imm &^ (1 << (8*t.Size() - 1)); magnitude != 0 && magnitude <= prim.FromFloat(t, math.Inf(1)) {
			return lower.None
		}
		return u
	}
	other := f.uniform(prim.Lt, dtype.Bool, t, f.uniformConst(t, 0), f.uniform(prim.Abs, t, t, u))
	return f.uniform(prim.Select, t, t, other, f.uniformConst(t, neutral), u)
}

// quotients gives divisions by uniform values the reciprocals of these, where the target computes
// such a quotient faster than it divides.
func (f *phaseCode) quotients() {
	if !f.Reciprocals {
		return
	}
	known := map[int32]int32{} // reciprocals by divisors
	for _, id := range f.Lanes.Quotients() {
		d, t := f.Nodes[id].Args[1], f.Nodes[id].In
		r, ok := known[d]
		if !ok {
			r = f.hoist(lower.OpReciprocal, t, d, 0, 0)
			known[d] = r
		}
		f.Nodes[id].Op, f.Nodes[id].Args[2] = lower.OpQuotient, r
	}
}

// used returns the nodes of a list without those that nothing uses any more.
func (j *joiner) used(list []int32) []int32 {
	out := slices.Clone(list)
	kept := len(out)
	for _, id := range slices.Backward(list) {
		n := &j.Nodes[id]
		if j.uses[id] == 0 && (n.Op == prim.Neg || n.Op == prim.Not || compares(n.Op) || n.Op == prim.Add || n.Op == prim.Cvt || tables[n.Op] != nil) {
			for _, a := range n.Args {
				if a != lower.None {
					j.uses[a]--
				}
			}
			continue
		}
		if n.Op == ir.Cold {
			n.Body = j.used(n.Body)
		}
		kept--
		out[kept] = id
	}
	return out[kept:]
}
