package standin

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestBuild takes a kernel through both stand-ins.
func TestBuild(t *testing.T) {
	if !testlevel.Deep() {
		t.Skip("the tests of engine/cuda build the same and run much more on it")
	}
	dir := t.TempDir()
	Build(t, dir)
	client := filepath.Join(dir, "client")
	if out, err := exec.Command("g++", "-std=c++17", "-o", client, "testdata/client.cc", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.3000s", err, out)
	}
	cmd := exec.Command(client)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "ok\n" {
		t.Fatalf("%v\n%s", err, out)
	}
}
