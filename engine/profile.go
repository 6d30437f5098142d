package engine

import (
	"strings"

	"github.com/oneloop/oneloop/engine/internal/backend"
)

// profile names the kernel of a loop for profilers. The name has the form
// "kernel(y, s)", with the arrays that the loop stores to.
func (l *loopStep) profile() {
	var stored []string
	for _, a := range l.s.Writes {
		stored = append(stored, a.String())
	}
	kernel := "matmul"
	if l.s.Kernel != nil {
		kernel = l.s.Kernel.Name
	}
	name := kernel + "(" + strings.Join(stored, ", ") + ")"
	l.loop.Label(name)
	if n, ok := l.inst.(backend.Native); ok {
		n.Profile("oneloop:" + name)
	}
}
