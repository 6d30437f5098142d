package isa

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/lower"
)

// Operands and results: the emitter gives each value a register, and spills it to a slot
// of the frame if all are taken.

// TakeVec takes a free vector register and returns it. If none is free, it spills
// the value whose last use is latest.
func (f *Emitter) TakeVec() Vec { return Vec(f.take(&f.Vecs)) }

// take is TakeVec for registers of any kind.
func (f *Emitter) take(file *RegisterFile) int8 {
	if file.Free == 0 {
		f.Spill(file)
	}
	if file.Free == 0 {
		f.fail("too few registers")
		return 1
	}
	return int8(file.take())
}

// Spill frees a register, unless all are pinned.
func (f *Emitter) Spill(file *RegisterFile) {
	best, far := -1, int32(-1)
	for r, o := range file.owner {
		if o < 0 || file.pinned>>r&1 != 0 {
			continue
		}
		if l := f.Last[int(o)/f.Copies]; l > far {
			best, far = r, l
		}
	}
	if best < 0 {
		return
	}
	o := file.owner[best]
	p := &f.Places[o]
	if p.Slot < 0 {
		p.Slot = f.Slots.Take()
		f.ToSlot(o/int32(f.Copies), p.Slot, int8(best))
		f.Spills++
	}
	p.Reg = -1
	file.Give(int8(best))
}

// file returns the registers that may hold node n.
func (f *Emitter) file(n int32) *RegisterFile {
	if f.IsMask(n) {
		return &f.Masks
	}
	return &f.Vecs
}

// InLanes emits code with lanes of so many bytes. What it stores in slots, to free registers, has the lanes of the nodes.
func (f *Emitter) InLanes(size int, code func()) {
	defer func(before int) { f.LaneSize = before }(f.LaneSize)
	f.LaneSize = size
	code()
}

// ToSlot stores a register with node n in a slot.
func (f *Emitter) ToSlot(n, slot int32, r int8) {
	f.InLanes(f.NodeSize, func() {
		if f.IsMask(n) {
			f.Lanes.StoreMask(f.Slot(slot), Mask(r))
		} else {
			f.Lanes.StoreVec(f.Nodes[n].Type, f.Slot(slot), Vec(r))
		}
	})
}

// FromSlot loads node n from a slot.
func (f *Emitter) FromSlot(n, slot int32, r int8) {
	if f.IsMask(n) {
		f.Lanes.LoadMask(Mask(r), f.Slot(slot))
	} else {
		f.Lanes.LoadVec(f.Nodes[n].Type, Vec(r), f.Slot(slot))
	}
}

// Tmp returns a vector register that is taken until the end of the current
// instruction. It is never a register of an operand, also after Release.
func (f *Emitter) Tmp() Vec { return Vec(f.tmp(&f.Vecs)) }

// TmpMask is Tmp for mask registers.
func (f *Emitter) TmpMask() Mask { return Mask(f.tmp(&f.Masks)) }

// tmp takes a free register that is not pinned. Release frees the registers of operands
// and leaves them pinned.
func (f *Emitter) tmp(file *RegisterFile) int {
	if file.Free&^file.pinned == 0 {
		f.Spill(file)
	}
	free := file.Free &^ file.pinned
	if free == 0 {
		f.fail("too few registers for a temporary")
		return 1
	}
	r := file.claim(bits.TrailingZeros64(free))
	file.tmp |= 1 << r
	file.pinned |= 1 << r
	return r
}

// Within emits a part of an instruction and frees the temporaries of the part.
func (f *Emitter) Within(part func()) {
	v, m := f.Vecs.tmp, f.Masks.tmp
	part()
	f.Vecs.endOf(v)
	f.Masks.endOf(m)
}

// Src returns a register with operand n, and pins it for the current instruction.
func (f *Emitter) Src(n int32) Vec {
	if f.Uniform[n] {
		if r := f.Home[n]; r >= 0 {
			return Vec(r)
		}
		d := f.Tmp()
		f.Lanes.LoadUniform(d, n)
		return d
	}
	return Vec(f.load(n))
}

// Folded reports whether operand n is in memory, from where the current instruction takes it. Under a mask
// loads have instructions of their own.
func (f *Emitter) Folded(n int32) bool { return f.Nodes[n].Folded && !f.Masked }

// load returns a register with node n, and pins it for the current instruction.
func (f *Emitter) load(n int32) int8 {
	key, file := f.Key(n, f.Copy), f.file(n)
	p := &f.Places[key]
	if p.Reg < 0 {
		if p.Slot < 0 {
			f.fail("node %d has no value", n)
			return 1
		}
		p.Reg = f.take(file)
		f.FromSlot(n, p.Slot, p.Reg)
		file.owner[p.Reg] = key
	}
	file.pinned |= 1 << p.Reg
	return p.Reg
}

// Mask returns a mask register with operand n, a predicate.
func (f *Emitter) Mask(n int32) Mask {
	if f.Uniform[n] {
		d := f.TmpMask()
		f.Lanes.UniformMask(d, n)
		return d
	}
	return Mask(f.load(n))
}

// Dies reports whether the current instruction is the last use of operand n. What two copies share dies with the second one.
func (f *Emitter) Dies(n int32) bool {
	if f.Pair > 0 && f.Copy&f.Pair == 0 && f.Shared[n] && !f.Shared[f.ID] {
		return false
	}
	return !f.Uniform[n] && f.Last[n] == f.At && !f.Places[f.Key(n, f.Copy)].Kept
}

// Release frees the operands whose last use this is. Then the result may take their
// registers.
func (f *Emitter) Release() {
	if f.Released {
		return
	}
	f.Released = true
	for _, a := range f.Cur.Args {
		if a != lower.None && f.Last[a] == f.At && f.Dies(a) {
			f.Drop(a, f.Copy)
		}
	}
}

// Drop frees the register and the slot of a copy of a node. In a cold region the slot
// stays taken.
func (f *Emitter) Drop(n int32, c int) {
	p := &f.Places[f.Key(n, c)]
	if p.Reg >= 0 && !p.Kept {
		f.file(n).Give(p.Reg)
	}
	if p.Slot >= 0 && !f.InCold {
		f.Slots.spare = append(f.Slots.spare, p.Slot)
	}
	*p = Nowhere
}

// Take makes operand x the result of copy c of node n.
func (f *Emitter) Take(n, x int32, c int) {
	f.ID, f.Cur, f.Released = n, &f.Nodes[n], true
	f.Choose(c)
	if from := &f.Places[f.Key(x, c)]; !f.Uniform[x] && f.Last[x] == f.At {
		to := f.Key(n, c)
		if from.Reg >= 0 {
			f.file(n).owner[from.Reg] = to
		}
		f.Places[to], *from = *from, Nowhere
		return
	}
	s := f.Src(x)
	f.Lanes.CopyVec(f.Nodes[n].Type, f.Dst(), s)
	f.End()
}

// DropAll frees all copies of a node that have a place.
func (f *Emitter) DropAll(n int32) { f.DropCopies(n, 0, f.Copies) }

// DropCopies frees copies from to to-1 of a node that have a place.
func (f *Emitter) DropCopies(n int32, from, to int) {
	if f.Uniform[n] {
		return
	}
	for c := from; c < to; c++ {
		if f.Places[f.Key(n, c)] != Nowhere {
			f.Drop(n, c)
		}
	}
}

// Dst takes a register for the result and returns it. It may be the register of an
// operand only after release.
func (f *Emitter) Dst() Vec {
	if a, ok := f.Aims[f.ID]; ok && (f.Last[a.Carry] < f.At || f.Last[a.Carry] == f.At && f.Released) {
		f.Keep(f.ID, a.Regs[f.Base+f.Copy])
		return a.Regs[f.Base+f.Copy]
	}
	return Vec(f.give(&f.Vecs, f.take(&f.Vecs)))
}

// DstMask is Dst for mask registers.
func (f *Emitter) DstMask() Mask { return Mask(f.give(&f.Masks, f.take(&f.Masks))) }

// Reuse takes the released register r for the result and returns it.
func (f *Emitter) Reuse(r Vec) Vec {
	f.Vecs.Free &^= 1 << r
	return Vec(f.give(&f.Vecs, int8(r)))
}

// give gives the current node register r for its result, and returns r.
func (f *Emitter) give(file *RegisterFile, r int8) int8 {
	file.pinned |= 1 << r
	if f.Prolog {
		f.Result = r
		file.tmp |= 1 << r
		return r
	}
	key := f.Key(f.ID, f.Copy)
	f.Places[key] = Place{Reg: r, Slot: -1}
	file.owner[r] = key
	return r
}

// Keep says that the current copy of a node is in a register that stays taken.
func (f *Emitter) Keep(n int32, r Vec) {
	f.Places[f.Key(n, f.Copy)] = Place{Reg: int8(r), Slot: -1, Kept: true}
}

// Lend returns the register with the current copy of a node, if it is the node's own. It stays taken after the last use:
// the caller frees it.
func (f *Emitter) Lend(n int32) (r Vec, ok bool) {
	if f.Uniform[n] {
		return r, false
	}
	p := &f.Places[f.Key(n, f.Copy)]
	if p.Reg < 0 || p.Kept {
		return r, false
	}
	f.Keep(n, Vec(p.Reg))
	f.Vecs.owner[p.Reg] = -1
	return Vec(p.Reg), true
}

// End frees the operands and temporaries of the current instruction.
func (f *Emitter) End() {
	f.Release()
	f.Vecs.end()
	f.Masks.end()
}

// EndStep is end for instructions that belong to no node.
func (f *Emitter) EndStep() {
	f.Released = true
	f.End()
}
