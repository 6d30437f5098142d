package cuda

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// BenchmarkHost measures what a run costs the host, on the stand-in for the driver,
// whose kernels do nothing with STANDIN_IDLE=1. An H200's driver adds its own time.
func BenchmarkHost(b *testing.B) {
	newStandin(b)
	d, err := engine.OpenDevice("cuda:0")
	check(b, err)
	y, err := engine.Zeros[float32](1000).To(d)
	check(b, err)
	p, err := engine.Compile(ctx, expr.Let(y, op.Add(y, y)))
	check(b, err)
	defer p.Close()
	b.Run("Run", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			check(b, p.Run(ctx))
		}
	})
	b.Run("RunAsync", func(b *testing.B) {
		s, err := d.NewStream()
		check(b, err)
		defer s.Close()
		b.ReportAllocs()
		for b.Loop() {
			p.RunAsync(s)
		}
		check(b, s.Sync(ctx))
	})
}
