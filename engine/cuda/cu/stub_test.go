package cu

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stub builds a shared library of C functions. A function of names returns 0,
// unless bodies has its text, with parameters. The body "-" leaves the function
// out.
func stub(t *testing.T, file string, names []string, bodies map[string]string) string {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skipf("a stand-in library needs gcc: %v", err)
	}
	if !supportedHere() {
		t.Skip("shared libraries are not opened on this platform")
	}
	src := "#include <string.h>\ntypedef unsigned long u;\n"
	for _, name := range names {
		if _, ok := bodies[name]; !ok {
			src += fmt.Sprintf("int %s() { return 0; }\n", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		if body := bodies[name]; body != "-" {
			src += fmt.Sprintf("int %s%s\n", name, body)
		}
	}
	path := filepath.Join(t.TempDir(), file)
	cmd := exec.Command(gcc, "-shared", "-fPIC", "-w", "-std=gnu11", "-x", "c", "-o", path, "-")
	cmd.Stdin = strings.NewReader(src)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("gcc builds no shared library: %v\n%s", err, out)
	}
	return path
}

func supportedHere() bool {
	_, err := os.Stat("/proc/self/exe")
	return err == nil && named("linux", "windows") == "linux"
}

// use replaces a library until the end of the test. The new one is searched for
// only at path.
func use(t *testing.T, l **library, path string) {
	t.Helper()
	old := *l
	t.Setenv(old.Env, path)
	*l = &library{Library: old.Library, names: old.names, optional: old.optional, check: old.check}
	t.Cleanup(func() { *l = old })
}

// driverStub builds and uses a libcuda with the given bodies.
func driverStub(t *testing.T, bodies map[string]string) {
	t.Helper()
	all := map[string]string{
		"cuDriverGetVersion": "(int *v) { *v = 13020; return 0; }",
		"cuGetErrorName":     `(int e, const char **s) { *s = e == 100 ? "CUDA_ERROR_NO_DEVICE" : e == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : 0; return *s ? 0 : 1; }`,
		"cuGetErrorString":   `(int e, const char **s) { *s = "as the stub says"; return 0; }`,
	}
	maps.Copy(all, bodies)
	use(t, &driver, stub(t, "libcuda.so.1", driver.names, all))
}
