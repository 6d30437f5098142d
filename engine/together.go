package engine

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// Together returns statements that store what stmts store if all right sides
// are computed before the first store. Several steps of gradient descent mean
// this:
//
//	err := engine.Run(ctx, engine.Together(expr.LetSub(w, gw), expr.LetSub(b, gb))...)
//
// Statements that read what others store come first. Those that read each
// other's targets get new arrays for their values; a caller that repeats them
// compiles the result once. Statements with overlapping targets keep their
// order. An error is one of the result's, and so one of the run.
func Together(stmts ...expr.Statement) []expr.Statement {
	for _, s := range stmts {
		if s.Err() != nil {
			return slices.Clone(stmts)
		}
	}
	reads := lists.Map(stmts, func(s expr.Statement) []*tree.Node { return storedArrays(s.Value) })
	var kept, out []expr.Statement // values in new arrays, and statements
	left := lists.UpTo(len(stmts))
	for len(left) > 0 {
		k := slices.IndexFunc(left, func(i int) bool { return isFree(stmts, reads, left, i) })
		if k < 0 { // a circle: the first may store once the others have their values
			k = 0
			for _, j := range left[1:] {
				if !readsTarget(reads[j], stmts[left[0]]) {
					continue
				}
				a, err := newValue(stmts[j].Value)
				if err != nil {
					return []expr.Statement{{Target: stmts[j].Target, Value: tree.Failed(err)}}
				}
				value := expr.Statement{Target: a.Node(), Value: stmts[j].Value}
				kept = append(kept, value)
				stmts = slices.Clone(stmts)
				stmts[j].Value, reads[j] = value.Target, nil
			}
		}
		out = append(out, stmts[left[k]])
		left = slices.Delete(left, k, k+1)
	}
	return append(kept, out...)
}

// isFree reports whether statement i can store before the others that are left:
// none reads its target, and none before it has an overlapping target.
func isFree(stmts []expr.Statement, reads [][]*tree.Node, left []int, i int) bool {
	return !slices.ContainsFunc(left, func(j int) bool {
		return j != i && readsTarget(reads[j], stmts[i]) || j < i && readsTarget(storedArrays(stmts[j].Target), stmts[i])
	})
}

// readsTarget reports whether one of the arrays may share elements with the
// target of s.
func readsTarget(arrays []*tree.Node, s expr.Statement) bool {
	return slices.ContainsFunc(storedArrays(s.Target), func(n *tree.Node) bool {
		return slices.ContainsFunc(arrays, func(a *tree.Node) bool { return tree.Overlap(a, n) })
	})
}

// storedArrays returns the arrays in memory that n consists of.
func storedArrays(n *tree.Node) (arrays []*tree.Node) {
	tree.Walk(n, func(n *tree.Node) {
		if n.Op.Class() == tree.Storage {
			arrays = append(arrays, n)
		}
	})
	return arrays
}

// Rotate exchanges the elements of tensors of one shape without a copy: the
// first gets the elements of the second, and the last those of the first.
// Programs that use the tensors use the exchanged elements from then on. The
// tensors must have memories of their own, on the host, and their elements one order
// there. No program that uses them may run during the call. After an error nothing has
// changed.
func Rotate[T expr.Elem](tensors ...*Tensor[T]) error {
	memories := make([]*Memory, len(tensors))
	for i, t := range tensors {
		if t == nil {
			return tree.NewError(tree.ErrType, "engine.Rotate", "tensor %d is nil", i)
		}
		if err := t.Err(); err != nil {
			return err
		}
		m := t.Array().Memory()
		if first := tensors[0]; !sameOrder(t.a, first.a) || m.Size() != t.Shape().Size()*t.Array().DType().Size() || m.Device() != "cpu" || slices.Contains(memories[:i], m) {
			return tree.NewError(tree.ErrShape, "engine.Rotate", "tensor %d of shape %v cannot be rotated with one of shape %v: each needs a memory of its own on the host, of its size, with the elements in one order", i, t.Shape(), first.Shape())
		}
		memories[i] = m
	}
	data := lists.Map(memories, (*Memory).Bytes)
	for i, m := range memories {
		if err := m.Rebind(data[(i+1)%len(data)]); err != nil {
			for k, m := range memories[:i] {
				_ = m.Rebind(data[k]) // it fitted before
			}
			return err
		}
	}
	return nil
}

// sameOrder reports whether arrays have one shape and their elements one order in memory.
func sameOrder(a, b *Array) bool {
	return a.Shape().Equal(b.Shape()) && (a.IsContiguous() && b.IsContiguous() || slices.Equal(a.Strides(), b.Strides()))
}
