// Package interp is the portable CPU backend and the executable definition of
// the loop IR: a blocked interpreter in plain Go.
//
// A kernel becomes flat code for each of its regions. One instruction works on
// a block of up to 512 lanes that stay in the first-level cache, so that the
// cost of dispatch is shared by many elements. Each worker has an arena with
// the registers; nothing is allocated while a kernel runs.
//
// A register holds one lane (everything outside vec loops, and values in them
// that are the same in all lanes) or a block. Values that do not change in a
// vec loop are computed before it, wherever the IR has them.
//
// Order: element-wise results do not depend on blocks, and reductions have the
// order of docs/numerics.md whatever the chunks, so the bits depend on nothing
// but the kernel and its data.
package interp

import (
	"fmt"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/plan/ir"
)

type interpreter struct{}

// New returns the interpreter.
func New() backend.Backend { return interpreter{} }

func (interpreter) Name() string { return "interp" }

// Compile translates k, which must pass [ir.Check] and not change afterwards.
func (interpreter) Compile(k *ir.Kernel) (backend.Code, error) {
	c := newCompiler(k)
	code, err := c.compile()
	if err != nil {
		return nil, fmt.Errorf("interp: %s: %w", k.Name, err)
	}
	return code, nil
}
