package amd64

import (
	"math"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// collects reports whether an access with computed offsets loads each lane by itself. On processors
// whose gathers are slow that is faster. The lanes outside a mask have no address.
func (f *emitter) collects(n *lower.Node) bool {
	return !f.Layout.Gathers && !f.Masked && n.Args[1] == lower.None
}

// insertions are the instructions that load an element of 1, 2, 4 or 8 bytes into a lane.
var insertions = [9]x86.Op{1: x86.VPINSRB, 2: x86.VPINSRW, 4: x86.VPINSRD, 8: x86.VPINSRQ}

// collect loads the elements of a site at the 64-bit offsets of a node into neighbouring lanes of their size. d must not have
// the offsets. Offsets that are numbers in memory, as indices are that are not negative, go from there to general registers:
// a load takes less than a move from a vector. Another goroutine may change them at any time, so a general register compares each
// number that it loads again.
func (f *emitter) collect(s *layout.Site, d x86.Vec, node int32) {
	offs, index, done := f.Src(node), f.indexOf(s, node), f.NewLabel()
	if index >= 0 {
		apart, t, extent := f.NewLabel(), f.Phase.Sites[index].Type, s.Gather.Dims[0].Extent
		from := f.site(&f.Layout.Sites[index], index)
		f.Within(func() {
			x, k, l := f.Tmp(), f.TmpMask(), f.LenOf(dtype.I64)
			f.Tmp() // with the next one for collectAt: values may be spilled before the branches alone
			f.Tmp()
			f.I(numbers64[t], l, x, from)
			f.I(x86.VPCMPQ, l, k, x, offs, x86.Imm(4)) // not equal
			f.I(x86.KORTESTB, 0, k, k)
		})
		f.I(x86.JNE, 0, apart)
		f.Within(func() {
			f.collectAt(s, d, func(pair int) {
				for i, r := range []x86.Reg{x86.RAX, x86.RDX} {
					m := from
					m.Disp += int32((2*pair + i) * t.Size())
					f.asm.load(t.Size(), r, m)
					if t.Size() >= 4 || uint64(extent) <= t.Mask() {
						f.I(x86.CMP, x86.W64, r, x86.Imm(extent))
						f.I(x86.JAE, 0, apart)
					}
				}
			})
		})
		f.Jump(done)
		f.Bind(apart)
	}
	x := f.Tmp()
	f.collectAt(s, d, func(pair int) { f.offsetPair(x86.Len(64*f.W), x, offs, pair) })
	f.Bind(done)
}

// numbers64 are the instructions that load indices into lanes of 64 bits.
var numbers64 = map[dtype.Type]x86.Op{dtype.I64: x86.VMOVUPD, dtype.I32: x86.VPMOVSXDQ, dtype.U8: x86.VPMOVZXBQ}

// passes are the operations that may return an operand as it is, and which one: clamps, conversions, and selections of an index where
// it is not negative.
var passes = map[prim.Op]int{prim.Min: 0, prim.Max: 0, prim.Cvt: 0, prim.Select: 2}

// indexOf returns the site of the numbers that an offset of site s may be, which follow each other in memory, or -1. With AVX2 such loads
// are takes: see [isa.Take].
func (f *emitter) indexOf(s *layout.Site, node int32) int32 {
	if g := s.Gather; g == nil || len(g.Dims) != 1 || g.Dims[0].Extent > math.MaxInt32 {
		return -1
	}
	n := &f.Nodes[node]
	for {
		arg, ok := passes[n.Op]
		if !ok {
			break
		}
		n = &f.Nodes[n.Args[arg]]
	}
	if !f.evex || n.Op != ir.Load || n.Args[0] != lower.None || n.Args[1] != lower.None || numbers64[f.Phase.Sites[n.Aux].Type] == 0 {
		return -1
	}
	if s := &f.Layout.Sites[n.Aux]; f.SiteReg[n.Aux] < 0 || s.Kind != layout.Unit || s.Guard || f.Phase.Kind == lower.ScalarPhase {
		return -1
	}
	return n.Aux
}

// collectAt loads the elements of a site into neighbouring lanes of their size. offsets sets RAX and RDX to the offsets of a pair of lanes.
func (f *emitter) collectAt(s *layout.Site, d x86.Vec, offsets func(pair int)) {
	size, part := s.Size, 16/s.Size // lanes of 128 bits
	quarter, half := f.Tmp(), d
	if f.W*size > 32 {
		half = f.Tmp()
	}
	f.I(x86.MOV, x86.W64, x86.RCX, f.pointer(s))
	for lane := 0; lane < f.W; lane += 2 {
		to := [...]x86.Vec{d, quarter, half, quarter}[lane/part]
		offsets(lane / 2)
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
