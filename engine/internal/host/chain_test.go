package host_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/bound"
)

// TestLastBlocks tests that no access of a chain needs a guard where the rows are no multiple of those of a block, and that
// the blocks have all rows. A guard that a block needs would cost all blocks a check for each element.
func TestLastBlocks(t *testing.T) {
	x := engine.Zeros[float32](37, 8, 6)
	pool := op.MaxPool[float32](x, op.Sliding{Kernel: []int{3, 3}, Stride: []int{2, 2}, Padding: []int{1, 1}})
	dx, err := grad.VJP(pool, engine.Zeros[float32](37, 4, 3), x)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]expr.Statement{
		"gradient of a pool": expr.Let(engine.Zeros[float32](37, 8, 6), dx[0]),
		"product":            expr.Let(engine.Zeros[float32](37, 5), op.Softmax(op.MatMul(op.Exp(engine.Zeros[float32](37, 6)), engine.Zeros[float32](6, 5)), -1)),
	} {
		p, err := plan.Compile(t.Context(), []expr.Statement{s}, plan.CombineProducts, plan.SplitLoops, plan.ChainAlways)
		if err != nil {
			t.Fatal(err)
		}
		chain := p.Stages[len(p.Stages)-1]
		if chain.Kind != plan.Chain || chain.Blocks.Extent%chain.Blocks.Size == 0 {
			t.Fatalf("%s: there is no last block of fewer rows:\n%s", name, p.Explain())
		}
		for i, part := range chain.Parts {
			if part.Kind != plan.Loop {
				continue
			}
			elements := 0
			for _, x := range []*plan.Stage{part, chain.LastBlock(i)} {
				b := host.Binding(x)
				k, err := bound.New(x.Kernel, &b, true)
				if err != nil {
					t.Fatal(err)
				}
				rows := 1
				for _, n := range x.Extents {
					rows *= n
				}
				elements += rows
				for j := range k.Access {
					if !k.Access[j].Proven() {
						t.Errorf("%s: part %d: access %d needs a guard:\n%s", name, i, j, x.Kernel)
					}
				}
			}
			if elements%37 != 0 {
				t.Errorf("%s: part %d has %d elements in 37 rows", name, i, elements)
			}
		}
	}
}
