package cu

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/cuda/internal/dl"
)

func TestNoLibrary(t *testing.T) {
	use(t, &driver, filepath.Join(t.TempDir(), "libcuda.so.1"))
	err := Init(0)
	var missing *dl.NotFound
	if !errors.As(err, &missing) || len(missing.Refused) != 1 || !strings.Contains(err.Error(), "libcuda.so.1") {
		t.Fatalf("Init without a driver: %v", err)
	}
	if _, err := MemAlloc(1); !errors.As(err, &missing) {
		t.Errorf("MemAlloc without a driver: %v", err)
	}
	if HasMemPools() || HasGraphs() {
		t.Error("a missing driver has pools or graphs")
	}
	if info := Libraries()[0]; info.Err == nil || len(info.Refused) != 1 || info.Path != "" {
		t.Errorf("the report is %+v", info)
	}
}

// TestNoDriver tests a machine that has the library and no GPU.
func TestNoDriver(t *testing.T) {
	driverStub(t, map[string]string{"cuInit": "(int flags) { return 100; }"})
	err := Init(0)
	if !errors.Is(err, ERROR_NO_DEVICE) {
		t.Fatalf("Init: %v", err)
	}
	if want := "cuInit: CUDA_ERROR_NO_DEVICE (100): as the stub says"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	if info := Libraries()[0]; info.Err != nil || info.Version != "13.2" {
		t.Errorf("the report is %+v", info)
	}
}

func TestMissingSymbol(t *testing.T) {
	driverStub(t, map[string]string{"cuLaunchKernel": "-"})
	var missing *MissingError
	if err := Init(0); !errors.As(err, &missing) || missing.Symbol != "cuLaunchKernel" {
		t.Errorf("Init: %v", err)
	}
	driverStub(t, map[string]string{"cuMemAllocAsync": "-", "cuGraphLaunch": "-"})
	if err := Init(0); err != nil {
		t.Fatalf("without optional functions: %v", err)
	}
	if HasMemPools() || HasGraphs() {
		t.Error("pools and graphs are reported without their functions")
	}
	if _, err := MemAllocAsync(1, 0); !errors.As(err, &missing) || missing.Symbol != "cuMemAllocAsync" {
		t.Errorf("MemAllocAsync: %v", err)
	}
}

func TestOldDriver(t *testing.T) {
	driverStub(t, map[string]string{"cuDriverGetVersion": "(int *v) { *v = 11080; return 0; }"})
	if err := Init(0); err == nil || !strings.Contains(err.Error(), "11.8") {
		t.Errorf("a driver for CUDA 11.8: %v", err)
	}
}

func TestNotALibrary(t *testing.T) {
	if !supportedHere() {
		t.Skip("shared libraries are not opened on this platform")
	}
	path := filepath.Join(t.TempDir(), "libcuda.so.1")
	if err := os.WriteFile(path, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	use(t, &driver, path)
	if err := Init(0); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a text file as driver: %v", err)
	}
}

func TestNvrtcVersions(t *testing.T) {
	version := func(v string) map[string]string {
		return map[string]string{"nvrtcVersion": "(int *a, int *b) { *a = " + v + "; *b = 4; return 0; }"}
	}
	for _, c := range []struct {
		driver, nvrtc string
		err           string
	}{
		{"13000", "13", ""},
		{"13000", "12", ""},
		{"13000", "11", "NVRTC 11.4 is not of the versions 12 to 13"},
		{"13000", "14", "NVRTC 14.4 is not of the versions 12 to 13"},
		{"12080", "13", "NVRTC 13.4 makes code that the driver, for CUDA 12.8, does not load"},
	} {
		driverStub(t, map[string]string{"cuDriverGetVersion": "(int *v) { *v = " + c.driver + "; return 0; }"})
		use(t, &nvrtc, stub(t, "libnvrtc.so.13", nvrtc.names, version(c.nvrtc)))
		_, _, err := NvrtcVersion()
		var wrong *VersionError
		if c.err == "" && err != nil || c.err != "" && (!errors.As(err, &wrong) || wrong.Error() != c.err) {
			t.Errorf("driver %s, NVRTC %s: %v", c.driver, c.nvrtc, err)
		}
	}
}

// TestSearch puts candidates into directories. The search must refuse one that
// cannot be used, with the reason, and try the next.
func TestSearch(t *testing.T) {
	use(t, &driver, filepath.Join(t.TempDir(), "none"))
	bad := stub(t, "libnvrtc.so.12", nvrtc.names, map[string]string{"nvrtcVersion": "(int *a, int *b) { *a = 10; *b = 2; return 0; }"})
	good := stub(t, "libnvrtc.so.13", nvrtc.names, map[string]string{"nvrtcVersion": "(int *a, int *b) { *a = 13; *b = 0; return 0; }"})
	home, site := t.TempDir(), t.TempDir()
	place := func(from, dir, name string) string {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := place(bad, filepath.Join(home, "lib64"), "libnvrtc.so.12")
	second := place(good, filepath.Join(site, "nvidia", "cu13", "lib"), "libnvrtc.so.13")
	t.Setenv("CUDA_HOME", home)
	t.Setenv("PYTHONPATH", site)
	use(t, &nvrtc, "")
	if err := nvrtc.open(); err != nil {
		t.Fatal(err)
	}
	if nvrtc.opened.Path != second && !strings.HasPrefix(nvrtc.opened.Path, "libnvrtc") {
		t.Errorf("%s was chosen", nvrtc.opened.Path)
	}
	if nvrtc.opened.Path == second {
		var wrong *VersionError
		last := nvrtc.opened.Refused[len(nvrtc.opened.Refused)-1]
		if last.Path != first || !errors.As(last.Why, &wrong) || wrong.Major != 10 {
			t.Errorf("refused was %+v", nvrtc.opened.Refused)
		}
	}
}

// TestNewerThanDriver tests a library of a newer major version than the driver's.
// The driver cannot load its code, so the search goes on to the next file.
func TestNewerThanDriver(t *testing.T) {
	driverStub(t, map[string]string{"cuDriverGetVersion": "(int *v) { *v = 12080; return 0; }"})
	use(t, &cublas, stub(t, "libcublas.so.13", cublas.names, map[string]string{
		"cublasGetProperty": "(int p, int *v) { *v = p == 0 ? 13 : 1; return 0; }",
	}))
	use(t, &cublasLt, stub(t, "libcublasLt.so.13", cublasLt.names, map[string]string{"cublasLtGetVersion": "() { return 130100; }"}))
	for _, l := range []*library{cublas, cublasLt} {
		var wrong *VersionError
		if err := l.open(); !errors.As(err, &wrong) || wrong.Major != 13 || wrong.Minor != 1 || wrong.Driver != 12080 {
			t.Errorf("%s is used with an older driver: %v", l.Name, err)
		}
	}
}

func TestSticky(t *testing.T) {
	for r, want := range map[Result]bool{
		214: true, 220: true, 226: true, 700: true, 702: true, 709: true, 710: true, 714: true, 715: true, 716: true, 717: true, 718: true,
		719: true, 721: true, 810: true, 911: true, 0: false, 1: false, 2: false, 222: false, 600: false, 701: false, 704: false, 801: false,
	} {
		if r.Sticky() != want {
			t.Errorf("Result %d: Sticky is %v", r, !want)
		}
	}
}
