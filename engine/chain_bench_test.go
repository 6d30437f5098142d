package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// BenchmarkChain measures programs with chains and without in alternation. It
// reports the medians of the processor times in milliseconds, and their ratio.
func BenchmarkChain(b *testing.B) {
	dense := func(n int) func() expr.Statement {
		return func() expr.Statement {
			return expr.Let(engine.Zeros[float32](n, n), op.ReLU(op.Add(op.MatMul(filled(1, n, n), filled(2, n, n)), filled(3, n))))
		}
	}
	attention := func() expr.Statement {
		q, k, v := filled(1, 8, 1024, 64), filled(2, 8, 1024, 64), filled(3, 8, 1024, 64)
		s := op.Add(op.Scale(.125, op.MatMul(q, op.Transpose(k, 0, 2, 1))), filled(4, 1024, 1024))
		return expr.Let(engine.Zeros[float32](8, 1024, 64), op.MatMul(op.Softmax(s, -1), v))
	}
	layers := func() expr.Statement {
		h := op.ReLU(op.Add(op.MatMul(filled(1, 4096, 256), filled(2, 256, 512)), filled(3, 512)))
		return expr.Let(engine.Zeros[float32](4096, 64), op.Add(op.MatMul(h, filled(4, 512, 64)), filled(5, 64)))
	}
	prologue := func() expr.Statement {
		return expr.Let(engine.Zeros[float32](2048, 64), op.MatMul(op.Exp(filled(1, 2048, 2048)), filled(2, 2048, 64)))
	}
	convolution := func() expr.Statement {
		one, three := op.Window{Size: 1}, op.Window{Size: 3}
		x := op.Windows(filled(1, 8, 64, 58, 58), one, one, three, three)
		columns := op.Reshape(op.Transpose(x, 0, 1, 4, 5, 6, 7, 2, 3), 8, 576, 3136)
		return expr.Let(engine.Zeros[float32](8, 64, 3136), op.ReLU(op.MatMul(filled(2, 64, 576), columns)))
	}
	for _, c := range []struct {
		name string
		make func() expr.Statement
	}{
		{"convolution", convolution},
		{"attention", attention},
		{"layers", layers},
		{"prologue", prologue},
		{"dense256", dense(256)},
		{"dense512", dense(512)},
		{"dense1024", dense(1024)},
		{"dense2048", dense(2048)},
	} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", c.name, threads), func(b *testing.B) {
				var programs [2]*engine.Program
				s := c.make()
				for i, chains := range []string{engine.ChainsNever, ""} {
					p, err := engine.CompileWith(context.Background(), engine.Options{Threads: threads, Chains: chains}, s)
					if err != nil {
						b.Fatal(err)
					}
					programs[i] = p
				}
				var times [2][]float64
				for range max(b.N, 5) {
					for i, p := range programs {
						begin := testlevel.CPUTime()
						if err := p.Run(context.Background()); err != nil {
							b.Fatal(err)
						}
						times[i] = append(times[i], (testlevel.CPUTime()-begin).Seconds()*1e3)
					}
				}
				for i := range times {
					slices.Sort(times[i])
				}
				x, y := times[0][len(times[0])/2], times[1][len(times[1])/2]
				b.ReportMetric(x, "ms/separate")
				b.ReportMetric(y, "ms/chain")
				b.ReportMetric(x/y, "ratio")
			})
		}
	}
}
