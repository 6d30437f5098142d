package ir

import (
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
)

// Flops returns the number of floating-point operations that an instruction
// with operands of type t counts as: 1 for a sum, difference, product, quotient
// or square root, 2 for a fused multiply-add, 0 for anything else.
func Flops(op prim.Op, t dtype.Type) int {
	if !t.IsFloat() {
		return 0
	}
	return op.Info().Flops
}

// Flops returns the number of floating-point operations of one run with these
// extents. Cold regions count as none. A reduction counts one combination for
// each element.
func (k *Kernel) Flops(extents []int) int { return k.flops(0, extents) }

func (k *Kernel) flops(region int32, extents []int) (n int) {
	code := k.Regions[region].Code
	for i := range code {
		in := &code[i]
		switch in.Op {
		case For:
			l := &k.Loops[in.Aux]
			n += k.flops(l.Body, extents) * lists.Product(extents, l.Axes)
		case Reduce:
			if r := k.Reducer(in); r.Native() {
				n += Flops(r.Op(), r.Type)
			} else {
				n += k.flops(r.Body, extents)
			}
		default:
			n += Flops(in.Op, in.Type)
		}
	}
	return n
}
