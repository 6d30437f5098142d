package x86

import (
	"encoding/binary"
	"fmt"
	"math"
	"sort"
)

// maxAlign is the alignment of the first byte of an object.
const maxAlign = 64

// A pool has the constants of an object. They follow its code, larger ones
// first, so that each is aligned to its size.
type pool struct{ consts []constant }

type constant struct {
	bits [8]uint64
	size uint8
}

// Const is the constant b, of 4, 8, 16, 32 or 64 bytes, in memory. Equal
// constants are stored once.
func (a *Asm) Const(b []byte) Mem {
	c := constant{size: uint8(len(b))}
	switch len(b) {
	case 4:
		c.bits[0] = uint64(binary.LittleEndian.Uint32(b))
	case 8, 16, 32, 64:
		for i := range len(b) / 8 {
			c.bits[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
	default:
		a.fail("constant of %d bytes", len(b))
	}
	return a.pool.add(c)
}

// Const32 is a constant of 4 bytes in memory.
func (a *Asm) Const32(x uint32) Mem {
	return a.pool.add(constant{bits: [8]uint64{uint64(x)}, size: 4})
}

// Const64 is a constant of 8 bytes in memory.
func (a *Asm) Const64(x uint64) Mem {
	return a.pool.add(constant{bits: [8]uint64{x}, size: 8})
}

func (p *pool) add(c constant) Mem {
	for i := range p.consts {
		if d := &p.consts[i]; d.bits[0] == c.bits[0] && d.size == c.size && *d == c {
			return constMem(i)
		}
	}
	p.consts = append(p.consts, c)
	return constMem(len(p.consts) - 1)
}

// constMem refers to constants by negative labels.
func constMem(i int) Mem { return Mem{rip: true, ref: Label(-1 - i)} }

// place appends the pool to code and returns the offset of each constant.
func (p *pool) place(code []byte) ([]byte, []int32) {
	if len(p.consts) == 0 {
		return code, nil
	}
	order := make([]int, len(p.consts))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return p.consts[order[i]].size > p.consts[order[j]].size })
	for len(code)%int(p.consts[order[0]].size) != 0 {
		code = append(code, breakpoint)
	}
	at := make([]int32, len(order))
	for _, i := range order {
		at[i] = int32(len(code))
		c := &p.consts[i]
		if c.size == 4 {
			code = binary.LittleEndian.AppendUint32(code, uint32(c.bits[0]))
			continue
		}
		for _, w := range c.bits[:c.size/8] {
			code = binary.LittleEndian.AppendUint64(code, w)
		}
	}
	return code, at
}

// comment adds the value of the constant that in refers to, if any, to its
// text.
func (a *Asm) comment(in *insn, text string) string {
	if !in.mem.rip || in.mem.ref >= 0 {
		return text
	}
	c := &a.pool.consts[-1-in.mem.ref]
	switch c.size {
	case 4:
		return fmt.Sprintf("%s # %#x, %v", text, c.bits[0], math.Float32frombits(uint32(c.bits[0])))
	case 8:
		return fmt.Sprintf("%s # %#x, %v", text, c.bits[0], math.Float64frombits(c.bits[0]))
	}
	return fmt.Sprintf("%s # %#x", text, c.bits[:c.size/8])
}
