package dl

import (
	"runtime"
	"strings"
	"sync"
	"testing"
)

// TestWhyNotOpened opens a file that is not there, on many goroutines that move between
// threads. Each error must name the file.
func TestWhyNotOpened(t *testing.T) {
	if !supported || runtime.GOOS == "windows" {
		t.Skip("the error is not that of a thread here")
	}
	const name = "liboneloop-is-not-there.so.1"
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range 2000 {
				if _, err := open(name, false); err == nil || !strings.Contains(err.Error(), name) {
					t.Errorf("the error is %q, want one that names %s", err, name)
					return
				}
				runtime.Gosched()
			}
		})
	}
	group.Wait()
}
