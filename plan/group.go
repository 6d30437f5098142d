package plan

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/shape"
)

// A read is an array that a statement reads; direct if only element by element,
// each element of the target from the element at the same position.
type read struct {
	array  *Array
	direct bool
}

// readsOf lists the arrays of a statement's value, and its target if the saver
// reads it, and says how many nodes there are, about.
func (c *compiler) readsOf(s expr.Statement) ([]read, int, error) {
	type visit struct {
		n      *expr.Node
		direct bool
	}
	var out []read
	seen := map[visit]bool{}
	stack := []visit{{s.Value, s.Value.Shape().Equal(s.Target.Shape())}}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[v] || seen[visit{v.n, false}] {
			continue
		}
		seen[v] = true
		if len(seen)%cancelEvery == 0 {
			if err := c.cancelled(); err != nil {
				return nil, 0, err
			}
		}
		if v.n.Leaf != nil {
			out = append(out, read{arrayOf(v.n), v.direct})
			continue
		}
		for _, a := range v.n.Args {
			stack = append(stack, visit{a, v.direct && v.n.Op.Class == expr.Elementwise && a.Shape().Equal(v.n.Shape())})
		}
	}
	if s.Saver != expr.Set {
		out = append(out, read{arrayOf(s.Target), true})
	}
	return out, len(seen), nil
}

// conflicts reports whether a statement cannot share a loop with the current
// group.
func (c *compiler) conflicts(target *Array, reads []read) bool {
	if len(c.group) == 0 {
		return false
	}
	if len(c.group) >= 32 || !equalInts(loopShape(target.Shape), loopShape(c.group[0].target.Shape)) || selfReads(target, reads) {
		return true
	}
	for _, m := range c.group {
		if m.target.overlaps(target) && !m.target.sameElements(target) {
			return true
		}
		for _, r := range reads {
			// The value stored stands in for the array only where it is read
			// under the very same description.
			if m.target.overlaps(r.array) && !(r.direct && m.target.key() == r.array.key()) {
				return true
			}
		}
		for _, r := range m.reads {
			if target.overlaps(r.array) && !(r.direct && target.sameElements(r.array)) {
				return true
			}
		}
	}
	return false
}

// selfReads reports whether a statement reads its target at other positions
// than it writes, so that it stands alone and its kernel is looked at closely.
func selfReads(target *Array, reads []read) bool {
	for _, r := range reads {
		if target.overlaps(r.array) && !(r.direct && target.sameElements(r.array)) {
			return true
		}
	}
	return false
}

// loopShape is a shape without its axes of size 1.
func loopShape(s shape.Shape) []int {
	out := make([]int, 0, len(s))
	for _, d := range s {
		if d != 1 {
			out = append(out, d)
		}
	}
	return out
}

func equalInts(a, b []int) bool {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// assign makes later statements of the group read v where they read the target:
// the value as stored, so rounded if the target holds halves.
func (g *graph) assign(target *Array, leaf *expr.Node, v *node) {
	if v.typ.IsHalf() && !(v.src.Op.Result == expr.To) {
		e := expr.ApplyWith(castRow, expr.Attributes{To: v.typ}, leaf)
		v = g.make(e, []*node{v})
	}
	if !v.shape.Equal(target.Shape) {
		v = g.make(expr.NewView(broadcastRow, target.Shape, v.typ, target.Shape), []*node{v})
	}
	g.subst[target.key()] = v
	g.forget()
}

// stored makes later statements read the target's memory anew.
func (g *graph) stored(target *Array) {
	for m := range g.epoch {
		if _, near := distance(target.Mem, m); near {
			g.epoch[m]++
		}
	}
	clear(g.subst)
	g.forget()
}
