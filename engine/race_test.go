//go:build race

package engine_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// raceCases run programs at the same time as other goroutines. The race detector
// must report the cases that race, and no others.
var raceCases = map[string]struct {
	races bool
	run   func(backend string)
}{
	"write of an operand": {true, func(backend string) {
		x, y := engine.Zeros[float32](1000), engine.Zeros[float32](1000)
		beside(compile(backend, expr.Let(y, op.Exp[float32](x))), func() { x.Data()[999] = 1 })
	}},
	"read of a target": {true, func(backend string) {
		x, y := engine.Zeros[float32](1000), engine.Zeros[float32](1000)
		beside(compile(backend, expr.Let(y, op.Exp[float32](x))), func() { _ = y.Data()[500] + 1 })
	}},
	"two programs, one target": {true, func(backend string) {
		x, y := engine.Zeros[float32](1000), engine.Zeros[float32](1000)
		other := compile(backend, expr.Let(y, op.Sin[float32](x)))
		beside(compile(backend, expr.Let(y, op.Exp[float32](x))), func() { run(other) })
	}},
	"rows of one array": {true, func(backend string) {
		x, y := engine.Zeros[float32](40, 40), engine.Zeros[float32](40)
		beside(compile(backend, expr.Let(y, op.Sum[float32](x, op.Axis(1)))), func() { x.Data()[3] = 1 })
	}},
	"a common operand": {false, func(backend string) {
		x := engine.Zeros[float32](100_000)
		other := compile(backend, expr.Let(engine.Zeros[float32](100_000), op.Sin[float32](x)))
		beside(compile(backend, expr.Let(engine.Zeros[float32](100_000), op.Exp[float32](x))), func() {
			run(other)
			_ = x.Data()[7]
		})
	}},
	"columns of one array": {false, func(backend string) {
		x := engine.Zeros[float32](40, 40)
		other := compile(backend, expr.Let(x.Transpose().Slice(20, 40), op.Full[float32](2)))
		beside(compile(backend, expr.Let(x.Transpose().Slice(0, 20), op.Full[float32](1))), func() { run(other) })
	}},
	"every other element": {false, func(backend string) {
		x := engine.Zeros[float32](100)
		beside(compile(backend, expr.LetAdd(x.Span(op.By(op.Span{}, 2)), op.Full[float32](1))), func() { x.Data()[51] = 1 })
	}},
	"one after the other": {false, func(backend string) {
		x, y := engine.Zeros[float32](200_000), engine.Zeros[float32](200_000)
		p := compile(backend, expr.Let(y, op.Exp[float32](x)))
		for range 20 {
			x.Data()[100] = 1
			run(p)
			y.Data()[100_000] = 2
			done := make(chan bool)
			go func() {
				run(p)
				done <- true
			}()
			<-done
		}
	}},
}

func compile(backend string, s expr.Statement) *engine.Program {
	p, err := engine.CompileWith(context.Background(), engine.Options{Backend: backend}, s)
	if err != nil {
		panic(err)
	}
	return p
}

func run(p *engine.Program) {
	if err := p.Run(context.Background()); err != nil {
		panic(err)
	}
}

// beside runs p and f in two goroutines without synchronization between them.
func beside(p *engine.Program, f func()) {
	var wg sync.WaitGroup
	wg.Go(func() { run(p) })
	wg.Go(f)
	wg.Wait()
}

// TestRaces runs each case in its own process and looks for a report of a race.
func TestRaces(t *testing.T) {
	const child = "ONELOOP_TEST_RACE"
	if name := os.Getenv(child); name != "" {
		backend, name, _ := strings.Cut(name, ": ")
		raceCases[name].run(backend)
		return
	}
	backends := engine.Backends()
	if !testlevel.Deep() {
		backends = backends[:1]
	}
	for _, backend := range backends {
		for name, c := range raceCases {
			t.Run(backend+"/"+name, func(t *testing.T) {
				cmd := exec.Command(os.Args[0], "-test.run=^TestRaces$")
				cmd.Env = append(os.Environ(), child+"="+backend+": "+name)
				out, err := cmd.CombinedOutput()
				reported := strings.Contains(string(out), "WARNING: DATA RACE")
				if reported != c.races || reported == (err == nil) {
					t.Errorf("race reported: %v, want %v; %v\n%s", reported, c.races, err, out)
				}
			})
		}
	}
}
