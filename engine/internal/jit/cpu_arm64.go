package jit

import "fmt"

// supported takes NEON for granted: every processor has it that Go's arm64 runs on.
func supported(isa string) error {
	if isa != "neon" {
		return fmt.Errorf("jit: this machine has no %s", isa)
	}
	return nil
}
