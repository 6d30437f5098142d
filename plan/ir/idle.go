package ir

import (
	"slices"

	"github.com/oneloop/oneloop/expr/prim"
)

// Idle returns, for each axis, whether an iteration at one position of it has the same effects
// as all: no instruction uses the position, and none accumulates or carries values.
func Idle(k *Kernel) []bool {
	idle := slices.Repeat([]bool{true}, len(k.Axes))
	for r := range k.Regions {
		for i := range k.Regions[r].Code {
			in := &k.Regions[r].Code[i]
			if in.Op == Reduce || in.Op == Carry {
				return make([]bool, len(k.Axes))
			}
			for ix := range k.Exprs(in) {
				for n := range k.Nodes(ix) {
					if n.Op == prim.IxAxis {
						idle[n.K] = false
					}
				}
			}
		}
	}
	return idle
}
