// Package jit is the CPU back end that compiles kernels to machine code. Each phase of
// a kernel is one function, specialised to the layouts of its arrays. Extents, strides
// and addresses are its arguments, except in computed offsets. Results have the bits of
// package interp. The interpreter runs the kernels that this package cannot compile.
package jit

import (
	"fmt"
	"sync"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/isa/amd64"
	"github.com/oneloop/oneloop/engine/internal/jit/isa/neon"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/plan/ir"
)

// New returns the back end for an instruction set, "avx512", "avx2" or "neon". It returns an
// error if this machine lacks the instruction set or does not allow machine code.
func New(isa string) (backend.Backend, error) {
	if err := supported(isa); err != nil {
		return nil, err
	}
	if _, err := exec.Probe(); err != nil {
		return nil, fmt.Errorf("jit: %w", err)
	}
	for _, g := range generators {
		if g.Facts.Name == isa {
			return g, nil
		}
	}
	return nil, fmt.Errorf("jit: no generator for %q", isa)
}

// Compile translates k, which must pass [ir.Check] and not change afterwards.
func (g *generator) Compile(k *ir.Kernel) (backend.Code, error) {
	p, err := lower.Kernel(k)
	if err != nil {
		return newPortable(k, err.Error())
	}
	return newCode(p, g), nil
}

// ISAs are the names of the supported instruction sets, the best first.
var ISAs = []string{"avx512", "avx2", "neon"}

// generators are those of the supported instruction sets, the best first.
var generators = []*generator{newGenerator(amd64.AVX512), newGenerator(amd64.AVX2), newGenerator(neon.NEON)}

// newGenerator returns the generator of a target.
func newGenerator(target isa.Target) *generator {
	g := &generator{isa: target, Facts: target.Facts()}
	for i := range g.tiles {
		for far := range 2 {
			g.tiles[i][far] = sync.OnceValues(func() (*exec.Code, error) {
				obj, err := isa.Tile(target, 1<<i, far == 1)
				if err != nil {
					return nil, err
				}
				return exec.Install(obj.Code)
			})
		}
	}
	return g
}
