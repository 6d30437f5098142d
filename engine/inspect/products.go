package inspect

import "github.com/oneloop/oneloop/engine/internal/host"

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
