package plan

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan/graph"
)

// maxGroup bounds the statements of a group.
const maxGroup = 32

// group splits statements into groups of neighbours that share a loop. If loops may be split, pieces of the same rows are a group too.
func group(list []statement, split bool) (groups [][]statement) {
	for len(list) > 0 {
		n := 1
		if split {
			n = pieces(list)
		}
		if n == 1 {
			for n < len(list) && joins(list[:n], list[n:]) {
				n++
			}
		}
		groups, list = append(groups, list[:n]), list[n:]
	}
	return groups
}

// pieces returns how many statements at the start of list store pieces of the same rows (see [graph.SameRows]) and read no piece of
// another statement, because some may have loops of their own. If there are no such statements, it returns 1.
func pieces(list []statement) (n int) {
	var targets []*Array
	readsPiece := func(s statement) bool {
		return slices.ContainsFunc(s.reads, func(r read) bool {
			return slices.ContainsFunc(targets, func(t *Array) bool { return t != s.target && t.Overlaps(r.array) })
		})
	}
	for ; n < len(list) && list[n].shares() && !list[n].paired && list[n].scan == nil; n++ {
		targets = append(targets, list[n].target)
		if n > 0 && (!graph.SameRows(targets) || slices.ContainsFunc(list[:n+1], readsPiece)) {
			break
		}
	}
	return max(n, 1)
}

// joins reports whether the first statement of rest can share a loop with the group
// before it, and the statement that is paired with it too.
func joins(group, rest []statement) bool {
	s := &rest[0]
	if group[len(group)-1].paired {
		return true
	}
	return s.fits(group) && !(s.paired && (len(group)+1 >= maxGroup || !rest[1].fits(group)))
}

// fits reports whether a statement can share a loop with the group before it.
func (s *statement) fits(group []statement) bool {
	first := &group[0]
	return len(group) < maxGroup && s.shares() && first.shares() && !slices.ContainsFunc(group, s.conflicts)
}

// shares reports whether a statement may share a loop.
func (s *statement) shares() bool { return s.target != nil && !s.readsItself() && !s.scheduled() }

// scheduled reports whether the value is a product or a call, which shares no
// loop. Later groups load it from the target.
func (s *statement) scheduled() bool {
	return s.Value.Op.Class() == tree.Contraction || s.Value.Op.Class() == tree.Opaque
}

// conflicts reports whether a statement cannot share a loop with an earlier
// one.
func (s *statement) conflicts(before statement) bool {
	crosses := s.scan != nil && before.scan != nil && wayOf(s.scan) != wayOf(before.scan)
	return !s.target.SharesLoop(before.target) || crosses || s.depends(before)
}

// depends reports whether a statement reads what an earlier one stores, or stores what that reads. A statement that reads the array with
// the same shape, strides and offset does not: it gets the stored value from the loop that they share.
func (s *statement) depends(before statement) bool {
	return slices.ContainsFunc(before.reads, s.clobbers) || slices.ContainsFunc(s.reads, func(r read) bool {
		return before.target.Overlaps(r.array) && !(r.direct && before.target.Equal(r.array))
	})
}

// wayOf returns the axis of a scan, counted from the last one, and whether it goes from the end of the axis to the start. One loop
// has scans that agree in both.
func wayOf(scan *tree.Node) [2]int {
	states, _ := scan.ScanStates()
	return [2]int{len(scan.Shape()) - scan.Axes[0], states[0].Ints[1]}
}

// readsItself reports whether a statement reads its target at other positions
// than it writes. Such a statement is a group of its own, and emit checks its
// kernel for hazards.
func (s *statement) readsItself() bool { return slices.ContainsFunc(s.reads, s.clobbers) }

// clobbers reports whether the statement stores to elements that r reads at
// other positions.
func (s *statement) clobbers(r read) bool {
	return s.target.Overlaps(r.array) && !(r.direct && s.target.SameElements(r.array))
}

// A statement is an expr.Statement that passed check.
type statement struct {
	expr.Statement
	target *Array     // nil if the target is a concatenation; assignments to its parts follow
	reads  []read     // arrays that the value and the saver read
	nodes  int        // approximate number of nodes of the value
	scan   *tree.Node // a scan each step of which stores a part of the target, or nil
	paired bool       // the next statement must share the loop, and read nothing that this one stores
}

// A read is an array that a statement reads. direct means that each element of
// the target depends only on the element at the same position.
type read struct {
	array  *Array
	direct bool
}
