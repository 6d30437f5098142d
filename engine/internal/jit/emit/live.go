package emit

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// spare returns how many registers the loop keeps free for temporaries. What combines values takes as many as
// any node.
func (f *phaseCode) spare() int {
	if f.Temporaries == nil || f.Phase.Kind != lower.MapPhase || len(f.reds)+len(f.records)+len(f.joined) > 0 {
		return spareRegs
	}
	if f.spared == 0 {
		f.spared = max(f.mostTemporaries(f.rowTop), f.mostTemporaries(f.top))
	}
	if f.unroll > 0 {
		return f.spared - uniformTemporaries
	}
	return f.spared
}

// mostTemporaries returns the most temporaries that the code of a node of a list takes.
func (f *phaseCode) mostTemporaries(list []int32) (most int) {
	for _, id := range list {
		n := &f.Nodes[id]
		if n.Op == ir.Cold {
			most = max(most, f.mostTemporaries(n.Body))
		}
		most = max(most, f.Temporaries(&f.Emitter, n))
	}
	return most
}

// findUniform finds the uniform nodes: the same in all lanes and all rows. It hoists
// them from the body to the prologue.
func (f *phaseCode) findUniform() {
	f.Grow(len(f.Nodes))
	for i := range f.Nodes {
		op := f.Nodes[i].Op
		f.Uniform[i] = op == prim.Const || op == lower.OpCell
		if op == lower.OpCell && !f.Broadcasts {
			f.UniformSlot[i] = f.Slots.Take()
			f.hoisted = append(f.hoisted, int32(i))
		}
	}
	if f.Phase.Kind == lower.ScalarPhase {
		return
	}
	f.rowTop, f.top = f.hoistFrom(f.rowTop), f.hoistFrom(f.top)
}

// hoistFrom moves the uniform nodes of a list to the prologue, and returns the rest.
func (f *phaseCode) hoistFrom(list []int32) []int32 {
	rest := list[:0]
	for _, id := range list {
		n := &f.Nodes[id]
		ok := true
		switch n.Op {
		case ir.Load, ir.Index:
			s := &f.Layout.Sites[n.Aux]
			ok = s.Kind == layout.Uniform && !s.Guard && !f.stored(s.Buf) || s.Kind == layout.Index && s.Line.Step() == 0
			ok = ok && bound.StepOf(s.Seq) == 0
		case ir.Store, ir.Fault, ir.Cold, lower.OpExport, lower.OpGather, lower.OpTake, lower.OpIota, lower.OpShiftUp, lower.OpLast, lower.OpLeave, lower.OpOperand:
			ok = false
		}
		for _, a := range n.Args {
			ok = ok && (a == lower.None || f.Uniform[a])
		}
		if !ok {
			rest = append(rest, id)
			continue
		}
		f.Uniform[id] = true
		f.UniformSlot[id] = f.Slots.Take()
		f.hoisted = append(f.hoisted, id)
	}
	return rest
}

// liveness finds the last use of each node: a position in the order of emission. If that takes more predicates at once than there are
// registers, selections by predicates move up.
func (f *phaseCode) liveness() {
	f.findLast()
	if f.Predicates > 0 {
		if _, masks := f.pressure(); masks > f.Predicates {
			f.selectSoon()
			f.pressed = false
			f.findLast()
		}
	}
}

// selectSoon moves selections by predicates to where the last of their operands is known.
func (f *phaseCode) selectSoon() {
	top := make([]int32, 0, len(f.top))
	for _, id := range f.top {
		n, at := &f.Nodes[id], len(top)
		if n.Op == prim.Select && n.Type != dtype.Bool {
			at = 0
			for _, a := range n.Args {
				at = max(at, slices.Index(top, a)+1)
			}
		}
		top = slices.Insert(top, at, id)
	}
	f.top = top
}

// findLast finds the last use of each node in the order of top.
func (f *phaseCode) findLast() {
	f.Last = slices.Grow(f.Last[:0], len(f.Nodes))[:len(f.Nodes)]
	clear(f.Last)
	pos := int32(0)
	def := f.zeros()
	var walk func(list []int32)
	walk = func(list []int32) {
		for _, id := range list {
			n := &f.Nodes[id]
			start := pos
			if n.Op == ir.Cold {
				pos++
				start = pos
				walk(n.Body)
			}
			pos++
			n.At = pos
			def[id] = pos
			f.Last[id] = max(f.Last[id], pos)
			for _, a := range n.Args {
				if a != lower.None {
					f.Last[a] = pos
				}
			}
			if n.Op == ir.Cold {
				f.Last[n.Yield] = pos
				// Values from before the region must live until its end.
				f.keepInside(n.Body, def, start, pos)
			}
		}
	}
	walk(f.rowTop)
	pos++
	for _, c := range f.chosen {
		f.Last[c.off] = pos
	}
	walk(f.top)
	pos++
	for i := range f.reds {
		f.Last[f.reds[i].Arg] = pos
	}
}

func (f *phaseCode) keepInside(body, def []int32, start, end int32) {
	keep := func(a int32) {
		if a != lower.None && def[a] != 0 && def[a] <= start {
			f.Last[a] = max(f.Last[a], end)
		}
	}
	for _, id := range body {
		n := &f.Nodes[id]
		for _, a := range n.Args {
			keep(a)
		}
		if n.Op == ir.Cold {
			keep(n.Yield)
			f.keepInside(n.Body, def, start, end)
		}
	}
}

// pressure returns the most vector and mask registers that one copy needs at once.
func (f *phaseCode) pressure() (vecs, masks int) {
	if f.pressed {
		return f.mostVecs, f.mostMasks
	}
	f.pressed, f.mostVecs, f.mostMasks, f.mostBetween = true, 0, 0, 0
	f.press(f.top, make([]int32, 0, 32))
	return f.mostVecs, f.mostMasks
}

func (f *phaseCode) press(list, live []int32) []int32 {
	for _, id := range list {
		n := &f.Nodes[id]
		if n.Op == ir.Cold {
			live = f.press(n.Body, live)
		}
		v, m, ending, kept := 0, 0, 0, 0
		replaces := false // the result may take the vector of an operand that ends here
		if n.HasResult() && !n.Folded {
			live = append(live, id)
		}
		for _, l := range live {
			if f.Last[l] < n.At {
				continue
			}
			live[kept] = l
			kept++
			switch {
			case !f.IsMask(l):
				v++
				replaces = replaces || l != id && f.Last[l] == n.At
			case l != id && f.Last[l] == n.At:
				ending++
			default:
				m++
			}
		}
		live = live[:kept]
		if ending > 0 && f.IsMask(id) { // the result takes the register of an operand that ends here
			ending--
		}
		f.mostVecs, f.mostMasks = max(f.mostVecs, v), max(f.mostMasks, m+ending)
		if replaces && n.HasResult() && !n.Folded && !f.IsMask(id) {
			v--
		}
		f.mostBetween = max(f.mostBetween, v)
	}
	return live
}

// groupVecs returns the most vector registers that a group needs at once: one of its copies is in the middle of a node, and the others
// are before it or behind it.
func (f *phaseCode) groupVecs(group int) int {
	v, _ := f.pressure()
	return v + (group-1)*f.mostBetween
}

// vecsOfGroup is groupVecs for the choice of a group. Where instructions take operands from memory, registers are few, and those for
// uniform operands are worth more than a larger group.
func (f *phaseCode) vecsOfGroup(group int) int {
	if v, _ := f.pressure(); f.FromMemory != nil {
		return group * v
	}
	return f.groupVecs(group)
}

// chooseCopies returns the number of vectors in a group: limit, halved until the
// registers suffice. Accumulators take fixed registers.
func (f *phaseCode) chooseCopies(limit, fixed int) int {
	_, m := f.pressure()
	c, spare := limit, f.spare()
	for c > 1 && (f.vecsOfGroup(c)+spare+fixed > f.Vectors || !f.Fits(c*m)) {
		c /= 2
	}
	if limit > 1 {
		c = max(c, min(f.deepCopies(), 2))
	}
	return c
}

// uniformsOrGroup returns two vectors in place of a group of four that leaves the uniform operands no registers, beside the
// fixed ones. Where loads are folded, they take no registers, and uniform operands in registers are worth more than a larger group. Elsewhere
// that is so if most uniform operands meet a load, as the weights of a filter do: then loads limit the loop.
func (f *phaseCode) uniformsOrGroup(group, fixed int) int {
	uniform := len(f.operandsByUse())
	if group == 4 && (f.FromMemory != nil || 2*f.taps() > uniform) && uniform > f.Vectors-fixed-f.vecsOfGroup(group)-f.spare() {
		return 2
	}
	return group
}

// selectors is the registers that should be left for what the permutes of records need beside their operands: one whose selector comes
// from memory takes twice as many instructions, which vectors at once do not make up for.
const selectors = 8

// crowdsSelectors reports whether so many values, beside uniform operands, leave too few registers for the selectors of records that are
// loaded. Networks that store records take their registers themselves.
func (f *phaseCode) crowdsSelectors(values int) bool {
	return f.Predicates > 0 && len(f.records) > 0 && len(f.joined) == 0 && f.holdRoom(values+len(f.operandsByUse())) < selectors
}

// holdRoom returns how many registers a loop may keep constants in, beside those of its values.
func (f *phaseCode) holdRoom(values int) int {
	return max(bits.OnesCount64(f.Vecs.Free)-values-spareRegs, 0)
}

// deepCopies returns the vectors that should be computed at once though some of their values then go through
// memory, or 1. It returns more for a long body: the processor does not reach the next iteration while it waits for the results of one. The
// schedulers of processors with few registers hold some 64 instructions of vectors that wait, those with predicates some 200.
func (f *phaseCode) deepCopies() int {
	v, _ := f.pressure()
	computes := func(id int32) bool { return f.Nodes[id].Op != ir.Load && f.Nodes[id].Op != ir.Store }
	switch nodes := lists.Count(f.top, computes); {
	case f.Vectors > 16 && (f.Predicates == 0 || f.share.bit > 0), f.Phase.Leaves, f.LaneSize > 0, nodes <= deepBody:
		return 1
	case f.Predicates > 0 || nodes > longestBody || nodes > deeperBody && v <= deeperVectors:
		return 3
	}
	return 2
}

// A loop with more nodes than deepBody, without loads and stores, computes two vectors at once, or three where there are predicates. One with more
// than deeperBody computes three if a vector takes at most deeperVectors registers, and one with more than longestBody in any case.
const (
	deepBody      = 28
	deeperBody    = 48
	deeperVectors = 10
	longestBody   = 98
)

// fieldVectors returns the vectors that loads and stores of all fields of records, and planes, hold at
// once. Many fields may need all vectors of a target with few. A target with more vectors needs two for each field: one that is
// loaded, and one for the result.
func (f *phaseCode) fieldVectors() (most int) {
	if f.Layout.Laid > 4 && len(f.planes()) > 0 {
		return f.Vectors
	}
	if f.Predicates > 0 {
		for _, ids := range slices.Concat(f.records, f.joined) {
			most = max(most, f.Layout.Sites[f.Nodes[ids[0]].Aux].Line.Step()+len(ids)+f.spare())
		}
		return most
	}
	many := func(ids []int32) bool { return len(ids) > 4 }
	if slices.ContainsFunc(f.records, many) || slices.ContainsFunc(f.joined, many) {
		return f.Vectors
	}
	return 0
}

// uniformTemporaries are those of the spare registers that hold uniform operands from memory.
const uniformTemporaries = 2

// mostHalfLines is the most sites of which a loop takes half a line at once. The lines of more may meet in a set of the first level,
// which loses some of them before their second half.
const mostHalfLines = 6

// oneByOne reports whether a loop should compute the vectors of a group one after the other, with all uniform
// operands in registers. With the vectors at once these take too many registers, and each uniform operand that stays
// in memory costs a load if the other operand is in memory, too. Where loads and stores limit a loop, a store after each load takes
// less time than a group of loads and a group of stores.
func (f *phaseCode) oneByOne(group int) bool {
	v, _ := f.pressure()
	room := f.Vectors - f.spare()
	if len(f.operandsByUse()) > room-v+uniformTemporaries {
		return false
	}
	bytes := f.W * f.Layout.Widest()
	together := f.Together != nil && slices.ContainsFunc(f.top, func(id int32) bool { return f.Together(&f.Nodes[id]) })
	moves := f.Narrow && bytes == 32 && f.Layout.Apart() && !together || f.Layout.Moves && bytes == layout.LineBytes
	if moves && !f.Fetch && !f.Stream && len(f.Layout.Sites) <= mostHalfLines {
		return true
	}
	return f.FromMemory != nil && f.taps() > max(room-f.vecsOfGroup(group), 0)
}

// taps returns the nodes that take a uniform operand and a load.
func (f *phaseCode) taps() (n int) {
	loads := func(id int32) bool {
		return !f.Uniform[id] && (f.Nodes[id].Folded || f.FromMemory == nil && f.Nodes[id].Op == ir.Load)
	}
	for _, id := range f.top {
		a, b := f.Nodes[id].Args[0], f.Nodes[id].Args[1]
		if b != lower.None && (f.Uniform[a] && loads(b) || f.Uniform[b] && loads(a)) {
			n++
		}
	}
	return n
}

// pinUniforms pins the uniform nodes with the most uses in registers, at most room.
func (f *phaseCode) pinUniforms(room int) {
	// The code of one node holds at most three operands and a result beside its temporaries.
	most := room
	room = bits.OnesCount64(f.Vecs.Free) - max(f.spare()+4, f.fieldVectors())
	ids := f.operandsByUse()
	pinned := func() []int32 { return ids[:min(max(min(room, most), 0), len(ids))] }
	for _, id := range f.hoisted { // some are in the registers of the prologue
		if f.Home[id] < 0 {
			continue
		}
		if room++; !slices.Contains(pinned(), id) {
			if f.storesLater() {
				f.storeUniform(id, f.Home[id])
			}
			f.Vecs.Give(f.Home[id])
			f.Home[id] = -1
		}
	}
	for _, id := range pinned() {
		if f.Home[id] >= 0 {
			continue
		}
		r := f.Vecs.TakeTop()
		f.Lanes.LoadUniform(r, id)
		f.Home[id] = int8(r)
	}
}

// storesLater reports whether values that the prologue of a row keeps go to their slots only if they lose their registers.
func (f *phaseCode) storesLater() bool { return f.rowsHeld && len(f.owned) == 0 }

// operandsByUse returns the uniform operands of the body, those with the most uses first.
func (f *phaseCode) operandsByUse() []int32 {
	if !slices.Contains(f.Uniform, true) {
		return nil
	}
	uses := f.zeros()
	var few [8]int32
	ids := few[:0]
	count := func(id int32) {
		n := &f.Nodes[id]
		for k, a := range n.Args {
			if a == lower.None || !f.Uniform[a] || f.IsMask(a) || f.unread(n, k) {
				continue
			}
			if uses[a] == 0 {
				ids = append(ids, a)
			}
			uses[a]++
		}
	}
	for _, id := range f.rowTop {
		count(id)
	}
	for _, id := range f.top { // cold regions do not count
		count(id)
	}
	slices.SortFunc(ids, func(a, b int32) int {
		if uses[a] != uses[b] {
			return int(uses[b] - uses[a])
		}
		return int(a - b)
	})
	return ids
}

// unread reports whether the code of a node does not read operand k, a constant: the count of a shift, or what a predicate selects
// whose bits, or their complements, take its place. It says of AVX2 what the rules of its shifts and selections do; if they differ, a
// constant is read from memory.
func (f *phaseCode) unread(n *lower.Node, k int) bool {
	constant := func(k int, v uint64) bool {
		c := &f.Nodes[n.Args[k]]
		return c.Op == prim.Const && c.Type != dtype.Bool && c.Imm&c.Type.Mask() == v
	}
	switch {
	case !f.Constants || k == 0:
		return false
	case n.Op == prim.Shl || n.Op == prim.Shr:
		return f.LaneSize == 0 && f.Nodes[n.Args[1]].Op == prim.Const
	case n.Op == prim.Select:
		return constant(k, 0) || k == 1 && n.Type.IsSigned() && n.Type.IsInt() && constant(1, n.Type.Mask()) && constant(2, 0)
	}
	return false
}

func (f *phaseCode) isUniformSite(i int32) bool {
	for _, id := range f.hoisted {
		if n := &f.Nodes[id]; (n.Op == ir.Load || n.Op == ir.Index) && n.Aux == i {
			return true
		}
	}
	return false
}
