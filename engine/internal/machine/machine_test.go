package machine

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestParse(t *testing.T) {
	m, set, err := Parse("l2=1M,l1=32K,stream=off,fetch=0,work=2000.5")
	want := Defaults()
	want.Caches.L1, want.Caches.L2, want.Stream, want.Fetch, want.Work = 32<<10, 1<<20, false, 0, 2000.5
	if m != want || !set || err != nil {
		t.Errorf("%+v, %v, %v; want %+v", m, set, err, want)
	}
	again, set, err := Parse(m.String())
	if again != m || !set || err != nil {
		t.Errorf("%q is read as %+v, %v, %v", m.String(), again, set, err)
	}
	for _, text := range []string{"", "probe", "defaults"} {
		if m, set, err := Parse(text); m != Defaults() || set != (text == "defaults") || err != nil {
			t.Errorf("%q: %+v, %v, %v", text, m, set, err)
		}
	}
	for _, text := range []string{"stream", "stream=1", "fetch=-1", "fetch=99999999", "l1=4000000K", "l2=9999999999999M", "work=NaN", "work=0", "speed=3", ",", "l1=32K,"} {
		if m, set, err := Parse(text); m != Defaults() || set || err == nil || !strings.Contains(err.Error(), Variable) {
			t.Errorf("%q: %+v, %v, %v", text, m, set, err)
		}
	}
}

// TestBeyond takes machines with a last level of their own, of many processors, and none.
func TestBeyond(t *testing.T) {
	for _, c := range []struct{ l2, l3, want int }{
		{1 << 20, 32 << 20, 20 << 20},
		{2 << 20, 480 << 20, 128 << 20},
		{2 << 20, 0, 2 << 20},
		{4 << 20, 4 << 20, 4 << 20},
	} {
		m := Defaults()
		m.Caches.L2, m.Caches.L3 = c.l2, c.l3
		if got := m.Beyond(); got != c.want {
			t.Errorf("levels of %d and %d bytes: %d, want %d", c.l2, c.l3, got, c.want)
		}
	}
}

// TestFile stores a model and reads it, and reads damaged files.
func TestFile(t *testing.T) {
	t.Setenv("ONELOOP_CACHE", t.TempDir())
	file := path()
	if _, ok := read(file); ok {
		t.Error("read a file that is not there")
	}
	m := Defaults()
	m.Stream, m.Fetch = !m.Stream, 512
	if err := write(file, m); err != nil {
		t.Fatal(err)
	}
	if got, ok := read(file); !ok || got != m {
		t.Errorf("%+v, %v; want %+v", got, ok, m)
	}
	if files, err := os.ReadDir(filepath.Dir(file)); err != nil || len(files) != 1 {
		t.Errorf("%v, %v: want one file", files, err)
	}
	for _, text := range []string{"", "\n", m.String(), m.String() + ",", "probe\n", strings.Repeat("x", 1<<13)} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if m, ok := read(file); ok {
			t.Errorf("%.20q is read as %+v", text, m)
		}
	}
	t.Setenv("ONELOOP_CACHE", "off")
	if file := path(); file != "" {
		t.Errorf("the cache is off, but its file is %s", file)
	}
	if err := write(path(), m); err == nil {
		t.Error("wrote a file without a cache")
	}
}

// TestNoProbes tests that tests neither probe the machine nor read what a probe has
// measured, unless they are asked to.
func TestNoProbes(t *testing.T) {
	if os.Getenv(Variable) != "" {
		t.Skip(Variable, " is set")
	}
	t.Setenv("ONELOOP_CACHE", t.TempDir())
	m := Defaults()
	m.Stream = !m.Stream
	if err := write(path(), m); err != nil {
		t.Fatal(err)
	}
	state.once = sync.Once{} // as in a process that begins
	if Probing() || Current() == m {
		t.Errorf("probing %v, the model is %+v", Probing(), Current())
	}
}

// TestNoArguments tests that a process without arguments is no test.
func TestNoArguments(t *testing.T) {
	old := os.Args
	defer func() { os.Args = old }()
	if !inTest() {
		t.Error("this is a test")
	}
	if os.Args = nil; inTest() {
		t.Error("a process without arguments is a test")
	}
}
