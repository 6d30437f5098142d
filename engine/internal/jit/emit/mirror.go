package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// The maximum of floats is the minimum of the numbers with the other sign, with the other sign. Where a minimum takes two
// instructions less, trees of maxima are such minima: a change of sign takes the place of a load, or one instruction.

// lessForMinima is the instructions that a minimum saves on targets with Mirrors.
const lessForMinima = 2

// mirror replaces trees of maxima of floats by minima where that saves instructions.
func (f *phaseCode) mirror() {
	if !f.Mirrors || f.Phase.Kind == lower.ScalarPhase || len(f.Phase.Carries) > 0 || !slices.ContainsFunc(f.top, f.isMaximum) {
		return
	}
	j := joiner{phaseCode: f, counted: -1}
	j.count()
	inner := make([]bool, len(f.Nodes)) // maxima of which another one alone takes the result
	for _, id := range f.top {
		if f.isMaximum(id) {
			for _, a := range f.Nodes[id].Args[:2] {
				inner[a] = j.uses[a] == 1 && f.isMaximum(a) && slices.Contains(f.top, a)
			}
		}
	}
	top := make([]int32, 0, len(f.top))
	mirrored := map[int32]bool{} // maxima of trees
	for _, id := range slices.Backward(f.top) {
		if f.isMaximum(id) && !inner[id] && j.saved(id, inner) > 1 {
			mirrored[id] = true
		}
		if mirrored[id] {
			for _, a := range f.Nodes[id].Args[:2] {
				mirrored[a] = inner[a]
			}
		}
	}
	for _, id := range f.top {
		if mirrored[id] {
			f.mirrorNode(&top, id, inner)
		}
		top = append(top, id)
	}
	f.top = top
}

func (f *phaseCode) isMaximum(id int32) bool {
	n := &f.Nodes[id]
	return n.Op == prim.Max && n.In.IsFloat() && !n.Cold
}

// saved returns the instructions that the minima of a tree save, less the changes of sign of its leaves.
func (j *joiner) saved(id int32, inner []bool) int {
	n := lessForMinima
	for _, a := range j.Nodes[id].Args[:2] {
		switch {
		case inner[a]:
			n += j.saved(a, inner)
		case !j.foldable(a) || j.Phase.Sites[j.Nodes[a].Aux].Type != j.Nodes[id].In:
			n--
		}
	}
	return n
}

// mirrorNode makes a minimum of a maximum, after the changes of sign of its leaves. The root of a tree becomes a change of sign.
func (f *phaseCode) mirrorNode(top *[]int32, id int32, inner []bool) {
	n := f.Nodes[id]
	bits := dtype.Integer(n.In.Size(), false)
	sign := f.signOf(bits)
	changeSign := func(x int32) int32 {
		y := f.node(top, prim.Xor, n.Type, bits, false, x, sign)
		f.Grow(1)
		return y
	}
	for k, a := range n.Args[:2] {
		if !inner[a] {
			n.Args[k] = changeSign(a)
		}
	}
	n.Op = prim.Min
	if inner[id] {
		f.Nodes[id] = n
		return
	}
	least := f.node(top, prim.Min, n.Type, n.In, false, n.Args[0], n.Args[1])
	f.Grow(1)
	f.Nodes[id] = lower.Node{Op: prim.Xor, Type: n.Type, In: bits, Args: [3]int32{least, sign, lower.None}}
}

// signOf returns the constant with the bit of the sign.
func (f *phaseCode) signOf(bits dtype.Type) int32 {
	sign := uint64(1) << (8*bits.Size() - 1)
	if i := slices.IndexFunc(f.Nodes, func(n lower.Node) bool { return n.Op == prim.Const && n.Type == bits && n.Imm == sign }); i >= 0 {
		return int32(i)
	}
	return f.uniformConst(bits, sign)
}
