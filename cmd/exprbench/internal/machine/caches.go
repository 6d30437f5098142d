package machine

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// CacheSizes are the sizes of the caches for data that a core has, or shares,
// in bytes; 0 if not known.
type CacheSizes struct{ L1, L2, L3 int }

// Caches finds the sizes, as Linux tells them of the first core.
func Caches() CacheSizes { return caches("/sys/devices/system/cpu/cpu0/cache") }

func caches(dir string) (c CacheSizes) {
	indices, _ := filepath.Glob(filepath.Join(dir, "index*"))
	for _, index := range indices {
		read := func(name string) string {
			b, _ := os.ReadFile(filepath.Join(index, name))
			return strings.TrimSpace(string(b))
		}
		if read("type") == "Instruction" {
			continue
		}
		size := kilobytes(read("size"))
		switch read("level") {
		case "1":
			c.L1 = size
		case "2":
			c.L2 = size
		case "3":
			c.L3 = size
		}
	}
	return c
}

// kilobytes reads "48K" or "2M", or gives 0.
func kilobytes(s string) int {
	unit := 1 << 10
	if strings.HasSuffix(s, "M") {
		unit = 1 << 20
	}
	n, err := strconv.Atoi(strings.TrimRight(s, "KM"))
	if err != nil || n < 0 || n > 1<<20 {
		return 0
	}
	return n * unit
}
