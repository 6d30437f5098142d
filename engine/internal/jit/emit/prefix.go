package emit

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// A loop that carries values, whose steps may be combined in any grouping, has neighbouring
// steps in the lanes of a vector. Each lane is combined with the lanes below it: with the one
// 1 below, 2 below, 4 below and so on. The carry, the last lane of the vector before in all lanes, is
// then combined with all lanes, and with the last one for the next vector: so a vector waits for
// one operation of the vector before.
//
// A minimum or a maximum rarely changes. If no element of a vector does better than the carry, all
// results are the carry. The loop looks at several vectors at once then, and goes through them one by one only if
// one of their elements may change it.

// groupSteps adds the nodes that combine the elements of a vector to the operands of the nodes
// that compute the next values.
func (f *phaseCode) groupSteps() {
	if !f.Layout.Prefixes {
		return
	}
	for i := range f.Phase.Carries {
		c := &f.Phase.Carries[i]
		id := f.Nodes[c.Store].Args[0]
		var before, after []int32
		var next int32
		if n := f.Nodes[id]; !f.Layout.Always && (n.Op == prim.Min || n.Op == prim.Max) {
			next = f.groupRarely(c.Load, id, &before, &after)
		} else {
			next = f.groupAlways(c.Load, id, &before, &after)
		}
		f.Nodes[c.Store].Args = [3]int32{next, id, lower.None}
		k := slices.Index(f.top, id)
		f.top = slices.Insert(slices.Insert(f.top, k+1, after...), k, before...)
	}
}

// groupAlways lets node id combine the carry with the lanes of a vector. It returns the carry of the
// next vector. The lists get the nodes before and after id.
func (f *phaseCode) groupAlways(carry, id int32, before, after *[]int32) (next int32) {
	n := f.Nodes[id]
	n.Bytes = isa.Narrow(n.Type) // the lower bits of a result depend on those of the operands
	arg := 1 - slices.Index(n.Args[:2], carry)
	n.Args[arg] = f.combineLanes(before, &n, n.Args[arg])
	f.Nodes[id].Args = n.Args
	if f.Layout.Each > 0 {
		return carry
	}
	n.Args[arg] = f.node(after, lower.OpLast, n.Type, n.Type, false, n.Args[arg])
	return f.node(after, n.Op, n.Type, n.In, false, n.Args[:]...)
}

// groupRarely does the same for a minimum or a maximum, in regions that are skipped if no element
// may change it.
func (f *phaseCode) groupRarely(carry, id int32, before, after *[]int32) (next int32) {
	n := f.Nodes[id]
	arg := 1 - slices.Index(n.Args[:2], carry)
	x := n.Args[arg]
	low, high := carry, x
	if n.Op == prim.Min {
		low, high = x, carry
	}
	better := prim.Lt
	if n.In.IsFloat() { // equal zeros may differ in their signs
		better = prim.Le
	}
	need := f.node(before, better, dtype.Bool, n.In, false, low, high)
	if n.In.IsFloat() {
		nan := f.node(before, prim.Ne, dtype.Bool, n.In, false, x, x)
		need = f.node(before, prim.Or, dtype.Bool, dtype.Bool, false, need, nan)
	}
	region := func(body []int32) lower.Node {
		return lower.Node{Op: ir.Cold, Type: n.Type, In: n.In, Args: [3]int32{need, carry, lower.None}, Body: body, Yield: body[len(body)-1], Imm: lower.Whole}
	}
	var body []int32
	n.Args[arg] = f.combineLanes(&body, &n, x)
	f.node(&body, n.Op, n.Type, n.In, true, n.Args[:]...)
	f.Nodes[id] = region(body)
	next = f.node(after, ir.Cold, n.Type, n.In, false)
	f.Nodes[next] = region([]int32{f.node(nil, lower.OpLast, n.Type, n.Type, true, id)})
	if len(f.Phase.Carries) == 1 {
		f.rare = &rare{need, id, next}
	}
	return next
}

// combineLanes adds the nodes that combine each lane of x with all lanes below it, by the operation
// of n.
func (f *phaseCode) combineLanes(list *[]int32, n *lower.Node, x int32) int32 {
	bits, _ := lower.Identity(n.Op, n.Type)
	none := f.constant(n.Type, frame.Canonical(n.Type, bits))
	row := f.Layout.Each
	for by := 1; by < cmp.Or(row, f.W); by *= 2 {
		below := f.node(list, lower.OpShiftUp, n.Type, n.Type, n.Cold, x, none)
		f.Nodes[below].Aux, f.Nodes[below].Imm = int32(by), uint64(row)
		x = f.node(list, n.Op, n.Type, n.Type, n.Cold, below, x)
		f.Nodes[x].Bytes = n.Bytes
	}
	return x
}

// prefixLoop emits the loop along the steps of each lane, a vector of steps at once. All lanes of the
// register of a carry have it. After the tail they have the results of its steps. If vectors have whole rows, the steps of all of them follow
// each other, and all begin with the same carry.
func (f *phaseCode) prefixLoop() {
	for i := range f.Phase.Carries {
		f.carries = append(f.carries, carried{Carry: &f.Phase.Carries[i]})
	}
	f.findEarly()
	f.pinSites()
	v, _ := f.pressure()
	f.pinUniforms(f.Vectors - v - len(f.carries) - spareRegs)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	next := f.NewLabel()
	f.Bind(next)
	f.firstRow()
	f.Start(1)
	for i := range f.carries {
		f.firstCarry(&f.carries[i])
	}
	slot := f.Slots.Take()
	f.aimCarries()

	tail, done := f.NewLabel(), f.NewLabel()
	f.Int(isa.Mov, isa.Word(frame.Counter), isa.K(f.W)) // steps of the last vector
	f.Int(isa.Mov, isa.Count, isa.Word(frame.Rows))
	row, steps := f.Layout.Each, f.W
	if row > 0 {
		f.Int(isa.Mul, isa.Count, isa.Word(f.Phase.Lanes))
		steps -= steps % row
	}
	if many := f.quick(); many > 1 {
		f.rareVectors(many, tail)
	} else {
		loop := f.NewLabel()
		f.part("main loop: a vector of steps at once")
		f.Branch(isa.LT, isa.Count, isa.K(f.W), tail)
		f.Align(32)
		f.Bind(loop)
		f.Start(1)
		f.body(f.top)
		f.nextSteps(steps)
		f.Branch(isa.GE, isa.Count, isa.K(f.W), loop)
	}

	f.part("tail: the last steps, under a mask")
	f.Bind(tail)
	f.Branch(isa.EQ, isa.Count, isa.K(0), done)
	f.Int(isa.Mov, isa.Word(frame.Counter), isa.Count)
	f.Int(isa.Mov, isa.T1, isa.Count)
	f.maskedBody(f.Layout.Short % f.W)
	f.Bind(done)
	if row > 0 {
		return
	}
	for i := range f.carries {
		c := &f.carries[i]
		f.lastCarry(c, slot)
		f.Int(isa.Add, f.carryWord(c), isa.K(c.Type.Size()))
	}
	f.eachRowSite(func(s *layout.Site, _ int8) {
		f.Int(isa.Mov, isa.T0, isa.Word(s.Arg+frame.SiteStride))
		f.Int(isa.Add, isa.Word(s.Arg+s.Origin), isa.T0)
	})
	f.Int(isa.Sub, isa.Word(f.Phase.Lanes), isa.K(1))
	f.BranchResult(isa.GT, next)
}

// nextSteps steps the addresses of the sites over so many steps, and Count too.
func (f *phaseCode) nextSteps(steps int) {
	f.eachRowSite(func(s *layout.Site, at int8) {
		if by := steps * s.RowBytes(); by != 0 {
			f.stepRow(s, at, isa.K(by))
		}
	})
	f.Int(isa.Sub, isa.Count, isa.K(steps))
}

// quick returns how many vectors the loop looks at before it combines any, or 0: as many as registers hold. Nothing may
// be stored before.
func (f *phaseCode) quick() (vectors int) {
	if f.rare == nil || f.Phase.Leaves {
		return 0
	}
	at := slices.Index(f.top, f.rare.region)
	if slices.ContainsFunc(f.top[:at], func(id int32) bool { return !f.Nodes[id].HasResult() || f.Nodes[id].Op == ir.Cold }) ||
		slices.ContainsFunc(f.top[at+1:], func(id int32) bool { return f.Nodes[id].Op == ir.Cold && id != f.rare.next }) {
		return 0
	}
	most, masks := f.mostVecs, f.mostMasks
	f.mostVecs = 0
	f.press(slices.Concat(f.top[:at], f.later(at)), nil)
	v := f.mostVecs - 1 // the carry is one for all
	f.mostVecs, f.mostMasks = most, masks
	for vectors = 4; vectors > 1 && vectors*v+1+spareRegs > f.Vectors; {
		vectors /= 2
	}
	return vectors
}

// later returns the nodes after node number at of a loop in which the carry does not change, but for its next values.
func (f *phaseCode) later(at int) []int32 {
	return slices.DeleteFunc(slices.Clone(f.top[at+1:]), func(id int32) bool { return id == f.rare.next || id == f.carries[0].Store })
}

// rising is how many times as many vectors go one by one after one that may change the carry: data that rise change it
// often.
const rising = 4

// rareVectors emits the loop over vectors of steps: many at once that do not change the carry, or some one by one. It
// jumps to tail when less than a vector is left.
func (f *phaseCode) rareVectors(many int, tail isa.Label) {
	at, c := slices.Index(f.top, f.rare.region), &f.carries[0]
	free, masks := f.Vecs.Free, f.Masks.Free
	again, kept, loop, rest := f.NewLabel(), f.NewLabel(), f.NewLabel(), f.NewLabel()
	all := isa.K(many * f.W)
	f.part("main loop: %d vectors of steps at once that do not change the carry", many)
	f.Branch(isa.LT, isa.Count, all, rest)
	f.Align(32)
	f.Bind(again)
	f.Start(many)
	c.regs = slices.Repeat(c.regs, many)
	f.body(f.top[:at])
	f.ID, f.Cur = f.rare.region, &f.Nodes[f.rare.region]
	for f.Copy = range many {
		f.Lanes.AddNeed(f.rare.need, f.Copy == 0)
		f.EndStep()
	}
	f.Lanes.SkipCold(kept)
	f.Int(isa.Mov, isa.T0, isa.Count)
	f.Int(isa.Sub, isa.T0, isa.K(rising*many*f.W))
	f.Branch(isa.LT, isa.T0, isa.K(f.W), rest)
	f.Int(isa.Mov, isa.Word(frame.Steps), isa.T0)
	f.Jump(loop)
	f.Bind(kept)
	for f.Copy = range many {
		f.Keep(f.rare.region, c.regs[f.Copy])
	}
	f.body(f.later(at))
	c.regs = c.regs[:1]
	f.nextSteps(many * f.W)
	f.Branch(isa.GE, isa.Count, all, again)
	f.Vecs.Free, f.Masks.Free = free, masks

	f.part("single vectors of steps")
	f.Bind(rest)
	f.Int(isa.Mov, isa.Word(frame.Steps), isa.K(f.W-1))
	f.Branch(isa.LT, isa.Count, isa.K(f.W), tail)
	f.Bind(loop)
	f.Start(1)
	f.body(f.top)
	f.nextSteps(f.W)
	f.Branch(isa.GT, isa.Count, isa.Word(frame.Steps), loop)
	f.Branch(isa.GE, isa.Count, all, again)
	f.Branch(isa.GE, isa.Count, isa.K(f.W), rest)
}

// firstCarry loads a carry from its array to all lanes of its register.
func (f *phaseCode) firstCarry(c *carried) {
	d := f.Vecs.TakeTop()
	f.Int(isa.Mov, isa.T1, f.carryWord(c))
	f.loadStates(c, isa.At(isa.T1, 0), d)
	f.Lanes.SpreadFirst(c.Type, d, d)
	c.regs = []isa.Vec{d}
}

// lastCarry stores a carry after the last step to its array. The frame has the number of steps
// of the last vector.
func (f *phaseCode) lastCarry(c *carried, slot int32) {
	lane, m := f.VecBytes(c.Type)/f.W, f.Slot(slot)
	f.Lanes.StoreVec(c.Type, m, c.regs[0])
	f.Int(isa.Mov, isa.T1, isa.Word(frame.Counter))
	m.Index, m.Scale = isa.T1, uint8(lane)
	m.Disp -= int32(lane)
	f.Load(lane, isa.T0, m)
	f.Int(isa.Mov, isa.T1, f.carryWord(c))
	f.Store(c.Type.Size(), isa.At(isa.T1, 0), isa.T0)
}
