package affine

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/expr/prim"
)

// Check finds divisors that are not positive.
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

// Split takes axes apart. Where the plan has joined axes (for a view of another
// shape) expressions take them apart again by div and mod; with a digit for each
// part these are affine. An axis is split where all divisors that it meets divide
// each other and its extent, and may allows it. The errors are those of Check. s
// has one digit for each axis before.
func (s *Space) Split(may func(axis int32) bool) error {
	if err := s.Check(); err != nil {
		return err
	}
	cuts := make([][]int, len(s.OfAxis)) // divisors, by axis
	for i, n := range s.Index.Nodes {
		if n.Op != prim.IxDiv && n.Op != prim.IxMod {
			continue
		}
		if axis, lo, hi, ok := s.part(prim.Ix(i)); ok {
			cuts[axis] = append(cuts[axis], lo, hi)
		}
	}
	for axis, weights := range cuts {
		if len(weights) > 0 && may(int32(axis)) {
			s.cut(int32(axis), weights)
		}
	}
	return nil
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
