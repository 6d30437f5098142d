package enginetest

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// recall tests programs from the cache of the engine. It assigns the statements,
// so that the cache has their program. Then it assigns the same statements on
// other memory with other contents, parameters and constants, for which the
// engine reuses that program. Both must do what a program compiled for them does.
// recall reports whether they do.
func (b backend) recall(stmts []expr.Statement) bool {
	b.Helper()
	if b.o.Device != nil || !testlevel.Deep() && (b.o.Backend != engine.Backends()[0] || recalls.Add(1)%7 != 0) {
		return true
	}
	mems := memories(stmts)
	if slices.ContainsFunc(mems, func(m memory) bool { return m.mem.Device() != "cpu" }) {
		return true
	}
	before := mems.save()
	defer mems.restore(before)
	for _, other := range [][]expr.Statement{stmts, moved(stmts)} {
		mems := memories(other)
		before := mems.save()
		wantErr := b.run(other...)
		want := mems.save()
		mems.restore(before)
		err := caught(func() error { return engine.RunWith(ctx, b.o.Options, other...) })
		if d := mems.differ(want); d != "" || placeless(err) != placeless(wantErr) {
			b.Errorf("assigned: %s, error %v\ncompiled: error %v\nin\n%s", d, err, wantErr, listing(other))
			return false
		}
	}
	return true
}

// placeless returns the text of an error without file and line. An operator that
// the statements do not contain, such as the division of /=, gets the line of the
// run.
func placeless(err error) string {
	e, ok := err.(*tree.Error)
	if !ok {
		return fmt.Sprint(err)
	}
	c := *e
	c.File = ""
	return c.Error()
}

// recalls counts the checks. Without deep tests, recall tests every seventh check. Seven has no common
// divisor with the number of checks that most tests make for each case, so each of them is tested sooner or later.
var recalls atomic.Int64

// moved returns the same statements on other memory. That memory overlaps in the
// same way; constants and parameters differ in the last bit.
func moved(stmts []expr.Statement) []expr.Statement {
	const change = 1
	mems := relocate(memories(stmts))
	made := map[*tree.Node]*tree.Node{}
	cells := map[*tree.Scalar]*tree.Scalar{}
	move := func(root *tree.Node) *tree.Node {
		tree.Walk(root, func(n *tree.Node) {
			if made[n] != nil {
				return
			}
			c := *n
			c.Args = lists.Map(n.Args, func(a *tree.Node) *tree.Node { return made[a] })
			switch {
			case n.Leaf != nil:
				leaf := *n.Leaf
				leaf.Mem = mems[n.Leaf.Mem]
				c.Leaf = &leaf
			case n.Param != nil:
				if cells[n.Param] == nil {
					cells[n.Param] = &tree.Scalar{}
					cells[n.Param].Store(n.Param.Load() ^ change)
				}
				c.Attributes = &tree.Attributes{Param: cells[n.Param]}
			case n.Op.Class() == tree.Constant:
				c.Bits ^= change
			}
			made[n] = &c
		})
		return made[root]
	}
	return lists.Map(stmts, func(s expr.Statement) expr.Statement {
		return expr.Statement{Saver: s.Saver, Target: move(s.Target), Value: move(s.Value)}
	})
}

// relocate copies memories to other addresses, overlapping ones together, and
// reverses the order of their elements.
func relocate(list memoryList) map[tree.Memory]tree.Memory {
	out := map[tree.Memory]tree.Memory{}
	for _, group := range list.groups() {
		begin, end := group.span()
		all := must(engine.NewMemory(int(end-begin) + 24)).Bytes()[24:]
		for _, old := range group {
			part := all[old.mem.Locate()-begin:][:old.mem.Size()]
			copy(part, host(old.mem))
			out[old.mem] = engine.MemoryOf(part)
		}
		reverse(all, group[0].typ)
	}
	return out
}

func reverse(b []byte, t dtype.Type) {
	n := len(b) / t.Size()
	for i := range n / 2 {
		x, y := fetch(t, b, i), fetch(t, b, n-1-i)
		put(t, b, i, y)
		put(t, b, n-1-i, x)
	}
}
