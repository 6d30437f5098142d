// Package cpucache tells how large the caches of a core are.
package cpucache

import "sync"

// Sizes are bytes of data that one core can keep at each level. A level that
// does not exist, or that the processor does not tell of, is 0.
type Sizes struct{ L1, L2, L3 int }

// Of is what this machine has. In a virtual machine the last level may be shared
// with others that are not seen.
var Of = sync.OnceValue(read)

// fromLeaves reads the deterministic cache parameters, CPUID leaf 4 of Intel and
// 8000001DH of AMD: Intel 64 and IA-32 Architectures Software Developer's Manual,
// volume 2A, CPUID, table 3-8.
func fromLeaves(leaf func(n uint32) (a, b, c uint32)) (s Sizes) {
	for n := uint32(0); n < 16; n++ {
		a, b, c := leaf(n)
		kind := a & 31
		if kind == 0 {
			break
		}
		if kind == 2 { // instructions
			continue
		}
		size := int(b>>22+1) * int(b>>12&0x3ff+1) * int(b&0xfff+1) * int(c+1)
		switch a >> 5 & 7 {
		case 1:
			s.L1 = size
		case 2:
			s.L2 = size
		case 3:
			s.L3 = size
		}
	}
	return s
}
