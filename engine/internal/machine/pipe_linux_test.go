package machine

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestPipe finds a pipe in place of the file. A read of it would wait for a writer.
func TestPipe(t *testing.T) {
	t.Setenv("ONELOOP_CACHE", t.TempDir())
	file := path()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(file, 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	done := make(chan bool, 1)
	go func() {
		_, ok := read(file)
		done <- ok
	}()
	select {
	case ok := <-done:
		if ok {
			t.Error("a pipe is read as a model")
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("the read waits for a writer")
	}
}
