package host

import (
	"bytes"
	"context"
	"fmt"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/sched"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan/ir"
)

// A spy is an instance that records the labels of the goroutines that run it.
type spy struct{ seen bytes.Buffer }

func (s *spy) Units() (n, grain int, cost float64)  { return 1, 1, 1 }
func (s *spy) NewWorker() backend.Worker            { return s }
func (s *spy) Begin()                               {}
func (s *spy) Watch(context.Context)                {}
func (s *spy) Finish(w backend.Worker) ir.FaultKind { return ir.NoFault }
func (s *spy) Run(lo, hi int)                       { writeGoroutines(&s.seen) }
func writeGoroutines(b *bytes.Buffer)               { _ = pprof.Lookup("goroutine").WriteTo(b, 1) }
func labelled(b *bytes.Buffer, key, value string) bool {
	return strings.Contains(b.String(), fmt.Sprintf("%q:%q", key, value))
}

// TestLabels tests that a kernel runs with its label if the options say so, and
// that the caller has its own labels after the run.
func TestLabels(t *testing.T) {
	x := array("x", 7)
	pl := planOf(t, x, op.AddScalar(expr.Of[float32](x), 1))
	for _, on := range []bool{false, true} {
		s := &spy{}
		l := &loopStep{s: pl.Stages[0], inst: s, binding: Binding(pl.Stages[0])}
		if on {
			l.profile()
		}
		pool := sched.NewPool()
		p := &Program{Options: Options{Bytes: func(tree.Memory) []byte { return nil }}, Plan: pl, steps: []step{l}, job: pool.NewJob(1)}
		l.loop.Plan(p.job, s, 0)
		pprof.Do(context.Background(), pprof.Labels("caller", "test"), func(ctx context.Context) {
			if err := p.Run(ctx); err != nil {
				t.Fatal(err)
			}
			var after bytes.Buffer
			writeGoroutines(&after)
			if !labelled(&after, "caller", "test") {
				t.Errorf("profiling %v: the caller's labels are gone", on)
			}
		})
		if labelled(&s.seen, "kernel", "add(x float32[7])") != on {
			t.Errorf("profiling %v: %s", on, s.seen.String())
		}
	}
}
