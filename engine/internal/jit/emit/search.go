package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// The position of an extreme is found in two passes over a row that the first-level cache holds: the extreme
// alone, and then the first element that equals it, or is NaN as it is. So no lane has a position, and the row needs no
// folds of positions.

// longSearch is the number of nodes from which to compute the values of a row twice takes longer than to carry positions.
const longSearch = 4

// findByValue lets the only reduction of the phase find its extreme in place of the position, if a search follows, and
// returns the reduction of positions, or nil.
func (f *phaseCode) findByValue() *reduce.Kern {
	if _, ok := f.Lanes.(isa.Finder); !ok || len(f.reds) != 1 || f.LaneSize > 0 || len(f.top) > longSearch {
		return nil
	}
	r := &f.reds[0]
	k := r.Kern
	if r.Prog != nil || !k.Arg || k.Quiet || f.VecBytes(k.Lane) != f.W*k.Lane.Size() {
		return nil
	}
	if k.Type.Size() > 2 && (!f.Rows || f.Layout.N == 0 || f.Layout.N > layout.MostTwice) {
		return nil
	}
	stores := func(id int32) bool { n := &f.Nodes[id]; return n.Op == ir.Store || n.Op == ir.Cold || n.Op == prim.Div }
	if slices.ContainsFunc(f.top, stores) {
		return nil
	}
	r.Kern, f.sought = k.Value(), true
	return k
}

// search emits the second pass, and stores the position beside the extreme in memory. The last vector may have elements of
// the one before if overlaps is set.
func (f *phaseCode) search(k *reduce.Kern, overlaps bool) {
	f.part("the first element that equals the result")
	a := &f.accs[0]
	if n := f.Layout.N; f.Rows && 0 < n && n <= min(64, layout.MostShort) {
		f.searchShort(n, overlaps)
	} else {
		f.searchLoop()
	}
	f.Int(isa.Mov, isa.Word(a.area+frame.PosOffset), isa.T0)
	f.Vecs.Give(int8(f.best))
	a.Kern, f.sought = k, false
}

// matches computes vectors of a row and sets the bits of T0, see [isa.Finder].
func (f *phaseCode) matches(vectors int) {
	a := &f.accs[0]
	f.Start(vectors)
	f.body(f.top)
	var x []isa.Vec
	for c := range f.Copies {
		f.Copy = c
		x = append(x, f.operand(a.Red))
	}
	f.Lanes.(isa.Finder).Matches(a.Kern.Lane, f.best, x)
	f.EndStep()
	f.DropAll(a.Arg)
}

// searchShort leaves the position in T0, without a jump: one bit of Count for each element.
func (f *phaseCode) searchShort(n int, overlaps bool) {
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.Int(isa.Mov, isa.Count, isa.K(0))
	for f.Base = 0; f.Base*f.W < n; f.Base++ {
		left := n - f.Base*f.W
		again := 0 // elements of the vector before
		switch {
		case left >= f.W:
		case n > f.W && overlaps:
			again = f.W - left
			f.Int(isa.Sub, isa.Lane, isa.K(again))
		default: // other lanes come after all elements
			f.Int(isa.Mov, isa.T1, isa.K(left))
			f.Lanes.SetTail()
			f.Masked = true
		}
		f.matches(1)
		if again > 0 {
			f.Int(isa.Shr, isa.T0, isa.K(again))
		}
		if f.Base > 0 {
			f.Int(isa.Shl, isa.T0, isa.K(f.Base*f.W))
		}
		f.Int(isa.Add, isa.Count, isa.T0)
	}
	f.Masked, f.Base = false, 0
	f.Int(isa.Mov, isa.T0, isa.Count)
	f.Lanes.(isa.Finder).FirstBit()
}

// searchLoop leaves the position in T0: groups of vectors up to the one with the element, and then its vectors. A vector
// has the element, so the last one, under a mask, is not tested.
func (f *phaseCode) searchLoop() {
	lanes := isa.Word(f.Phase.Lanes)
	group := f.chooseCopies(4, 1)
	loop, single, tail, found := f.NewLabel(), f.NewLabel(), f.NewLabel(), f.NewLabel()
	some := func(again isa.Label, vectors int, end, to isa.Label) {
		f.Bind(again)
		f.Asm.Address(isa.T0, isa.At(isa.Lane, vectors*f.W))
		f.Branch(isa.GT, isa.T0, lanes, end)
		f.matches(vectors)
		f.Branch(isa.NE32, isa.T0, isa.K(0), to)
		f.Int(isa.Add, isa.Lane, isa.K(vectors*f.W))
		f.Jump(again)
	}
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	if group > 1 {
		some(loop, group, single, single)
	}
	some(single, 1, tail, found)
	f.Bind(tail)
	f.maskedVector(lanes, found, func() { f.matches(1) })
	f.Bind(found)
	f.Lanes.(isa.Finder).FirstBit()
	f.Int(isa.Add, isa.T0, isa.Lane)
}
