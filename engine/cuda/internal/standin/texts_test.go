package standin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

func parse(t testing.TB, text string) *ir.Kernel {
	t.Helper()
	k, err := ir.Parse(text)
	if err == nil {
		err = ir.Check(k)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return k
}

// vectorSoftmax has no par loop, and so a row buffer that its loops share.
const vectorSoftmax = `kernel vector_softmax
axis i0
buf x f32 in 1
buf e f32 row [i0]
buf y f32 out 1
buf s f32 out 0
{
  %0 = const i64 0
  vec i0 {
    %1 = load f32 x[i0]
    %2 = reduce max f32 %1
  }
  vec i0 {
    %3 = load f32 x[i0]
    %4 = sub f32 %3 %2
    store f32 e[i0] %4
    %5 = reduce sum f32 %4
  }
  %6 = load f32 e[%0]
  vec i0 {
    %7 = load f32 e[i0]
    %8 = div f32 %7 %5
    %9 = add f32 %8 %6
    store f32 y[i0] %9
  }
  store f32 s[] %6
}`

// rowScalars loads an element, stores to it, and then uses what it was, in all
// threads of a row.
const rowScalars = `kernel row_scalars
axis i0 i1
buf x f32 in 2
buf y f32 inout 1
buf z f32 out 2
{
  par i0 {
    %0 = load f32 y[i0]
    %1 = neg f32 %0
    store f32 y[i0] %1
    vec i1 {
      %2 = load f32 x[i0, i1]
      %3 = add f32 %2 %0
      store f32 z[i0, i1] %3
    }
    %4 = load f32 y[i0]
    vec i1 {
      %5 = load f32 x[i0, i1]
      %6 = add f32 %5 %4
      %7 = reduce sum f32 %6
    }
    store f32 y[i0] %7
  }
}`

// rowFaults raises a fault by what a row buffer holds, and does nothing after that.
const rowFaults = `kernel row_faults
axis i0 i1
buf x i64 in 2
buf e i64 row [i1]
{
  %0 = const i64 33
  %1 = const i64 0
  par i0 {
    vec i1 {
      %2 = load i64 x[i0, i1]
      store i64 e[i1] %2
    }
    %3 = load i64 e[%0]
    %4 = lt bool %3 %1
    fault index %4
  }
}`

// texts binds every text of package ir several times.
func texts(t *testing.T, times int) (trials []*trial) {
	files, _ := filepath.Glob("../../../../testdata/ir/*.ir")
	if len(files) < 14 {
		t.Fatal("the texts are missing")
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".ir")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		k := parse(t, string(text))
		c, ok := randir.Texts[name]
		if !ok {
			t.Fatalf("no way to bind %s", name)
		}
		r := rand.New(rand.NewPCG(3, 4))
		for i := range times {
			e, p, shapes := c(r)
			if k.Params == 0 {
				p = nil
			}
			trials = append(trials, newTrial(t, r, fmt.Sprintf("%s %d", name, i), k, e, p, shapes, i%2 == 0))
		}
	}
	k := parse(t, rowScalars)
	for _, n := range []int{5, 300, 2000} {
		r := rand.New(rand.NewPCG(uint64(n), 5))
		trials = append(trials, newTrial(t, r, "row scalars", k, []int{9, n}, nil, [][]int{{9, n}, {9}, {9, n}}, true))
	}
	k = parse(t, rowFaults)
	for _, width := range []int{40, 2000} {
		n := 0
		trials = append(trials, newTrialOf(t, rand.New(rand.NewPCG(4, 5)), "row faults", k, []int{1000, width}, nil, [][]int{{1000, width}, nil}, true, func(dtype.Type) uint64 {
			if n++; n == 34 { // element 33 of the first row
				return math.MaxUint64
			}
			return 1
		}))
	}
	k = parse(t, vectorSoftmax)
	for _, n := range []int{1, 64, 5001} {
		r := rand.New(rand.NewPCG(uint64(n), 4))
		trials = append(trials, newTrial(t, r, "vector softmax", k, []int{n}, nil, [][]int{{n}, nil, {n}, nil}, n%2 == 0))
	}
	return trials
}

// TestTexts compares every text of package ir with the interpreter.
func TestTexts(t *testing.T) {
	times := 12
	if !testlevel.Deep() {
		times = 1
	}
	run(t, texts(t, times))
}

// TestReductions runs every reduction of every type at the lengths where
// something changes.
func TestReductions(t *testing.T) {
	run(t, reductions(t, testlevel.Every(1, 7, 21)))
}

// reductions has one of so many reductions. It has all of their forms and lengths if that is odd.
func reductions(t *testing.T, every int) (trials []*trial) {
	r := rand.New(rand.NewPCG(5, 6))
	lengths := []int{0, 1, 32, 33, 63, 64, 65, 129, 4096, 4097, 8191, 20000}
	if !testlevel.Deep() {
		lengths = []int{1, 65, 4097}
	}
	all := randir.Reductions(dtype.Real()...)
	for i, c := range all {
		if i%every != 0 {
			continue
		}
		for j, n := range lengths {
			if n == 0 && c.Extreme() || n > 5000 && !c.Long() || !testlevel.Deep() && j != i/every%len(lengths) {
				continue
			}
			axes, arrays := c.Extents(3, n)
			trials = append(trials, newTrial(t, r, fmt.Sprintf("%s of %d %s", c.Row.Name(), n, c.Type), c.Kernel, axes, nil, arrays, true))
		}
	}
	return trials
}
