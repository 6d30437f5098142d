// Package inspect shows what the engine makes of programs and what it has found on
// this machine. It is for tools such as exprbench: unlike the API of package
// engine, it may change from version to version.
package inspect

import (
	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/engine/internal/machine"
	"github.com/oneloop/oneloop/engine/internal/machine/probe"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan"
)

// A Kernel is the machine code of one stage of a plan, with the values that its
// instructions compute. Its String method returns the annotated code.
type Kernel = listing.Kernel

// Listings compiles the loops of a plan as a program would, and returns their
// machine code. An empty name of the back end means the default. The code depends
// on the back end and on the layout of the arrays. Listings runs nothing, and the
// arrays need no memory. Stages that are not loops have no listing.
func Listings(backend string, pl *plan.Plan) ([]*Kernel, error) {
	if pl == nil {
		return nil, tree.NewError(tree.ErrValue, "", "the plan is nil")
	}
	be, err := host.Named(backend)
	if err != nil {
		return nil, err
	}
	return host.Listings(be, pl)
}

// GNU returns the machine code of kernels as source for GNU as.
func GNU(kernels []*Kernel) string { return listing.GNU(kernels) }

// A Missing is a CPU back end that this machine cannot use, with the reason.
type Missing = host.Missing

// MissingBackends returns the CPU back ends that this machine cannot use, with
// the reasons.
func MissingBackends() []Missing {
	_, lack := host.Backends()
	return lack
}

// ExecutableMemory returns the method by which the process gets memory for
// machine code, or "none". The errors say why the methods tried before it failed.
func ExecutableMemory() (method string, failed []error) {
	m, err := exec.Probe()
	if err != nil {
		return m.String(), []error{err}
	}
	return m.String(), exec.Failed()
}

// MachineModel tells the numbers by which the engine chooses between variants of a loop that
// give the same bits, as the environment variable ONELOOP_MACHINE takes them; where they
// are from; and why the variable has no effect, if so. docs/performance.md names the numbers.
func MachineModel() (numbers, source string, err error) {
	source, err = machine.Source()
	return machine.Current().String(), source, err
}

// ProbeMachine measures these numbers, which takes about a tenth of a second, and uses and
// stores them for later processes. It returns what it measured, one line for each
// probe. The error says why it could not measure, or not store. The program should have
// nothing else to do.
func ProbeMachine() ([]string, error) {
	m, results, err := probe.Run()
	if err != nil {
		return nil, err
	}
	lines := lists.Map(results, func(r probe.Result) string { return string(r) })
	return lines, machine.Adopt(m)
}

// Caches returns the sizes, in bytes, of the data caches that a core uses. The
// engine chooses the blocks of loops by them. A size is 0 if the processor does
// not report it. In a virtual machine, others may use the third level too.
func Caches() (l1, l2, l3 int) {
	s := machine.Current().Caches
	return s.L1, s.L2, s.L3
}

// Products returns one line on the library that computes products of floats for a value
// of engine.Options.Products, and "" if kernels of the engine do. The error says why
// the library cannot be used.
func Products(name string) (string, error) {
	_, b, err := host.Products(name)
	if err != nil || b == nil {
		return "", err
	}
	return b.String(), nil
}
