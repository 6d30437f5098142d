package engine_test

import (
	"context"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// BenchmarkCalls reports the processor time of operators that are no loops, for each
// element of their operands. "loop" is a plain Go loop that does the same.
func BenchmarkCalls(b *testing.B) {
	const n = 1 << 20
	key := expr.Const[uint64](1)
	index, weights, sums := engine.Zeros[int64](n), engine.Zeros[float64](n), engine.Zeros[float64](1000)
	x, x32 := engine.Zeros[float64](n), engine.Zeros[float32](n)
	y, y32, order, counts, one := engine.Zeros[float64](n), engine.Zeros[float32](n), engine.Zeros[int64](n), engine.Zeros[int64](1000), engine.Zeros[float64]()
	rows := engine.Zeros[float32](1<<13, 128)
	hundred := engine.Zeros[int64](100)
	if err := engine.Run(context.Background(), expr.Let(index, op.Integers[int64](key, 1000, n)), expr.Let(weights, op.Uniform[float64](key, n)),
		expr.Let(x, op.Normal[float64](key, n)), expr.Let(x32, op.Normal[float32](key, n))); err != nil {
		b.Fatal(err)
	}
	flat := engine.Zeros[float32](1<<13, 128)
	if err := flat.Assign(op.Reshape(x32, 1<<13, 128)); err != nil {
		b.Fatal(err)
	}
	thousand, ordered := engine.Zeros[float64](1000), engine.Zeros[float64](n)
	if err := engine.Run(context.Background(), expr.Let(thousand, op.Sort(x.Slice(0, 1000), 0)), expr.Let(ordered, op.Sort(x, 0))); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		s    expr.Statement
	}{
		{"bincount", expr.Let(counts, op.Bincount(index, 1000))},
		{"bincount with weights", expr.Let(sums, op.BincountWeights(index, weights, 1000))},
		{"add at", expr.Let(sums, op.AddAt(sums, index, weights, 0))},
		{"segment sum of rows of 128", expr.Let(engine.Zeros[float32](1000, 128), op.SegmentSum(flat, index.Slice(0, 1<<13), 1000))},
		{"histogram of 100", expr.Let(hundred, op.Histogram(x, 100, -4, 4))},
		{"sort float64", expr.Let(y, op.Sort(x, 0))},
		{"sort float32", expr.Let(y32, op.Sort(x32, 0))},
		{"sort float32 rows of 128", expr.Let(rows, op.Sort(flat, 1))},
		{"argsort float64", expr.Let(order, op.ArgSort(x, 0))},
		{"argsort float32", expr.Let(order, op.ArgSort(x32, 0))},
		{"median float64", expr.Let(one, op.Median(x))},
		{"searchsorted", expr.Let(order, op.SearchSorted(thousand, x, false))},
		{"searchsorted of sorted values", expr.Let(order, op.SearchSorted(thousand, ordered, false))},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, err := engine.CompileWith(context.Background(), engine.Options{Threads: 1}, c.s)
			if err != nil {
				b.Fatal(err)
			}
			benchCPU(b, n, func() { err = p.Run(context.Background()) })
			if err != nil {
				b.Fatal(err)
			}
		})
	}
	table, of, w := counts.Data(), index.Data(), weights.Data()
	b.Run("loop of bincount", func(b *testing.B) {
		benchCPU(b, n, func() {
			clear(table)
			for _, i := range of {
				table[i]++
			}
		})
	})
	to := sums.Data()
	b.Run("loop of add at", func(b *testing.B) {
		benchCPU(b, n, func() {
			for k, i := range of {
				to[i] += w[k]
			}
		})
	})
}

func benchCPU(b *testing.B, n int, f func()) {
	f()
	before := testlevel.CPUTime()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64((testlevel.CPUTime()-before).Nanoseconds())/float64(b.N)/float64(n), "cpu-ns/element")
}
