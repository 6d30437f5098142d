//go:build !race

package host

// declare does nothing in a build without the race detector.
func (p *Program) declare(int) {}
