package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
)

// An accessCase is a loop whose accesses are not contiguous. Buffer b0 has positions
// below limit.
type accessCase struct {
	name    string
	text    string
	extents []int
	shapes  [][]int
	limit   int
}

var accessCases = []accessCase{
	{"take", `axis i0
buf b0 i32 in 1
buf x %[1]s in 1
buf y %[1]s out 1
{
  vec i0 {
    %%0 = load i32 b0[i0]
    %%1 = cvt i64 %%0
    %%3 = load %[2]s x[%%1] clamp
    store %[2]s y[i0] %%3
  }
}`, []int{100000}, [][]int{{100000}, {4096}, {100000}}, 4096},
	{"take rows of 16", takeRows, []int{6250, 16}, [][]int{{6250}, {256, 16}, {6250, 16}}, 256},
	{"take rows of 100", takeRows, []int{1000, 100}, [][]int{{1000}, {256, 100}, {1000, 100}}, 256},
	{"take and sum down columns", `axis i0 i1
buf b0 i32 in 1
buf x %[1]s in 2
buf y %[1]s out 1
{
  vec i1 {
    seq i0 {
      %%0 = load i32 b0[i0]
      %%1 = cvt i64 %%0
      %%3 = load %[2]s x[%%1, i1] clamp
      %%4 = reduce sum %[2]s %%3
    }
    store %[2]s y[i1] %%4
  }
}`, []int{300, 300}, [][]int{{300}, {256, 300}, {300}}, 256},
	{"maximum of padded windows", `axis i0 i1 i2
buf b0 i32 in 1
buf x %[1]s in 2
buf y %[1]s out 2
{
  %%0 = const %[2]s 0
  vec i0 i1 {
    seq i2 {
      %%1 = load %[2]s x[i0+i2-1, i1-1] else %%0
      %%2 = reduce max %[2]s %%1
    }
    store %[2]s y[i0, i1] %%2
  }
}`, []int{200, 200, 3}, [][]int{{1}, {200, 200}, {200, 200}}, 1},
	{"scatter", `axis i0
buf b0 i32 in 1
buf x %[1]s in 1
buf y %[1]s out 1
{
  vec i0 {
    %%0 = load i32 b0[i0]
    %%1 = cvt i64 %%0
    %%3 = load %[2]s x[i0]
    store %[2]s y[%%1] %%3
  }
}`, []int{100000}, [][]int{{100000}, {100000}, {4096}}, 4096},
	{"columns in place", inPlace, []int{300, 300}, [][]int{{1}, {300, 300}, {300, 300}}, 1},
	{"reshaped transpose", `axis i0
buf b0 i32 in 1
buf x %[1]s in 2
buf y %[1]s out 1
{
  vec i0 {
    %%0 = load %[2]s x[mod(i0, 300), div(i0, 300)]
    store %[2]s y[i0] %%0
  }
}`, []int{120000}, [][]int{{1}, {300, 400}, {120000}}, 1},
	{"reshaped padding", `axis i0
buf b0 i32 in 1
buf x %[1]s in 2
buf y %[1]s out 1
{
  %%1 = const %[2]s 0
  vec i0 {
    %%0 = load %[2]s x[div(i0, 400)-1, mod(i0, 400)-1] else %%1
    store %[2]s y[i0] %%0
  }
}`, []int{120000}, [][]int{{1}, {298, 398}, {120000}}, 1},
	{"short columns in place", inPlace, []int{10000, 9}, [][]int{{1}, {9, 10000}, {10000, 9}}, 1},
}

const takeRows = `axis i0 i1
buf b0 i32 in 1
buf x %[1]s in 2
buf y %[1]s out 2
{
  vec i0 i1 {
    %%0 = load i32 b0[i0]
    %%1 = cvt i64 %%0
    %%3 = load %[2]s x[%%1, i1] clamp
    store %[2]s y[i0, i1] %%3
  }
}`

const inPlace = `axis i0 i1
buf b0 i32 in 1
buf x %[1]s inout 2
buf y %[1]s in 2
{
  vec i0 i1 {
    %%0 = load %[2]s x[i1, i0]
    %%1 = load %[2]s y[i0, i1]
    %%3 = mul %[2]s %%1 %%0
    store %[2]s x[i1, i0] %%3
  }
}`

// BenchmarkAccess runs each loop alternately with the interpreter and with machine
// code. It reports the median of each in ns for each element.
func BenchmarkAccess(b *testing.B) {
	for _, c := range accessCases {
		for _, t := range []dtype.Type{dtype.F32, dtype.F64, dtype.U8, dtype.F16} {
			b.Run(fmt.Sprintf("%s/dtype=%s", c.name, t.Short()), func(b *testing.B) { c.bench(b, t) })
		}
	}
}

func (c *accessCase) bench(b *testing.B, t dtype.Type) {
	r := rand.New(rand.NewPCG(1, 2))
	k := parse(b, "kernel access\n"+fmt.Sprintf(c.text, t.Short(), t.Register().Short()))
	s := newSetup(b, r, k, c.extents, nil, c.shapes, true)
	defer s.release()
	for i := range len(s.mem[0]) / 4 {
		randir.Put(s.mem[0][4*i:], 4, uint64(r.IntN(c.limit)))
	}
	elements := 1.0
	for _, e := range c.extents {
		elements *= float64(e)
	}
	backends := append([]backend.Backend{interp.New()}, isas(b)...)
	var run []func()
	for _, be := range backends {
		inst := s.instance(b, be)
		w := inst.NewWorker()
		run = append(run, func() {
			inst.Begin()
			n, _, _ := inst.Units()
			w.Run(0, n)
			inst.Finish(w)
		})
	}
	times := make([][]float64, len(run))
	for b.Loop() {
		for i, f := range run {
			start := time.Now()
			f()
			times[i] = append(times[i], float64(time.Since(start).Nanoseconds())/elements)
		}
	}
	b.ReportMetric(0, "ns/op") // hidden: it is the sum for all back ends
	for i, be := range backends {
		slices.Sort(times[i])
		b.ReportMetric(times[i][len(times[i])/2], be.Name()+"-ns/elem")
	}
}
