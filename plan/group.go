package plan

import (
	"slices"

	"github.com/oneloop/oneloop/shape"
)

// maxGroup bounds the statements of a group.
const maxGroup = 32

// group splits statements into groups of neighbours that share a loop.
func group(list []statement) (groups [][]statement) {
	for begin := 0; begin < len(list); {
		end := begin + 1
		for end < len(list) && list[end].fits(list[begin:end]) {
			end++
		}
		groups = append(groups, list[begin:end])
		begin = end
	}
	return groups
}

// fits reports whether a statement can share a loop with the group before it.
func (s *statement) fits(group []statement) bool {
	first := &group[0]
	if s.target == nil || first.target == nil || len(group) >= maxGroup || s.readsItself() || first.readsItself() ||
		!slices.Equal(loopShape(s.target.Shape), loopShape(first.target.Shape)) {
		return false
	}
	return !slices.ContainsFunc(group, s.conflicts)
}

// conflicts reports whether a statement cannot share a loop with an earlier
// one.
func (s *statement) conflicts(before statement) bool {
	if before.target.overlaps(s.target) && !before.target.sameElements(s.target) {
		return true
	}
	for _, r := range s.reads {
		// The later statement gets the stored value only if it reads the array with
		// the same shape, strides and offset.
		if before.target.overlaps(r.array) && !(r.direct && before.target.key() == r.array.key()) {
			return true
		}
	}
	return slices.ContainsFunc(before.reads, s.target.clobbers)
}

// readsItself reports whether a statement reads its target at other positions
// than it writes. Such a statement is a group of its own, and emit checks its
// kernel for hazards.
func (s *statement) readsItself() bool { return slices.ContainsFunc(s.reads, s.target.clobbers) }

// clobbers reports whether storing to a changes elements that r reads at other
// positions.
func (a *Array) clobbers(r read) bool {
	return a.overlaps(r.array) && !(r.direct && a.sameElements(r.array))
}

// loopShape returns a shape without its axes of size 1.
func loopShape(s shape.Shape) []int {
	out := make([]int, 0, len(s))
	for _, d := range s {
		if d != 1 {
			out = append(out, d)
		}
	}
	return out
}
