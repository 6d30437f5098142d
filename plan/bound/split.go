package bound

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/expr/prim"
)

// Check returns an error if an expression divides by a number that is not
// positive.
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

// Split takes axes apart. Where the plan has joined axes, for a view of another
// shape, expressions take them apart again by div and mod; with a digit for
// each part these are affine. An axis is split where all divisors that it meets
// divide each other and its extent, and may allows it. Each axis has one digit
// before. Divisors are positive; see Check.
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

// part recognises floor((axis mod hi) / lo).
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

// cut splits an axis at the given weights, if each divides the next.
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

// Cut splits digit d so that its lower part has extent e, which divides that of
// d, and returns the lower part. Accesses are to be analysed again.
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
