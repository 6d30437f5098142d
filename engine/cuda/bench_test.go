package cuda

import (
	"cmp"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// BenchmarkHost measures what a run of one small kernel costs the host. With -gpu it
// runs on a GPU. Without, it runs on the stand-in for the driver, whose kernels do
// nothing with STANDIN_IDLE=1; the driver of a GPU adds its own time.
func BenchmarkHost(b *testing.B) {
	if !*onGPU {
		newStandin(b)
	}
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
	g := d.(*device)
	compiled, err := g.Compile(ctx, p.Plan())
	check(b, err)
	driverCalls(b, g, compiled.(*program))
	check(b, compiled.Close())
}

// driverCalls measures the calls of the driver that a run consists of.
func driverCalls(b *testing.B, d *device, p *program) {
	s, err := d.NewStream()
	check(b, err)
	defer s.Close()
	l := s.(*stream).driverStream
	e := s.Record().(*event).on
	launch := func() error { return p.steps[0].launch(l) }
	record := func() error { return e.Record(l.stream) }
	calls := []struct {
		name string
		call func() error
	}{
		{"CtxSetCurrent", func() error { return cu.CtxSetCurrent(d.ctx) }},
		{"Launch", launch},
		{"EventRecord", record},
		{"Launch+EventRecord", func() error { return cmp.Or(launch(), record()) }},
		{"Launch+Synchronize", func() error { return cmp.Or(launch(), l.stream.Synchronize()) }},
		{"Synchronize", l.stream.Synchronize},
	}
	for _, c := range calls {
		b.Run(c.name, func(b *testing.B) {
			check(b, d.enter()) // a sub-benchmark has a goroutine of its own
			defer d.leave()
			for b.Loop() {
				check(b, c.call())
			}
			check(b, l.wait())
		})
	}
}
