package jit

import (
	"fmt"

	"golang.org/x/sys/cpu"
)

func supported(isa string) error {
	c := &cpu.X86
	ok := false
	switch isa {
	case "avx512":
		ok = c.HasAVX512F && c.HasAVX512BW && c.HasAVX512DQ && c.HasAVX512VL && c.HasBMI2 && c.HasFMA
	case "avx2":
		ok = c.HasAVX2 && c.HasFMA && c.HasBMI2
	}
	if !ok {
		return fmt.Errorf("jit: this machine has no %s", isa)
	}
	return nil
}
