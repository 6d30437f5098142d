package graph

import (
	"math"
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// An indexMap checks the reads of a user's index map: operands must exist, and
// coordinates must be index expressions of this kernel. Coordinates that the
// extents do not prove to be inside are checked at run time. Index maps of the
// table need no such check.
type indexMap struct {
	n      *Node
	b      *ir.Builder
	params []int                 // run-time integers so far, by number
	known  map[prim.Ix]*interval // intervals found so far
	err    error
}

// An interval bounds an index expression.
type interval struct {
	lo, hi  int
	bounded bool // lo and hi are bounds
	fixed   bool // the expression has no axis and no value
	terms   int  // of the expression written out
}

// maxTerms bounds an index expression, because back ends walk it as a tree.
const maxTerms = 1 << 10

func (m *indexMap) fail(kind error, format string, args ...any) {
	if m.err == nil {
		m.err = tree.NewError(kind, m.n.Src.Op.Constructor(), "the index map "+format, args...)
	}
}

// operand reports whether operand arg exists and each coordinate is an index
// expression of this kernel.
func (m *indexMap) operand(arg int, at []prim.Ix) bool {
	if arg < 0 || arg >= len(m.n.Args) {
		m.fail(tree.ErrValue, "reads operand %d of %d", arg, len(m.n.Args))
		return false
	}
	if rank := len(m.n.Args[arg].Shape); len(at) != rank {
		m.fail(tree.ErrShape, "gives %d coordinates for an operand of rank %d", len(at), rank)
		return false
	}
	return !slices.ContainsFunc(at, func(c prim.Ix) bool { return m.interval(c) == nil })
}

// inside reports whether the extents prove that coordinate c is inside an axis
// of size d.
func (m *indexMap) inside(c prim.Ix, d int) bool {
	r := m.interval(c)
	return r != nil && r.bounded && r.lo >= 0 && r.hi < d
}

// interval returns bounds of an index expression. It returns nil, and the map
// fails, if ix is no expression of this kernel or may overflow.
func (m *indexMap) interval(ix prim.Ix) *interval {
	if r, ok := m.known[ix]; ok {
		return r
	}
	if ix < 0 || int(ix) >= len(m.b.K.Index.Nodes) {
		m.fail(tree.ErrValue, "has a coordinate that is no index expression of its Gather")
		return nil
	}
	r := m.leaf(m.b.K.Index.At(ix), ix)
	if r != nil && r.terms > maxTerms {
		m.fail(tree.ErrUnsupported, "has an index expression of more than %d terms", maxTerms)
		r = nil
	}
	zero.Put(&m.known, ix, r)
	return r
}

func (m *indexMap) leaf(n prim.IxNode, self prim.Ix) *interval {
	foreign := func(what string) *interval {
		m.fail(tree.ErrValue, "uses %s %d, which its kernel does not have", what, n.K)
		return nil
	}
	switch n.Op {
	case prim.IxConst:
		k := int(n.K)
		if int64(k) != n.K { // on 32 bits
			m.fail(tree.ErrIndex, "has the constant %d, which no index holds", n.K)
			return nil
		}
		return &interval{lo: k, hi: k, bounded: true, fixed: true, terms: 1}
	case prim.IxParam:
		p := m.params
		if n.K < 0 || n.K >= int64(len(p)) {
			return foreign("integer")
		}
		return &interval{lo: p[n.K], hi: p[n.K], bounded: true, fixed: true, terms: 1}
	case prim.IxAxis:
		if n.K < 0 || n.K >= int64(len(m.n.Shape)) || !m.b.Bound(int(n.K)) {
			return foreign("axis")
		}
		return &interval{hi: max(m.n.Shape[n.K]-1, 0), bounded: true, terms: 1}
	case prim.IxValue:
		if !m.b.HasIndex(n.K) {
			return foreign("value")
		}
		r := &interval{terms: 1}
		if lo, hi := m.value(ir.Value(n.K), nestedBounds); int64(int(lo)) == lo && int64(int(hi)) == hi && lo > math.MinInt64 && hi < math.MaxInt64 {
			r.lo, r.hi, r.bounded = int(lo), int(hi), true
		}
		return r
	}
	if n.A >= self || n.B >= self { // operands are made first
		m.fail(tree.ErrValue, "has an index expression that contains itself")
		return nil
	}
	x, y := m.interval(n.A), m.interval(n.B)
	if x == nil || y == nil {
		return nil
	}
	return m.combine(n.Op, x, y)
}

// nestedBounds is the depth to which [indexMap.value] looks into minima and maxima. A clamped value nests two.
// A search visits up to two values for each one of the level above.
const nestedBounds = 4

// value returns bounds of a value of the map's program: a constant, an index expression, or a
// minimum or maximum of two of these. The bound of a side without one is the extreme of int64.
func (m *indexMap) value(v ir.Value, depth int) (lo, hi int64) {
	lo, hi = math.MinInt64, math.MaxInt64
	if c, ok := m.b.Constant(prim.V{ID: v, Type: dtype.I64}); ok {
		return int64(c), int64(c)
	}
	switch in := m.b.Def(v); {
	case in.Op == ir.Index:
		if r := m.interval(prim.Ix(in.Imm)); r != nil && r.bounded {
			lo, hi = int64(r.lo), int64(r.hi)
		}
	case depth > 0 && (in.Op == prim.Min || in.Op == prim.Max):
		xlo, xhi := m.value(in.Args[0], depth-1)
		ylo, yhi := m.value(in.Args[1], depth-1)
		if in.Op == prim.Min {
			return min(xlo, ylo), min(xhi, yhi)
		}
		return max(xlo, ylo), max(xhi, yhi)
	}
	return lo, hi
}

// combine returns bounds of the sum, product, quotient or remainder of x and y.
func (m *indexMap) combine(o prim.IxOp, x, y *interval) *interval {
	r := &interval{bounded: x.bounded && y.bounded, fixed: x.fixed && y.fixed, terms: x.terms + y.terms + 1}
	over := false
	switch {
	case o == prim.IxAdd:
		if r.bounded {
			var o1, o2 bool
			r.lo, o1 = plus(x.lo, y.lo)
			r.hi, o2 = plus(x.hi, y.hi)
			over = o1 || o2
		}
	case !y.fixed:
		m.fail(tree.ErrValue, "multiplies or divides an index by what is no integer of Const and Int")
		return nil
	case o == prim.IxMul:
		if r.bounded {
			a, o1 := times(x.lo, y.lo)
			b, o2 := times(x.hi, y.lo)
			r.lo, r.hi, over = min(a, b), max(a, b), o1 || o2
		}
	case y.lo <= 0:
		m.fail(tree.ErrValue, "divides an index by %d, which is not positive", y.lo)
		return nil
	case o == prim.IxDiv:
		r.lo, r.hi = bound.FloorDiv(x.lo, y.lo), bound.FloorDiv(x.hi, y.lo)
	default:
		q := bound.FloorDiv(x.lo, y.lo)
		if r.bounded && q == bound.FloorDiv(x.hi, y.lo) {
			r.lo, r.hi = x.lo-q*y.lo, x.hi-q*y.lo
		} else {
			r.lo, r.hi, r.bounded = 0, y.lo-1, true
		}
	}
	if over {
		m.fail(tree.ErrIndex, "has an index that may overflow")
		return nil
	}
	return r
}

// plus returns a + b and whether the sum overflows.
func plus(a, b int) (int, bool) {
	s := a + b
	return s, (s > a) != (b > 0) && b != 0
}

// times returns a * b and whether the product overflows. It may report an
// overflow for products above 2^62.
func times(a, b int) (int, bool) {
	hi, lo := bits.Mul64(uint64(abs(a)), uint64(abs(b)))
	return a * b, hi != 0 || lo > 1<<62
}

// run calls the user's index map. A panic becomes an error.
func (m *indexMap) run(g *tree.Gather) (v prim.V) {
	defer func() {
		if r := recover(); r != nil {
			m.fail(tree.ErrValue, "panics: %v", r)
		}
	}()
	return m.n.Src.Op.Gather()(g)
}
