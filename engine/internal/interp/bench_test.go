package interp_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/interp"
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

func mapKernel(body string) string { return fmt.Sprintf(mapText, body) }

// expBody is the usual program of an exponential: argument reduction, a polynomial
// of degree six, scaling and limits.
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

// newBench returns an instance of a kernel with random contiguous arrays.
func newBench(b *testing.B, text string, extents, params []int, shapes [][]int) (backend.Instance, *setup) {
	b.Helper()
	k := parse(b, text)
	r := rand.New(rand.NewPCG(1, 1))
	s := newSetup(r, k, extents, params, shapes, true)
	for i, a := range s.arrs {
		for j := range s.total[i] {
			switch {
			case a.t.IsFloat():
				a.set(j, toMemory(a.t, fromF(a.t.Register(), float64(r.NormFloat64()))))
			case a.t == dtype.I32:
				a.set(j, uint64(r.IntN(100)))
			}
		}
	}
	code, err := interp.New().Compile(k)
	if err != nil {
		b.Fatal(err)
	}
	inst, err := code.Bind(s.b)
	if err != nil {
		b.Fatal(err)
	}
	return inst, s
}

func benchRun(b *testing.B, inst backend.Instance, elements int) {
	w := inst.NewWorker()
	n, _, _ := inst.Units()
	b.ReportAllocs()
	start := testlevel.CPUTime()
	for b.Loop() {
		inst.Begin()
		w.Run(0, n)
		inst.Finish(w)
	}
	b.ReportMetric(float64(testlevel.CPUTime()-start)/float64(b.N)/float64(elements), "cpu-ns/elem")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(elements), "ns/elem")
}

func BenchmarkMap(b *testing.B) {
	bodies := []struct{ name, body string }{
		{"add", "%9 = add f32 %0 %1"},
		{"copy", "%9 = neg f32 %0"},
		{"fma", "%9 = fma f32 %0 %1 %0"},
		{"fmaConst", "%2 = const f32 1.5\n%9 = fma f32 %0 %1 %2"},
		{"div", "%9 = div f32 %0 %1"},
		{"max", "%9 = max f32 %0 %1"},
		{"rint", "%9 = rint f32 %0"},
		{"select", "%2 = lt bool %0 %1\n%9 = select f32 %2 %0 %1"},
		{"cvt", "%2 = cvt i32 %0\n%9 = cvt f32 %2"},
		{"exp", expBody},
	}
	for _, c := range bodies {
		for _, n := range []int{16, 512, 16384} {
			b.Run(fmt.Sprintf("%s/n=%d", c.name, n), func(b *testing.B) {
				inst, _ := newBench(b, mapKernel(c.body), []int{n}, nil, [][]int{{n}, {n}, {n}})
				benchRun(b, inst, n)
			})
		}
	}
}

func BenchmarkText(b *testing.B) {
	for _, c := range []struct {
		name            string
		extents, params []int
		shapes          [][]int
	}{
		{"adam", []int{16384}, nil, [][]int{{16384}, {16384}, {16384}, {16384}}},
		{"adam", []int{16}, nil, [][]int{{16}, {16}, {16}, {16}}},
		{"softmax", []int{64, 1024}, nil, [][]int{{64, 1024}, {64, 1024}, nil}},
		{"softmax", []int{1024, 10}, nil, [][]int{{1024, 10}, {1024, 10}, nil}},
		{"layernorm", []int{64, 1024}, []int{1024}, [][]int{{64, 1024}, {1024}, {1024}, {64, 1024}}},
		{"argmax", []int{64, 1024}, nil, [][]int{{64, 1024}, {64}, {64}}},
		{"fullsum", []int{64, 1024}, nil, [][]int{{64, 1024}, {64, 1024}, nil}},
		{"colsum", []int{64, 1024}, nil, [][]int{{64, 1024}, {1024}}},
		{"colsum", []int{16384, 4}, nil, [][]int{{16384, 4}, {4}}},
		{"colsum", []int{16384, 1}, nil, [][]int{{16384, 1}, {1}}},
		{"transposed_add", []int{256, 256}, nil, [][]int{{256, 256}, {256, 256}, {256, 256}}},
		{"transposed_add", []int{4096, 4096}, nil, [][]int{{4096, 4096}, {4096, 4096}, {4096, 4096}}},
		{"transposed_add", []int{16384, 3}, nil, [][]int{{16384, 3}, {3, 16384}, {16384, 3}}},
		{"im2col", []int{27, 4096}, []int{3, 9, 32, 1024, 1, 1}, [][]int{{4, 3, 32, 32}, {27, 4096}}},
		{"im2col_axes", []int{3, 3, 3, 4, 32, 32}, []int{3, 3, 32, 32, 1, 1}, [][]int{{4, 3, 32, 32}, {27, 4096}}},
		{"take", []int{64, 256}, []int{100}, [][]int{{64}, {100, 256}, {64, 256}}},
		{"take", []int{4096, 4}, []int{100}, [][]int{{4096}, {100, 4}, {4096, 4}}},
		{"philox", []int{16384}, []int{0}, [][]int{{16384}}},
		{"masks", []int{16384}, []int{16384}, [][]int{{16384}, {16384}, {16384}, nil, nil}},
	} {
		b.Run(fmt.Sprintf("%s/%v", c.name, c.extents), func(b *testing.B) {
			inst, _ := newBench(b, testdata(b, c.name), c.extents, c.params, c.shapes)
			n := 1
			for _, e := range c.extents {
				n *= e
			}
			benchRun(b, inst, n)
		})
	}
}

// BenchmarkStrided measures loads with strides and with short rows.
func BenchmarkStrided(b *testing.B) {
	const text = `kernel strided
axis i0 i1
buf x f32 in 2
buf z f32 out 2
{
  vec i0 i1 {
    %0 = load f32 x[i0, i1]
    %1 = add f32 %0 %0
    store f32 z[i0, i1] %1
  }
}`
	for _, c := range []struct {
		name    string
		n, m    int
		strides []int
	}{
		{"contiguous", 1, 16384, []int{16384, 1}},
		{"two", 1, 16384, []int{0, 2}},
		{"reverse", 1, 16384, []int{0, 1}},
		{"rows=3", 5461, 3, []int{4, 1}},
		{"rows=3,transposed", 5461, 3, []int{1, 5461}},
		{"rows=8", 2048, 8, []int{9, 1}},
		{"rows=64", 256, 64, []int{65, 1}},
		{"column", 2048, 8, []int{1, 0}},
		{"bias", 2048, 8, []int{0, 1}},
		{"bias1000", 16, 1000, []int{0, 1}},
	} {
		b.Run(c.name, func(b *testing.B) {
			k := parse(b, text)
			x, z := newArray(dtype.F32, 1<<17), newArray(dtype.F32, 1<<17)
			bind := &ir.Binding{Extents: []int{c.n, c.m}, Bufs: []ir.BufBind{
				{Ptr: x.ptr(), Strides: c.strides, Extents: []int{c.n, c.m}},
				{Ptr: z.ptr(), Strides: []int{c.m, 1}, Extents: []int{c.n, c.m}},
			}}
			if c.name == "reverse" {
				bind.Bufs[0].Ptr = unsafe.Add(x.ptr(), 4*(c.m-1))
				bind.Bufs[0].Strides = []int{0, -1}
			}
			code, err := interp.New().Compile(k)
			if err != nil {
				b.Fatal(err)
			}
			inst, err := code.Bind(bind)
			if err != nil {
				b.Fatal(err)
			}
			benchRun(b, inst, c.n*c.m)
		})
	}
}

// BenchmarkOverhead measures the cost of one instruction on few lanes.
func BenchmarkOverhead(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			body := "%10 = add f32 %0 %1\n"
			for i := range 64 {
				body += fmt.Sprintf("%%%d = add f32 %%%d %%1\n", 11+i, 10+i)
			}
			body += "%9 = add f32 %74 %1"
			inst, _ := newBench(b, mapKernel(body), []int{n}, nil, [][]int{{n}, {n}, {n}})
			benchRun(b, inst, 66)
		})
	}
}
