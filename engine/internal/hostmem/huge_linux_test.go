package hostmem

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

func TestHugePages(t *testing.T) {
	mode, _ := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if !regexp.MustCompile(`\[(madvise|always)\]`).Match(mode) {
		t.Skip("the system gives none")
	}
	const size = 64 << 20
	m, err := Allocate(size)
	if err != nil {
		t.Fatal(err)
	}
	clear(m)
	maps, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		t.Skip(err)
	}
	found := regexp.MustCompile(`AnonHugePages: +(\d+) kB`).FindSubmatch(maps)
	if found == nil {
		t.Skip("the system does not tell")
	}
	if kb, _ := strconv.Atoi(string(found[1])); kb<<10 < size/2 {
		t.Errorf("%d kB of %d are in huge pages", kb, size>>10)
	}
	m[0] = 1
}
