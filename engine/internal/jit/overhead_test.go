package jit_test

import (
	"context"
	"fmt"
	"testing"
	"time"
	"unsafe"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/jit"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/plan/ir"
)

// BenchmarkOverhead measures runs of a compiled program on 16 or 1000 elements, and of a binding
// of it, alternately with calls of its machine code. It reports the least time of each,
// and how much longer than the machine code the program and the binding take.
func BenchmarkOverhead(b *testing.B) {
	for _, n := range []int{16, 1000} {
		benchmarkOverhead(b, n)
	}
}

func benchmarkOverhead(b *testing.B, n int) {
	const reps = 1000
	w, g, y := engine.Zeros[float32](n), engine.Zeros[float32](n), engine.Zeros[float32](n)
	for name, s := range map[string]expr.Statement{
		"add":    expr.Let(y, op.Add[float32](w, g)),
		"update": expr.LetSub(y, op.Scale(.1, op.Add[float32](g, op.Scale(1e-4, w)))),
		"exp":    expr.Let(y, op.Exp[float32](w)),
		"sum":    expr.Let(engine.Zeros[float32](), op.Sum[float32](w)),
	} {
		b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
			ctx := context.Background()
			p, err := engine.CompileWith(ctx, engine.Options{Threads: 1}, s)
			if err != nil {
				b.Fatal(err)
			}
			be, err := jit.New(p.Backend())
			if err != nil {
				b.Skip(err)
			}
			stage := p.Plan().Stages[0]
			code, err := be.Compile(stage.Kernel)
			if err != nil {
				b.Fatal(err)
			}
			bind := ir.Binding{Extents: stage.Extents, Params: stage.Params, Scalars: make([]uint64, len(stage.Scalars))}
			for _, o := range stage.Bufs {
				data := o.Array.Mem.(*engine.Memory).Bytes()
				bind.Bufs = append(bind.Bufs, ir.BufBind{Strides: o.Strides, Extents: o.Extents, Ptr: unsafe.Pointer(unsafe.SliceData(data))})
			}
			inst, err := code.Bind(&bind)
			if err != nil {
				b.Fatal(err)
			}
			worker := inst.NewWorker()
			inst.Begin()
			count, _, _ := inst.Units()
			worker.Run(0, count)
			inst.Finish(worker)
			bare := jit.Bare(worker)
			binding, err := p.Bind(ctx)
			if err != nil {
				b.Fatal(err)
			}
			run, loop, bound := time.Hour, time.Hour, time.Hour
			for b.Loop() {
				t0 := time.Now()
				for range reps {
					if err := p.Run(ctx); err != nil {
						b.Fatal(err)
					}
				}
				t1 := time.Now()
				for range reps {
					bare()
				}
				t2 := time.Now()
				for range reps {
					if err := binding.Run(ctx); err != nil {
						b.Fatal(err)
					}
				}
				run, loop, bound = min(run, t1.Sub(t0)), min(loop, t2.Sub(t1)), min(bound, time.Since(t2))
			}
			b.ReportMetric(float64(run.Nanoseconds())/reps, "ns/run")
			b.ReportMetric(float64(loop.Nanoseconds())/reps, "ns/loop")
			b.ReportMetric(float64((run-loop).Nanoseconds())/reps, "ns/over")
			b.ReportMetric(float64((bound-loop).Nanoseconds())/reps, "ns/over-bound")
			b.ReportMetric(0, "ns/op")
		})
	}
}
