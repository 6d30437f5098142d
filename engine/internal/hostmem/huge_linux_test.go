package hostmem

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// TestHugePages tests that a large block has asked the system for huge pages. Whether the
// system has any left is not up to this process.
func TestHugePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil {
		t.Skip("the system has none: ", err)
	}
	const size = 64 << 20
	m, err := Allocate(size)
	if err != nil {
		t.Fatal(err)
	}
	clear(m)
	flags := flagsAt(t, uintptr(unsafe.Pointer(&m[size/2])))
	if flags == nil {
		t.Skip("the system does not tell")
	}
	if !slices.Contains(flags, "hg") {
		t.Errorf("the flags of a large block are %v, without hg", flags)
	}
	m[0] = 1
}

// flagsAt returns the flags of the mapping of an address: proc_pid_smaps(5).
func flagsAt(t *testing.T, address uintptr) []string {
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	within := false
	for line := range strings.Lines(string(text)) {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			within = from <= address && address < to
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && within {
			return strings.Fields(flags)
		}
	}
	return nil
}
