package isa

import (
	"math/bits"
	"slices"
)

// A RegisterFile allocates the registers of one kind: vectors or masks.
type RegisterFile struct {
	Free   uint64
	pinned uint64    // the current instruction uses them
	tmp    uint64    // temporaries of the current instruction
	owner  [32]int32 // index in places of the value in a register, or -1
}

// NewRegisterFile returns registers of which those in the set free are free.
func NewRegisterFile(free uint64) RegisterFile {
	r := RegisterFile{Free: free}
	for i := range r.owner {
		r.owner[i] = -1
	}
	return r
}

// take takes the lowest free register.
func (r *RegisterFile) take() int { return r.claim(bits.TrailingZeros64(r.Free)) }

// TakeTop takes the highest free register and returns it. It is never spilled.
func (r *RegisterFile) TakeTop() Vec { return Vec(r.claim(63 - bits.LeadingZeros64(r.Free))) }

func (r *RegisterFile) claim(k int) int {
	r.Free &^= 1 << k
	r.owner[k] = -1
	return k
}

// Give frees register k.
func (r *RegisterFile) Give(k int8) {
	r.Free |= 1 << k
	r.owner[k] = -1
}

// Retain keeps temporary k after the instruction, until the caller frees it.
func (r *RegisterFile) Retain(k int8) { r.tmp &^= 1 << k }

// endOf frees the temporaries that were taken since they were tmp.
func (r *RegisterFile) endOf(tmp uint64) {
	own := r.tmp &^ tmp
	r.Free |= own
	r.pinned &^= own
	r.tmp = tmp
}

// end frees the temporaries of an instruction and unpins its operands.
func (r *RegisterFile) end() {
	r.endOf(0)
	r.pinned = 0
}

// slots allocates the slots of a frame: memory for one vector each.
type slots struct {
	Count int
	spare []int32
}

// Take returns a free slot.
func (s *slots) Take() int32 {
	if k := len(s.spare); k > 0 {
		x := s.spare[k-1]
		s.spare = s.spare[:k-1]
		return x
	}
	s.Count++
	return int32(s.Count - 1)
}

// TakeRow returns the first of n slots in a row.
func (s *slots) TakeRow(n int) int32 {
	s.Count += n
	return int32(s.Count - n)
}

// A Place says where one copy of a node is: in a register, a slot, or both.
type Place struct {
	Slot int32 // -1: in no slot
	Reg  int8  // -1: in no register
	Kept bool  // the register belongs to a carry, and stays taken
}

var Nowhere = Place{Reg: -1, Slot: -1}

// An Aim is the registers in which the copies of a node should compute the next value
// of a carry, once its value in this step is no longer used.
type Aim struct {
	Carry int32 // the node that loads the carry
	Regs  []Vec
}

// Values says where the values of the nodes are.
type Values struct {
	Uniform     []bool  // the same in all lanes and all rows
	UniformSlot []int32 // slot of a uniform node, or -1
	Home        []int8  // register of a pinned uniform node, or -1
	Last        []int32 // position of the last use, of a node
	Places      []Place // node * copies + copy
	Copies      int
	Aims        map[int32]Aim // by node
	// Copies c and c+Pair have the same value of a node in Shared, if c has not the bit Pair. 0: no value is shared.
	Pair   int
	Shared []bool
}

// Grow adds n nodes that are not uniform.
func (v *Values) Grow(n int) {
	v.Uniform = append(v.Uniform, make([]bool, n)...)
	v.UniformSlot, v.Home = slices.Grow(v.UniformSlot, n), slices.Grow(v.Home, n)
	for range n {
		v.UniformSlot, v.Home = append(v.UniformSlot, -1), append(v.Home, -1)
	}
}

// Start prepares the emission of a group of copies: no node has a place.
func (v *Values) Start(copies int) {
	v.Copies = copies
	n := len(v.Last) * copies
	v.Places = slices.Grow(v.Places[:0], n)[:n]
	for i := range v.Places {
		v.Places[i] = Nowhere
	}
}

// Key returns the index in Places of copy c of node n.
func (v *Values) Key(n int32, c int) int32 {
	if !v.Own(n, c) {
		c -= v.Pair
	}
	return n*int32(v.Copies) + int32(c)
}

// Own reports whether copy c of node n has a place of its own: no other copy shares it.
func (v *Values) Own(n int32, c int) bool { return c&v.Pair == 0 || !v.Shared[n] }
