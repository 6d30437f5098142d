package standin

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestSanitized runs kernels under AddressSanitizer: no access beyond an array,
// the scratch memory or the shared memory of a launch, reads included.
func TestSanitized(t *testing.T) {
	sanitizer(t)
	trials := random(t, testlevel.Every(60, 6, 2))
	if testlevel.Deep() {
		trials = append(append(trials, texts(t, 6)...), formulas(t)...)
	}
	run(t, trials, "-fsanitize=address")
}

// sanitizer skips the test where there is no AddressSanitizer.
func sanitizer(t *testing.T) {
	t.Helper()
	probe := filepath.Join(t.TempDir(), "probe")
	if err := os.WriteFile(probe+".cc", []byte("int main() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("g++", "-fsanitize=address", "-o", probe, probe+".cc").CombinedOutput(); err != nil {
		t.Skipf("needs a compiler with AddressSanitizer: %s", out)
	}
	if out, err := exec.Command(probe).CombinedOutput(); err != nil {
		t.Skipf("AddressSanitizer does not run here: %s", out)
	}
}

// TestSanitizerSees makes a kernel read beyond the arrays it was bound to.
func TestSanitizerSees(t *testing.T) {
	sanitizer(t)
	k := parse(t, `kernel sum
axis i0
buf x f32 in 1
buf y f32 out 0
{
  vec i0 {
    %0 = load f32 x[i0]
    %1 = reduce sum f32 %0
  }
  store f32 y[] %1
}`)
	c := newTrial(t, rand.New(rand.NewPCG(1, 1)), "beyond", k, []int{100}, nil, [][]int{{100}, nil}, true)
	c.b.Extents = []int{101}
	var err error
	if c.bound, err = c.src.Bind(c.b, c.device); err != nil {
		t.Fatal(err)
	}
	c.setArgs()
	if _, message, failed := execute(t, []*trial{c}, "-fsanitize=address"); failed == nil || !strings.Contains(string(message), "use-after-poison") {
		t.Errorf("%v\n%.1000s", failed, message)
	}
}
