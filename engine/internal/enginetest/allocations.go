package enginetest

import (
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// Allocations tests that a run of a compiled program allocates nothing, with one
// thread and with several.
func Allocations(t *testing.T, o Options) {
	programs := threadPrograms(dtype.F32)
	r := newRand(2)
	x := place(r, dtype.F32, packed, exact, 40, 40).Node()
	i := place(r, dtype.I64, packed, tame, 40).Node()
	small := blank(r, dtype.F32, 40, 40).Node()
	programs["small"] = []expr.Statement{set(small, apply("add", x, tree.NewParamNode(dtype.F32, &tree.Scalar{})))}
	programs["product"] = []expr.Statement{set(small, apply("relu", untyped.MatMul(x, untyped.Permute(x, nil))))}
	programs["prescan"] = []expr.Statement{set(small, untyped.Take(x, apply("mod", i, tree.ConstInt(dtype.I64, 40)), 0))}
	programs["alias"] = []expr.Statement{set(x, apply("sub", untyped.Permute(x, nil), x))}
	for name, stmts := range programs {
		t.Run(name, func(t *testing.T) {
			suite{t, o}.each(func(b backend) {
				for _, n := range []int{1, 2, 4} {
					b.o.Threads = n
					p, err := steady(b.compile(stmts...))
					if err != nil {
						b.Fatalf("%v", err)
					}
					var failed error
					allocs := testlevel.Allocs(2, func() {
						if err := p.Run(ctx); err != nil {
							failed = err
						}
					})
					if allocs != 0 || failed != nil {
						b.Errorf("%d threads: %v allocations, error %v", n, allocs, failed)
					}
				}
			})
		})
	}
}
