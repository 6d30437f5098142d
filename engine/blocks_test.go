package engine_test

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

// TestTemporaryDistances tests that bindings say how far the views of a temporary are from each other: as their first elements in the
// arena, and 0 in the memory of a worker of a chain, where coordinates count from its begin.
func TestTemporaryDistances(t *testing.T) {
	x, w, y := engine.Zeros[float32](9, 8, 20, 20), engine.Zeros[float32](8, 1, 5, 5), engine.Zeros[float32](9, 8, 20, 20)
	s := expr.Let[float32](y, op.Conv[float32](x, w, op.Sliding{Padding: []int{2}, Groups: 8}))
	for _, chains := range [][]plan.Option{nil, {plan.ChainAlways}} {
		p, err := plan.Compile(t.Context(), []expr.Statement{s}, append(chains, plan.SplitLoops)...)
		if err != nil {
			t.Fatal(err)
		}
		views, own := 0, 0
		for _, s := range p.All() {
			if s.Kernel == nil {
				continue
			}
			b, first := host.Binding(s), map[int]int{}
			for i, o := range s.Bufs {
				if o.Array == nil || o.Array.Mem != nil {
					continue
				}
				k, ok := first[o.Array.Temp]
				if !ok {
					first[o.Array.Temp] = i
					continue
				}
				apart := 4 * (o.Array.Offset - s.Bufs[k].Array.Offset)
				if views++; apart == 0 {
					own++
				}
				if x, y := &b.Bufs[k], &b.Bufs[i]; x.Memory == 0 || x.Memory != y.Memory || y.Offset-x.Offset != apart {
					t.Errorf("buffers %+v and %+v of a temporary are %d bytes apart", x, y, apart)
				}
			}
		}
		if views < 24 || (chains != nil) != (own == views) {
			t.Errorf("of %d views of a temporary %d begin with it:\n%s", views, own, p.Explain())
		}
	}
}
