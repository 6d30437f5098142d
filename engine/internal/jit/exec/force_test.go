package exec

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// TestForced leaves one method after the other, and none, to a process of its
// own.
func TestForced(t *testing.T) {
	const again = "ONELOOP_TEST_FORCED"
	if os.Getenv(again) == "" {
		if !callable {
			t.Skip("no machine code here")
		}
		for _, name := range []string{"memfd", "mprotect", "none"} {
			if out, err := child(t, again+"=1", "ONELOOP_EXEC="+name); err != nil {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		}
		return
	}
	m, err := Probe()
	switch name := forced(); {
	case name == "none":
		if m != None || err == nil || !strings.Contains(err.Error(), "ONELOOP_EXEC=none") {
			t.Errorf("method %v, error %v", m, err)
		}
		if _, err := Install(answer(1)); err == nil {
			t.Error("code was installed")
		}
		return
	case errors.Is(err, errors.ErrUnsupported):
		t.Skip(err)
	case name == "memfd" && m != DualMap, name == "mprotect" && m != Protect:
		t.Fatalf("method %v, error %v", m, err)
	}
	var codes []*Code
	for i := range 500 {
		codes = append(codes, install(t, answer(uint32(i))))
	}
	for i, c := range codes {
		var x uint64
		if c.Call(unsafe.Pointer(&x)); x != uint64(i) {
			t.Errorf("code %d answers %d", i, x)
		}
		c.Release()
	}
	noWriteAndExec(t)
}

// TestCollect fills the arena with code that only cleanups release: then
// Install waits for them.
func TestCollect(t *testing.T) {
	install(t, nothing()).Release()
	m, _ := Probe()
	a := arenas[m]
	a.mu.Lock()
	limit := a.limit
	a.limit = a.total + 4*segmentSize
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		a.limit = limit
		a.mu.Unlock()
	}()
	for i := range 40 {
		c, err := Install(make([]byte, segmentSize/2))
		if err != nil {
			t.Fatalf("after %d: %v", i, err)
		}
		releaseWithOwner(c)
	}
}

// releaseWithOwner releases c when the collector has taken something that
// nobody can reach.
func releaseWithOwner(c *Code) {
	owner := new([16]int)
	runtime.AddCleanup(owner, func(c *Code) { c.Release() }, c)
}
