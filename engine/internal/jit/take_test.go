package jit

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// The bodies of kernels that take elements of x that i selects. Indices below zero count from the end.
var takes = map[string]string{
	"one": `  vec i0 i1 {
INDEX[i1]
    %7 = load LOAD x[i0, %6] clamp
    store LOAD y[i0, i1] %7
  }
`,
	"one of each row": `  vec i0 i1 {
INDEX[i0, i1]
    %7 = load LOAD x[i0, %6] clamp
    store LOAD y[i0, i1] %7
  }
`,
	"crosswise in each row": `  vec i0 i1 {
INDEX[i0, i1]
    %7 = load LOAD x[%6, i1] clamp
    store LOAD y[i0, i1] %7
  }
`,
	"without a store": `  vec i0 i1 {
INDEX[i1]
    %7 = load LOAD x[i0, %6] clamp
    %8 = lt bool %7 %7
    fault index %8
  }
`,
	"far": `  vec i0 i1 {
INDEX[i1]
    %7 = load LOAD x[%6, i0] clamp
    store LOAD y[i0, i1] %7
  }
`,
	"crosswise": `  vec i0 i1 {
INDEX[i1]
    %7 = load LOAD x[%6, i1] clamp
    store LOAD y[i0, i1] %7
  }
`,
	"combined": `  vec i0 i1 {
INDEX[i1]
    %7 = load LOAD x[i0, %6] clamp
    %8 = load LOAD x[%6, i0] clamp
    %9 = max LOAD %7 %8
    %10 = cvt LOAD %2
    %11 = min LOAD %9 %10
    store LOAD y[i0, i1] %11
  }
`,
	"after others": `  vec i0 i1 {
    %7 = load LOAD x[i0, i1]
    %8 = load LOAD x[i1, i0]
    %9 = max LOAD %7 %8
    %10 = load LOAD x[0, i1]
    %11 = max LOAD %9 %10
    %12 = load LOAD x[i1, 0]
    %13 = max LOAD %11 %12
    %14 = load LOAD x[i1, i1]
    %15 = max LOAD %13 %14
    %16 = load LOAD y[i0, i1]
    %17 = min LOAD %15 %16
INDEX[i1]
    %18 = load LOAD x[i0, %6] clamp
    %19 = max LOAD %17 %18
    store LOAD y[i0, i1] %19
  }
`,
	"down": `  vec i1 {
INDEX[i1]
    seq i0 {
      %7 = load LOAD x[i0, %6] clamp
      %8 = reduce max LOAD %7
    }
    store LOAD y[0, i1] %8
  }
`,
	"along": `  par i0 {
    vec i1 {
INDEX[i1]
      %7 = load LOAD x[i0, %6] clamp
      %8 = reduce max LOAD %7
    }
    store LOAD y[i0, 0] %8
  }
`,
}

// eachRow stands for an array of indices with a row for each row of the result.
const eachRow = "INDEX[i0, i1]"

// takeKernel returns a kernel of takes for types of elements and of indices. The length of the axis may be known outside of the loops.
func takeKernel(body string, typ, index dtype.Type, outside bool) string {
	const length = "    %3 = index p0\n"
	numbers := `    %1 = load READ i[i1]
    %2 = cvt i64 %1
` + length + `    %4 = add i64 %2 %3
    %5 = lt bool %2 %0
    %6 = select i64 %5 %4 %2`
	if index == dtype.I64 {
		numbers = strings.NewReplacer("%1 = load", "%2 = load", "    %2 = cvt i64 %1\n", "").Replace(numbers)
	}
	if outside {
		numbers, body = strings.Replace(numbers, length, "", 1), length+body
	}
	axes := "1"
	if strings.Contains(body, eachRow) {
		axes, body, numbers = "2", strings.Replace(body, eachRow, "INDEX[i1]", 1), strings.Replace(numbers, "i[i1]", "i[i0, i1]", 1)
	}
	use := "out"
	if strings.Contains(body, "load LOAD y") {
		use = "inout"
	}
	return strings.NewReplacer("USE", use, "AXES", axes, "LOAD", typ.Register().Short(), "ELEM", typ.Short(), "READ", index.Register().Short(), "NUMBER", index.Short()).Replace(`kernel takes
axis i0 i1
params 1
buf x ELEM in 2
buf i NUMBER in AXES
buf y ELEM USE 2
{
  %0 = const i64 0
` + strings.Replace(body, "INDEX[i1]", numbers, 1) + "}")
}

// wordCleared finds the instruction with which a loop that compares indices in general registers begins.
var wordCleared = regexp.MustCompile(`mov qword ptr \[rdi\+\d+\], 0`)

// TestTakes compares elements that an array of indices selects with the interpreter: indices of all types that a general register loads,
// with and without those that are negative or outside.
func TestTakes(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 13))
	direct, laid := map[string]map[string]bool{"avx2": {}, "avx512": {}}, map[string]int{}
	for name, body := range testlevel.InOrder(takes) {
		for _, typ := range []dtype.Type{dtype.U8, dtype.I16, dtype.F16, dtype.BF16, dtype.Bool, dtype.F32, dtype.I32, dtype.F64, dtype.U64} {
			if typ == dtype.Bool && (strings.Contains(body, "max") || strings.Contains(body, "fault")) {
				continue
			}
			for _, index := range []dtype.Type{dtype.I64, dtype.U64, dtype.I32, dtype.U32, dtype.U16, dtype.U8, dtype.I8} {
				k := parse(t, takeKernel(body, typ, index, r.IntN(2) == 0))
				for range testlevel.Every(8, 2) {
					n, columns, rows := 1+r.IntN([...]int{8, 90}[r.IntN(2)]), 1+r.IntN([...]int{9, 90}[r.IntN(2)]), 1+r.IntN([...]int{9, 300}[r.IntN(2)])
					side := max(n, columns, rows) // x is read across too
					numbers := []int{columns}
					if strings.Contains(body, eachRow) {
						numbers = []int{n, columns}
					}
					s := newSetup(t, r, k, []int{n, columns}, []int{side}, [][]int{{side, side}, numbers, {n, columns}}, true)
					least := [...]int{0, 0, -side, -2 * side}[r.IntN(4)]
					for i := range len(s.mem[1]) / index.Size() {
						at := r.IntN(side)
						if r.IntN(9) == 0 {
							at = least + r.IntN(2*side-least)
						}
						randir.Put(s.mem[1][i*index.Size():], index.Size(), uint64(at))
					}
					for _, be := range isas(t) {
						if found := direct[be.Name()]; found != nil {
							in := s.instance(t, be).(*instance)
							if wordCleared.MatchString(textOfCode(t, in)) {
								found[name] = true
							}
							if slices.ContainsFunc(in.phases, func(bp *boundPhase) bool { return bp.Laid > 0 }) {
								laid[be.Name()+index.String()]++
							}
						}
					}
					differ(t, r, s)
				}
				forget()
			}
		}
	}
	for _, be := range isas(t) { // the loop down columns has offsets from the code before it
		if found := direct[be.Name()]; found != nil && (len(found) != len(takes)-1 || laid[be.Name()+"int64"] == 0 || laid[be.Name()+"uint8"] == 0) {
			t.Errorf("%s: indices come from memory to general registers in %v alone, of short rows laid across vectors: %v", be.Name(), found, laid)
		}
	}
}

// TestTakesOfChangingIndices tests that no index is used that was not compared: another goroutine changes them while a loop runs. The array
// ends at a page without access.
func TestTakesOfChangingIndices(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 14))
	k := parse(t, takeKernel(takes["one"], dtype.F32, dtype.I64, false))
	const n, columns, side = 4, 500, 1000
	s := newSetup(t, r, k, []int{n, columns}, []int{side}, [][]int{{side, side}, {columns}, {n, columns}}, true)
	defer s.release()
	numbers := unsafe.Slice((*int64)(unsafe.Pointer(&s.mem[1][0])), columns)
	clear(numbers)
	var done atomic.Bool
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for j := 0; !done.Load(); j = (j + 7) % columns {
			atomic.StoreInt64(&numbers[j], 1<<40)
			atomic.StoreInt64(&numbers[j], int64(j))
		}
	}()
	for _, be := range isas(t) {
		inst := s.instance(t, be)
		for range testlevel.Every(20000, 2000) {
			if fault := runAll(inst); fault != 0 {
				t.Fatal(be.Name(), fmt.Sprint(" fault ", fault))
			}
		}
	}
	done.Store(true)
	<-stopped
}
