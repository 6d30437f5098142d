package emit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// A phaseCode writes the machine code of one phase: the order of its nodes, its loops and
// its reductions.
type phaseCode struct {
	isa.Emitter
	target  isa.Target
	top     []int32 // nodes of the body of the loop
	hoisted []int32 // uniform nodes, which the prologue computes
	owned   []owned
	accs    []acc
	reds    []lower.Red // of the phase, in its lanes
	carries []carried   // in registers
	turns   []isa.Turn

	pressed             bool // pressure is known
	mostVecs, mostMasks int
	kept                []listing.Kept
}

func (f *phaseCode) node(list *[]int32, op prim.Op, t, in dtype.Type, cold bool, args ...int32) int32 {
	n := lower.Node{Op: op, Type: t, In: in, Args: [3]int32{lower.None, lower.None, lower.None}, Cold: cold}
	copy(n.Args[:], args)
	f.Nodes = append(f.Nodes, n)
	id := int32(len(f.Nodes) - 1)
	if list != nil {
		*list = append(*list, id)
	}
	return id
}

func (f *phaseCode) constant(t dtype.Type, x uint64) int32 {
	id := f.node(nil, prim.Const, t, t, false)
	f.Nodes[id].Imm = x
	return id
}

func (f *phaseCode) stored(buf int32) bool {
	for i := range f.Phase.Sites {
		if f.Phase.Sites[i].Store && f.Phase.Sites[i].Buf == buf {
			return true
		}
	}
	return false
}
