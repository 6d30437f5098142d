package machine

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCaches(t *testing.T) {
	dir := t.TempDir()
	for i, c := range [][3]string{{"1", "Data", "48K\n"}, {"1", "Instruction", "64K\n"}, {"2", "Unified", "2M\n"}, {"3", "Unified", "junk"}} {
		index := filepath.Join(dir, "index"+string(rune('0'+i)))
		if err := os.Mkdir(index, 0o777); err != nil {
			t.Fatal(err)
		}
		for k, name := range []string{"level", "type", "size"} {
			if err := os.WriteFile(filepath.Join(index, name), []byte(c[k]), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, want := caches(dir), (CacheSizes{48 << 10, 2 << 20, 0}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := caches(filepath.Join(dir, "none")); got != (CacheSizes{}) {
		t.Errorf("of nothing: %+v", got)
	}
}
