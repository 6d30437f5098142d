package interp

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/gather"
)

// block is the number of lanes of a vector register. It divides the 4096 positions
// of a reduction block and is a multiple of the 64 lanes of a reduction.
const block = 512

// regSize is the size of an entry of the register table, in bytes.
const regSize = int32(unsafe.Sizeof(uintptr(0)))

// A kernel executes one instruction on n lanes.
type kernel func(f *frame, in *ins, n int)

// An ins is one instruction of the interpreter. It has 64 bytes, one cache line.
// Operands are byte offsets into the register table of the frame.
type ins struct {
	fn         kernel
	d, a, b, c int32
	lanes      int16 // number of lanes; 0: all lanes of the current block
	load       bool  // the instruction loads site aux
	aux        int32
	imm        uint64
	body       []ins // the body of a loop, cold region or program of a reduction
}

// A frame is the memory of one worker.
type frame struct {
	gather.Scratch                // Pos has the positions in the current par and seq loops
	regs           unsafe.Pointer // the register table: an unsafe.Pointer for each register
	lo             int            // flattened position of lane 0 in the current vec loop
	inst           *instance
	sites          []site // the bound accesses: instance.sites, or instance.wide if wide
	wide           bool   // the block has several runs; see wide.go
	reds           []lanesState
	runs           []runsState

	raw  unsafe.Pointer   // room for a block of halves
	rows []unsafe.Pointer // address of each row buffer, nil for other buffers

	table []unsafe.Pointer // the register table
	homes []unsafe.Pointer // address of each register in the arena
	arena []uint64
}

// at returns the address of register r.
func (f *frame) at(r int32) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Add(f.regs, r)) }

// vec returns register r as n elements, without a copy. The array type is larger
// than a register and only gives bounds; the Go compiler then drops the bounds
// checks of loops over n elements.
func vec[T any](f *frame, r int32, n int) []T { return (*[1 << 16]T)(f.at(r))[:n:n] }

// one returns the element in a one-lane register.
func one[T any](f *frame, r int32) T { return *(*T)(f.at(r)) }

// exec executes instructions on n lanes.
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

// setBits sets n elements at p to the same bits.
func setBits(p unsafe.Pointer, size int, bits uint64, n int) {
	switch size {
	case 1:
		fill(unsafe.Slice((*uint8)(p), n), uint8(bits))
	case 2:
		fill(unsafe.Slice((*uint16)(p), n), uint16(bits))
	case 4:
		fill(unsafe.Slice((*uint32)(p), n), uint32(bits))
	default:
		fill(unsafe.Slice((*uint64)(p), n), bits)
	}
}

// elem returns the address of element i of the array at p.
func elem[T any](p unsafe.Pointer, i int) *T {
	var z T
	return (*T)(unsafe.Add(p, i*int(unsafe.Sizeof(z))))
}
