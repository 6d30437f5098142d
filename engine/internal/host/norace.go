//go:build !race

package host

import "github.com/oneloop/oneloop/plan"

// declares says whether declare does anything.
const declares = false

// declare does nothing in a build without the race detector.
func (p *Program) declare(*plan.Stage) {}
