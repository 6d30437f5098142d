//go:build !race

package host

import "github.com/oneloop/oneloop/plan"

// declare does nothing in a build without the race detector.
func (p *Program) declare(*plan.Stage) {}
