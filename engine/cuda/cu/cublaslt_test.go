package cu

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/oneloop/oneloop/internal/testlevel"
)

// ltStub builds and uses a libcublasLt with the given bodies and those that one
// product needs.
func ltStub(t *testing.T, bodies map[string]string) {
	t.Helper()
	all := map[string]string{
		"cublasLtCreate":           "(u *h) { *h = 5; return 0; }",
		"cublasLtGetVersion":       "() { return 130102; }",
		"cublasLtMatmulDescCreate": "(u *d, int compute, int scale) { *d = 10; return compute == 70 && scale == 1 ? 0 : 7; }",
		"cublasLtMatmulDescSetAttribute": `(u d, int a, void *p, u n) {
			return d == 10 && (a == 3 && n == 4 && *(int *)p == 1 || a == 4 && n == 4 && *(int *)p == 0 || a == 7 && n == 4 && *(int *)p == 4 ||
				a == 8 && n == 8 && (*(u *)p == 4 || *(u *)p == 400)) ? 0 : 7;
		}`,
		"cublasLtMatrixLayoutCreate": `(u *l, int type, u rows, u cols, long ld) {
			*l = rows == 4 && cols == 2 && ld == 7 ? 21 : rows == 4 && cols == 3 && ld == 8 ? 22 : rows == 2 && cols == 3 && ld == 9 ? 23 : 0;
			return *l && type == 1 ? 0 : 7;
		}`,
		"cublasLtMatrixLayoutSetAttribute": "(u l, int a, void *p, u n) { return a == 5 && n == 4 && *(int *)p == 6 || a == 6 && n == 8 && *(long *)p == l - 10 ? 0 : 7; }",
		"cublasLtMatmulPreferenceCreate":   "(u *p) { *p = 30; return 0; }",
		"cublasLtMatmulPreferenceSetAttribute": `(u q, int a, void *p, u n) {
			return q == 30 && (a == 1 && n == 8 && *(u *)p == 2 || n == 4 && *(int *)p == (a == 5 ? 256 : a == 6 ? 16 : a == 7 || a == 8 ? 8 : -1)) ? 0 : 7;
		}`,
		"cublasLtMatmulAlgoGetHeuristic": `(u h, u d, u a, u b, u c, u r, u q, int want, struct { u algo[8], size; int state; float waves; int more[4]; } *out, int *found) {
			for (int i = 0; i < 8; i++) out->algo[i] = 100 + i;
			out->state = 0;
			*found = 1;
			return h == 5 && d == 10 && a == 21 && b == 22 && c == 23 && r == 23 && q == 30 && want == 1 && sizeof *out == 96 ? 0 : 7;
		}`,
		"cublasLtMatmul": `(u h, u d, double *al, u a, u la, u b, u lb, double *be, u c, u lc, u r, u lr, u *algo, u w, u n, u s) {
			return h == 5 && d == 10 && *al == 1 && a == 100 && la == 21 && b == 200 && lb == 22 && *be == 0 && c == 300 && lc == 23 && r == 300 && lr == 23 &&
				algo[0] == 100 && algo[7] == 107 && w == 1 && n == 2 && s == 3 ? 0 : 13;
		}`,
		"cublasLtMatrixLayoutDestroy": "(u l) { return l > 20 && l < 24 ? 0 : 7; }",
		"cublasLtMatmulDescDestroy":   "(u d) { return d == 10 ? 0 : 7; }",
	}
	maps.Copy(all, bodies)
	use(t, &cublasLt, stub(t, "libcublasLt.so.13", cublasLt.names, all))
}

var ltGemm = Gemm{
	TransA: Trans, M: 2, N: 3, K: 4, A: 100, LdA: 7, StrideA: 11, B: 200, LdB: 8, StrideB: 12, C: 300, LdC: 9, StrideC: 13, Batch: 6,
}

var ltAlignments = Alignments{A: 256, B: 16, C: 8, Bias: 4}

func TestMatmulArguments(t *testing.T) {
	ltStub(t, nil)
	if v, err := CublasLtVersion(); v != 130102 || err != nil {
		t.Errorf("CublasLtVersion: %d, %v", v, err)
	}
	h, err := BlasLtCreate()
	if err != nil {
		t.Fatal(err)
	}
	m, err := h.NewMatmul(R_64F, &ltGemm, EPILOGUE_BIAS, ltAlignments, 2)
	if err != nil {
		t.Fatal(err)
	}
	g := ltGemm
	run := func() error { return m.Run(&g, 400, 1, 2, 3) }
	if err := run(); err != nil {
		t.Error(err)
	}
	if n := testlevel.Allocs(10, func() { _ = run() }); n != 0 {
		t.Errorf("a product allocates %v times", n)
	}
	g.C = 1000
	var failed *CublasError
	if err := run(); !errors.As(err, &failed) || failed.Call != "cublasLtMatmul" || failed.Result != 13 {
		t.Errorf("a failing product: %v", err)
	}
	for range 2 { // after a failed call the next run sets the attribute again
		if err := m.Run(&ltGemm, 500, 1, 2, 3); !errors.As(err, &failed) || failed.Call != "cublasLtMatmulDescSetAttribute" {
			t.Errorf("a bias that is refused: %v", err)
		}
	}
	for range 2 { // the second call has nothing to destroy
		if err := m.Destroy(); err != nil {
			t.Error(err)
		}
	}
	if err := h.Destroy(); err != nil {
		t.Error(err)
	}
}

// TestMatmulRefusals makes each call of the preparation fail.
func TestMatmulRefusals(t *testing.T) {
	const arguments = "(u h, u d, u a, u b, u c, u r, u q, int want, struct { u algo[8], size; int state; } *out, int *found) "
	for _, c := range []struct {
		call, body string
		result     int
	}{
		{"cublasLtMatmulDescCreate", "() { return 3; }", 3},
		{"cublasLtMatmulDescSetAttribute", "() { return 7; }", 7},
		{"cublasLtMatrixLayoutCreate", "() { return 3; }", 3},
		{"cublasLtMatrixLayoutSetAttribute", "() { return 7; }", 7},
		{"cublasLtMatmulPreferenceCreate", "() { return 3; }", 3},
		{"cublasLtMatmulPreferenceSetAttribute", "() { return 7; }", 7},
		{"cublasLtMatmulPreferenceDestroy", "() { return 14; }", 14},
		{"cublasLtMatmulAlgoGetHeuristic", "() { return 15; }", 15},
		{"cublasLtMatmulAlgoGetHeuristic", arguments + "{ *found = 0; return 0; }", 15},
		{"cublasLtMatmulAlgoGetHeuristic", arguments + "{ *found = 1; out->state = 8; return 0; }", 8},
	} {
		t.Run(fmt.Sprint(c.call, c.result), func(t *testing.T) {
			ltStub(t, map[string]string{c.call: c.body})
			h, err := BlasLtCreate()
			if err != nil {
				t.Fatal(err)
			}
			var failed *CublasError
			if _, err := h.NewMatmul(R_64F, &ltGemm, EPILOGUE_BIAS, ltAlignments, 2); !errors.As(err, &failed) || failed.Call != c.call || failed.Result != c.result {
				t.Errorf("%v, want result %d of %s", err, c.result, c.call)
			}
		})
	}
}

func TestMissingCublasLt(t *testing.T) {
	t.Run("library", func(t *testing.T) {
		use(t, &cublasLt, t.TempDir()+"/libcublasLt.so.13")
		var missing *NotFound
		if _, err := BlasLtCreate(); !errors.As(err, &missing) {
			t.Errorf("without the library: %v", err)
		}
	})
	t.Run("function", func(t *testing.T) {
		ltStub(t, map[string]string{"cublasLtMatmul": "-"})
		var missing *MissingError
		if _, err := BlasLtCreate(); !errors.As(err, &missing) || missing.Symbol != "cublasLtMatmul" {
			t.Errorf("without a function: %v", err)
		}
	})
}

// TestCublasLt sets attributes of a real cuBLASLt, which needs no GPU for that.
// If it accepts them, their numbers and sizes are right.
func TestCublasLt(t *testing.T) {
	v, err := CublasLtVersion()
	if err != nil {
		t.Skipf("there is no cuBLASLt: %v", err)
	}
	t.Logf("cuBLASLt %d", v)
	for _, typ := range []DataType{R_32F, R_64F} {
		m := &Matmul{lt: &BlasLt{}}
		if err := m.describe(typ, &ltGemm, EPILOGUE_BIAS); err != nil {
			t.Error(err)
		}
		var failed *CublasError
		if err := m.choose(ltAlignments, 1<<20); !errors.As(err, &failed) || failed.Call != "cublasLtMatmulAlgoGetHeuristic" {
			t.Errorf("without a handle: %v", err)
		}
		if err := m.Destroy(); err != nil {
			t.Error(err)
		}
	}
}
