package emit

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/zero"
)

// splitShifts splits the shifts of 8-bit lanes by uniform counts into a shift of wider
// lanes and a mask: no instruction shifts 8 bits. The prologue computes the counts and the
// masks. A signed x >> y is (x + 128 >> y) - (128 >> y) of unsigned numbers, for y <= 7.
// Where an instruction shifts lanes of 16 bits by one count, the prologue computes that.
// It needs the result of findUniform.
func (f *phaseCode) splitShifts() {
	if f.LaneSize == 2 && f.OneCount {
		for _, id := range f.top {
			if n := f.Nodes[id]; (n.Op == prim.Shl || n.Op == prim.Shr) && f.Uniform[n.Args[1]] {
				count := f.hoist(lower.OpCount, dtype.U16, n.Args[1], 0, 0)
				f.Nodes[id].Op, f.Nodes[id].Args, f.Nodes[id].Imm = lower.OpShift, [3]int32{n.Args[0], count, lower.None}, uint64(n.Op)
			}
		}
	}
	if f.LaneSize != 1 {
		return
	}
	var top []int32
	masked := f.maskedShifts()
	for _, id := range f.top {
		n := f.Nodes[id]
		if n.Op == lower.OpShift { // a conjunction that stands where its shift was
			continue
		}
		if (n.Op != prim.Shl && n.Op != prim.Shr) || !f.Uniform[n.Args[1]] {
			top = append(top, id)
			continue
		}
		signed := n.Op == prim.Shr && n.Type.IsSigned()
		most := math.MaxUint8
		if signed {
			most = 7
		}
		count := f.hoist(lower.OpCount, dtype.U8, n.Args[1], 0, uint64(most))
		shifted := func(x int32) int32 { return f.hoist(lower.OpShifted, dtype.U8, count, x, uint64(n.Op)) }
		x := n.Args[0]
		if signed {
			sign := f.constant(dtype.U8, 0x80)
			x = f.node(&top, prim.Xor, dtype.U8, dtype.U8, false, x, sign)
			f.Grow(2)
			f.Uniform[sign] = true
		}
		parts := []int32{x, count, shifted(math.MaxUint8)}
		if and, ok := masked[id]; ok {
			mask := f.Nodes[and].Args[0] ^ f.Nodes[and].Args[1] ^ id // its other operand
			parts[2] = f.uniform(prim.And, dtype.U8, dtype.U8, parts[2], mask)
			id = and
		}
		if !signed {
			f.Nodes[id] = lower.Node{Op: lower.OpShift, Type: n.Type, In: n.In, Args: [3]int32(parts), Imm: uint64(n.Op)}
			top = append(top, id)
			continue
		}
		s := f.node(&top, lower.OpShift, dtype.U8, dtype.U8, false, parts...)
		f.Nodes[s].Imm = uint64(n.Op)
		f.Grow(1)
		f.Nodes[id] = lower.Node{Op: prim.Sub, Type: n.Type, In: n.In, Args: [3]int32{s, shifted(0x80), lower.None}}
		top = append(top, id)
	}
	f.top = top
}

// narrowReds finds the reductions of the phase in its lanes. A sum in lanes that are wider
// takes the narrow elements themselves, and one that counts takes predicates.
func (f *phaseCode) narrowReds() {
	f.reds = slices.Clone(f.Phase.Reds)
	for i := range f.reds {
		r := &f.reds[i]
		if f.LaneSize == 0 && !(f.Layout.Counts && f.Phase.Counted(r)) {
			continue
		}
		narrow := f.Phase.Widened(r)
		if narrow != lower.None {
			f.top = slices.DeleteFunc(f.top, func(id int32) bool { return id == r.Arg })
			r.Type, r.Arg = f.Nodes[r.Arg].In, narrow
		}
		if f.LaneSize == 0 {
			r.Kern = r.Kern.Counted()
		} else {
			r.Kern = r.Kern.Narrow(r.Type, f.LaneSize, narrow != lower.None)
		}
	}
}

// maskedShifts returns, by the shifts of 8-bit lanes without sign, the conjunctions with a uniform value that alone use them. The
// mask of the shift keeps the bits of both.
func (f *phaseCode) maskedShifts() map[int32]int32 {
	var out map[int32]int32
	j := joiner{phaseCode: f, counted: -1}
	for _, id := range f.top {
		n := &f.Nodes[id]
		if n.Op != prim.And || n.Type == dtype.Bool {
			continue
		}
		for k, a := range n.Args[:2] {
			shift := &f.Nodes[a]
			if shift.Op != prim.Shl && (shift.Op != prim.Shr || shift.In.IsSigned()) || f.Uniform[a] || !f.Uniform[shift.Args[1]] || !f.Uniform[n.Args[1-k]] {
				continue
			}
			if j.count(); j.uses[a] == 1 {
				zero.Put(&out, a, id)
			}
			break
		}
	}
	return out
}
