package plan

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/graph"
)

// maxGroup bounds the statements of a group.
const maxGroup = 32

// group splits statements into groups of neighbours that share a loop. The targets may be columns of one array if the loops of a group may
// be split.
func group(list []statement, split bool) (groups [][]statement) {
	for begin := 0; begin < len(list); {
		end := begin + 1
		for end < len(list) && joins(list[begin:end], list[end:], split) {
			end++
		}
		groups = append(groups, list[begin:end])
		begin = end
	}
	return groups
}

// joins reports whether the first statement of rest can share a loop with the group
// before it, and the statement that is paired with it too.
func joins(group, rest []statement, split bool) bool {
	s := &rest[0]
	if group[len(group)-1].paired {
		return true
	}
	return s.fits(group, split) && !(s.paired && (len(group)+1 >= maxGroup || !rest[1].fits(group, split)))
}

// fits reports whether a statement can share a loop with the group before it.
func (s *statement) fits(group []statement, split bool) bool {
	first := &group[0]
	if s.target == nil || first.target == nil || len(group) >= maxGroup || s.readsItself() || first.readsItself() || s.scheduled() || first.scheduled() {
		return false
	}
	targets := lists.Map(group, func(x statement) *Array { return x.target })
	if split && graph.Joined(append(targets, s.target)) && !s.paired && !slices.ContainsFunc(group, func(x statement) bool { return x.paired }) {
		return !slices.ContainsFunc(group, s.conflicts)
	}
	return !(split && graph.Joined(targets)) && !slices.ContainsFunc(group, func(x statement) bool {
		return s.conflicts(x) || s.target.Overlaps(x.target) && !s.target.Equal(x.target) || !slices.Equal(graph.LoopShape(s.target.Shape), graph.LoopShape(x.target.Shape))
	})
}

// scheduled reports whether the value is a product or a call, which shares no
// loop. Later groups load it from the target.
func (s *statement) scheduled() bool {
	return s.Value.Op.Class() == tree.Contraction || s.Value.Op.Class() == tree.Opaque
}

// conflicts reports whether a statement cannot share a loop with an earlier
// one, because of what they read, or as scans.
func (s *statement) conflicts(before statement) bool {
	if s.scan != nil && before.scan != nil && wayOf(s.scan) != wayOf(before.scan) {
		return true
	}
	// The later statement gets the stored value only if it reads the array with
	// the same shape, strides and offset.
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
