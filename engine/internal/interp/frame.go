package interp

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/gather"
)

// block is the number of lanes of a vector register. It divides the 4096
// positions of a reduction block and is a multiple of the 64 lanes.
const block = 512

// regSize is the size of an entry of the register table.
const regSize = int32(unsafe.Sizeof(uintptr(0)))

// A kernel computes one instruction on n lanes.
type kernel func(f *frame, in *ins, n int)

// An ins is one instruction of the interpreter. It has 64 bytes, one cache line.
// Operands are byte offsets into the register table of the frame.
type ins struct {
	fn         kernel
	d, a, b, c int32
	lanes      int16 // if not 0, the number of lanes instead of the block's
	load       bool  // aux is a site that is loaded
	aux        int32
	imm        uint64
	body       []ins // of a loop or cold region
}

// A frame is the memory of one worker.
type frame struct {
	gather.Scratch                // its Pos is that of the current par and seq loops
	regs           unsafe.Pointer // the register table: an unsafe.Pointer for each register
	lo             int            // flattened position of lane 0 in the current vec loop
	inst           *instance
	sites          []site // the bound accesses; in wide runs instance.wide
	wide           bool
	reds           []lanesState
	runs           []runsState

	raw  unsafe.Pointer   // bits of halves
	rows []unsafe.Pointer // addresses of row buffers, by buffer

	table []unsafe.Pointer
	homes []unsafe.Pointer
	arena []uint64
}

// at returns the address of register r.
func (f *frame) at(r int32) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Add(f.regs, r))
}

// vec views register r as n elements. The big array type only carries the
// bounds; the compiler drops the checks of loops that range over n.
func vec[T any](f *frame, r int32, n int) []T {
	return (*[1 << 16]T)(f.at(r))[:n:n]
}

// one is the element that a register of one lane holds.
func one[T any](f *frame, r int32) T { return *(*T)(f.at(r)) }

// exec runs instructions on n lanes.
func exec(f *frame, code []ins, n int) {
	for i := range code {
		in := &code[i]
		m := n
		if in.lanes != 0 {
			m = int(in.lanes)
		}
		in.fn(f, in, m)
	}
}

// setBits writes a scalar of size bytes.
func setBits(p unsafe.Pointer, size int, bits uint64) {
	switch size {
	case 1:
		*(*uint8)(p) = uint8(bits)
	case 4:
		*(*uint32)(p) = uint32(bits)
	default:
		*(*uint64)(p) = bits
	}
}

// elem is the address of element i, of size bytes, from p.
func elem[T any](p unsafe.Pointer, i int) *T {
	var z T
	return (*T)(unsafe.Add(p, i*int(unsafe.Sizeof(z))))
}
