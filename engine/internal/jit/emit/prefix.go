package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
)

// A loop that carries values, whose steps may be combined in any grouping, has neighbouring
// steps in the lanes of a vector. Each lane is combined with the lanes below it: with the one
// 1 below, 2 below, 4 below and so on. The carry, the last lane of the vector before, is then
// combined with all lanes.

// groupSteps adds the nodes that combine the elements of a vector to the operands of the nodes
// that compute the next values.
func (f *phaseCode) groupSteps() {
	if !f.Layout.Prefixes {
		return
	}
	for i := range f.Phase.Carries {
		c := &f.Phase.Carries[i]
		id := f.Nodes[c.Store].Args[0]
		n := f.Nodes[id]
		bits, _ := lower.Identity(n.Op, n.Type)
		none := f.constant(n.Type, frame.Canonical(n.Type, bits))
		arg := 1 - slices.Index(n.Args[:2], c.Load)
		x := n.Args[arg]
		var nodes []int32
		for by := 1; by < f.W; by *= 2 {
			below := f.node(&nodes, lower.OpShiftUp, n.Type, n.Type, false, x, none)
			f.Nodes[below].Aux = int32(by)
			x = f.node(&nodes, n.Op, n.Type, n.Type, false, below, x)
		}
		f.Nodes[id].Args[arg] = x
		f.top = slices.Insert(f.top, slices.Index(f.top, id), nodes...)
	}
}

// prefixLoop emits the loop along the steps of one lane, a vector of steps at once. The register
// of a carry has the results of the vector before.
func (f *phaseCode) prefixLoop() {
	for i := range f.Phase.Carries {
		f.carries = append(f.carries, carried{Carry: &f.Phase.Carries[i]})
	}
	f.findEarly()
	f.pinSites()
	v, _ := f.pressure()
	f.pinUniforms(f.Vectors - v - len(f.carries) - spareRegs)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.firstRow()
	slot := f.Slots.Take()
	for i := range f.carries {
		f.firstCarry(&f.carries[i], slot)
	}
	f.aimCarries()

	loop, tail, done := f.NewLabel(), f.NewLabel(), f.NewLabel()
	f.part("main loop: a vector of steps at once")
	f.Int(isa.Mov, isa.Word(frame.Counter), isa.K(f.W)) // steps of the last vector
	f.Int(isa.Mov, isa.Count, isa.Word(frame.Rows))
	f.Branch(isa.LT, isa.Count, isa.K(f.W), tail)
	f.Align(32)
	f.Bind(loop)
	f.Start(1)
	f.body(f.top)
	f.eachRowSite(func(s *layout.Site, at int8) {
		switch by := isa.K(f.W * s.Size); {
		case s.Kind != layout.Unit:
		case at >= 0:
			f.Int(isa.Add, isa.SiteReg(int(at)), by)
		default:
			f.Int(isa.Add, isa.Word(s.Arg+frame.SiteCur), by)
		}
	})
	f.Int(isa.Sub, isa.Count, isa.K(f.W))
	f.Branch(isa.GE, isa.Count, isa.K(f.W), loop)

	f.part("tail: the last steps, under a mask")
	f.Bind(tail)
	f.Branch(isa.EQ, isa.Count, isa.K(0), done)
	f.Int(isa.Mov, isa.Word(frame.Counter), isa.Count)
	f.Int(isa.Mov, isa.T1, isa.Count)
	f.Lanes.SetTail()
	f.Masked = true
	f.Start(1)
	f.body(f.top)
	f.Masked = false
	f.Bind(done)
	for i := range f.carries {
		f.lastCarry(&f.carries[i], slot)
	}
}

// firstCarry loads a carry from its array to the last lane of its register.
func (f *phaseCode) firstCarry(c *carried, slot int32) {
	lane, m := isa.Lane32(c.Type).Size(), f.Slot(slot)
	f.Int(isa.Mov, isa.T1, f.carryWord(c))
	f.Load(c.Type.Size(), isa.T0, isa.At(isa.T1, 0))
	if isa.Narrow(c.Type) && c.Type.IsSigned() {
		f.Int(isa.Shl32, isa.T0, isa.K(32-8*c.Type.Size()))
		f.Int(isa.Sar32, isa.T0, isa.K(32-8*c.Type.Size()))
	}
	m.Disp += int32((f.W - 1) * lane)
	f.Store(lane, m, isa.T0)
	d := f.Vecs.TakeTop()
	f.Lanes.LoadVec(c.Type, d, f.Slot(slot))
	c.regs = []isa.Vec{d}
}

// lastCarry stores a carry after the last step to its array. The frame has the number of steps
// of the last vector.
func (f *phaseCode) lastCarry(c *carried, slot int32) {
	lane, m := isa.Lane32(c.Type).Size(), f.Slot(slot)
	f.Lanes.StoreVec(c.Type, m, c.regs[0])
	f.Int(isa.Mov, isa.T1, isa.Word(frame.Counter))
	m.Index, m.Scale = isa.T1, uint8(lane)
	m.Disp -= int32(lane)
	f.Load(lane, isa.T0, m)
	f.Int(isa.Mov, isa.T1, f.carryWord(c))
	f.Store(c.Type.Size(), isa.At(isa.T1, 0), isa.T0)
}
