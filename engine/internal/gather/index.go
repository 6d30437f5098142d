package gather

import (
	"math"
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// This file computes index expressions that are not affine, as vectors of int64.
// Each node of an expression is one step.

type stepOp uint8

const (
	stepLine stepOp = iota
	stepValue
	stepAdd
	stepMul
	stepDiv
	stepMod
)

// A step computes vector dst from dst and vector b.
type step struct {
	op     stepOp
	dst, b int
	k      int64      // Mul, Div and Mod: the constant operand
	shift  int        // Div and Mod: log2 of k if k is a power of two, else -1
	magic  uint64     // Div and Mod by other numbers: ceil(2^64 / k)
	line   bound.Line // Line: the values
	handle int32      // Value: the handle of the value
}

// outside is the offset of the lanes that are outside the array.
const outside = math.MinInt64

// A compiler appends the steps of an access.
type compiler struct {
	At
	s    *Access
	next int
}

func (p At) compiler(s *Access) *compiler { return &compiler{At: p, s: s} }

// compile appends the steps of ix and returns the vector of the result. The vectors
// are a stack: the right operand of an addition is freed after the addition.
func (c *compiler) compile(ix prim.Ix) int {
	if f, ok := c.Kernel.Form(ix); ok {
		return c.form(f)
	}
	n := c.Kernel.Index.At(ix)
	if n.Op == prim.IxValue {
		return c.push(step{op: stepValue, handle: c.Handle(ir.Value(n.K))})
	}
	x := c.compile(n.A)
	s := step{dst: x, shift: -1}
	if n.Op == prim.IxAdd {
		s.op, s.b = stepAdd, c.compile(n.B)
		c.next--
	} else {
		k, _ := c.Kernel.Number(n.B) // ir.Check proves that n.B is a number
		s.k = int64(k)
		switch n.Op {
		case prim.IxMul:
			s.op = stepMul
		case prim.IxDiv:
			s.op = stepDiv
		default:
			s.op = stepMod
		}
		if s.op != stepMul && k&(k-1) == 0 {
			s.shift = bits.TrailingZeros(uint(k))
		} else if s.op != stepMul {
			s.magic = math.MaxUint64/uint64(k) + 1
		}
	}
	c.s.steps = append(c.s.steps, s)
	return x
}

func (c *compiler) form(f bound.Form) int {
	return c.push(step{op: stepLine, line: c.Kernel.Lines(c.Digits, f)[0]})
}

// push appends a step that computes a new vector, and returns the vector.
func (c *compiler) push(s step) int {
	s.dst = c.next
	c.next++
	c.s.vectors = max(c.s.vectors, c.next)
	c.s.steps = append(c.s.steps, s)
	return s.dst
}

// steps computes the index expressions of an access for n lanes, from position lo
// of the loop.
func (c *Scratch) steps(s *Access, lo, n int) {
	for i := range s.steps {
		t := &s.steps[i]
		dst := c.vectors[t.dst][:n]
		switch t.op {
		case stepLine:
			c.fillLine(&t.line, lo, dst)
		case stepValue:
			c.values.Value(t.handle, dst)
		case stepAdd:
			b := c.vectors[t.b][:n]
			for i := range dst {
				dst[i] += b[i]
			}
		case stepMul:
			for i := range dst {
				dst[i] *= t.k
			}
		case stepDiv:
			t.divide(dst)
		case stepMod:
			t.modulo(dst)
		}
	}
}

// quotient returns floor(x / k). For 0 <= x < 2^32 it costs one multiplication by
// the rounded-up reciprocal (Lemire, Kaser and Kurz 2019).
func (t *step) quotient(x int64) int64 {
	if uint64(x) < 1<<32 && uint64(t.k) < 1<<32 {
		hi, _ := bits.Mul64(t.magic, uint64(x))
		return int64(hi)
	}
	return bound.FloorDiv(x, t.k)
}

func (t *step) divide(v []int64) {
	if t.shift >= 0 {
		sh := uint(t.shift) & 63
		for i := range v {
			v[i] >>= sh
		}
		return
	}
	for i := range v {
		v[i] = t.quotient(v[i])
	}
}

func (t *step) modulo(v []int64) {
	if t.shift >= 0 {
		mask := t.k - 1
		for i := range v {
			v[i] &= mask
		}
		return
	}
	for i := range v {
		v[i] -= t.quotient(v[i]) * t.k
	}
}

// fillLine writes the values of l from position lo of the loop to dst.
func (c *Scratch) fillLine(l *bound.Line, lo int, dst []int64) {
	off := l.At(c.Pos)
	switch n := len(l.Spans); {
	case n == 0:
		work.Fill(dst, int64(off))
		return
	case n == 1:
		iota64(dst, off+l.Spans[0].Coef*lo, l.Spans[0].Coef)
		return
	case n > maxSpans:
		for i := range dst {
			v, _ := bound.Inner(l.Spans, lo+i)
			dst[i] = int64(off + v)
		}
		return
	}
	var w walk
	w.start(l.Spans, off, lo)
	for len(dst) > 0 {
		m := min(w.left(l.Spans), len(dst))
		iota64(dst[:m], w.off, l.Step())
		dst = dst[m:]
		w.next(l.Spans)
	}
}

func iota64(dst []int64, v, step int) {
	if step == 0 {
		work.Fill(dst, int64(v))
		return
	}
	for i := range dst {
		dst[i] = int64(v)
		v += step
	}
}

// offsets returns the element offset of n lanes of a General access, from position
// lo of the loop. The offset of a lane outside the array is outside.
func (c *Scratch) offsets(s *Access, lo, n int) []int64 {
	offs := c.offs[:n]
	c.fillLine(&s.Line, lo, offs)
	c.steps(s, lo, n)
	for i := range s.dims {
		d := &s.dims[i]
		x, stride := c.vectors[d.src][:n], int64(d.stride)
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
