package emit

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/plan/ir"
)

// body emits the nodes for all copies of a group, or those of a cold region for the copies at hand.
func (f *phaseCode) body(list []int32) {
	if f.InCold {
		f.bodyOf(list, f.from, f.to)
		return
	}
	first := 0
	if f.Copies == f.inParts {
		first = f.firstPart
	}
	for c := 0; c < f.Copies && first > 0; {
		from := c
		for k := 0; c < f.Copies && k < partVectors; c++ {
			if c&f.Pair == 0 {
				k++
			}
		}
		f.bodyOf(list[:first], from, c)
	}
	batch := cmp.Or(f.Batch, f.Copies)
	for from := 0; from < f.Copies; from += batch {
		f.bodyOf(list[first:], from, from+batch)
	}
}

// bodyOf emits the nodes for the copies from to to-1.
func (f *phaseCode) bodyOf(list []int32, from, to int) {
	f.from, f.to = from, to
	each := f.Pair == 0 && f.Layout.Laid == 0 && len(f.carries)+len(f.records)+len(f.joined)+len(f.transposedSites) == 0
	for _, id := range list {
		n := &f.Nodes[id]
		f.At = n.At
		if f.Listing {
			f.note(id, to-from)
		}
		if n.Op == ir.Cold {
			f.cold(id)
			continue
		}
		if n.Op == lower.OpLeave {
			f.leave(id)
			continue
		}
		if each || !f.carry(id) && !f.fields(id) && !f.plane(id) && !f.transposed(id) && !f.chosenByBit(id, from, to) {
			for c := from; c < to; c++ {
				if f.Own(id, c) {
					f.Emit(id, c)
				}
			}
		}
		if f.Pair > 0 { // copies that nothing uses
			for _, a := range n.Args {
				if a != lower.None && f.Last[a] == n.At && f.share.roles[a] != sharedRole {
					f.DropCopies(a, f.from, f.to)
				}
			}
		}
		if f.Last[id] == n.At && n.HasResult() {
			f.DropCopies(id, f.from, f.to)
		}
	}
}

// chosenByBit reports whether a node is the bit or a selection by it, of which it moves what is selected.
func (f *phaseCode) chosenByBit(id int32, from, to int) bool {
	n := &f.Nodes[id]
	switch {
	case f.Pair == 0 || f.InCold:
		return false
	case f.share.roles[id] == bitRole:
		return true
	case f.share.roles[id] != choiceRole:
		return false
	}
	for c := from; c < to; c++ {
		k := 2
		if c&f.Pair != 0 {
			k = 1
		}
		f.Take(id, n.Args[k], c)
	}
	return true
}

// prologue emits the uniform nodes and stores them in slots. If each row computes an address from them, or a phase of
// it follows another one, they also stay in registers for the nodes after them: a load would wait for the store.
func (f *phaseCode) prologue() {
	if len(f.hoisted) > 0 {
		f.part("before the loop: what all elements share")
	}
	f.Start(1)
	f.Prolog = true
	for k, id := range f.hoisted {
		if f.Listing {
			f.note(id, 1)
		}
		f.inLanesOf(id, func() { f.EmitNode(id, 0) })
		kept := f.retains(id)
		if !kept || !f.once && !f.storesLater() {
			f.storeUniform(id, f.Result)
		}
		if kept {
			f.Vecs.Retain(f.Result)
			f.Home[id] = f.Result
		}
		f.End()
		f.release(k)
	}
	f.Prolog = false
	f.ownAddresses()
	f.startTakes()
}

// retains reports whether the prologue keeps the value of a node in its register.
func (f *phaseCode) retains(id int32) bool {
	need := spareRegs + 3
	if f.once {
		v, _ := f.pressure()
		need = max(need, spareRegs+v)
	}
	return (len(f.owned) > 0 || f.keepsShared()) && (f.Predicates == 0 || !f.IsMask(id)) && bits.OnesCount64(f.Vecs.Free) > need
}

// keepsShared reports whether values that the prologue keeps stay in their registers after it.
func (f *phaseCode) keepsShared() bool { return f.rowsHeld || f.once || f.chained }

// release frees the registers of the values of the prologue that no node after number k of it uses.
func (f *phaseCode) release(k int) {
	for _, id := range f.hoisted[:k+1] {
		if f.Home[id] < 0 || f.keepsShared() { // pinUniforms keeps it, or gives it back
			continue
		}
		if !slices.ContainsFunc(f.hoisted[k+1:], func(next int32) bool { return slices.Contains(f.Nodes[next].Args[:], id) }) {
			f.Vecs.Give(f.Home[id])
			f.Home[id] = -1
		}
	}
}

// leave emits the jump to the end of a loop whose later steps change nothing.
func (f *phaseCode) leave(id int32) {
	n := &f.Nodes[id]
	f.ID, f.Cur = id, n
	for c := range f.Copies {
		f.Copy = c
		f.Lanes.AddNeed(n.Args[0], c == 0)
		f.EndStep()
	}
	f.Lanes.SkipCold(f.left)
	for c := range f.Copies {
		if f.Dies(n.Args[0]) {
			f.Drop(n.Args[0], c)
		}
	}
}

// cold emits a region that is skipped unless some lane needs it.
func (f *phaseCode) cold(id int32) {
	n := &f.Nodes[id]
	f.ID, f.Cur = id, n
	skip := f.NewLabel()
	for c := f.from; c < f.to; c++ {
		f.Copy, f.Released = c, true
		if f.IsMask(id) {
			s := f.Mask(n.Args[1])
			f.Lanes.CopyMask(f.DstMask(), s)
		} else {
			s := f.Src(n.Args[1])
			f.Lanes.CopyVec(n.Type, f.Dst(), s)
		}
		f.End()
	}
	for c := f.from; c < f.to; c++ {
		f.Copy = c
		f.Lanes.AddNeed(n.Args[0], c == f.from)
		f.EndStep()
	}
	f.Lanes.SkipCold(skip)

	saved, vecs, masks, outer := slices.Clone(f.Places), f.Vecs, f.Masks, f.InCold
	f.InCold = true
	f.body(n.Body)
	n = &f.Nodes[id]
	f.At = n.At
	for c := f.from; c < f.to; c++ {
		f.ID, f.Cur, f.Copy, f.Released = id, n, c, true
		if n.Imm == lower.Whole {
			f.Lanes.CopyVec(n.Type, f.Src(id), f.Src(n.Yield))
		} else {
			f.Lanes.MergeCold(id, n)
		}
		f.settle(saved, f.Key(id, c))
		f.End()
	}
	f.restore(saved)
	f.Places, f.Vecs, f.Masks, f.InCold = saved, vecs, masks, outer
	f.Bind(skip)
	for c := f.from; c < f.to; c++ {
		for _, a := range n.Args {
			if a != lower.None && f.Dies(a) {
				f.Drop(a, c)
			}
		}
	}
	if f.Last[id] == n.At {
		f.DropCopies(id, f.from, f.to)
	}
	// Free outer values whose last use was inside the region.
	for i := range f.Places {
		nd, c := int32(i/f.Copies), i%f.Copies
		if c >= f.from && c < f.to && f.Places[i] != isa.Nowhere && f.Last[nd] <= f.At && nd != id {
			f.Drop(nd, c)
		}
	}
}

// settle records that the result of a cold region is in a register. If it was in a slot
// before the region, settle stores it there: code after a skip reads the slot.
func (f *phaseCode) settle(saved []isa.Place, key int32) {
	f.Places[key].Slot = -1
	if saved[key].Reg < 0 {
		f.ToSlot(key/int32(f.Copies), saved[key].Slot, f.Places[key].Reg)
	}
}

// restore brings the registers back that values had before a cold region: it stores
// values that the region moved to other registers, then reloads all that it displaced.
func (f *phaseCode) restore(saved []isa.Place) {
	for i, s := range saved {
		if p := &f.Places[i]; s.Reg >= 0 && p.Reg != s.Reg && p.Reg >= 0 && p.Slot < 0 {
			p.Slot = f.Slots.Take()
			f.ToSlot(int32(i/f.Copies), p.Slot, p.Reg)
		}
	}
	for i, s := range saved {
		if p := &f.Places[i]; s.Reg >= 0 && p.Reg != s.Reg {
			f.FromSlot(int32(i/f.Copies), p.Slot, s.Reg)
		}
	}
}
