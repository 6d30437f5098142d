//go:build unix

package npy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

var (
	older = sample(dtype.U8, false, 3)
	newer = sample(dtype.F32, true, 2, 2)
)

func TestPrepareCommit(t *testing.T) {
	dir := t.TempDir()
	x, y := filepath.Join(dir, "x.npy"), filepath.Join(dir, "y.npy")
	if err := WriteFile(x, older); err != nil {
		t.Fatal(err)
	}
	var pending []*Pending
	for _, path := range []string{x, y} {
		p, err := Prepare(path, newer)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Abort()
		pending = append(pending, p)
	}
	if !same(mustRead(t, x), older) {
		t.Error("Prepare changed the old file")
	}
	if _, err := os.Stat(y); err == nil {
		t.Error("Prepare made the new file")
	}
	for _, p := range pending {
		if err := p.Commit(); err != nil {
			t.Fatal(err)
		}
		p.Abort()
		if err := p.Commit(); err == nil || !strings.Contains(err.Error(), "already committed") {
			t.Errorf("second Commit: %v", err)
		}
	}
	for _, path := range []string{x, y} {
		if !same(mustRead(t, path), newer) {
			t.Errorf("%s does not hold the new array", path)
		}
	}
	noTemps(t, dir)
}

func TestAbort(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.npy")
	if err := WriteFile(path, older); err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(path, newer)
	if err != nil {
		t.Fatal(err)
	}
	p.Abort()
	p.Abort()
	if err := p.Commit(); err == nil {
		t.Error("Commit after Abort")
	}
	if !same(mustRead(t, path), older) {
		t.Error("the old file changed")
	}
	noTemps(t, dir)
}

func TestCommitFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.npy")
	p, err := Prepare(path, newer)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o777); err != nil { // a folder cannot be replaced by a file
		t.Fatal(err)
	}
	if err := p.Commit(); err == nil {
		t.Error("a folder was replaced")
	}
	noTemps(t, dir)
}

func TestPermissions(t *testing.T) {
	mask := syscall.Umask(0o027)
	defer syscall.Umask(mask)
	dir := t.TempDir()
	tests := []struct {
		name      string
		old, want os.FileMode // old 0: no file
	}{{"new.npy", 0, 0o640}, {"private.npy", 0o600, 0o600}, {"open.npy", 0o666, 0o666}}
	for _, tt := range tests {
		path := filepath.Join(dir, tt.name)
		if tt.old != 0 {
			mustWrite(t, path, nil, tt.old)
			if err := os.Chmod(path, tt.old); err != nil {
				t.Fatal(err)
			}
		}
		if err := WriteFile(path, newer); err != nil {
			t.Fatal(err)
		}
		if st, err := os.Stat(path); err != nil || st.Mode() != tt.want {
			t.Errorf("%s: mode %v %v, want %v", tt.name, st.Mode(), err, tt.want)
		}
	}
}

func TestReadOnly(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write every file")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "x.npy")
	mustWrite(t, path, []byte("old"), 0o444)
	if err := WriteFile(path, newer); !os.IsPermission(err) && (err == nil || !strings.Contains(err.Error(), "permission denied")) {
		t.Errorf("a read-only file was replaced: %v", err)
	}
	noTemps(t, dir)
}

func TestSymlinks(t *testing.T) {
	dir := t.TempDir()
	join := func(s ...string) string { return filepath.Join(append([]string{dir}, s...)...) }
	for _, d := range []string{"deep", "deep/data", "links"} {
		if err := os.Mkdir(join(d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"links/abs.npy":      join("deep/data/abs.npy"),
		"links/rel.npy":      "../deep/data/rel.npy",
		"links/chain.npy":    "rel.npy",
		"links/dangling.npy": "../deep/dangling.npy",
		"in":                 "deep/data", // in/.. is deep, not dir
		"deep/data/up.npy":   "../up.npy",
		"loop.npy":           "loop.npy",
	} {
		if err := os.Symlink(to, join(name)); err != nil {
			t.Fatal(err)
		}
	}
	mustWrite(t, join("deep/data/abs.npy"), nil, 0o666)
	mustWrite(t, join("deep/data/rel.npy"), nil, 0o666)
	for name, target := range map[string]string{
		"links/abs.npy":      "deep/data/abs.npy",
		"links/rel.npy":      "deep/data/rel.npy",
		"links/chain.npy":    "deep/data/rel.npy",
		"links/dangling.npy": "deep/dangling.npy",
		"in/up.npy":          "deep/up.npy",
		"in/../side.npy":     "deep/side.npy",
	} {
		// Not Join, which would clean ".." away.
		if err := WriteFile(dir+"/"+name, newer); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if st, err := os.Lstat(join(target)); err != nil || !st.Mode().IsRegular() {
			t.Errorf("%s: %s is not a regular file: %v", name, target, err)
		} else if !same(mustRead(t, join(target)), newer) {
			t.Errorf("%s: not written to %s", name, target)
		}
		if strings.HasPrefix(name, "links/") {
			if st, err := os.Lstat(join(name)); err != nil || st.Mode()&os.ModeSymlink == 0 {
				t.Errorf("%s is no link any more", name)
			}
		}
	}
	for _, bad := range []string{"loop.npy", "deep", "none/x.npy", "none/", "links/abs.npy/x.npy"} {
		if err := WriteFile(dir+"/"+bad, newer); err == nil {
			t.Errorf("%s was written", bad)
		}
	}
	for _, d := range []string{"", "deep", "deep/data", "links"} {
		noTemps(t, join(d))
	}
}

func TestWriteThrough(t *testing.T) {
	var want bytes.Buffer
	if err := Write(&want, newer); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	got := make(chan *Array)
	go func() {
		a, err := ReadFile(fifo)
		if err != nil {
			t.Error(err)
		}
		got <- a
	}()
	if err := WriteFile(fifo, newer); err != nil {
		t.Fatal(err)
	}
	if a := <-got; a == nil || !same(a, newer) {
		t.Errorf("the fifo gave %+v", a)
	}
	if st, err := os.Stat(fifo); err != nil || st.Mode()&os.ModeNamedPipe == 0 {
		t.Error("the fifo was replaced")
	}
	if err := WriteFile(os.DevNull, newer); err != nil {
		t.Error(err)
	}
	if st, err := os.Stat(os.DevNull); err != nil || st.Mode().IsRegular() {
		t.Error("/dev/null was replaced")
	}
	noTemps(t, dir)

	// An open file, as /dev/stdout is when the shell redirects: added to.
	path := filepath.Join(dir, "log")
	mustWrite(t, path, []byte("before "), 0o666)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fd := "/proc/self/fd/" + itoa(int(f.Fd()))
	if _, err := os.Stat(fd); err != nil {
		t.Skip("no /proc/self/fd here")
	}
	link := filepath.Join(dir, "link.npy")
	if err := os.Symlink(fd, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{fd, link} {
		p, err := Prepare(name, newer)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	if b, _ := os.ReadFile(path); string(b) != "before "+want.String()+want.String() {
		t.Errorf("the open file holds %q", b)
	}
}

// TestPrepareWith checks that a file of another format is replaced as a whole.
func TestPrepareWith(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, want := range []string{"one", "two"} {
		p, err := PrepareWith(path, func(w io.Writer) error { _, err := io.WriteString(w, want); return err })
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	fails := errors.New("fails")
	_, err := PrepareWith(path, func(w io.Writer) error { io.WriteString(w, "half"); return fails })
	if !errors.Is(err, fails) {
		t.Errorf("the error of the writer is lost: %v", err)
	}
	if got, err := os.ReadFile(path); string(got) != "two" || err != nil {
		t.Errorf("the file has %q, %v", got, err)
	}
}

// TestPanic has a function that panics while it writes.
func TestPanic(t *testing.T) {
	dir := t.TempDir()
	func() {
		defer func() { recover() }()
		_ = WriteFileWith(filepath.Join(dir, "x"), func(io.Writer) error { panic("mine") })
	}()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("the folder has %v, %v", left, err)
	}
}
