package interp

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/affine"
	"github.com/oneloop/oneloop/plan/ir"
)

// Index expressions that are not affine are computed as vectors of int64, one
// step for each node.

type ixOp uint8

const (
	ixLinear ixOp = iota
	ixReg
	ixAdd
	ixMul
	ixDiv
	ixMod
)

// An ixStep computes scratch vector dst from the vectors a and b.
type ixStep struct {
	op        ixOp
	dst, a, b int
	k         int    // of Mul, Div, Mod
	shift     int    // of Div and Mod by a power of two, or -1
	magic     uint64 // of Div and Mod by others: ceil(2^64 / k)
	line      linear
	reg       int32 // byte offset in the register table
	one       bool  // the register has one lane
}

// An ixDim adds coordinate * stride to the offsets.
type ixDim struct {
	src            int
	stride, extent int
	bounds         ir.Bounds // InBounds if it cannot be outside
}

// outside marks the lanes of a guarded load that lie outside.
const outside = math.MinInt64

// ixCompiler makes the program of a site.
type ixCompiler struct {
	b    *binder
	vec  int32
	prog []ixStep
	next int
}

// compile returns the scratch vector that will hold ix. Vectors are used like a
// stack: an operand is dead when its operator is done.
func (c *ixCompiler) compile(ix prim.Ix) int {
	if a, ok := c.b.Form(ix); ok {
		s := ixStep{op: ixLinear, dst: c.push(), line: c.b.linears(c.vec, []affine.Form{a})[0]}
		c.prog = append(c.prog, s)
		return s.dst
	}
	n := c.b.k.Index.At(ix)
	if n.Op == prim.IxValue {
		v := int32(n.K)
		for c.b.code.regs[v].alias >= 0 {
			v = c.b.code.regs[v].alias
		}
		s := ixStep{op: ixReg, dst: c.push(), reg: v * regSize, one: !c.b.code.regs[v].vector}
		c.prog = append(c.prog, s)
		return s.dst
	}
	x := c.compile(n.A)
	s := ixStep{dst: x, a: x}
	if n.Op == prim.IxAdd {
		s.op, s.b = ixAdd, c.compile(n.B)
		c.next--
	} else {
		s.k, _ = c.b.Number(n.B)
		switch n.Op {
		case prim.IxMul:
			s.op = ixMul
		case prim.IxDiv:
			s.op = ixDiv
		default:
			s.op = ixMod
		}
		s.shift = -1
		if s.op != ixMul {
			if s.k&(s.k-1) == 0 {
				s.shift = bits.TrailingZeros(uint(s.k))
			} else {
				s.magic = math.MaxUint64/uint64(s.k) + 1
			}
		}
	}
	c.prog = append(c.prog, s)
	return x
}

func (c *ixCompiler) push() int {
	c.next++
	c.b.inst.vectors = max(c.b.inst.vectors, c.next)
	return c.next - 1
}

func (b *binder) indexSite(info *siteInfo) (site, error) {
	s := site{kind: generalSite, buf: -1}
	c := &ixCompiler{b: b, vec: info.vec}
	c.compile(info.ix)
	s.prog = c.prog
	return s, nil
}

func (b *binder) generalSite(info *siteInfo, a *ir.Access, strides, extents []int) (site, error) {
	s := site{kind: generalSite, buf: a.Buf, bounds: ir.InBounds}
	c := &ixCompiler{b: b, vec: info.vec}
	offset := b.Constant(0)
	for d, ix := range a.Coords {
		lo, hi := b.Interval(ix)
		bounds := a.Bounds
		if lo >= 0 && hi < extents[d] {
			bounds = ir.InBounds
		}
		if af, ok := b.Form(ix); ok && bounds == ir.InBounds {
			offset.Plus(af, strides[d])
			continue
		}
		if bounds == ir.Guarded {
			s.bounds = ir.Guarded
		}
		s.dims = append(s.dims, ixDim{c.compile(ix), strides[d], extents[d], bounds})
	}
	// Guarded ones last: nothing may be added to the mark of a lane outside.
	slices.SortStableFunc(s.dims, func(x, y ixDim) int { return cmp.Compare(guardLast(x.bounds), guardLast(y.bounds)) })
	s.line = b.linears(info.vec, []affine.Form{offset})[0]
	s.prog = c.prog
	return s, nil
}

func guardLast(b ir.Bounds) int {
	if b == ir.Guarded {
		return 1
	}
	return 0
}

// fillLinear writes the values of l at n lanes from the current position.
func fillLinear(f *frame, l *linear, dst []int64) {
	off := l.at(f)
	switch len(l.spans) {
	case 0:
		fill(dst, int64(off))
		return
	case 1:
		iota64(dst, off+l.spans[0].coef*f.lo, l.spans[0].coef)
		return
	}
	var w walk
	w.start(l, off, f.lo)
	for len(dst) > 0 {
		m := min(w.left(l), len(dst))
		k := l.spans[len(l.spans)-1].coef
		iota64(dst[:m], w.off, k)
		dst = dst[m:]
		w.next(l)
	}
}

func iota64(dst []int64, v, step int) {
	if step == 0 {
		fill(dst, int64(v))
		return
	}
	for i := range dst {
		dst[i] = int64(v)
		v += step
	}
}

// run computes the scratch vectors of a program.
func runSteps(f *frame, prog []ixStep, n int) {
	for i := range prog {
		s := &prog[i]
		dst := f.ixs[s.dst][:n]
		switch s.op {
		case ixLinear:
			fillLinear(f, &s.line, dst)
		case ixReg:
			if s.one {
				fill(dst, one[int64](f, s.reg))
			} else {
				copy(dst, vec[int64](f, s.reg, n))
			}
		case ixAdd:
			b := f.ixs[s.b][:n]
			for i := range dst {
				dst[i] += b[i]
			}
		case ixMul:
			for i := range dst {
				dst[i] *= int64(s.k)
			}
		case ixDiv:
			s.divide(dst)
		case ixMod:
			s.modulo(dst)
		}
	}
}

// quotient is floor(x / k). For 0 <= x < 2^32 it is one multiplication by the
// rounded-up reciprocal (Lemire, Kaser and Kurz 2019).
func (s *ixStep) quotient(x int64) int64 {
	if uint64(x) < 1<<32 && uint64(s.k) < 1<<32 {
		hi, _ := bits.Mul64(s.magic, uint64(x))
		return int64(hi)
	}
	return affine.FloorDiv(x, int64(s.k))
}

func (s *ixStep) divide(v []int64) {
	if s.shift >= 0 {
		sh := uint(s.shift) & 63
		for i := range v {
			v[i] >>= sh
		}
		return
	}
	for i := range v {
		v[i] = s.quotient(v[i])
	}
}

func (s *ixStep) modulo(v []int64) {
	if s.shift >= 0 {
		mask := int64(s.k - 1)
		for i := range v {
			v[i] &= mask
		}
		return
	}
	for i := range v {
		v[i] -= s.quotient(v[i]) * int64(s.k)
	}
}

// offsets computes the element offset of each lane of a general site.
func offsets(f *frame, s *site, n int) []int64 {
	offs := f.offs[:n]
	fillLinear(f, &s.line, offs)
	runSteps(f, s.prog, n)
	for i := range s.dims {
		d := &s.dims[i]
		x, stride := f.ixs[d.src][:n], int64(d.stride)
		switch d.bounds {
		case ir.Clamped:
			top := int64(d.extent - 1)
			for i := range offs {
				offs[i] += stride * max(min(x[i], top), 0)
			}
		case ir.Guarded:
			limit := uint64(d.extent)
			for i := range offs {
				o := offs[i] + stride*x[i]
				if uint64(x[i]) >= limit || offs[i] == outside {
					o = outside
				}
				offs[i] = o
			}
		default:
			for i := range offs {
				offs[i] += stride * x[i]
			}
		}
	}
	return offs
}

func indexKernel(f *frame, in *ins, n int) {
	s := &f.sites[in.aux]
	d := vec[int64](f, in.d, n)
	if s.kind == skipSite {
		return
	}
	runSteps(f, s.prog, n)
	copy(d, f.ixs[0][:n])
}
