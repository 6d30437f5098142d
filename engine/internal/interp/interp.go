// Package interp is the portable CPU backend: a blocked interpreter in plain Go.
// It runs where no machine code can, and the tests of machine code and CUDA
// compare with it. The definition of the loop IR is smaller: prim.Eval says what
// a primitive computes, and the reference of the tests (ref_test.go) runs a
// kernel one element at a time. The tests compare the interpreter with both.
//
// A kernel becomes flat code for each of its regions. One instruction works on
// a block of up to 512 lanes that stay in the first-level cache, so many
// elements share the cost of its dispatch. Each worker has an arena with the
// registers. Nothing is allocated while a kernel runs.
//
// A register holds a block, or one lane: everything outside vec loops, and
// values in them that are the same in all lanes. The compiler moves values that
// do not change in a vec loop before it.
//
// Element-wise results do not depend on blocks, and reductions have the order
// of docs/numerics.md for any chunks. So the bits depend on the kernel and its
// data alone.
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
