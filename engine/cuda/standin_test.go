package cuda

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/cuda/internal/dl"
	"github.com/oneloop/oneloop/engine/cuda/internal/standin"
)

// TestStandin takes programs through the real path - search, dlopen, NVRTC,
// caches, launches, streams, copies - with stand-ins for the libraries. Nothing
// in it runs on a GPU.
func TestStandin(t *testing.T) {
	var flags []string
	if *asan {
		flags = []string{"-fsanitize=address"}
	}
	s := newStandin(t, flags...)
	for _, x := range []struct {
		name string
		test func(*testing.T, *standIn)
	}{
		{"open", testOpen},
		{"open failure", testOpenFailure},
		{"run", testRun},
		{"upload", testUpload},
		{"move", testMove},
		{"peer", testPeer},
		{"mixed", testMixed},
		{"functions", testFunctions},
		{"function order", testFunctionOrder},
		{"async", testAsync},
		{"goroutines", testGoroutines},
		{"shared", testShared},
		{"shared memory", testSharedMemory},
		{"tiles", testTiles},
		{"grid", testGrid},
		{"events", testEvents},
		{"elapsed", testElapsed},
		{"garbage", testGarbage},
		{"graphs", testGraphs},
		{"graph failure", testGraphFailure},
		{"many arguments", testManyArguments},
		{"modules", testModules},
		{"module garbage", testModuleGarbage},
		{"module memory", testModuleMemory},
		{"module flight", testModuleFlight},
		{"module busy", testModuleBusy},
		{"allocations", testAllocations},
		{"products", testProducts},
		{"scaled", testScaled},
		{"ordered", testOrdered},
		{"neighbours", testNeighbours},
		{"bias", testBias},
		{"bias alignment", testBiasAlignment},
		{"bias runs", testBiasRuns},
		{"bias release", testBiasRelease},
		{"bias fallback", testBiasFallback},
		{"bias failure", testBiasFailure},
		{"memory", testOutOfMemory},
		{"pool", testPool},
		{"launch", testLaunchFailure},
		{"sticky", testSticky},
		{"asynchronous fault", testAsyncFault},
		{"asynchronous failure", testAsyncFailure},
		{"choice", testChoice},
		{"release", testRelease},
		{"disk", testDisk},
		{"filled cache", testFillCache},
		{"source", testBadSource},
		{"pinned", testPinned},
		{"abilities", testAbilities},
		{"routines", testRoutines},
		{"routine target", testRoutineTarget},
		{"routine fault", testRoutineFault},
		{"ranges", testRanges},
		{"conformance", testConformance},
	} {
		t.Run(x.name, func(t *testing.T) {
			s.reset()
			x.test(t, s)
		})
	}
}

// A standIn is the set of stand-in libraries that this process uses.
type standIn struct {
	dir string
	fn  map[string]uintptr
}

// built has the stand-ins after the first build, else nil. Libraries stay open
// for the life of the process, so all repetitions of a test use the same.
var built *standIn

func TestMain(m *testing.M) {
	code := m.Run()
	if built != nil {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// newStandin returns the stand-ins and sets the environment of the test so that
// it uses them.
func newStandin(t testing.TB, flags ...string) *standIn {
	t.Helper()
	if built == nil {
		built = buildStandin(t, flags)
	}
	s := built
	t.Setenv("ONELOOP_LIBCUDA", filepath.Join(s.dir, "libcuda.so.1"))
	t.Setenv("ONELOOP_LIBNVRTC", filepath.Join(s.dir, "libnvrtc.so.13"))
	t.Setenv("ONELOOP_LIBCUBLAS", filepath.Join(s.dir, "libcublas.so.13"))
	t.Setenv("ONELOOP_LIBCUBLASLT", filepath.Join(s.dir, "libcublasLt.so.13"))
	t.Setenv("ONELOOP_CACHE", s.cache(t, flags))
	if err := cu.Init(0); err != nil {
		t.Fatal(err)
	}
	s.find(t, "ONELOOP_LIBCUDA", "standinFail", "standinReset", "standinUsed", "standinLoads", "standinUnloads", "standinGraphs", "standinKept")
	s.find(t, "ONELOOP_LIBCUBLASLT", "standinLtFail", "standinLtLive", "standinLtProducts")
	return s
}

func buildStandin(t testing.TB, flags []string) *standIn {
	t.Helper()
	dir, err := os.MkdirTemp("", "oneloop-standin")
	check(t, err)
	t.Cleanup(func() {
		if built == nil {
			_ = os.RemoveAll(dir)
		}
	})
	s := &standIn{dir: dir, fn: map[string]uintptr{}}
	standin.Build(t, s.dir, flags...)
	s.precompile(t, flags)
	buildBlas(t, s.dir)
	return s
}

// buildBlas compiles the stand-ins for cuBLAS, cuBLASLt and NVTX into a directory.
func buildBlas(t testing.TB, dir string) {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("needs gcc: ", err)
	}
	for lib, text := range map[string]string{"libcublas.so.13": "cublas.c", "libcublasLt.so.13": "cublaslt.c", "libnvtx3interop.so.1": "nvtx.c"} {
		args := []string{"-O1", "-shared", "-fPIC", "-o", filepath.Join(dir, lib), filepath.Join("testdata", text)}
		if out, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
}

// find finds the test functions of a stand-in, which the real library does not
// have.
func (s *standIn) find(t testing.TB, env string, names ...string) {
	t.Helper()
	l := dl.Library{Name: env, Env: env, Names: []string{""}}
	opened, err := l.Open(func(dl.Handle, string) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if s.fn[name], err = dl.Symbol(opened.Handle, name); err != nil {
			t.Fatal(err)
		}
	}
}

// precompile compiles the header of the shim once, with the flags of nvrtc.cc.
// With that, and without the C++ headers, which no kernel needs, a kernel
// compiles in 100 ms.
func (s *standIn) precompile(t testing.TB, flags []string) {
	t.Helper()
	header := filepath.Join(s.dir, "shim.h")
	args := append([]string{"-O1", "-std=c++17", "-nostdinc++", "-ffp-contract=off", "-w", "-fPIC"}, flags...)
	if out, err := exec.Command("g++", append(args, "-x", "c++-header", header, "-o", header+".gch")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// cache returns a directory for the code of the stand-in for NVRTC. It lasts from
// test run to test run, and is never the directory of real code.
func (s *standIn) cache(t testing.TB, flags []string) string {
	t.Helper()
	user, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir()
	}
	sum := sha256.New()
	for _, f := range flags {
		sum.Write([]byte(f))
	}
	for _, name := range []string{"nvrtc.cc", "shim.h", "module.h"} {
		b, err := os.ReadFile(filepath.Join(s.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(b)
	}
	return filepath.Join(user, "oneloop-standin", hex.EncodeToString(sum.Sum(nil)[:8]))
}

// fail makes a call fail once, after so many calls that pass.
func (s *standIn) fail(call string, after int, r cu.Result) {
	name := append([]byte(call), 0)
	dl.Call(s.fn["standinFail"], uintptr(unsafe.Pointer(&name[0])), uintptr(after), uintptr(r))
}

func (s *standIn) reset() {
	dl.Call(s.fn["standinReset"], 0, 0)
	s.failLt("", 0)
}

// limit sets the memory of the devices, and whether threads and blocks run in
// reverse order.
func (s *standIn) limit(bytes int, reverse bool) {
	order := uintptr(0)
	if reverse {
		order = 1
	}
	dl.Call(s.fn["standinReset"], uintptr(bytes), order)
}

// modules returns the numbers of modules loaded and unloaded since the start of
// the process.
func (s *standIn) modules() (loads, unloads int) {
	return int(dl.Call(s.fn["standinLoads"])), int(dl.Call(s.fn["standinUnloads"]))
}

// graphs returns the number of graphs that were created and not destroyed.
func (s *standIn) graphs() int { return int(dl.Call(s.fn["standinGraphs"])) }

func (s *standIn) used() int { return int(dl.Call(s.fn["standinUsed"])) }

// open opens a device for one test, which may lose it without effect on others. A
// device lives as long as the process. At the end of the test its idle
// driverStreams are destroyed, so that the workspaces of many devices do not fill
// the memory.
func open(t *testing.T) *device {
	t.Helper()
	d, err := newDevice(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := d.do("closing idle streams", func() error {
			for len(d.idle) > 0 {
				l, err := d.borrow()
				if err == nil {
					err = d.retire(l)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil && d.dead.Load() == nil {
			t.Error(err)
		}
	})
	return d
}

func contains(err error, text string) bool { return err != nil && strings.Contains(err.Error(), text) }
