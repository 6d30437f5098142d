package exec

import (
	"errors"
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestMDWE runs code in a process that can no longer make memory executable
// that was not so from the beginning.
func TestMDWE(t *testing.T) {
	const again = "ONELOOP_TEST_MDWE"
	if os.Getenv(again) == "" {
		if _, err := Probe(); errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		out, err := child(t, again+"=1")
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Logf("%s", out)
		return
	}
	const refuseExecGain = 1
	if err := unix.Prctl(unix.PR_SET_MDWE, refuseExecGain, 0, 0, 0); err != nil {
		t.Skip("the kernel has no PR_SET_MDWE: ", err)
	}
	m, err := Probe()
	if err != nil || m != DualMap {
		t.Fatalf("method %v, %v", m, err)
	}
	if err := try(Protect); err == nil {
		t.Error("mprotect still works")
	}
	c := install(t, answer(9))
	var x uint64
	if c.Call(unsafe.Pointer(&x)); x != 9 {
		t.Errorf("answer %d", x)
	}
}
