package system_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/blas/system"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// library is a BLAS in C with the interface of the real ones. It adds 0.5 to each
// element, if it is compiled with WRONG, and counts its calls in a file.
const library = `
#include <stdio.h>
#include <stdlib.h>
static int threads = 7;
void openblas_set_num_threads(int n) { threads = n; }
char *openblas_get_config(void) { return "Toy 1.0"; }
#define GEMM(name, T) \
void name(int order, int tA, int tB, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc) { \
	if (order != 101) abort(); \
	for (int i = 0; i < m; i++) \
		for (int j = 0; j < n; j++) { \
			T s = WRONG; \
			for (int t = 0; t < k; t++) s += (tA == 111 ? a[i*lda+t] : a[t*lda+i])*(tB == 111 ? b[t*ldb+j] : b[j*ldb+t]); \
			c[i*ldc+j] = alpha*s + (beta == 0 ? 0 : beta*c[i*ldc+j]) + (m == 3 ? 1000*threads : 0); \
		} \
}
GEMM(cblas_sgemm, float)
#ifndef HALF
GEMM(cblas_dgemm, double)
#endif
`

// build compiles the library and returns its path.
func build(t *testing.T, flags ...string) string {
	t.Helper()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("no library is opened here, or there is no C compiler")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("the test needs gcc")
	}
	dir := t.TempDir()
	source, path := filepath.Join(dir, "toy.c"), filepath.Join(dir, "toy.so")
	if err := os.WriteFile(source, []byte(library), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, append(flags, "-O1", "-shared", "-fPIC", "-o", path, source)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// TestProducts computes products with a library that adds a thousand for each thread to
// matrices of three rows, so that the test sees which code computed them.
func TestProducts(t *testing.T) {
	path := build(t, "-DWRONG=0")
	t.Run("f32", func(t *testing.T) { products[float32](t, path) })
	t.Run("f64", func(t *testing.T) { products[float64](t, path) })
}

func products[T float32 | float64](t *testing.T, path string) {
	a := engine.MustFromSlice([]T{1, 2, 3, 4, 5, 6}, 3, 2)
	b := engine.MustFromSlice([]T{1, 10, 100, 1000, 1, -1, 0, 2}, 2, 4)
	for _, c := range []struct {
		name    string
		product expr.Exp[T]
		want    []T
	}{
		{"nn", op.MatMul(a, b), []T{3, 8, 100, 1004, 7, 26, 300, 3008, 11, 44, 500, 5012}},
		{"tt", op.MatMul(op.T(b), op.T(a)), []T{3, 7, 11, 8, 26, 44, 100, 300, 500, 1004, 3008, 5012}},
	} {
		for products, extra := range map[string]T{engine.ProductsByEngine: 0, path: 2000} {
			got := engine.Zeros[T](c.product.Node().Shape()...)
			if err := engine.RunWith(context.Background(), engine.Options{Products: products, Threads: 2}, expr.Let(got, c.product)); err != nil {
				t.Fatal(err)
			}
			rows := got.Shape()[0]
			for i, x := range got.Data() {
				want := c.want[i]
				if rows == 3 {
					want += min(extra, 1000*T(runtime.GOMAXPROCS(0)))
				}
				if x != want {
					t.Errorf("%s by %q: element %d is %v, want %v", c.name, products, i, x, want)
				}
			}
		}
	}
}

// TestRefused opens files that are no BLAS, are half of one, or compute wrong products.
func TestRefused(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.so")
	if err := os.WriteFile(text, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	wrong := build(t, "-DWRONG=0.5")
	for want, path := range map[string]string{
		"cannot open":            "/nowhere/lib.so",
		"text.so: ":              text,
		"no function cblas_dgem": build(t, "-DWRONG=0", "-DHALF"),
		"its products are wrong": wrong,
		"there is no library of": "openbla",
	} {
		l, err := system.Open(path)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v; want one line with %q", path, l, err, want)
		}
		x := engine.Zeros[float32](2, 2)
		err = engine.RunWith(context.Background(), engine.Options{Products: path}, expr.Let(x, op.MatMul(x, x)))
		if !errors.Is(err, expr.ErrUnsupported) || !strings.Contains(err.Error(), "Options.Products is ") {
			t.Errorf("a program with %s: %v", path, err)
		}
	}
}

// TestLibrary opens one twice, and gives it arguments for which it would leave its memory.
func TestLibrary(t *testing.T) {
	path := build(t, "-DWRONG=0")
	l, err := system.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := system.Open(path); again != l || err != nil {
		t.Errorf("opened again: %p and %p, %v", again, l, err)
	}
	if got := l.String(); got != path+" Toy 1.0" {
		t.Errorf("it is %q", got)
	}
	var _ driver.BLAS = l
	type product = driver.Product[float64]
	four := make([]float64, 4)
	for name, p := range map[string]*product{
		"A":        {M: 2, N: 2, K: 2, A: four[:3], B: four, C: four, LdA: 2, LdB: 2, LdC: 2},
		"B":        {M: 2, N: 2, K: 3, A: make([]float64, 6), B: make([]float64, 5), C: four, TransB: true, LdA: 3, LdB: 3, LdC: 2},
		"C":        {M: 2, N: 2, K: 2, A: four, B: four, C: four, LdA: 2, LdB: 2, LdC: 1},
		"negative": {M: -1, N: 2, K: 2, B: four, LdA: 2, LdB: 2, LdC: 2},
	} {
		panics(t, name, func() { l.Float64(p) })
	}
	panics(t, "zero", func() { new(system.Library).Float32(&driver.Product[float32]{LdA: 1, LdB: 1, LdC: 1}) })
	panics(t, "nil", func() { (*system.Library)(nil).Float64(&product{LdA: 1, LdB: 1, LdC: 1}) })
	l.Float64(&product{N: 2, K: 2, B: four, LdA: 2, LdB: 2, LdC: 2})
}

func panics(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		if p, _ := recover().(string); !strings.HasPrefix(p, "system: ") {
			t.Errorf("%s: %v", name, p)
		}
	}()
	f()
}

// TestNames opens what the machine has of the known libraries.
func TestNames(t *testing.T) {
	for _, name := range system.Names() {
		l, err := system.Open(name)
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		t.Logf("%s: %s", name, l)
	}
}
