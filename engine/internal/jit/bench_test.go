package jit

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

const mapText = `kernel map
axis i0
buf x f32 in 1
buf y f32 in 1
buf z f32 out 1
{
  vec i0 {
    %%0 = load f32 x[i0]
    %%1 = load f32 y[i0]
%s
    store f32 z[i0] %%9
  }
}`

const updateText = `kernel update
axis i0
buf w f32 inout 1
buf g f32 in 1
scalar s0 f32
scalar s1 f32
{
  %0 = scalar f32 s0
  %1 = scalar f32 s1
  vec i0 {
    %2 = load f32 w[i0]
    %3 = load f32 g[i0]
    %4 = mul f32 %1 %2
    %5 = add f32 %3 %4
    %6 = mul f32 %0 %5
    %7 = sub f32 %2 %6
    store f32 w[i0] %7
  }
}`

// expBody is an exponential by range reduction and a polynomial.
const expBody = `
    %100 = const f32 1.442695
    %101 = const f32 -0.693145751953125
    %102 = const f32 -1.4286068e-06
    %103 = const f32 0.0013888889
    %104 = const f32 0.008333334
    %105 = const f32 0.041666668
    %106 = const f32 0.16666667
    %107 = const f32 0.5
    %108 = const f32 1
    %109 = const f32 88.72284
    %110 = const f32 -103.97209
    %10 = mul f32 %0 %100
    %11 = rint f32 %10
    %12 = fma f32 %11 %101 %0
    %13 = fma f32 %11 %102 %12
    %14 = fma f32 %103 %13 %104
    %15 = fma f32 %14 %13 %105
    %16 = fma f32 %15 %13 %106
    %17 = fma f32 %16 %13 %107
    %18 = fma f32 %17 %13 %108
    %19 = fma f32 %18 %13 %108
    %20 = cvt i32 %11
    %21 = scale f32 %19 %20
    %111 = const f32 inf
    %112 = const f32 0
    %22 = lt bool %109 %0
    %23 = select f32 %22 %111 %21
    %24 = lt bool %0 %110
    %9 = select f32 %24 %112 %23
`

func textOf(b testing.TB, name string) string {
	text, err := os.ReadFile("../../../testdata/ir/" + name + ".ir")
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

// newBench binds random contiguous arrays.
func newBench(b testing.TB, be backend.Backend, text string, extents, params []int, shapes [][]int) backend.Instance {
	b.Helper()
	k := parse(b, text)
	r := rand.New(rand.NewPCG(1, 1))
	// Addresses that are equal modulo 4096 would stall loads after stores.
	old := allocate
	next := 0
	allocate = func(_ testing.TB, bytes int, _ bool) ([]byte, func()) {
		m := make([]byte, bytes+8192)
		skip := (64 - int(uintptr(unsafe.Pointer(&m[0]))&63)) & 63
		next += 704
		return m[skip+next%4096:][:bytes:bytes], func() {}
	}
	s := newSetup(b, r, k, extents, params, shapes, true)
	allocate = old
	b.Cleanup(s.release)
	for i, m := range s.mem {
		t := k.Bufs[i].Type
		if m == nil || t != dtype.F32 {
			continue
		}
		for j := range len(m) / 4 {
			randir.Put(m[j*4:], 4, randir.FloatBits(t, r.NormFloat64()))
		}
	}
	return s.instance(b, be)
}

type benchCase struct {
	name    string
	text    string
	extents []int
	params  []int
	shapes  [][]int
	n       int
}

func benchCases(b testing.TB) (out []benchCase) {
	for _, n := range []int{16, 1000, 100000} {
		one := [][]int{{n}, {n}, {n}, {n}}
		add := func(name, text string, bufs int) {
			out = append(out, benchCase{fmt.Sprintf("%s/n=%d", name, n), text, []int{n}, nil, one[:bufs], n})
		}
		add("add", fmt.Sprintf(mapText, "%9 = add f32 %0 %1"), 3)
		add("max", fmt.Sprintf(mapText, "%9 = max f32 %0 %1"), 3)
		add("update", updateText, 2)
		add("adam", textOf(b, "adam"), 4)
		add("exp", fmt.Sprintf(mapText, expBody), 3)
		out = append(out, benchCase{fmt.Sprintf("fullsum/n=%d", n), textOf(b, "fullsum"), []int{1, n}, nil, [][]int{{1, n}, {1, n}, nil}, n})
		add("philox", textOf(b, "philox"), 1)
		out[len(out)-1].params = []int{0}
	}
	for _, e := range [][]int{{4096, 128}, {512, 1024}, {64, 10000}} {
		n := e[0] * e[1]
		name := fmt.Sprintf("%dx%d", e[0], e[1])
		out = append(
			out,
			benchCase{"softmax/" + name, textOf(b, "softmax"), e, nil, [][]int{e, e, e}, n},
			benchCase{"layernorm/" + name, textOf(b, "layernorm"), e, []int{e[1]}, [][]int{e, {e[1]}, {e[1]}, e}, n},
			benchCase{"argmax/" + name, textOf(b, "argmax"), e, nil, [][]int{e, {e[0]}, {e[0]}}, n},
			benchCase{"colsum/" + name, textOf(b, "colsum"), e, nil, [][]int{e, {e[1]}}, n},
			benchCase{"transposed_add/" + name, textOf(b, "transposed_add"), e, nil, [][]int{e, {e[1], e[0]}, e}, n},
			benchCase{"take/" + name, textOf(b, "take"), e, []int{100}, [][]int{{e[0]}, {100, e[1]}, e}, n},
		)
	}
	return out
}

func once(w backend.Worker, inst backend.Instance) {
	n, _, _ := inst.Units()
	inst.Begin()
	w.Run(0, n)
	inst.Finish(w)
}

// BenchmarkPaired measures machine code and the interpreter alternately, and reports
// the ratio.
func BenchmarkPaired(b *testing.B) {
	for _, c := range benchCases(b) {
		for _, be := range isas(b) {
			b.Run(c.name+"/isa="+be.Name(), func(b *testing.B) {
				jit := newBench(b, be, c.text, c.extents, c.params, c.shapes)
				ref := newBench(b, interp.New(), c.text, c.extents, c.params, c.shapes)
				jw, rw := jit.NewWorker(), ref.NewWorker()
				once(jw, jit)
				once(rw, ref)
				b.ReportAllocs()
				// The least of many rounds: other processes disturb some.
				tj, tr := time.Hour, time.Hour
				reps := max(1, 20000/c.n)
				for b.Loop() {
					t0 := time.Now()
					for range reps {
						once(jw, jit)
					}
					t1 := time.Now()
					for range reps {
						once(rw, ref)
					}
					tj = min(tj, t1.Sub(t0))
					tr = min(tr, time.Since(t1))
				}
				per := float64(reps)
				b.ReportMetric(float64(tj)/per/float64(c.n), "ns/elem")
				b.ReportMetric(float64(tj)/per, "ns/run")
				b.ReportMetric(float64(tr)/float64(tj), "x-interp")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkCompile measures the compilation of a chain of operators.
func BenchmarkCompile(b *testing.B) {
	for _, be := range isas(b) {
		for _, n := range []int{10, 100} {
			body := "%10 = add f32 %0 %1\n"
			for i := range n {
				body += fmt.Sprintf("%%%d = %s f32 %%%d %%%d\n", 11+i, []string{"add", "mul", "sub", "max"}[i%4], 10+i, i%2)
			}
			body += fmt.Sprintf("%%9 = add f32 %%%d %%0\n", 10+n)
			k := parse(b, fmt.Sprintf(mapText, body))
			s := newSetup(b, rand.New(rand.NewPCG(1, 1)), k, []int{1000}, nil, [][]int{{1000}, {1000}, {1000}}, true)
			b.Run(fmt.Sprintf("ops=%d/isa=%s", n, be.Name()), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					inst := s.instance(b, be)
					_ = inst
				}
			})
		}
	}
}

// TestAllocs checks that a run does not allocate.
func TestAllocs(t *testing.T) {
	for _, be := range isas(t) {
		for _, c := range benchCases(t) {
			inst := newBench(t, be, c.text, c.extents, c.params, c.shapes)
			w := inst.NewWorker()
			if n := testlevel.Allocs(2, func() { once(w, inst) }); n != 0 {
				t.Errorf("%s %s: %v allocations", be.Name(), c.name, n)
			}
		}
	}
}

var _ ir.Value
