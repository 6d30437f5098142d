package cu

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestArguments checks the arguments that a C function receives.
func TestArguments(t *testing.T) {
	driverStub(t, map[string]string{
		"cuMemAlloc_v2":     "(u *p, u n) { *p = 0x700000000000 + n; return n > (1ul << 40) ? 2 : 0; }",
		"cuMemcpyHtoD_v2":   `(u dst, const char *src, u n) { return dst == 7 && n == 5 && !memcmp(src, "hello", 5) ? 0 : 1; }`,
		"cuMemcpyDtoH_v2":   `(char *dst, u src, u n) { memcpy(dst, "world", n); return src == 7 ? 0 : 1; }`,
		"cuMemcpyPeerAsync": "(u a, u b, u c, u d, u e, u f) { return a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 ? 0 : 1; }",
		"cuLaunchKernel": `(u f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned sh, u s, void **args, void **extra) {
			return f == 11 && gx == 2147483647 && gy == 2 && gz == 3 && bx == 256 && by == 5 && bz == 6 && sh == 99 && s == 12 && !extra && *(int *)args[0] == 42 ? 0 : 1;
		}`,
		"cuStreamQuery":      "(u s) { return s == 1 ? 0 : s == 2 ? 600 : 719; }",
		"cuEventElapsedTime": "(float *ms, u a, u b) { *ms = 1.5; return a == 1 && b == 2 ? 0 : 1; }",
		"cuDeviceGetName":    `(char *s, int n, int d) { strncpy(s, "Stub 9000", n); return 0; }`,
	})
	check := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	p, err := MemAlloc(4096)
	if check("MemAlloc", err); p != 0x700000001000 {
		t.Errorf("MemAlloc gives %#x", p)
	}
	if _, err := MemAlloc(1 << 50); !errors.Is(err, ERROR_OUT_OF_MEMORY) {
		t.Errorf("a large MemAlloc: %v", err)
	}
	b := []byte("hello")
	check("MemcpyHtoD", MemcpyHtoD(7, unsafe.Pointer(&b[0]), 5))
	check("MemcpyDtoH", MemcpyDtoH(unsafe.Pointer(&b[0]), 7, 5))
	if string(b) != "world" {
		t.Errorf("MemcpyDtoH gives %q", b)
	}
	check("MemcpyPeerAsync", MemcpyPeerAsync(1, 2, 3, 4, 5, 6))
	arg := []byte{42, 0, 0, 0}
	l := NewLaunch(11, Dim3{2147483647, 2, 3}, Dim3{256, 5, 6}, 99, arg)
	check("Launch", l.Run(12))
	if n := testlevel.Allocs(10, func() { check("Launch", l.Run(12)) }); n != 0 {
		t.Errorf("a launch allocates %v times", n)
	}
	if done, err := Stream(1).Query(); !done || err != nil {
		t.Errorf("an empty stream: %v, %v", done, err)
	}
	if done, err := Stream(2).Query(); done || err != nil {
		t.Errorf("a busy stream: %v, %v", done, err)
	}
	if _, err := Stream(3).Query(); !errors.Is(err, ERROR_LAUNCH_FAILED) || !ERROR_LAUNCH_FAILED.Sticky() {
		t.Errorf("a broken stream: %v", err)
	}
	if ms, err := Event(2).ElapsedTime(1); ms != 1.5 || err != nil {
		t.Errorf("ElapsedTime: %v, %v", ms, err)
	}
	if name, err := Device(0).Name(); name != "Stub 9000" || err != nil {
		t.Errorf("Name: %q, %v", name, err)
	}
}

func TestGemmArguments(t *testing.T) {
	head := "h == 5 && ta == 1 && tb == 0 && m == 2 && n == 3 && k == 4 && a == 100 && la == 7 && b == 200 && lb == 8 && c == 300 && lc == 9"
	strided := " && sa == 11 && sb == 12 && sc == 13 && batch == 6"
	use(t, &cublas, stub(t, "libcublas.so.13", cublas.names, map[string]string{
		"cublasCreate_v2":   "(u *h) { *h = 5; return 0; }",
		"cublasGetProperty": "(int p, int *v) { *v = p == 0 ? 13 : p; return 0; }",
		"cublasSgemm_v2":    "(u h, int ta, int tb, int m, int n, int k, float *al, u a, int la, u b, int lb, float *be, u c, int lc) { return *al == 1.5 && *be == -2 && " + head + " ? 0 : 7; }",
		"cublasDgemmStridedBatched": "(u h, int ta, int tb, int m, int n, int k, double *al, u a, int la, long sa, u b, int lb, long sb, double *be, u c, int lc, long sc, int batch) { return *al == 1.5 && *be == -2 && " +
			head + strided + " ? 0 : 7; }",
		"cublasSetWorkspace_v2": "(u h, u p, u n) { return h == 5 && p == 1 && n == 2 ? 0 : 14; }",
	}))
	if v, err := CublasVersion(); v != 130102 || err != nil {
		t.Errorf("CublasVersion: %d, %v", v, err)
	}
	h, err := BlasCreate()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.On(3, 1, 2); err != nil {
		t.Error(err)
	}
	g := &Gemm{TransA: Trans, M: 2, N: 3, K: 4, A: 100, LdA: 7, StrideA: 11, B: 200, LdB: 8, StrideB: 12, C: 300, LdC: 9, StrideC: 13, Batch: 1, Alpha: 1.5, Beta: -2}
	if err := h.Sgemm(g); err != nil {
		t.Error(err)
	}
	g.Batch = 6
	if err := h.Dgemm(g); err != nil {
		t.Error(err)
	}
	g.M = 1000
	var failed *CublasError
	if err := h.Dgemm(g); !errors.As(err, &failed) || failed.Result != 7 {
		t.Errorf("a failing gemm: %v", err)
	}
}

// TestNvrtc compiles with a real NVRTC, which needs no GPU.
func TestNvrtc(t *testing.T) {
	if _, _, err := NvrtcVersion(); err != nil {
		t.Skipf("there is no NVRTC: %v", err)
	}
	archs, err := NvrtcArchs()
	if err != nil || len(archs) == 0 {
		t.Fatalf("architectures: %v, %v", archs, err)
	}
	src := `extern "C" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }`
	c, err := NvrtcCompile(src, "twice.cu", "-arch=sm_90", "--std=c++17", "-default-device", "-lineinfo", "--fmad=false")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(c.Cubin), "\x7fELF") {
		t.Errorf("the cubin begins with %q", c.Cubin[:min(4, len(c.Cubin))])
	}
	if c, err = NvrtcCompile(src, "twice.cu", "-arch=compute_75"); err != nil || c.Cubin != nil || !strings.Contains(string(c.PTX), ".entry twice") {
		t.Errorf("PTX: %v", err)
	}
	var failed *NvrtcError
	if _, err := NvrtcCompile("int f() { return undeclared; }", "bad.cu"); !errors.As(err, &failed) || !strings.Contains(failed.Log, "undeclared") {
		t.Errorf("bad source: %v", err)
	}
}

func BenchmarkLaunch(b *testing.B) {
	if os.Getenv("ONELOOP_LIBCUDA") == "" {
		b.Skip("set ONELOOP_LIBCUDA to a stub whose cuLaunchKernel returns 0")
	}
	l := NewLaunch(1, Dim3{1, 1, 1}, Dim3{1, 1, 1}, 0, make([]byte, 64))
	for b.Loop() {
		if err := l.Run(0); err != nil {
			b.Fatal(err)
		}
	}
}
