package graph

import (
	"context"
	"fmt"
	"maps"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/shape"
)

// A Root is a value of the graph and the array that it is stored to.
type Root struct {
	Value  *Node
	Target *Array
}

const cancelEvery = 1 << 12

// Cancelled returns an error if the context is cancelled. Loops over the nodes
// of a tree call it with the number of the node; it looks once in 4096.
func Cancelled(ctx context.Context, i int) error {
	if i%cancelEvery != 0 || ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("the compilation has been cancelled: %w", ctx.Err())
}

// Join adds the value of a statement to the graph and returns its root. target is the
// array of the statement's target, and nodes about the number of nodes of the value.
// See [Graph.Assign].
func (g *Graph) Join(ctx context.Context, s expr.Statement, target *Array, nodes int) (Root, error) {
	if len(g.nodes) == 0 {
		g.expect(nodes)
	}
	g.last = lastReduction(s.Value)
	v, err := g.Add(ctx, s.Value)
	if err != nil {
		return Root{}, err
	}
	if v.Open != nil {
		return Root{}, tree.NewError(tree.ErrValue, v.Open[0].Src.Op.Constructor(), "a state is used outside of its scan")
	}
	if s.Saver != expr.Set {
		e := tree.Apply(SaverRows[s.Saver], s.Target, s.Value)
		v = g.make(e, []*Node{g.make(s.Target, nil), v})
	}
	if g.widens {
		g.storeNarrow(v)
	}
	return Root{v, target}, g.err
}

// lastReduction returns the reduction whose results a value is, after views of them and operations with constants. It returns nil
// if there is none.
func lastReduction(e *tree.Node) *tree.Node {
	for e.Op.Class() != tree.Reduction {
		var from *tree.Node
		for _, a := range e.Args {
			if a.Op.Class() == tree.Constant {
				continue
			}
			if from != nil || a.Shape().Size() != e.Shape().Size() {
				return nil
			}
			from = a
		}
		if e = from; e == nil {
			return nil
		}
	}
	return e
}

// Err returns the first error of the graph, such as one of a user's index map.
func (g *Graph) Err() error { return g.err }

// Add adds a tree to the graph and returns its root. It does not recurse, so
// trees may be deep. It returns an error if the context is cancelled, or if the
// index map of a user fails.
func (g *Graph) Add(ctx context.Context, root *tree.Node) (*Node, error) {
	type frame struct {
		e    *tree.Node
		next int // next operand to visit
	}
	if n := g.known[root]; n != nil {
		return n, g.err
	}
	var fewFrames [16]frame
	var fewNodes [16]*Node
	stack, done := append(fewFrames[:0], frame{e: root}), fewNodes[:0] // done: operands of the frames
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		e := top.e
		if top.next < len(e.Args) {
			a := e.Args[top.next]
			if n := g.known[a]; n != nil {
				done = append(done, n)
				top.next++
			} else {
				stack = append(stack, frame{e: a})
			}
			continue
		}
		first := len(done) - len(e.Args)
		if g.Origins != nil {
			g.from = e
		}
		n := g.load(g.make(e, done[first:]))
		g.Origins.same(n.Src, e)
		g.known[e] = n
		if err := Cancelled(ctx, len(g.known)); err != nil {
			return nil, err
		}
		stack, done = stack[:len(stack)-1], append(done[:first], n)
		if len(stack) > 0 {
			stack[len(stack)-1].next++
		}
	}
	g.from = nil
	return done[0], g.err
}

// Copied returns n, or if n is in memory a node that copies it.
func (g *Graph) Copied(n *Node) *Node {
	if n.Array == nil {
		return n
	}
	return g.intern(tree.NewView(copyRow, n.Shape, n.Type, nil), []*Node{n}, n.Shape)
}

// Broadcast returns a broadcast to a shape.
func (g *Graph) Broadcast(a *Node, to shape.Shape) *Node {
	if a.Shape.Equal(to) {
		return a
	}
	return g.make(tree.NewView(BroadcastRow, to, a.Type, to), []*Node{a})
}

// Pin makes trees read the value of root from n, which is in memory, whatever
// is stored later.
func (g *Graph) Pin(root *tree.Node, n *Node) {
	zero.Put(&g.pinned, root, n)
	g.forget()
}

// forget drops the nodes known for expressions, except pinned ones, so that
// leaves are read again after a store.
func (g *Graph) forget() {
	clear(g.known)
	maps.Copy(g.known, g.pinned)
}

// Assign makes later statements of the group use the value of a root where they
// read its target. They use the value as stored: it is rounded if the target has
// halves.
func (g *Graph) Assign(r Root) {
	v, target := r.Value, r.Target
	if v.Type.IsHalf() && !(v.Src.Op.Result() == tree.ResultTo) {
		v = g.cast(v, v.Type)
	}
	zero.Put(&g.subst, target.key(), g.Broadcast(v, target.Shape))
	g.forget()
}

// Hold makes later groups load the value of a root from its target, if that is
// cheaper than computing the value again. A target of halves may hold a rounded
// value, which is another one.
func (g *Graph) Hold(r Root) {
	v, a := r.Value, r.Target
	g.Release(a) // of an earlier root of the group with the same target
	if v.Array == nil && a.Mem != nil && (v.Complex || v.Work >= KeepCost) && v.Type == a.Type && !v.Type.IsHalf() && v.Shape.Equal(a.Shape) {
		zero.Put(&g.held, v, a)
	}
}

// Release ends what Hold did for arrays that a store to target may change.
func (g *Graph) Release(target *Array) {
	if len(g.held) > 0 {
		maps.DeleteFunc(g.held, func(_ *Node, a *Array) bool { return a.Overlaps(target) })
	}
}

// load returns n, or a leaf with its value if an array holds it.
func (g *Graph) load(n *Node) *Node {
	a := g.held[n]
	if a == nil {
		return n
	}
	return g.make(tree.NewLeaf(a.Type, a.Shape, &tree.Leaf{Mem: a.Mem, Offset: a.Offset, Strides: a.Strides, Name: a.Name}), nil)
}

// Stored makes later statements read the target's memory again.
func (g *Graph) Stored(target *Array) {
	for m := range g.epoch {
		if _, near := tree.Distance(target.Mem, m); near {
			g.epoch[m]++
		}
	}
	clear(g.subst)
	g.forget()
}
