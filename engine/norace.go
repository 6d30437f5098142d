//go:build !race

package engine

// declare does something where there is a race detector.
func (p *Program) declare(int) {}
