package enginetest

import (
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// scan evaluates a scan step by step: the trees of the step on the states and on one
// position of all other trees.
func (r *reference) scan(n *tree.Node) *value {
	axis := n.Axes[0]
	states, next := n.ScanStates()
	now := map[*tree.Node]*value{}
	for _, s := range states {
		now[s] = r.known[s.Args[0]]
	}
	like := map[*tree.Node]*tree.Node{}
	steps := states[0].Ints[0]
	full := states[0].Shape()
	inner, outer := full[axis+1:].Size(), full[:axis].Size()
	out := newValue(n.DType(), n.Shape())
	for k := range steps {
		t := k
		if states[0].Ints[1] == 1 {
			t = steps - 1 - k
		}
		s := step{r, axis, len(full), t, now, map[*tree.Node]*value{}, like}
		v := s.node(n.Args[0])
		out.may |= v.may
		at, width := t, steps
		if n.ScanIsLast() {
			at, width = 0, 1
			out.fault = nil
		}
		for i := range outer {
			for j := range inner {
				p := (i*width+at)*inner + j
				out.bits[p] = v.bits[i*inner+j]
				out.addFault(p, v.faultAt(i*inner+j))
			}
		}
		later := map[*tree.Node]*value{}
		for i, s1 := range states {
			later[s1] = s.node(next[i])
			out.reads(later[s1]) // what a later step needs is evaluated, whether or not it is used
		}
		now = later
	}
	return out
}

// A step evaluates the trees of a scan at one position of its axis.
type step struct {
	r             *reference
	axis, rank, t int
	now           map[*tree.Node]*value
	made          map[*tree.Node]*value
	like          map[*tree.Node]*tree.Node // nodes with the shapes of one position, the same for all
}

func (s *step) node(n *tree.Node) *value {
	v := s.made[n]
	switch {
	case v != nil:
	case s.now[n] != nil:
		v = s.now[n]
	case s.r.known[n] != nil:
		v = s.slice(s.r.known[n])
	default:
		args := lists.Map(n.Args, s.node)
		if s.like[n] == nil {
			operands := lists.Make(len(args), func(i int) *tree.Node { return tree.Untyped(n.Op, args[i].shape, n.Args[i].DType()) })
			s.like[n] = tree.ApplyWith(n.Op, *n.Attributes, operands...)
		}
		v = elementwise(s.like[n], args)
	}
	s.made[n] = v
	return v
}

// slice returns the part of a value at the position, with size 1 along the axis. The
// axis of a value of fewer axes counts from the last.
func (s *step) slice(v *value) *value {
	axis := s.axis - (s.rank - len(v.shape))
	if axis < 0 || v.shape[axis] == 1 {
		return v
	}
	dims := v.shape.Clone()
	dims[axis] = 1
	out := newValue(v.typ, dims)
	out.may = v.may
	inner := dims[axis+1:].Size()
	for i := range out.bits {
		k := (i/inner*v.shape[axis]+s.t)*inner + i%inner
		out.bits[i] = v.bits[k]
		out.addFault(i, v.faultAt(k))
	}
	return out
}
