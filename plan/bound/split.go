package bound

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/expr/prim"
)

// Check returns an error if the divisor of a division or modulo is not a positive
// number.
func (s *Space) Check() error {
	for _, n := range s.Index.Nodes {
		if n.Op != prim.IxDiv && n.Op != prim.IxMod {
			continue
		}
		if d, ok := s.Number(n.B); !ok || d <= 0 {
			return fmt.Errorf("an index expression divides by %d", d)
		}
	}
	return nil
}

// Split splits axes into digits, so that more expressions are affine. The plan
// joins axes for a view of another shape, and expressions separate them by div and
// mod. Split splits an axis if may allows it and its divisors form a chain: each
// divides the next, and the last divides the extent. Before the call, each axis
// must have one digit, and [Space.Check] must return nil.
func (s *Space) Split(may func(axis int32) bool) {
	var cuts [][]int // divisors, by axis
	for i, n := range s.Index.Nodes {
		if n.Op != prim.IxDiv && n.Op != prim.IxMod {
			continue
		}
		if axis, lo, hi, ok := s.part(prim.Ix(i)); ok {
			if cuts == nil {
				cuts = make([][]int, len(s.OfAxis))
			}
			cuts[axis] = append(cuts[axis], lo, hi)
		}
	}
	for axis, weights := range cuts {
		if len(weights) > 0 && may(int32(axis)) {
			s.cut(int32(axis), weights)
		}
	}
}

// part returns the numbers of an expression of the form floor((axis mod hi) / lo).
// It returns false for other expressions.
func (s *Space) part(ix prim.Ix) (axis int32, lo, hi int, ok bool) {
	n := s.Index.At(ix)
	switch n.Op {
	case prim.IxAxis:
		return int32(n.K), 1, s.Digits[n.K].Extent, true
	case prim.IxDiv, prim.IxMod:
		axis, lo, hi, ok = s.part(n.A)
		d, _ := s.Number(n.B)
		switch {
		case !ok || d <= 0:
			return 0, 0, 0, false
		case n.Op == prim.IxDiv:
			return axis, lo * d, hi, true
		case lo*d >= hi:
			return axis, lo, hi, true
		}
		return axis, lo, lo * d, hi%(lo*d) == 0
	}
	return 0, 0, 0, false
}

// cut splits an axis at the given weights if each divides the next one. Otherwise
// it does nothing.
func (s *Space) cut(axis int32, weights []int) {
	e := s.Digits[axis].Extent
	weights = slices.DeleteFunc(weights, func(w int) bool { return w <= 1 || w >= e })
	if len(weights) == 0 {
		return
	}
	chain := append(weights, 1, e)
	slices.Sort(chain)
	chain = slices.Compact(chain)
	for i := 1; i < len(chain); i++ {
		if chain[i]%chain[i-1] != 0 {
			return
		}
	}
	s.OfAxis[axis] = nil
	for i := len(chain) - 2; i >= 0; i-- {
		s.OfAxis[axis] = append(s.OfAxis[axis], len(s.Digits))
		s.Digits = append(s.Digits, Digit{axis, chain[i+1] / chain[i], chain[i]})
	}
}

// Cut splits digit d in two and returns the lower part, which has extent e. e must
// divide the extent of d. The caller must call [Kernel.Analyse] afterwards.
func (s *Space) Cut(d, e int) int {
	old := s.Digits[d]
	if old.Extent == e {
		return d
	}
	low := len(s.Digits)
	s.Digits = append(s.Digits, Digit{old.Axis, e, old.Weight}, Digit{old.Axis, old.Extent / e, old.Weight * e})
	axis := s.OfAxis[old.Axis]
	at := slices.Index(axis, d)
	s.OfAxis[old.Axis] = slices.Replace(slices.Clone(axis), at, at+1, low+1, low)
	return low
}
