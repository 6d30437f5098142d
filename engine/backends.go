package engine

import "github.com/oneloop/oneloop/engine/internal/host"

// Backends returns the names of the CPU back ends that this machine can use, the
// preferred one first. All give the same bits.
func Backends() []string { return host.Names() }

// DefaultBackend returns the name of the back end for programs whose options name
// none. It is the value that the environment variable ONELOOP_CPU has at the first
// use of the engine, or else the first of Backends. The error says why this back
// end cannot be used.
func DefaultBackend() (string, error) {
	b, err := host.Named("")
	if err != nil {
		return "", err
	}
	return b.Name(), nil
}
