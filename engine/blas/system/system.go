package system

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/internal/zero"
)

func init() {
	driver.RegisterBLAS(func(name string) (driver.BLAS, error) { return Open(name) })
}

// Names returns the names of libraries that [Open] knows, sorted.
func Names() []string { return slices.Sorted(maps.Keys(files)) }

// opened are the libraries in use, by name and by path. They stay open, because a
// library may have threads.
var opened struct {
	sync.Mutex
	of map[string]*Library
}

// Open opens a library by its name, one of [Names], or by the path of its file, which
// has a separator or an extension. "system" is the first library that is there. The
// error of a missing library says which files were tried, and why each was refused.
// Further calls return the same library.
func Open(name string) (*Library, error) {
	opened.Lock()
	defer opened.Unlock()
	if l := opened.of[name]; l != nil {
		return l, nil
	}
	candidates := files[name]
	if candidates == nil {
		if !strings.ContainsAny(name, `/\.`) {
			return nil, fmt.Errorf("there is no library of that name; there are %s, and paths of files", strings.Join(Names(), ", "))
		}
		candidates = []string{name}
	}
	var refused []string
	for _, file := range candidates {
		l, err := load(file)
		if err == nil {
			zero.Put(&opened.of, name, l)
			return l, nil
		}
		refused = append(refused, file+": "+strings.TrimPrefix(err.Error(), file+": "))
	}
	return nil, errors.New(strings.Join(refused, "; "))
}

// A Library is an open BLAS. Its methods are safe for concurrent use, as the library's
// functions are.
type Library struct {
	file, config string
	sgemm        func(*driver.Product[float32])
	dgemm        func(*driver.Product[float64])
	narrow       bool // integers have 32 bits

	mu         sync.Mutex
	threads    int // of the last call of setThreads
	setThreads func(n int)
}

// String returns the file of the library and what the library says of itself.
func (l *Library) String() string {
	if l == nil {
		return ""
	}
	return strings.TrimSpace(l.file + " " + l.config)
}

// SetThreads limits the threads of the calls that follow, of all programs. A library
// without a function for it keeps its number.
func (l *Library) SetThreads(n int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.setThreads != nil && l.threads != n {
		l.threads = n
		l.setThreads(n)
	}
}

// Float32 computes a product. It panics if a size exceeds the library's integers, if a
// matrix exceeds its slice, or if the library is not from [Open].
func (l *Library) Float32(p *driver.Product[float32]) {
	if check(l, p) {
		l.sgemm(p)
	}
}

// Float64 is [Library.Float32] for float64. It panics as that does.
func (l *Library) Float64(p *driver.Product[float64]) {
	if check(l, p) {
		l.dgemm(p)
	}
}

// check panics for products with which the library would read or write other memory,
// and reports whether there is something to compute.
func check[T float32 | float64](l *Library, p *driver.Product[T]) bool {
	if l == nil || l.sgemm == nil {
		panic("system: a Library that Open did not return")
	}
	if p.M < 0 || p.N < 0 || p.K < 0 {
		panic(fmt.Sprintf("system: a product of %d x %d x %d", p.M, p.N, p.K))
	}
	if n := max(p.M, p.N, p.K, p.LdA, p.LdB, p.LdC); l.narrow && n > math.MaxInt32 {
		panic(fmt.Sprintf("system: %s has integers of 32 bits, and a size is %d", l.file, n))
	}
	fits("A", p.A, p.TransA, [2]int{p.M, p.K}, p.LdA)
	fits("B", p.B, p.TransB, [2]int{p.K, p.N}, p.LdB)
	fits("C", p.C, false, [2]int{p.M, p.N}, p.LdC)
	return p.M > 0 && p.N > 0
}

// fits panics if a matrix of a size, or its transpose, is not within the slice.
func fits[T any](name string, data []T, trans bool, size [2]int, ld int) {
	rows, cols := size[0], size[1]
	if trans {
		rows, cols = cols, rows
	}
	if ld < max(cols, 1) || rows > 0 && cols > 0 && (len(data) < cols || (len(data)-cols)/ld < rows-1) {
		panic(fmt.Sprintf("system: matrix %s of %d x %d with leading dimension %d has %d elements", name, rows, cols, ld, len(data)))
	}
}

// try computes products whose results are exact in every order, and returns an error if
// the library has others: it has other integers than assumed, or does not know the
// processor.
func (l *Library) try() error {
	c32, want := exact[float32](l.Float32)
	c64, _ := exact[float64](l.Float64)
	for i, w := range want {
		if float64(c32[i]) != w || c64[i] != w {
			return fmt.Errorf("its products are wrong: %v and %v instead of %v", c32[i], c64[i], w)
		}
	}
	return nil
}

// exact computes a product of small integers, and its elements one by one.
func exact[T float32 | float64](multiply func(*driver.Product[T])) (got []T, want []float64) {
	const m, n, k = 5, 7, 9
	p := &driver.Product[T]{M: m, N: n, K: k, TransB: true, A: make([]T, m*k), B: make([]T, n*k), C: make([]T, m*n), LdA: k, LdB: k, LdC: n}
	for i := range p.A {
		p.A[i] = T(i%11 - 5)
	}
	for i := range p.B {
		p.B[i] = T(i%13 - 6)
	}
	multiply(p)
	for i := range m {
		for j := range n {
			sum := 0.
			for t := range k {
				sum += float64(p.A[i*k+t] * p.B[j*k+t])
			}
			want = append(want, sum)
		}
	}
	return p.C, want
}
