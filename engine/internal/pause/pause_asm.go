//go:build amd64 || arm64

package pause

// Pause is n pause instructions, of 10 to 50 ns each.
//
//go:noescape
func Pause(n int)
