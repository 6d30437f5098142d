package cpucache

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// cpuid runs the instruction for a leaf and a sub-leaf.
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

func read() Sizes {
	leaves := func(leaf uint32) func(n uint32) (a, b, c uint32) {
		return func(n uint32) (a, b, c uint32) {
			a, b, c, _ = cpuid(leaf, n)
			return a, b, c
		}
	}
	if last, _, _, _ := cpuid(0, 0); last >= 4 {
		if s := fromLeaves(leaves(4)); s.L1 > 0 {
			return s
		}
	}
	if last, _, _, _ := cpuid(0x80000000, 0); last >= 0x8000001d {
		return fromLeaves(leaves(0x8000001d))
	}
	return Sizes{}
}

// Model returns the name of the processor and its signature.
func Model() string {
	name := make([]byte, 0, 48)
	if last, _, _, _ := cpuid(0x80000000, 0); last >= 0x80000004 {
		for n := uint32(0x80000002); n <= 0x80000004; n++ {
			a, b, c, d := cpuid(n, 0)
			for _, word := range []uint32{a, b, c, d} {
				name = binary.LittleEndian.AppendUint32(name, word)
			}
		}
	}
	signature, _, _, _ := cpuid(1, 0)
	return fmt.Sprintf("%s %#x", strings.TrimSpace(strings.TrimRight(string(name), "\x00")), signature)
}

// Halves reports whether the processor takes vectors of 512 bits in two halves. Of those that have such vectors, AMD's family
// 19h does, which is Zen 4.
func Halves() bool {
	signature, _, _, _ := cpuid(1, 0)
	return strings.HasPrefix(Model(), "AMD") && signature>>20&0xff == 0x19-0xf
}

// Copies reports whether one instruction moves even few bytes fast, as the processor says. It is false for AMD's family 19h, where
// this instruction is slow at some distances of the arrays.
func Copies() bool {
	last, _, _, _ := cpuid(0, 0)
	if last < 7 {
		return false
	}
	_, _, _, features := cpuid(7, 0)
	return features>>4&1 != 0 && !Halves()
}
