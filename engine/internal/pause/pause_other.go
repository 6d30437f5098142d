//go:build !amd64 && !arm64

package pause

// Pause does nothing: this processor has no such instruction.
func Pause() {}
