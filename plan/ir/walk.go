package ir

import (
	"iter"

	"github.com/oneloop/oneloop/expr/prim"
)

// All visits every instruction with the number of its region, in the order of
// the text: a For or a Cold comes before the instructions of its region.
func (k *Kernel) All() iter.Seq2[int32, *Ins] {
	return func(yield func(int32, *Ins) bool) { k.all(0, yield) }
}

func (k *Kernel) all(r int32, yield func(int32, *Ins) bool) bool {
	code := k.Regions[r].Code
	for i := range code {
		in := &code[i]
		if !yield(r, in) {
			return false
		}
		if b := k.Body(in); b >= 0 && !k.all(b, yield) {
			return false
		}
	}
	return true
}

// Body returns the region of a For or a Cold, or -1 for other instructions.
func (k *Kernel) Body(in *Ins) int32 {
	switch in.Op {
	case For:
		return k.Loops[in.Aux].Body
	case Cold:
		return in.Aux
	}
	return -1
}

// Uses visits the values that an instruction needs: its operands, the values in
// its index expressions, and the yield of a Cold. It may visit a value twice.
func (k *Kernel) Uses(in *Ins) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for _, a := range in.Args[:in.NumArgs()] {
			if !yield(a) {
				return
			}
		}
		if in.Op == Cold && !yield(Value(in.Imm)) {
			return
		}
		for ix := range k.Exprs(in) {
			for n := range k.Nodes(ix) {
				if n.Op == prim.IxValue && !yield(Value(n.K)) {
					return
				}
			}
		}
	}
}

// Exprs visits the index expressions of a Load, a Store or an Index.
func (k *Kernel) Exprs(in *Ins) iter.Seq[prim.Ix] {
	return func(yield func(prim.Ix) bool) {
		switch in.Op {
		case Index:
			yield(prim.Ix(in.Imm))
		case Load, Store:
			for _, c := range k.Access[in.Aux].Coords {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// Nodes visits each node of an index expression once. It starts at ix and
// visits every node before its operands.
func (k *Kernel) Nodes(ix prim.Ix) iter.Seq[prim.IxNode] {
	return func(yield func(prim.IxNode) bool) {
		if n := k.Index.At(ix); n.Op < prim.IxAdd {
			yield(n)
			return
		}
		reached := make([]bool, ix+1) // operands have lower numbers
		reached[ix] = true
		for i := ix; i >= 0; i-- {
			if !reached[i] {
				continue
			}
			n := k.Index.At(i)
			if !yield(n) {
				return
			}
			if n.Op >= prim.IxAdd {
				reached[n.A], reached[n.B] = true, true
			}
		}
	}
}
