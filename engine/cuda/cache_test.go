package cuda

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/oneloop/oneloop/shape"
)

// TestEvict fills a cache beyond its limit. The cache must remove the least
// recently used files and abandoned temporary files.
func TestEvict(t *testing.T) {
	c := &diskCache{dir: filepath.Join(t.TempDir(), "cuda"), limit: 3 * 1100}
	key := func(i int) [sha256.Size]byte { return sha256.Sum256([]byte{byte(i)}) }
	for i := range 6 {
		c.store(key(i), make([]byte, 1000))
		old := time.Now().Add(time.Duration(i-100) * time.Hour)
		if err := os.Chtimes(c.path(key(i)), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := c.load(key(0)); !ok { // file 0 is now the last used
		t.Fatal("what was stored is not there")
	}
	stale := filepath.Join(c.dir, "x.tmp")
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(stale, long, long); err != nil {
		t.Fatal(err)
	}
	c.evict()
	var left []int
	for i := range 6 {
		if _, ok := c.load(key(i)); ok {
			left = append(left, i)
		}
	}
	if fmt.Sprint(left) != "[0 4 5]" {
		t.Errorf("left are %v", left)
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("an abandoned temporary file stays")
	}
}

func TestChooseTarget(t *testing.T) {
	known := []int{75, 80, 90, 100}
	for _, c := range []struct {
		arch  int
		loads bool // the driver knows the version of the PTX
		want  string
	}{
		{75, true, "sm_75"},
		{90, true, "sm_90"},
		{86, true, "compute_80"},
		{120, true, "compute_100"},
		{70, true, ""},
		{90, false, "sm_90"},
		{86, false, "sm_80"},
		{103, false, "sm_100"},
		{120, false, ""},
		{70, false, ""},
	} {
		if got, err := chooseTarget(c.arch, known, c.loads); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("sm_%d, %v: %q, %v", c.arch, c.loads, got, err)
		}
	}
}

func TestOffsets(t *testing.T) {
	for _, c := range []struct {
		s    shape.Shape
		st   shape.Strides
		want string
		step int
		ok   bool
	}{
		{shape.Shape{}, shape.Strides{}, "[0]", 0, true},
		{shape.Shape{3}, shape.Strides{10}, "[0 10 20]", 10, true},
		{shape.Shape{2, 2}, shape.Strides{20, 10}, "[0 10 20 30]", 10, true},
		{shape.Shape{2, 2}, shape.Strides{10, 0}, "[0 0 10 10]", 0, false},
		{shape.Shape{0}, shape.Strides{1}, "[]", 0, true},
	} {
		list := offsets(c.s, c.st)
		step, ok := regular(list)
		if fmt.Sprint(list) != c.want || step != c.step || ok != c.ok {
			t.Errorf("%v %v: %v, step %d, %v", c.s, c.st, list, step, ok)
		}
	}
}

// TestUsage parses a log of ptxas.
func TestUsage(t *testing.T) {
	log := `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k_1' for 'sm_90'
ptxas info    : Function properties for k_1
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 25 registers, used 0 barriers, 4224 bytes smem
ptxas info    : Compiling entry function 'k_2' for 'sm_90'
ptxas info    : Used 7 registers`
	want := "[{k_1 25 16 8 12 4224 0} {k_2 7 0 0 0 0 0}]"
	if got := fmt.Sprint(usage(log)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
