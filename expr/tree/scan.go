package tree

import (
	"slices"

	"github.com/oneloop/oneloop/shape"
)

// A scan goes along an axis in order and carries states from one step to the next. Its
// tree describes all steps at once. A node of class State has the shape of the
// outputs: element t along the axis is the state before step t. Its operand is the
// first state, with size 1 along the axis. The trees of the step are element-wise
// operations on the states and on other trees.
//
// A node of class Scan closes the trees of the step over the states. Its operands
// are a value of the step, the next value of each state, and the states. It is that
// value for all steps, or in the last step.

// ScanStates returns the states of a scan and the value of each in the next step.
// n is of class Scan.
func (n *Node) ScanStates() (states, next []*Node) {
	if n == nil || len(n.Args) == 0 {
		return nil, nil
	}
	k := (len(n.Args) - 1) / 2
	return n.Args[1+k:], n.Args[1 : 1+k]
}

// ScanIsLast reports whether a node of class Scan is the value in the last step, with
// size 1 along the axis.
func (n *Node) ScanIsLast() bool {
	return n != nil && n.Attributes != nil && len(n.Ints) > 0 && n.Ints[0] == 1
}

// StateShape is the shape of a node of class State. Its attributes are the axis, the
// number of steps, and 1 if the steps go from the end of the axis to its start.
func StateShape(n *Node) (shape.Shape, error) {
	if err := n.complete(); err != nil {
		return nil, err
	}
	if len(n.Args) != 1 || len(n.Axes) != 1 || len(n.Ints) != 2 || n.Ints[0] < 2 || n.Ints[1]&^1 != 0 {
		return nil, NewError(ErrValue, n.Op.Constructor(), "a state has an axis, at least two steps and a direction")
	}
	s := n.Args[0].shape.Clone()
	if a := n.Axes[0]; a < 0 || a >= len(s) || s[a] != 1 {
		return nil, NewError(ErrShape, n.Op.Constructor(), "the first state of shape %v has no axis %d of size 1", s, a)
	}
	s[n.Axes[0]] = n.Ints[0]
	return s, nil
}

// ScanShape is the shape of a node of class Scan. It returns an error if the
// operands do not fit each other.
func ScanShape(n *Node) (shape.Shape, error) {
	if err := n.complete(); err != nil {
		return nil, err
	}
	bad := func(format string, args ...any) (shape.Shape, error) {
		return nil, NewError(ErrShape, n.Op.Constructor(), format, args...)
	}
	if len(n.Axes) != 1 || len(n.Ints) != 1 || n.Ints[0]&^1 != 0 || len(n.Args) < 3 || len(n.Args)%2 == 0 {
		return bad("a scan has a value and at least one state, and an axis")
	}
	states, next := n.ScanStates()
	for i, s := range states {
		switch {
		case s.Op.Class() != State || !slices.Equal(s.Axes, n.Axes) || !slices.Equal(s.Ints, states[0].Ints) || !s.shape.Equal(states[0].shape):
			return bad("state %d does not walk the axis of the scan", i)
		case !next[i].shape.Equal(s.shape) || next[i].dtype != s.dtype:
			return bad("state %d is %v%v and cannot become %v%v", i, s.dtype, []int(s.shape), next[i].dtype, []int(next[i].shape))
		case slices.Contains(states[:i], s):
			return bad("state %d is there twice", i)
		}
	}
	s := n.Args[0].shape.Clone()
	if !s.Equal(states[0].shape) {
		return bad("the value has shape %v, not %v", s, states[0].shape)
	}
	if n.ScanIsLast() {
		if !slices.Contains(next, n.Args[0]) {
			return bad("the last value is that of no state")
		}
		s[n.Axes[0]] = 1
	}
	return s, nil
}
