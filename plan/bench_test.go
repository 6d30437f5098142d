package plan_test

import (
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/plan"
)

func BenchmarkCompile(b *testing.B) {
	w, g := leaf("w", 100), leaf("g", 100)
	chain := func(n int) expr.Statement {
		e := expr.Exp[float32](w)
		for i := range n {
			if i%2 == 0 {
				e = op.Add(e, g)
			} else {
				e = op.Mul(e, w)
			}
		}
		return expr.Let(w, e)
	}
	x, y := leaf("x", 40, 50), leaf("y", 40, 50)
	for _, c := range []struct {
		name string
		s    func() expr.Statement
	}{
		{"ops=10", func() expr.Statement { return chain(10) }},
		{"ops=1000", func() expr.Statement { return chain(1000) }},
		{"softmax", func() expr.Statement { return expr.Let(y, op.Softmax[float32](x, 1)) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := plan.Compile(b.Context(), []expr.Statement{c.s()}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
