package numpy

import "github.com/oneloop/oneloop/expr/tree"

// A readSet tells which arrays trees read, as a set of 64 bits: arrays beyond the
// 64th share bits. A set that is too large costs a copy, never a wrong result.
type readSet struct {
	arrays []*tree.Node
	sets   map[*tree.Node]uint64
}

// value returns the set of a value. Each node is looked at once in all.
func (r *readSet) value(v value) (set uint64) {
	for _, x := range v.seq {
		set |= r.value(x)
	}
	if v.kind != vTree {
		return set
	}
	for stack := []*tree.Node{v.n}; len(stack) > 0; {
		n := stack[len(stack)-1]
		depth, set := len(stack), uint64(0)
		for _, a := range n.Args {
			if s, ok := r.sets[a]; ok {
				set |= s
			} else if a != nil {
				stack = append(stack, a)
			}
		}
		if len(stack) > depth {
			continue
		}
		if _, ok := r.sets[n]; !ok {
			if n.Op.Class() == tree.Storage {
				set = 1 << (len(r.arrays) % 64)
				r.arrays = append(r.arrays, n)
			}
			r.sets[n] = set
		}
		stack = stack[:depth-1]
	}
	return set | r.sets[v.n]
}

// overlapping returns the set of the arrays that may share elements with target.
func (r *readSet) overlapping(target *tree.Node) (set uint64) {
	for i, a := range r.arrays {
		if tree.Overlap(a, target) {
			set |= 1 << (i % 64)
		}
	}
	return set
}
