package plan

import (
	"slices"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/fuse"
)

// scan returns the value of a scan at the current step. The open loop will carry the
// states of the scan.
func (w *writer) scan(v *fuse.Value, coords []prim.Ix) prim.V {
	w.scans = append(w.scans, v)
	w.faults.root(v.Operands[0]) // whether or not the loop uses the value
	return w.value(v.Operands[0], coords)
}

// state returns a state before the current step.
func (w *writer) state(v *fuse.Value, coords []prim.Ix) prim.V {
	first := v.Operands[0]
	w.faults.edge(first, edge{user: v})
	return w.b.Carry(w.value(first, w.aligned(coords, first.Node.Shape)))
}

// statesOf returns the values of the states of a scan, and of each in the next step.
func statesOf(v *fuse.Value) (states, next []*fuse.Value) {
	k := (len(v.Operands) - 1) / 2
	return v.Operands[1+k:], v.Operands[1 : 1+k]
}

// step writes the next values of the states that the open loop carries. They may
// need other scans. What a later step needs is always demanded.
func (w *writer) step() {
	w.carried = w.carried[:0]
	for i := 0; i < len(w.scans); i++ {
		v := w.scans[i]
		at := w.at(w.loop.Nest.Operand(v.Node))
		states, next := statesOf(v)
		for k, s := range states {
			if !slices.ContainsFunc(w.carried, func(c carried) bool { return c.state == s }) {
				w.faults.root(next[k])
				c := carried{state: s, scan: v, next: w.value(next[k], at)}
				c.carry = w.value(s, at)
				w.carried = append(w.carried, c)
			}
		}
	}
	w.scans = w.scans[:0]
}

// next ends the open loop: it writes what the states become in the next step.
func (w *writer) next() {
	for i := range w.carried {
		c := &w.carried[i]
		w.b.From = w.origins.Of(c.scan.Node.Src)
		c.last = w.b.Next(c.carry, c.next)
		w.b.From = nil
	}
}

// last returns the last value of a scan after its loop.
func (w *writer) last(v *fuse.Value) prim.V {
	states, next := statesOf(v)
	s := states[slices.Index(next, v.Operands[0])]
	i := slices.IndexFunc(w.carried, func(c carried) bool { return c.state == s })
	return w.carried[i].last
}
