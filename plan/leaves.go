package plan

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// MapLeaves returns copies of statements in which f replaces each leaf by a
// node of the same type and shape. Shared nodes stay shared.
func MapLeaves(stmts []expr.Statement, f func(leaf *tree.Node) *tree.Node) []expr.Statement {
	made := map[*tree.Node]*tree.Node{}
	mapped := func(root *tree.Node) *tree.Node {
		tree.Walk(root, func(n *tree.Node) {
			if made[n] != nil {
				return
			}
			m := n
			if n.Leaf != nil {
				m = f(n)
			} else if len(n.Args) > 0 {
				m = n.WithArgs(lists.Map(n.Args, func(a *tree.Node) *tree.Node { return made[a] })...)
			}
			made[n] = m
		})
		return made[root]
	}
	return lists.Map(stmts, func(s expr.Statement) expr.Statement {
		return expr.Statement{Saver: s.Saver, Target: mapped(s.Target), Value: mapped(s.Value)}
	})
}
