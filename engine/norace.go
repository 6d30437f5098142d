//go:build !race

package engine

import "github.com/oneloop/oneloop/plan"

// declare does something where there is a race detector.
func (p *Program) declare(*plan.Stage) {}
