package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/cpucache"
)

// delayed returns a kernel with n states, each of which takes the value of the one before it.
func delayed(n int) string {
	var b strings.Builder
	b.WriteString("kernel k\naxis i0 i1 i2\nbuf b0 f32 in 3\nbuf b1 f32 out 3\n{\n  vec i0 i2 {\n    %0 = const f32 0\n    seq i1 {\n")
	for i := range n {
		fmt.Fprintf(&b, "      %%%d = carry f32 %%0\n", 1+i)
	}
	fmt.Fprintf(&b, "      %%%d = load f32 b0[i0, i1, i2]\n      %%%d = add f32 %%%d %%%d\n", n+1, n+2, n+1, n)
	fmt.Fprintf(&b, "      store f32 b1[i0, i1, i2] %%%d\n", n+2)
	for i := range n {
		from := n + 2
		if i > 0 {
			from = i
		}
		fmt.Fprintf(&b, "      %%%d = next f32 %%%d %%%d\n", n+3+i, i+1, from)
	}
	return b.String() + "    }\n  }\n}"
}

// deepScan returns a kernel of more than 100 nodes with n states, and with a node that takes many registers.
func deepScan(n int) string {
	var b strings.Builder
	b.WriteString("kernel k\naxis i0 i1 i2\nbuf b0 f32 in 3\nbuf b1 f32 out 3\n{\n  vec i0 i2 {\n    %0 = const f32 0\n    seq i1 {\n")
	id := 1
	for range n {
		fmt.Fprintf(&b, "      %%%d = carry f32 %%0\n", id)
		id++
	}
	step := func(format string, args ...any) {
		fmt.Fprintf(&b, "      %%%d = "+format+"\n", append([]any{id}, args...)...)
		id++
	}
	step("load f32 b0[i0, i1, i2]")
	for i := range n {
		step("add f32 %%%d %%%d", id-1, 1+i)
	}
	step("cvt i32 %%%d", id-1)
	step("scale f32 %%0 %%%d", id-1)
	for range 56 {
		step("neg f32 %%%d", id-1)
		step("abs f32 %%%d", id-1)
	}
	last := id - 1
	fmt.Fprintf(&b, "      store f32 b1[i0, i1, i2] %%%d\n", last)
	for i := range n {
		step("next f32 %%%d %%%d", i+1, last)
	}
	return b.String() + "    }\n  }\n}"
}

// TestManyStates compares loops whose states do not fit in registers.
func TestManyStates(t *testing.T) {
	defer useModel(defaultsWith(cpucache.Sizes{L1: 64, L2: 128, L3: 192}))() // rows are beyond the caches
	for _, n := range []int{3, 8, 10, 13} {
		shape := []int{2, 30, 1100}
		r := rand.New(rand.NewPCG(uint64(n), 9))
		differ(t, r, newSetup(t, r, parse(t, delayed(n)), shape, nil, [][]int{shape, shape}, true))
	}
}

// TestDeepStates checks that loops of many nodes and some states have machine code.
func TestDeepStates(t *testing.T) {
	shape := []int{1, 6, 1100}
	for n := 1; n <= 6; n++ {
		r := rand.New(rand.NewPCG(uint64(n), 9))
		s := newSetup(t, r, parse(t, deepScan(n)), shape, nil, [][]int{shape, shape}, true)
		for _, be := range isas(t) {
			if _, ok := s.instance(t, be).(*instance); !ok {
				t.Errorf("%s: %d states are left to the interpreter", be.Name(), n)
			}
		}
		differ(t, r, s)
	}
}

// TestSharedByRows compares rows with a value that each converts twice, and copies of one short row.
func TestSharedByRows(t *testing.T) {
	for _, c := range []struct {
		text    string
		extents []int
		shapes  [][]int
	}{
		{`buf b0 i64 in 1
buf b1 f32 in 2
buf b2 f32 out 2
{
  vec i0 i1 {
    %0 = load i64 b0[i0]
    %1 = cvt i32 %0
    %2 = cvt f32 %1
    %3 = load f32 b1[i0, i1]
    %4 = add f32 %3 %2
    store f32 b2[i0, i1] %4
  }
}`, []int{100, 70}, [][]int{{100}, {100, 75}, {100, 70}}},
		{`buf b0 f64 in 1
buf b1 f32 in 2
buf b2 f32 out 2
{
  vec i0 i1 {
    %0 = load f64 b0[i0]
    %1 = cvt f32 %0
    %2 = cvt i32 %1
    %3 = cvt f32 %2
    %4 = load f32 b1[i0, i1]
    %5 = add f32 %4 %3
    store f32 b2[i0, i1] %5
  }
}`, []int{100, 70}, [][]int{{100}, {100, 75}, {100, 70}}},
		{`buf b0 i16 in 1
buf b1 i16 out 2
{
  vec i0 i1 {
    %0 = load i16 b0[i1]
    store i16 b1[i0, i1] %0
  }
}`, []int{100, 4}, [][]int{{4}, {100, 6}}},
	} {
		for seed := range uint64(4) { // at the beginning and at the end of pages
			r := rand.New(rand.NewPCG(seed, 9))
			differ(t, r, newSetup(t, r, parse(t, "kernel k\naxis i0 i1\n"+c.text), c.extents, nil, c.shapes, true))
		}
	}
}

// TestDescending fails if a scan or a reduction along rows from the last one up goes along the vectors of a row in the order of memory.
func TestDescending(t *testing.T) {
	defer useModel(defaultsWith(cpucache.Sizes{L1: 64, L2: 128, L3: 192}))()
	r, n := rand.New(rand.NewPCG(31, 21)), []int{1, 40, 1289}
	for text, shapes := range map[string][][]int{
		fmt.Sprintf(oneKernel, "f32", "x", "out", "i1"): {n, n},
		fmt.Sprintf(twoKernel, "f64"):                   {n, n, n},
		fmt.Sprintf(sumsKernel, "f32"):                  {n, n[1:2], {1, n[2]}, {1, n[2]}},
	} {
		s := newSetup(t, r, parse(t, strings.ReplaceAll(text, "i1, i2", "39+i1*-1, i2")), n, nil, shapes, true)
		for _, be := range isas(t) {
			in := s.instance(t, be)
			across := slices.ContainsFunc(in.(*instance).phases, func(bp *boundPhase) bool { return bp.Across })
			if down := countIn(t, in, "the last vector, under a mask", "") > 0; !across || !down {
				t.Errorf("%s: along rows: %t, from the last vector on: %t\n%s", be.Name(), across, down, text)
			}
		}
		differ(t, r, s)
		forget()
	}
}

// TestChainsOfSteps fails if a scan whose steps take some cycles each goes down strips of columns within the second level, where each step waits
// for the one before.
func TestChainsOfSteps(t *testing.T) {
	FixCaches(t)
	k, n := parse(t, strings.Replace(fmt.Sprintf(oneKernel, "f32", "x", "out", "i1"), "add", "div", 1)), []int{1, 100, 500}
	s := newSetup(t, rand.New(rand.NewPCG(31, 22)), k, n, nil, [][]int{n, n}, true)
	defer s.release()
	for _, be := range isas(t) {
		if !slices.ContainsFunc(s.instance(t, be).(*instance).phases, func(bp *boundPhase) bool { return bp.Across }) {
			t.Errorf("%s: down strips of columns", be.Name())
		}
	}
}

// TestStatesBesideBlocks compares scans along rows of 2 bytes with the interpreter, for so many states and uniform values that registers hold
// no more: the transposition of a block may overwrite none of them.
func TestStatesBesideBlocks(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(31, 23))
	for states := 1; states <= 6; states++ {
		for scalars := 1; scalars <= 12-states; scalars++ {
			var b strings.Builder
			b.WriteString("kernel k\naxis i0 i1\nbuf b0 i16 in 2\nbuf b1 i16 out 2\n")
			for i := range scalars {
				fmt.Fprintf(&b, "scalar s%d i16\n", i)
			}
			b.WriteString("{\n")
			for i := range scalars {
				fmt.Fprintf(&b, "%%%d = scalar i16 s%d\n", i, i)
			}
			b.WriteString("vec i0 {\nseq i1 {\n%50 = load i16 b0[i0, i1]\n")
			last := 50
			for i := range scalars {
				fmt.Fprintf(&b, "%%%d = %s i16 %%%d %%%d\n", 51+i, []string{"sub", "max", "add"}[i%3], last, i)
				last = 51 + i
			}
			for i := range states {
				fmt.Fprintf(&b, "%%%d = carry i16 %%0\n%%%d = add i16 %%%d %%%d\n", 100+2*i, 101+2*i, last, 100+2*i)
				last = 101 + 2*i
			}
			fmt.Fprintf(&b, "store i16 b1[i0, i1] %%%d\n", last)
			for i := range states {
				fmt.Fprintf(&b, "%%%d = next i16 %%%d %%%d\n", 200+i, 100+2*i, 101+2*i)
			}
			b.WriteString("}\n}\n}\n")
			n := []int{16, 150}
			differ(t, r, newSetup(t, r, parse(t, b.String()), n, nil, [][]int{n, n}, true))
		}
		forget()
	}
}
