// Package standin builds stand-ins for the CUDA driver and for NVRTC, so that
// tests can take generated kernels through the whole of the real path on any
// machine with g++: compile, load, launch, copy. They are test tools. Kernels run
// as plain C++, the threads of a block one after the other as fibers; whatever
// passes here has not run on a GPU.
package standin

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine/internal/cachefile"
)

// Sources has the sources of the stand-ins, in the directory src.
//
//go:embed src
var Sources embed.FS

// Write writes the files of the directory src of an embedded file system into a
// directory.
func Write(t testing.TB, from embed.FS, dir string) {
	t.Helper()
	entries, err := from.ReadDir("src")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := from.ReadFile(path.Join("src", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, e.Name()), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// compiler returns the version of g++.
var compiler = sync.OnceValues(func() ([]byte, error) { return exec.Command("g++", "-dumpfullversion", "-dumpmachine").Output() })

// Compile compiles C++ into a file, with g++ in the directory of its sources, or copies what an
// earlier process compiled of the same sources with the same arguments: the tests of one
// version of the library compile the same programs each time. Where there is no g++ the test is skipped.
func Compile(t testing.TB, dir, file string, args ...string) {
	t.Helper()
	version, err := compiler()
	if err != nil {
		t.Skip("needs g++: ", err)
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %q", version, args)
	sources, err := filepath.Glob(filepath.Join(dir, "*.[ch]*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range sources {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(sum, " %s %d ", filepath.Base(path), len(text))
		sum.Write(text)
	}
	kept := ""
	if user, err := os.UserCacheDir(); err == nil {
		kept = filepath.Join(user, "oneloop-standin", "compiled", hex.EncodeToString(sum.Sum(nil)[:16]))
		if b, err := cachefile.Read(kept, 1<<26); err == nil && os.WriteFile(filepath.Join(dir, file), b, 0o700) == nil {
			now := time.Now()
			_ = os.Chtimes(kept, now, now) // for forget
			return
		}
	}
	cmd := exec.Command("g++", append(args, "-o", file)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%.3000s", file, err, out)
	}
	if b, err := os.ReadFile(filepath.Join(dir, file)); err == nil && kept != "" {
		forget(filepath.Dir(kept))
		_ = cachefile.Write(kept, b) // without it, later processes compile it again
	}
}

// forget removes the files of a directory that nothing has used for a week.
func forget(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 7*24*time.Hour {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// Library returns the arguments with which g++ makes a shared library.
func Library(name string, args ...string) []string {
	return append([]string{"-O1", "-std=c++17", "-shared", "-fPIC", "-Wl,-soname," + name}, args...)
}

// Build compiles the stand-ins into a directory: libcuda.so.1, libnvrtc.so.13 and
// an empty libnvrtc-builtins.so.13.0. The flags are added to those of g++ for the
// kernels, such as -fsanitize=address. Where there is no g++ the test is skipped.
// The directory is needed as long as a process has them open: kernels are compiled
// with headers that are there.
//
// libcuda has a few functions more than the driver: standinFail, standinReset,
// standinUsed, standinLoads, standinUnloads and standinGraphs; see cuda.cc.
func Build(t testing.TB, dir string, flags ...string) {
	t.Helper()
	Write(t, Sources, dir)
	if err := os.WriteFile(filepath.Join(dir, "empty.cc"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for lib, files := range map[string][]string{
		"libcuda.so.1":              {"cuda.cc", "native.cc"},
		"libnvrtc.so.13":            {"nvrtc.cc"},
		"libnvrtc-builtins.so.13.0": {"empty.cc"},
	} {
		args := append([]string{"-DSTANDIN_FLAGS=\"" + strings.Join(flags, " ") + "\""}, files...)
		Compile(t, dir, lib, Library(lib, append(args, "-ldl", "-pthread")...)...)
	}
}
