package plan

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/shape"
)

// emit appends the stages that store the roots, after the stages that compute
// the values that these read.
func (c *compiler) emit(roots []root, why string) error {
	if len(roots) == 1 && c.direct(roots[0]) {
		return c.schedule(roots[0])
	}
	k, err := c.generate(roots, storing)
	if err != nil {
		return err
	}
	if len(k.sideOutputs) > 0 && k.hazard() { // a side output may be read at other positions
		for _, n := range k.sideOutputs {
			n.shared = nil
		}
		if k, err = c.generate(roots, storing); err != nil {
			return err
		}
	}
	if len(roots) == 1 && k.hazard() {
		roots[0].value = c.copied(roots[0].value)
		c.materialise(roots[0].value, "the target is read at other positions than it is written")
		if k, err = c.generate(roots, storing); err != nil {
			return err
		}
	}
	if err := c.provide(k); err != nil {
		return err
	}
	if k.faulty && writesUser(roots) {
		scan, err := c.generate(roots, scanning)
		if err != nil {
			return err
		}
		if err := c.provide(scan); err != nil {
			return err
		}
		c.stages = append(c.stages, scan.stage("looks for faults before anything is stored"))
		if k, err = c.generate(roots, noFaultCheck); err != nil {
			return err
		}
		if err := c.provide(k); err != nil {
			return err
		}
	}
	for _, n := range k.sideOutputs {
		n.pending = false
	}
	c.stages = append(c.stages, k.stage(why))
	return nil
}

// provide appends the stages that a kernel needs. Stages of shared values come
// last: an earlier stage may already store such a value as a side output.
func (c *compiler) provide(k *gen) error {
	for _, shared := range []bool{false, true} {
		for _, n := range k.needs {
			if (n.shared != nil) != shared {
				continue
			}
			if err := c.compute(n); err != nil {
				return err
			}
		}
	}
	return nil
}

func writesUser(roots []root) bool {
	for _, r := range roots {
		if r.target.Mem != nil {
			return true
		}
	}
	return false
}

// direct reports whether the root is a product or a call that can store into
// the target itself.
func (c *compiler) direct(r root) bool {
	n, t := r.value, r.target
	if n.array != nil || !hasSchedule(n) {
		return false
	}
	if t.Mem == nil || t.Type != n.typ.Register() || !t.Shape.Equal(n.shape) || !shape.IsContiguous(t.Shape, t.Strides) {
		return false
	}
	return n.uses == 0 && !touches(n, t, map[*node]bool{})
}

// touches reports whether n is computed from an array that overlaps t. It
// visits each node once.
func touches(n *node, t *Array, seen map[*node]bool) bool {
	if n.array != nil {
		return n.array.overlaps(t)
	}
	if seen[n] {
		return false
	}
	seen[n] = true
	return slices.ContainsFunc(n.args, func(a *node) bool { return touches(a, t, seen) })
}

// materialise gives a node a temporary. A stage of its own will compute it. It
// does nothing if the node is in memory.
func (c *compiler) materialise(n *node, reason string) {
	if n.array != nil {
		return
	}
	t := n.typ.Register()
	n.array = &Array{Temp: len(c.temps), Type: t, Shape: n.shape, Strides: n.shape.Strides()}
	n.pending, n.reason = true, reason
	c.temps = append(c.temps, &Temp{Array: n.array, first: -1})
}

// compute appends the stage of a materialised node, unless that was done
// before.
func (c *compiler) compute(n *node) error {
	if !n.pending {
		return nil
	}
	n.pending = false
	if n.shape.Size() == 0 {
		return nil
	}
	if hasSchedule(n) {
		return c.schedule(root{n, n.array})
	}
	// Only this kernel computes the value; all others load it.
	computed := *n
	computed.array = nil
	return c.emit([]root{{&computed, n.array}}, n.reason)
}

// hasSchedule reports whether n is a stage that is no loop: a product or a
// call.
func hasSchedule(n *node) bool {
	return n.src.Op.Class == expr.Contraction || n.src.Op.Class == expr.Opaque
}

// schedule appends the product or the call that stores r.
func (c *compiler) schedule(r root) error {
	if r.value.src.Op.Class == expr.Contraction {
		return c.product(r)
	}
	return c.call(r)
}
