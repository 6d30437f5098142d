package engine

import (
	"context"
	"time"

	"github.com/oneloop/oneloop/expr/tree"
)

// A StageRun is a run of one stage of a program.
type StageRun struct {
	Stage int           // index in the stages of [Program.Plan]
	Began time.Time     // when the run of the stage began
	Took  time.Duration // how long it took
	Err   error         // the error with which it ended, or nil
}

// Observe makes every later run of p call f after each of its stages, on the
// goroutine of the caller of Run. A nil f ends this. A panic of f ends the run with an
// error. Without an observer, a stage costs no call of the clock. The error is
// [expr.ErrUnsupported] for a program that runs on a device, whose stages run
// while the host goes on, and in f itself, which cannot run p either.
func (p *Program) Observe(f func(StageRun)) error {
	if err := p.usable(); err != nil {
		return err
	}
	if p.device != nil {
		return tree.NewError(tree.ErrUnsupported, "", "a program on %s has no observed stages; profilers of the device show its kernels", p.device.name)
	}
	if err := p.lock(context.Background()); err != nil {
		return err
	}
	defer p.mu.Unlock()
	h := p.host.Load()
	h.Observe = nil
	if f != nil {
		h.Observe = func(stage int, began time.Time, err error) {
			f(StageRun{Stage: stage, Began: began, Took: time.Since(began), Err: err})
		}
	}
	return nil
}
