//go:build amd64 || arm64

package pause

// Pause is a pause instruction, of 10 to 50 ns.
func Pause()
