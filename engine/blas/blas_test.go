package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/oneloop/oneloop/engine/internal/jit"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// onAll runs a test with the kernels of each instruction set of the machine, and
// without any.
func onAll(t *testing.T, test func(t *testing.T)) {
	before := isa
	t.Cleanup(func() { forISA(before) })
	for _, name := range append([]string{""}, jit.ISAs...) {
		if _, err := jit.New(name); name != "" && (err != nil || runtime.GOARCH != "amd64") {
			continue
		}
		forISA(func() string { return name })
		t.Run("isa="+name, test)
	}
}

func forISA(f func() string) {
	isa, vectorKernels = f, [operations][2]exec.Lazy{}
}

// A call64 and a call32 are an operation on some slices, whose scalars and flags are
// fixed.
type (
	call64 func(impl blas.Float64, x [][]float64)
	call32 func(impl blas.Float32, x [][]float32)
)

var (
	sides = []blas.Side{blas.Left, blas.Right}
	uplos = []blas.Uplo{blas.Lower, blas.Upper}
	trans = []blas.Transpose{blas.NoTrans, blas.Trans}
	diags = []blas.Diag{blas.NonUnit, blas.Unit}
)

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// An example is one call of an operation, by slices of the given lengths.
type example struct {
	name    string
	lengths []int
	f       call64
	g       call32
	tame    bool // the first slice is a triangle to solve with: its diagonal is large
	n, ld   int
}

// examples returns one call of each operation, with random sizes and flags.
func examples(r *rand.Rand, most int) []example {
	m, n, k := 1+r.IntN(most), 1+r.IntN(most), 1+r.IntN(most)
	s, ul, tA, tB, d := pick(r, sides), pick(r, uplos), pick(r, trans), pick(r, trans), pick(r, diags)
	alpha, beta := pick(r, []float64{1, -1, .5}), pick(r, []float64{0, 1, -.5})
	a32, b32 := float32(alpha), float32(beta)
	gap, q := r.IntN(5), order(s, m, n)
	size := func(t blas.Transpose, rows, cols int) (ld, length int) {
		if t != blas.NoTrans {
			rows, cols = cols, rows
		}
		return cols + gap, (rows-1)*(cols+gap) + cols
	}
	ldA, lenA := size(tA, m, k)
	ldB, lenB := size(tB, k, n)
	ldC, lenC := size(blas.NoTrans, m, n)
	ldM, lenM := size(blas.NoTrans, m, n)
	ldQ, lenQ := size(blas.NoTrans, q, q)
	ldN, lenN := size(blas.NoTrans, n, n)
	ldK, lenK := size(tA, n, k)
	incX, incY := pick(r, []int{1, 2, -1, -3}), pick(r, []int{1, 3, -2})
	lenX, lenY := n, m
	if tA != blas.NoTrans {
		lenX, lenY = m, n
	}
	vec := func(n, inc int) int { return (n-1)*max(inc, -inc) + 1 }
	return []example{
		{
			name: fmt.Sprint("gemm", tA, tB, m, n, k, alpha, beta, gap), lengths: []int{lenA, lenB, lenC},
			f: func(i blas.Float64, x [][]float64) {
				i.Dgemm(tA, tB, m, n, k, alpha, x[0], ldA, x[1], ldB, beta, x[2], ldC)
			},
			g: func(i blas.Float32, x [][]float32) {
				i.Sgemm(tA, tB, m, n, k, a32, x[0], ldA, x[1], ldB, b32, x[2], ldC)
			},
		},
		{
			name: fmt.Sprint("gemv", tA, m, n, alpha, beta, gap, incX, incY), lengths: []int{lenM, vec(lenX, incX), vec(lenY, incY)},
			f: func(i blas.Float64, x [][]float64) { i.Dgemv(tA, m, n, alpha, x[0], ldM, x[1], incX, beta, x[2], incY) },
			g: func(i blas.Float32, x [][]float32) { i.Sgemv(tA, m, n, a32, x[0], ldM, x[1], incX, b32, x[2], incY) },
		},
		{
			name: fmt.Sprint("ger", m, n, alpha, gap), lengths: []int{2 * m, n, lenM},
			f: func(i blas.Float64, x [][]float64) { i.Dger(m, n, alpha, x[0], 2, x[1], 1, x[2], ldM) },
			g: func(i blas.Float32, x [][]float32) { i.Sger(m, n, a32, x[0], 2, x[1], 1, x[2], ldM) },
		},
		{
			name: fmt.Sprint("symm", s, ul, m, n, alpha, beta, gap), lengths: []int{lenQ, lenM, lenM},
			f: func(i blas.Float64, x [][]float64) {
				i.Dsymm(s, ul, m, n, alpha, x[0], ldQ, x[1], ldM, beta, x[2], ldM)
			},
			g: func(i blas.Float32, x [][]float32) { i.Ssymm(s, ul, m, n, a32, x[0], ldQ, x[1], ldM, b32, x[2], ldM) },
		},
		{
			name: fmt.Sprint("syrk", ul, tA, n, k, alpha, beta, gap), lengths: []int{lenK, lenN},
			f: func(i blas.Float64, x [][]float64) { i.Dsyrk(ul, tA, n, k, alpha, x[0], ldK, beta, x[1], ldN) },
			g: func(i blas.Float32, x [][]float32) { i.Ssyrk(ul, tA, n, k, a32, x[0], ldK, b32, x[1], ldN) },
		},
		{
			name: fmt.Sprint("syr2k", ul, tA, n, k, alpha, beta, gap), lengths: []int{lenK, lenK, lenN},
			f: func(i blas.Float64, x [][]float64) {
				i.Dsyr2k(ul, tA, n, k, alpha, x[0], ldK, x[1], ldK, beta, x[2], ldN)
			},
			g: func(i blas.Float32, x [][]float32) { i.Ssyr2k(ul, tA, n, k, a32, x[0], ldK, x[1], ldK, b32, x[2], ldN) },
		},
		{
			name: fmt.Sprint("trmm", s, ul, tA, d, m, n, alpha, gap), lengths: []int{lenQ, lenM}, tame: true, n: q, ld: ldQ,
			f: func(i blas.Float64, x [][]float64) { i.Dtrmm(s, ul, tA, d, m, n, alpha, x[0], ldQ, x[1], ldM) },
			g: func(i blas.Float32, x [][]float32) { i.Strmm(s, ul, tA, d, m, n, a32, x[0], ldQ, x[1], ldM) },
		},
		{
			name: fmt.Sprint("trsm", s, ul, tA, d, m, n, alpha, gap), lengths: []int{lenQ, lenM}, tame: true, n: q, ld: ldQ,
			f: func(i blas.Float64, x [][]float64) { i.Dtrsm(s, ul, tA, d, m, n, alpha, x[0], ldQ, x[1], ldM) },
			g: func(i blas.Float32, x [][]float32) { i.Strsm(s, ul, tA, d, m, n, a32, x[0], ldQ, x[1], ldM) },
		},
		{
			name: fmt.Sprint("vectors", n), lengths: []int{n, n, 3},
			f: func(i blas.Float64, x [][]float64) {
				i.Daxpy(n, alpha, x[0], 1, x[1], 1)
				i.Dscal(n, alpha, x[1], 1)
				x[2][0], x[2][1], x[2][2] = i.Ddot(n, x[0], 1, x[1], 1), i.Dasum(n, x[1], 1), i.Dnrm2(n, x[1], 1)
			},
			g: func(i blas.Float32, x [][]float32) {
				i.Saxpy(n, a32, x[0], 1, x[1], 1)
				i.Sscal(n, a32, x[1], 1)
				x[2][0], x[2][1], x[2][2] = i.Sdot(n, x[0], 1, x[1], 1), i.Sasum(n, x[1], 1), i.Snrm2(n, x[1], 1)
			},
		},
	}
}

// slicesOf returns random slices for an example.
func slicesOf[T float](r *rand.Rand, e example) (out [][]T) {
	for _, n := range e.lengths {
		x := make([]T, n)
		for i := range x {
			x[i] = T(r.NormFloat64())
		}
		out = append(out, x)
	}
	if e.tame { // a product of random triangles grows, and its solutions more so
		for i, v := range out[0] {
			out[0][i] = v / T(e.n)
		}
		for i := range e.n {
			out[0][i*e.ld+i] = T(1.5 + r.Float64())
		}
	}
	return out
}

func clones[T any](x [][]T) (out [][]T) {
	for _, s := range x {
		out = append(out, slices.Clone(s))
	}
	return out
}

// compare compares all slices after a call.
func compare[T float](t *testing.T, e example, got, want [][]T) {
	t.Helper()
	var one T
	eps := 1e-13
	if unsafe.Sizeof(one) == 4 {
		eps = 1e-4
	}
	for s := range want {
		scale := 1.
		for _, w := range want[s] {
			scale = max(scale, math.Abs(float64(w)))
		}
		for i, w := range want[s] {
			if d := math.Abs(float64(got[s][i] - w)); !(d <= eps*scale) {
				t.Fatalf("%T %s: slice %d, element %d: %v, gonum has %v", w, e.name, s, i, got[s][i], w)
			}
		}
	}
}

// TestAgainstGonum compares all operations with gonum's. Neither may change what lies
// beside the results, which a difference would show.
func TestAgainstGonum(t *testing.T) {
	onAll(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		for _, most := range []int{3, 20, 40, 90, 90, 150, 330} {
			for _, e := range examples(r, most) {
				x := slicesOf[float64](r, e)
				y := clones(x)
				e.f(Implementation{}, x)
				e.f(gonum.Implementation{}, y)
				compare(t, e, x, y)
				u := slicesOf[float32](r, e)
				v := clones(u)
				e.g(Implementation{}, u)
				e.g(gonum.Implementation{}, v)
				compare(t, e, u, v)
			}
		}
	})
}

// TestSameBits runs all operations with one to eight threads.
func TestSameBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r := rand.New(rand.NewPCG(2, 2))
	for _, e := range examples(r, 400) {
		x := slicesOf[float64](r, e)
		var first [][]float64
		for _, threads := range []int{1, 2, 3, 8} {
			runtime.GOMAXPROCS(threads)
			y := clones(x)
			e.f(Implementation{}, y)
			if first == nil {
				first = y
			}
			for s := range y {
				for i := range y[s] {
					if math.Float64bits(y[s][i]) != math.Float64bits(first[s][i]) {
						t.Fatalf("%s, %d threads: slice %d, element %d: %v, one thread has %v", e.name, threads, s, i, y[s][i], first[s][i])
					}
				}
			}
		}
	}
}

// TestNotRead tests that NaN stays out of results where BLAS does not read: C if beta
// is 0, and the other triangle.
func TestNotRead(t *testing.T) {
	const n = 90
	var impl Implementation
	nan := func() []float64 {
		x := make([]float64, n*n)
		for i := range x {
			x[i] = math.NaN()
		}
		return x
	}
	ones := func(ul blas.Uplo) []float64 {
		x := nan()
		for i := range n {
			for j := range n {
				if ul == blas.All || ul == blas.Lower && j <= i || ul == blas.Upper && j >= i {
					x[i*n+j] = 1
				}
			}
		}
		return x
	}
	finite := func(name string, x []float64, ul blas.Uplo) {
		for i := range n {
			for j := range n {
				inside := ul == blas.All || ul == blas.Lower && j <= i || ul == blas.Upper && j >= i
				if v := x[i*n+j]; math.IsNaN(v) == inside {
					t.Fatalf("%s %c: element %d, %d is %v", name, ul, i, j, v)
				}
			}
		}
	}
	c := nan()
	impl.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 2, ones(blas.All), n, ones(blas.All), n, 0, c, n)
	finite("gemm", c, blas.All)
	for _, ul := range uplos {
		c = nan()
		impl.Dsyrk(ul, blas.NoTrans, n, n, 1, ones(blas.All), n, 0, c, n)
		finite("syrk", c, ul)
		c = nan()
		impl.Dsymm(blas.Left, ul, n, n, 1, ones(ul), n, ones(blas.All), n, 0, c, n)
		finite("symm", c, blas.All)
		for _, s := range sides {
			for _, tA := range trans {
				c = ones(blas.All)
				impl.Dtrmm(s, ul, tA, blas.NonUnit, n, n, 1, ones(ul), n, c, n)
				finite("trmm", c, blas.All)
				impl.Dtrsm(s, ul, tA, blas.NonUnit, n, n, 1, ones(ul), n, c, n)
				finite("trsm", c, blas.All)
			}
		}
	}
}

// TestGer tests all signs of increments, with which gonum's results are wrong.
func TestGer(t *testing.T) {
	onAll(t, func(t *testing.T) {
		for _, incX := range []int{1, 2, -1, -3} {
			for _, incY := range []int{1, 3, -1, -2} {
				const m, n = 5, 3
				x, y, a := make([]float32, 20), make([]float32, 20), make([]float32, m*n)
				for i := range x {
					x[i], y[i] = float32(i+1), float32(2*i-7)
				}
				Implementation{}.Sger(m, n, 2, x, incX, y, incY, a, n)
				at := func(x []float32, n, i, inc int) float32 {
					if inc < 0 {
						i -= n - 1
					}
					return x[i*inc]
				}
				for k, v := range a {
					if want := 2 * at(x, m, k/n, incX) * at(y, n, k%n, incY); v != want {
						t.Errorf("increments %d and %d: element %d is %v, want %v", incX, incY, k, v, want)
					}
				}
			}
		}
	})
}

// TestNorms tests norms whose squares overflow or vanish.
func TestNorms(t *testing.T) {
	for _, x := range []float64{0, 0x1p-1074, 0x1p-700, 1, 0x1p600, 0x1p1000, math.Inf(1)} {
		v := make([]float64, 100)
		for i := range v {
			v[i] = x
		}
		for _, n := range []int{1, 4, 100} {
			if got, want := (Implementation{}).Dnrm2(n, v, 1), math.Sqrt(float64(n))*x; math.Abs(got-want) > 1e-14*want && got != want {
				t.Errorf("the norm of %d times %v is %v", n, x, got)
			}
		}
	}
}

func ExampleImplementation() {
	a, x, y := []float64{1, 2, 3, 4}, []float64{1, 1}, make([]float64, 2)
	Implementation{}.Dgemv(blas.NoTrans, 2, 2, 1, a, 2, x, 1, 0, y, 1)
	fmt.Println(y)
	// Output: [3 7]
}

// TestTrianglesAllocateNothing tests that operations on small triangles keep their memory: its allocation took as long as some of them.
func TestTrianglesAllocateNothing(t *testing.T) {
	const n = 48
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // goroutines are allocated
	a, b, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		a[i*n+i] = 1
	}
	impl := Implementation{}
	for name, f := range map[string]func(){
		"dsyrk": func() { impl.Dsyrk(blas.Lower, blas.NoTrans, n, n, 1, a, n, .5, c, n) },
		"dsymm": func() { impl.Dsymm(blas.Left, blas.Lower, n, n, 1, a, n, b, n, .5, c, n) },
		"dtrsm": func() {
			impl.Dtrsm(blas.Right, blas.Lower, blas.Trans, blas.NonUnit, n, n, 1, a, n, b, n)
		},
	} {
		if got := testlevel.Allocs(50, f); got > 0 {
			t.Errorf("%s of %d rows: %g allocations", name, n, got)
		}
	}
}
