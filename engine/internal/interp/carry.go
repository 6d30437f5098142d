package interp

import (
	"slices"

	"github.com/oneloop/oneloop/plan/ir"
)

// A carryInfo has the registers of a value that a seq loop carries: before the
// loop, in the current step, and for the next step. The last becomes the result.
type carryInfo struct {
	carry            ir.Value
	first, now, next int32
	size             int // of an element, in bytes
}

// carry adds a carry to the seq loop. Its registers live from the start of the
// loop to the end.
func (c *compiler) carry(in *ir.Ins) {
	first := c.inAllLanes(in.Args[0])
	c.regs[in.Dst].vector = true
	q := &c.code.seqs[c.seqIndex()]
	q.carries = append(q.carries, carryInfo{carry: in.Dst, first: first, now: in.Dst, size: in.Type.Size()})
}

// next appends the copy of the value for the next step to a register of its own:
// the carries change together, when the step ends.
func (c *compiler) next(in *ir.Ins) {
	q := &c.code.seqs[c.seqIndex()]
	for i := range q.carries {
		if y := &q.carries[i]; y.carry == in.Args[0] {
			y.next = in.Dst
			c.putVector(stub{ins: ins{fn: copyKernels[y.size]}, reads: []int32{c.inAllLanes(in.Args[1])}}, in.Dst)
			return
		}
	}
	c.fail("a next without its carry")
}

var copyKernels = [9]kernel{1: copyKernel[uint8], 2: copyKernel[uint16], 4: copyKernel[uint32], 8: copyKernel[uint64]}

func copyKernel[T rawElem](f *frame, in *ins, n int) {
	copy(vec[T](f, in.d, n), vec[T](f, in.a, n))
}

// begin stores the first value. It is the result of a loop without steps.
func (y *carryInfo) begin(f *frame, n int) {
	first := vec[byte](f, y.first*regSize, n*y.size)
	copy(vec[byte](f, y.now*regSize, n*y.size), first)
	copy(vec[byte](f, y.next*regSize, n*y.size), first)
}

// step ends a step.
func (y *carryInfo) step(f *frame, n int) {
	copy(vec[byte](f, y.now*regSize, n*y.size), vec[byte](f, y.next*regSize, n*y.size))
}

// leaves reports whether no later step changes a value that the loop carries.
func (q *seqInfo) leaves(f *frame, n int) bool {
	for _, r := range q.held {
		if slices.Contains(vec[uint8](f, r*regSize, n), 1) {
			return false
		}
	}
	return len(q.held) > 0
}
