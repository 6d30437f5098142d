package bound

import "slices"

// A Line is an affine expression for evaluation in a loop. It is the sum of Base,
// the terms of the enclosing loops, and the spans of the loop.
type Line struct {
	Base  int
	Outer []Term // uniform in the loop
	Spans []Span // innermost last
}

// A Term is a coefficient times the position on an axis.
type Term struct {
	Axis int32
	Coef int
}

// A Span is a group of digits that an expression goes through with one step.
type Span struct{ Extent, Coef int }

// Join returns groups of neighbouring digits of a loop, outermost first. All forms
// go through the digits of a group with one step: the step of the last digit. Join
// drops digits of extent 1.
func (s *Space) Join(digits []int, forms []Form) (groups [][]int) {
	last, all := -1, s.ints(len(digits))[:0]
	groups = make([][]int, 0, len(digits))
	for _, d := range digits {
		e := s.Digits[d].Extent
		if e == 1 {
			continue
		}
		join := last >= 0
		for _, f := range forms {
			join = join && f.Coef[last] == f.Coef[d]*e
		}
		if all = append(all, d); join {
			groups[len(groups)-1] = groups[len(groups)-1][:len(groups[len(groups)-1])+1]
		} else {
			groups = append(groups, all[len(all)-1:])
		}
		last = d
	}
	return groups
}

// Spans returns the extents of the joined digits of a loop, and the spans of each
// form. All forms have spans of these extents.
func (s *Space) Spans(digits []int, forms []Form) (extents []int, spans [][]Span) {
	var groups [][]int
	if len(digits) > 0 {
		groups = s.Join(digits, forms)
	}
	extents, spans = s.ints(len(groups)), make([][]Span, len(forms))
	all := make([]Span, len(forms)*len(groups))
	for i := range spans {
		spans[i] = all[i*len(groups) : (i+1)*len(groups) : (i+1)*len(groups)]
	}
	for g, group := range groups {
		e := 1
		for _, d := range group {
			e *= s.Digits[d].Extent
		}
		extents[g] = e
		for i, f := range forms {
			spans[i][g] = Span{e, f.Coef[group[len(group)-1]]}
		}
	}
	return extents, spans
}

// Line returns f as a Line with the given spans. The digits inside belong to the
// loop. The other digits of f must be whole axes.
func (s *Space) Line(f Form, inside []int, spans []Span) Line {
	l := Line{Base: f.C, Spans: spans}
	for d, k := range f.Coef {
		if k != 0 && !slices.Contains(inside, d) {
			l.Outer = append(l.Outer, Term{s.Digits[d].Axis, k})
		}
	}
	return l
}

// Lines returns forms as lines over the digits of a loop. The spans of all lines
// have the same extents.
func (s *Space) Lines(digits []int, forms ...Form) []Line {
	_, spans := s.Spans(digits, forms)
	out := make([]Line, len(forms))
	for i, f := range forms {
		out[i] = s.Line(f, digits, spans[i])
	}
	return out
}

// At returns the value of the line without its spans. pos has the positions of the
// enclosing loops, by axis.
func (l *Line) At(pos []int) int {
	v := l.Base
	for _, t := range l.Outer {
		v += t.Coef * pos[t.Axis]
	}
	return v
}

// Step returns the step of the last span, or 0 if the line has no spans.
func (l *Line) Step() int { return StepOf(l.Spans) }

// StepOf returns the step of the last span, or 0 if there are no spans.
func StepOf(spans []Span) int {
	if n := len(spans); n > 0 {
		return spans[n-1].Coef
	}
	return 0
}

// Inner returns the value of spans at flattened position p, and the position in the
// last span.
func Inner(spans []Span, p int) (v, last int) {
	for k := len(spans) - 1; k >= 0; k-- {
		x := p
		if k > 0 {
			p, x = divide(x, spans[k].Extent)
		}
		if k == len(spans)-1 {
			last = x
		}
		v += x * spans[k].Coef
	}
	return v, last
}

// divide returns p/e and p%e for p >= 0 and e > 0. A division of 64 bits takes several
// times as long as one of 32.
func divide(p, e int) (quo, rem int) {
	if uint64(p|e)>>32 == 0 {
		return int(uint32(p) / uint32(e)), int(uint32(p) % uint32(e))
	}
	return p / e, p % e
}

// Clip returns the part of the range lo <= i < hi in which 0 <= c + k*i < extent.
// The result may have lo > hi; then it is empty.
func Clip(lo, hi, c, k, extent int) (int, int) {
	switch {
	case k == 0:
		if c < 0 || c >= extent {
			return 0, 0
		}
	case k > 0:
		lo = max(lo, -FloorDiv(c, k))
		hi = min(hi, FloorDiv(extent-1-c, k)+1)
	default:
		lo = max(lo, -FloorDiv(extent-1-c, -k))
		hi = min(hi, FloorDiv(c, -k)+1)
	}
	return lo, hi
}
