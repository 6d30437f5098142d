package x86

import (
	"encoding/binary"
	"fmt"
	"math"
)

// maxAlign is the alignment of the first byte of an object.
const maxAlign = 64

// breakpoint is int3, which fills the gap before the constants.
const breakpoint = 0xcc

// A pool has the constants of an object. They follow its code, larger ones
// first, so that each is aligned to its size.
type pool struct{ consts []constant }

type constant struct {
	bits [8]uint64
	size uint8
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

// appendTo appends the pool to b and returns the offset of each constant.
func (p *pool) appendTo(b []byte) ([]byte, []int32) {
	if len(p.consts) == 0 {
		return b, nil
	}
	at := make([]int32, len(p.consts))
	for size := maxAlign; size >= 4; size /= 2 {
		for i := range p.consts {
			c := &p.consts[i]
			if int(c.size) != size {
				continue
			}
			for len(b)%size != 0 { // before the first one only
				b = append(b, breakpoint)
			}
			at[i] = int32(len(b))
			if size == 4 {
				b = binary.LittleEndian.AppendUint32(b, uint32(c.bits[0]))
				continue
			}
			for _, w := range c.bits[:size/8] {
				b = binary.LittleEndian.AppendUint64(b, w)
			}
		}
	}
	return b, at
}

// comment adds the value of the constant that in refers to, if any, to its
// text.
func (p *pool) comment(in *insn, text string) string {
	if !in.mem.rip || in.mem.ref >= 0 {
		return text
	}
	c := &p.consts[-1-in.mem.ref]
	switch c.size {
	case 4:
		return fmt.Sprintf("%s # %#x, %v", text, c.bits[0], math.Float32frombits(uint32(c.bits[0])))
	case 8:
		return fmt.Sprintf("%s # %#x, %v", text, c.bits[0], math.Float64frombits(c.bits[0]))
	}
	return fmt.Sprintf("%s # %#x", text, c.bits[:c.size/8])
}
