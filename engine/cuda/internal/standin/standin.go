// Package standin builds stand-ins for the CUDA driver and for NVRTC, so that
// tests can take generated kernels through the whole of the real path on any
// machine with g++: compile, load, launch, copy. They are test tools. Kernels run
// as plain C++, the threads of a block one after the other as fibers; whatever
// passes here has not run on a GPU.
package standin

import (
	"embed"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed src
var sources embed.FS

// Sources has the sources of the stand-ins, in the directory src.
func Sources() embed.FS { return sources }

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

// Compile compiles C++ into a shared library. Where there is no g++ the test is
// skipped.
func Compile(t testing.TB, library string, args ...string) {
	t.Helper()
	cc, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("needs g++: ", err)
	}
	args = append([]string{"-O1", "-std=c++17", "-shared", "-fPIC", "-Wl,-soname," + filepath.Base(library), "-o", library}, args...)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%.3000s", library, err, out)
	}
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
	Write(t, sources, dir)
	empty := filepath.Join(dir, "empty.cc")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for lib, files := range map[string][]string{
		"libcuda.so.1":              {"cuda.cc", "native.cc"},
		"libnvrtc.so.13":            {"nvrtc.cc"},
		"libnvrtc-builtins.so.13.0": {"empty.cc"},
	} {
		args := []string{"-DSTANDIN_DIR=\"" + dir + "\"", "-DSTANDIN_FLAGS=\"" + strings.Join(flags, " ") + "\""}
		for _, f := range files {
			args = append(args, filepath.Join(dir, f))
		}
		Compile(t, filepath.Join(dir, lib), append(args, "-ldl", "-pthread")...)
	}
}
