package amd64

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// collects reports whether an access with computed offsets loads each lane by itself. On processors
// whose gathers are slow that is faster. The lanes outside a mask have no address.
func (f *emitter) collects(n *lower.Node) bool {
	return !f.Layout.Gathers && !f.Masked && n.Args[1] == lower.None
}

// insertions are the instructions that load an element of 1, 2, 4 or 8 bytes into a lane.
var insertions = [9]x86.Op{1: x86.VPINSRB, 2: x86.VPINSRW, 4: x86.VPINSRD, 8: x86.VPINSRQ}

// collect loads the elements of a site at the 64-bit offsets of a node into neighbouring lanes of their size. d must not have
// the offsets.
func (f *emitter) collect(s *layout.Site, d x86.Vec, node int32) {
	size, part := s.Size, 16/s.Size // lanes of 128 bits
	offs, t, quarter, half := f.Src(node), f.Tmp(), f.Tmp(), d
	if f.W*size > 32 {
		half = f.Tmp()
	}
	f.I(x86.MOV, x86.W64, x86.RCX, f.pointer(s))
	for lane := 0; lane < f.W; lane += 2 {
		to := [...]x86.Vec{d, quarter, half, quarter}[lane/part]
		f.offsetPair(x86.Len(64*f.W), t, offs, lane/2)
		for i, at := range []x86.Reg{x86.RAX, x86.RDX} {
			m := x86.AtX(x86.RCX, at, uint8(size), 0)
			switch k := lane%part + i; {
			case k > 0 || size < 4:
				f.I(insertions[size], 0, to, to, m, x86.Imm(k))
			case size == 4:
				f.I(x86.VMOVD, 0, to, m)
			default:
				f.I(x86.VMOVQ, 0, to, m)
			}
		}
		if lane/part%2 == 1 && (lane+2)%part == 0 {
			into := [...]x86.Vec{1: d, 3: half}[lane/part]
			f.insertPart(x86.L256, into, quarter, 1)
		}
	}
	if half != d {
		f.I(x86.VINSERTF64X4, x86.L512, d, d, half, x86.Imm(1))
	}
}

// collectStrided loads the elements of the first lanes of a site with a constant stride one by one, and zeros for the others of
// their 16 bytes: a gather takes twice as long on some processors.
func (f *emitter) collectStrided(s *layout.Site, t dtype.Type, d x86.Vec, lanes int) {
	size := t.Size()
	if s.Step != 0 {
		first := f.stepLane(s, s.Step)
		f.loadEach(t, d, lanes, func(lane int) x86.Mem { return x86.At(x86.RCX, int32((first+lane)*s.Step*size)) })
		return
	}
	f.FirstAddress(s)
	f.I(x86.MOV, x86.W64, x86.RAX, at(s.Arg+frame.SiteStride))
	f.I(x86.LEA, x86.W64, x86.RDX, x86.AtX(x86.RAX, x86.RAX, 2, 0))
	f.loadEach(t, d, lanes, func(lane int) x86.Mem {
		if lane > 0 && lane%4 == 0 {
			f.I(x86.LEA, x86.W64, x86.RCX, x86.AtX(x86.RCX, x86.RAX, 4, 0))
		}
		return [...]x86.Mem{x86.At(x86.RCX, 0), x86.AtX(x86.RCX, x86.RAX, 1, 0), x86.AtX(x86.RCX, x86.RAX, 2, 0), x86.AtX(x86.RCX, x86.RDX, 1, 0)}[lane%4]
	})
}

// loadEach loads the elements of the first lanes one by one, and zeros for the others of their 16 bytes. It calls element for
// the memory of each lane in order.
func (f *emitter) loadEach(t dtype.Type, d x86.Vec, lanes int, element func(lane int) x86.Mem) {
	size, part := t.Size(), 16/t.Size()
	x, upper := d, d
	if lanes > part {
		upper = f.Tmp()
	}
	for lane := range lanes {
		switch k := lane % part; {
		case k > 0:
			f.I(insertions[size], 0, x, x, element(lane), x86.Imm(k))
		default:
			if lane > 0 {
				x = upper
			}
			if size < 4 {
				f.I(f.simple(prim.Xor, dtype.I32), x86.L128, x, x, x)
				f.I(insertions[size], 0, x, x, element(lane), x86.Imm(0))
			} else {
				f.I(pick(t, x86.VMOVD, x86.VMOVQ), 0, x, element(lane))
			}
		}
		if x != d && (lane%part == part-1 || lane == lanes-1) {
			f.insertPart(x86.Len(256<<(lane/part/2)), d, x, lane/part)
		}
	}
}

// offsetPair sets RAX and RDX to the 64-bit lanes 2*k and 2*k + 1 of offs, which has l bits. It may overwrite t.
func (f *emitter) offsetPair(l x86.Len, t, offs x86.Vec, k int) {
	if k > 0 {
		f.extractPart(l, t, offs, k)
		offs = t
	}
	f.I(x86.VMOVQ, 0, x86.RAX, offs)
	f.I(x86.VPEXTRQ, 0, x86.RDX, offs, x86.Imm(1))
}
