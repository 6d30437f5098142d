package host

import (
	"context"
	"runtime"
	"strings"

	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan"
)

// A callStep runs a Go function. If the stage stores to an array of the caller,
// the function writes to scratch, and run copies the result. So a panic leaves
// the array unchanged.
type callStep struct {
	s       *plan.Stage
	args    [][]byte
	scratch []byte
}

func newCall(s *plan.Stage) (step, error) {
	if s.Func == nil || s.Func.Call == nil {
		return nil, expr.NewError(expr.ErrValue, "", "a Go function of the expression is nil")
	}
	return &callStep{s: s, args: make([][]byte, len(s.Args))}, nil
}

func (c *callStep) bind(*Program) {}

func (c *callStep) run(ctx context.Context, p *Program) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, a := range c.s.Args {
		c.args[i] = p.bytes(a)
	}
	out := p.bytes(c.s.Out)
	to := out
	if c.s.Out.Mem != nil && len(out) > 0 {
		if c.scratch == nil {
			var err error
			if c.scratch, err = hostmem.Allocate(len(out)); err != nil {
				return outOfMemory(err)
			}
		}
		to = c.scratch
	}
	p.Calls.Add(1)
	defer p.Calls.Add(-1)
	if err := c.call(to); err != nil {
		return err
	}
	if c.scratch != nil {
		copy(out, to)
	}
	return ctx.Err()
}

// call calls the function and returns its panic as an error. InsideCall looks for
// this frame on the stack, so call must not be inlined.
//
//go:noinline
func (c *callStep) call(out []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = expr.NewError(expr.ErrValue, c.s.Func.Name, "the Go function panicked: %v", r)
		}
	}()
	c.s.Func.Call(out, c.args, c.s.Out.Shape.Size())
	return nil
}

func (c *callStep) forget() {
	clear(c.args)
	c.scratch = nil
}

// InsideCall reports whether a Go function of an expression is on the stack of
// the goroutine.
func InsideCall() bool {
	var pcs [64]uintptr
	for skip := 1; ; {
		n := runtime.Callers(skip, pcs[:])
		frames := runtime.CallersFrames(pcs[:n])
		for {
			f, more := frames.Next()
			if strings.HasSuffix(f.Function, "host.(*callStep).call") {
				return true
			}
			if !more {
				break
			}
		}
		if n < len(pcs) {
			return false
		}
		skip += n
	}
}
