package bound

import (
	"math"
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/slab"
)

// A Form is an affine expression: C plus the sum of Coef[d] times the value of
// digit d of its [Space].
type Form struct {
	C    int
	Coef []int // by digit
}

// Plus adds k*x to f in place.
func (f *Form) Plus(x Form, k int) {
	f.C += k * x.C
	for i, c := range x.Coef {
		f.Coef[i] += k * c
	}
}

// turn makes digit d, with an extent, count from its end.
func (f *Form) turn(d, extent int) {
	f.C += f.Coef[d] * (extent - 1)
	f.Coef[d] = -f.Coef[d]
}

// Clone returns a copy of f that shares no memory with it.
func (f Form) Clone() Form { return Form{f.C, slices.Clone(f.Coef)} }

// A Space has the axes of a kernel and their digits, which are the variables of
// forms.
type Space struct {
	Index   *prim.IxTable
	Extents []int // by axis
	Params  []int
	Digits  []Digit
	OfAxis  [][]int // the digits of each axis, the most significant first

	lists slab.Slab[int]
}

// ints returns a list of n zeros. Calls for one space must follow each other.
func (s *Space) ints(n int) []int { return s.lists.List(n, 32) }

// A Digit is a part of an axis: floor(position / Weight) mod Extent.
type Digit struct {
	Axis   int32
	Extent int
	Weight int
}

// NewSpace returns a space with one digit for each axis.
func NewSpace(index *prim.IxTable, extents, params []int) *Space {
	s := &Space{}
	s.init(index, extents, params)
	return s
}

func (s *Space) init(index *prim.IxTable, extents, params []int) {
	s.Index, s.Params = index, params
	s.Digits, s.OfAxis = slices.Grow(s.Digits, len(extents))[:len(extents)], slices.Grow(s.OfAxis, len(extents))[:len(extents)]
	s.Extents = append(s.ints(len(extents))[:0], extents...)
	numbers := s.ints(len(extents))
	for i, e := range extents {
		numbers[i] = i
		s.Digits[i], s.OfAxis[i] = Digit{int32(i), e, 1}, numbers[i:i+1:i+1]
	}
}

// Constant returns the form with value c.
func (s *Space) Constant(c int) Form { return Form{c, s.ints(len(s.Digits))} }

// Bounds returns the least and the greatest value of f. It returns -Far and Far if
// one of them is not between -Far and Far.
func (s *Space) Bounds(f Form) (lo, hi int) {
	lo, hi = f.C, f.C
	for i, k := range f.Coef {
		if k == 0 {
			continue
		}
		if lo, hi = within(lo, hi); lo == -Far {
			return lo, hi
		}
		if d := times(k, max(s.Digits[i].Extent, 1)-1); d > 0 {
			hi += d
		} else {
			lo += d
		}
	}
	return within(lo, hi)
}

// within returns lo and hi, or -Far and Far if one of them is not between -Far and
// Far.
func within(lo, hi int) (int, int) {
	if lo <= -Far || hi >= Far {
		return -Far, Far
	}
	return lo, hi
}

// times returns x*y, limited to -Far and Far.
func times(x, y int) int {
	hi, lo := bits.Mul64(uint64(max(x, -x)), uint64(max(y, -y)))
	switch {
	case x == 0 || y == 0:
		return 0
	case hi == 0 && lo < Far:
		return x * y
	case (x < 0) == (y < 0):
		return Far
	}
	return -Far
}

// Number returns the value of an expression that is constant in this binding. It
// returns false if the expression depends on an axis or a value.
func (s *Space) Number(ix prim.Ix) (int, bool) {
	switch n := s.Index.At(ix); n.Op {
	case prim.IxConst:
		return int(n.K), true
	case prim.IxParam:
		return s.Params[n.K], true
	}
	f, ok := s.Form(ix)
	if !ok {
		return 0, false
	}
	for _, k := range f.Coef {
		if k != 0 {
			return 0, false
		}
	}
	return f.C, true
}

// Axis returns the form of the position on an axis. It is 0 on an axis of extent 1.
func (s *Space) Axis(axis int32) Form {
	f := s.Constant(0)
	for _, i := range s.OfAxis[axis] {
		if s.Digits[i].Extent != 1 {
			f.Coef[i] = s.Digits[i].Weight
		}
	}
	return f
}

// Form returns an expression as a form. It returns false if the expression is not
// affine. A division or modulo is affine if it only separates digits:
// floor((q*d + r) / d) is q if 0 <= r < d for all positions.
func (s *Space) Form(ix prim.Ix) (Form, bool) {
	n := s.Index.At(ix)
	switch n.Op {
	case prim.IxConst:
		return s.Constant(int(n.K)), true
	case prim.IxParam:
		return s.Constant(s.Params[n.K]), true
	case prim.IxAxis:
		return s.Axis(int32(n.K)), true
	case prim.IxValue:
		return Form{}, false
	}
	x, ok := s.Form(n.A)
	if !ok {
		return x, false
	}
	if n.Op == prim.IxAdd {
		y, ok := s.Form(n.B)
		if ok {
			x.Plus(y, 1)
		}
		return x, ok
	}
	y, ok := s.Number(n.B)
	if !ok {
		return x, false
	}
	if n.Op == prim.IxMul {
		z := s.Constant(0)
		z.Plus(x, y)
		return z, true
	}
	if y <= 0 {
		return x, false
	}
	quo, rem := s.Constant(0), s.Constant(x.C)
	for i, k := range x.Coef {
		if k%y == 0 {
			quo.Coef[i] = k / y
		} else {
			rem.Coef[i] = k
		}
	}
	lo, hi := s.Bounds(rem)
	q := FloorDiv(lo, y)
	if FloorDiv(hi, y) != q || lo == -Far {
		return x, false
	}
	quo.C, rem.C = q, rem.C-q*y
	if n.Op == prim.IxDiv {
		return quo, true
	}
	return rem, true
}

// Far is the bound of values of which nothing is known.
const Far = math.MaxInt / 4

// Interval returns bounds of an expression, affine or not. It returns -Far and Far
// if nothing is known.
func (s *Space) Interval(ix prim.Ix) (lo, hi int) {
	if f, ok := s.Form(ix); ok {
		return s.Bounds(f)
	}
	n := s.Index.At(ix)
	if n.Op == prim.IxValue {
		return -Far, Far
	}
	y, number := s.Number(n.B)
	if n.Op == prim.IxMod && number && y > 0 {
		return 0, y - 1
	}
	lo, hi = s.Interval(n.A)
	if lo == -Far {
		return -Far, Far
	}
	switch {
	case n.Op == prim.IxAdd:
		l, h := s.Interval(n.B)
		return within(lo+l, hi+h)
	case n.Op == prim.IxMul && number:
		a, b := times(lo, y), times(hi, y)
		return within(min(a, b), max(a, b))
	case n.Op == prim.IxDiv && number && y > 0:
		return FloorDiv(lo, y), FloorDiv(hi, y)
	}
	return -Far, Far
}

// FloorDiv returns floor(a / b). b must be positive.
func FloorDiv[T int | int64](a, b T) T {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
