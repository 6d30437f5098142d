package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

func ramp(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(i%97)/97 + .5
	}
	return out
}

func chain(w, g expr.Exp[float32], n int) expr.Exp[float32] {
	e := w
	for i := range n {
		if i%2 == 0 {
			e = op.Add(e, g)
		} else {
			e = op.Mul(e, w)
		}
	}
	return e
}

// BenchmarkRerun measures runs of a compiled program. Small arrays show the
// overhead, larger ones the speed of the loop.
func BenchmarkRerun(b *testing.B) {
	for _, n := range []int{16, 1000, 100000} {
		w, g := engine.MustFromSlice(ramp(n)), engine.MustFromSlice(ramp(n))
		y := engine.Zeros[float32](n)
		for _, c := range []struct {
			name string
			stmt expr.Statement
		}{
			{"chain10", expr.Let(y, chain(w, g, 10))},
			{"update", expr.LetSub(y, op.Scale(.1, op.Add(g, op.Scale(1e-4, w))))},
			{"exp", expr.Let(y, op.Exp[float32](w))},
			{"sum", expr.Let(engine.Zeros[float32](), op.Sum[float32](w))},
		} {
			p, err := engine.CompileWith(context.Background(), engine.Options{Threads: 1}, c.stmt)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/n=%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := p.Run(context.Background()); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
			})
		}
	}
}

// BenchmarkCompile measures compilation: all passes and the back end.
func BenchmarkCompile(b *testing.B) {
	w, g := engine.MustFromSlice(ramp(100)), engine.MustFromSlice(ramp(100))
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("ops=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := engine.Compile(context.Background(), expr.Let(w, chain(w, g, n))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// naive returns programs that compute a tree without fusion: one for each
// operator, which stores to an array of its own.
func naive(b testing.TB, o engine.Options, target *engine.Array, e *tree.Node) []*engine.Program {
	var ps []*engine.Program
	temps := map[*tree.Node]*tree.Node{}
	tree.Walk(e, func(n *tree.Node) {
		temps[n] = n
		if len(n.Args) == 0 {
			return
		}
		m := *n
		m.Args = make([]*tree.Node, len(n.Args))
		for i, a := range n.Args {
			m.Args[i] = temps[a]
		}
		if n.Op.Class() == tree.View {
			temps[n] = &m
			return
		}
		out := target
		if n != e {
			var err error
			if out, err = engine.NewArray(n.DType(), n.Shape()...); err != nil {
				b.Fatal(err)
			}
		}
		p, err := engine.CompileWith(context.Background(), o, expr.Statement{Target: out.Node(), Value: &m})
		if err != nil {
			b.Fatal(err)
		}
		ps = append(ps, p)
		temps[n] = out.Node()
	})
	return ps
}

// BenchmarkRows compares fused and naive programs for softmax and layernorm. The
// metric is the ratio of their times in one run.
func BenchmarkRows(b *testing.B) {
	ctx := context.Background()
	for _, dims := range [][]int{{256, 1024}, {4096, 1024}, {2048, 128}} {
		n := dims[0] * dims[1]
		x, y := engine.MustFromSlice(ramp(n), dims...), engine.Zeros[float32](dims...)
		gamma, beta := engine.MustFromSlice(ramp(dims[1])), engine.MustFromSlice(ramp(dims[1]))
		for name, e := range map[string]expr.Exp[float32]{
			"softmax":   op.Softmax[float32](x, 1),
			"layernorm": op.LayerNorm[float32](x, gamma, beta, 1e-5),
		} {
			o := engine.Options{Threads: 1}
			fused, err := engine.CompileWith(ctx, o, expr.Let(y, e))
			if err != nil {
				b.Fatal(err)
			}
			parts := naive(b, o, engine.Zeros[float32](dims...).Array(), e.Node())
			b.Run(fmt.Sprintf("%s/rows=%d/cols=%d", name, dims[0], dims[1]), func(b *testing.B) {
				var f, s time.Duration
				for b.Loop() {
					begin := time.Now()
					if err := fused.Run(ctx); err != nil {
						b.Fatal(err)
					}
					middle := time.Now()
					for _, p := range parts {
						if err := p.Run(ctx); err != nil {
							b.Fatal(err)
						}
					}
					f += middle.Sub(begin)
					s += time.Since(middle)
				}
				b.ReportMetric(float64(f.Nanoseconds())/float64(b.N)/float64(n), "fused-ns/elem")
				b.ReportMetric(float64(s)/float64(f), "naive/fused")
				b.ReportMetric(float64(len(parts)), "naive-passes")
			})
		}
	}
}
