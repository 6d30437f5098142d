package plan

import (
	"context"
	"slices"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan/graph"
)

// join adds the values of a group to the graph.
func join(ctx context.Context, g *graph.Graph, group []statement) ([]graph.Root, error) {
	for _, s := range group {
		if s.target != nil {
			g.Release(s.target)
		} else {
			release(g, s.Target)
		}
	}
	var roots []graph.Root
	for i, s := range group {
		if s.target == nil {
			return joinWhole(ctx, g, s)
		}
		r, err := g.Join(ctx, s.Statement, s.target, s.nodes)
		if err != nil {
			return nil, err
		}
		if roots = append(roots, r); s.paired || i == len(group)-1 {
			continue
		}
		if i > 0 && group[i-1].paired {
			g.Assign(roots[i-1])
		}
		g.Assign(r)
	}
	return roots, g.Err()
}

// release makes the graph forget what it holds in the arrays of a target.
func release(g *graph.Graph, target *tree.Node) {
	if target.Leaf != nil {
		a := graph.ArrayOf(target)
		g.Release(&a)
		return
	}
	for _, t := range target.Args {
		release(g, t)
	}
}

// joinWhole adds the value of a concatenated target. If the value reads a part
// of the target, or can fail, all of it is computed before the first part is
// stored.
func joinWhole(ctx context.Context, g *graph.Graph, s statement) ([]graph.Root, error) {
	n, err := g.Add(ctx, s.Value)
	if err != nil {
		return nil, err
	}
	why := ""
	switch {
	case s.readsPart(s.Target):
		why = "its parts are stored in arrays that it reads"
	case n.Raises:
		why = "it can fail before all its parts are stored"
	default:
		return nil, nil
	}
	n = g.Copied(n)
	g.Store(n, why)
	g.Pin(s.Value, n)
	return []graph.Root{{Value: n, Target: n.Array}}, nil
}

// readsPart reports whether the statement reads an array that a part of the
// target overlaps.
func (s *statement) readsPart(target *tree.Node) bool {
	if target.Leaf == nil {
		return slices.ContainsFunc(target.Args, s.readsPart)
	}
	a := graph.ArrayOf(target)
	return slices.ContainsFunc(s.reads, func(r read) bool { return a.Overlaps(r.array) })
}
