package jit

import (
	"math/rand/v2"
	"testing"
)

// broadcastRows multiplies each row by an array, and adds one element for each row.
const broadcastRows = `buf b0 f32 in 2
buf b1 f32 in 1
buf b2 f32 in 1
buf b3 f32 out 2
{
  vec i0 i1 {
    %0 = load f32 b0[i0, i1]
    %1 = load f32 b1[i1]
    %2 = mul f32 %0 %1
    %3 = load f32 b2[i0]
    %4 = add f32 %2 %3
    store f32 b3[i0, i1] %4
  }
}`

// sum stores the sum of an array.
const sum = `buf b0 f32 in 1
buf b1 f32 out 0
{
  vec i0 {
    %0 = load f32 b0[i0]
    %1 = reduce sum f32 %0
  }
  store f32 b1[] %1
}`

// scanDown stores running sums down columns, and the last ones.
const scanDown = `buf b0 f32 in 2
buf b1 f32 in 1
buf b2 f32 out 2
buf b3 f32 out 1
{
  vec i0 {
    %0 = load f32 b1[i0]
    seq i1 {
      %1 = carry f32 %0
      %2 = load f32 b0[i1, i0]
      %3 = add f32 %1 %2
      store f32 b2[i1, i0] %3
      %4 = next f32 %1 %3
    }
    store f32 b3[i0] %4
  }
}`

// scanAlong stores running sums along rows.
const scanAlong = `buf b0 f32 in 2
buf b1 f32 out 2
{
  %0 = const f32 -0
  vec i0 {
    seq i1 {
      %1 = carry f32 %0
      %2 = load f32 b0[i0, i1]
      %3 = add f32 %1 %2
      store f32 b1[i0, i1] %3
      %4 = next f32 %1 %3
    }
  }
}`

// stencil stores neighbours of which the first and the last element have others.
const stencil = `buf b0 f32 in 1
buf b1 f32 in 0
buf b2 f32 out 1
buf b3 f32 out 0
buf b4 f32 out 0
scalar s0 f32
{
  %0 = scalar f32 s0
  vec i0 {
    %1 = load f32 b0[i0]
    %2 = mul f32 %0 %1
    store f32 b2[i0] %2
  }
  %3 = load f32 b1[]
  %4 = mul f32 %0 %3
  store f32 b3[] %4
  %5 = add f32 %4 %3
  store f32 b4[] %5
}`

// TestShortcut tests which kernels have a shortcut, and that results have the same bits
// with and without it.
func TestShortcut(t *testing.T) {
	for _, c := range []struct {
		name, text string
		extents    []int
		shapes     [][]int
		short      bool
	}{
		{"map", `buf b0 f32 in 1
buf b1 f32 out 1
scalar s0 f32
{
  %0 = scalar f32 s0
  vec i0 {
    %1 = load f32 b0[i0]
    %2 = mul f32 %0 %1
    store f32 b1[i0] %2
  }
}`, []int{40_000}, [][]int{{40_000}, {40_000}}, true},
		{"scalar of 8 bits", `buf b0 i8 in 1
buf b1 i8 out 1
scalar s0 i8
{
  %0 = scalar i8 s0
  vec i0 {
    %1 = load i8 b0[i0]
    %2 = add i8 %0 %1
    store i8 b1[i0] %2
  }
}`, []int{40_000}, [][]int{{40_000}, {40_000}}, true},
		{"work before the loop", `buf b0 f32 in 1
buf b1 f32 out 1
scalar s0 f32
{
  %0 = scalar f32 s0
  %1 = add f32 %0 %0
  vec i0 {
    %2 = load f32 b0[i0]
    %3 = mul f32 %1 %2
    store f32 b1[i0] %3
  }
}`, []int{40_000}, [][]int{{40_000}, {40_000}}, true},
		{"division that may fault", `buf b0 i32 in 1
buf b1 i32 in 1
buf b2 i32 out 1
{
  vec i0 {
    %0 = load i32 b0[i0]
    %1 = load i32 b1[i0]
    %2 = const i32 0
    %3 = eq bool %1 %2
    fault divide %3
    %4 = div i32 %0 %1
    store i32 b2[i0] %4
  }
}`, []int{40_000}, [][]int{{40_000}, {40_000}, {40_000}}, true},
		{"rows", broadcastRows, []int{300, 45}, [][]int{{300, 45}, {45}, {300}, {300, 45}}, true},
		{"one row", broadcastRows, []int{1, 45}, [][]int{{1, 45}, {45}, {1}, {1, 45}}, true},
		{"rows longer than a call", broadcastRows, []int{2, 200_000}, [][]int{{2, 200_000}, {200_000}, {2}, {2, 200_000}}, false},
		{"rows across vectors", broadcastRows, []int{300, 3}, [][]int{{300, 3}, {3}, {300}, {300, 3}}, true},
		{"rows that an index selects", `buf b0 i64 in 1
buf b1 f32 in 2
buf b2 f32 out 2
scalar s0 i64
{
  %0 = scalar i64 s0
  %4 = add i64 %0 %0
  vec i0 i1 {
    %1 = load i64 b0[i0]
    %2 = add i64 %1 %4
    %3 = load f32 b1[%2, i1] clamp
    store f32 b2[i0, i1] %3
  }
}`, []int{100, 70}, [][]int{{100}, {50, 70}, {100, 70}}, true},
		{"sums of rows", `buf b0 f32 in 2
buf b1 f32 out 1
{
  par i0 {
    vec i1 {
      %0 = load f32 b0[i0, i1]
      %1 = reduce sum f32 %0
    }
    store f32 b1[i0] %1
  }
}`, []int{30, 50}, [][]int{{30, 50}, {30}}, true},
		{"sums of groups of rows", `buf b0 f32 in 3
buf b1 f32 out 2
{
  par i0 i1 {
    vec i2 {
      %0 = load f32 b0[i0, i1, i2]
      %1 = reduce sum f32 %0
    }
    store f32 b1[i0, i1] %1
  }
}`, []int{6, 7, 50}, [][]int{{6, 9, 50}, {6, 7}}, true},
		{"groups of rows", `buf b0 f32 in 3
buf b1 f32 in 1
buf b2 f32 out 3
{
  vec i0 i1 i2 {
    %0 = load f32 b0[i0, i1, i2]
    %1 = load f32 b1[i0]
    %2 = add f32 %0 %1
    store f32 b2[i0, i1, i2] %2
  }
}`, []int{6, 7, 90}, [][]int{{6, 9, 95}, {6}, {6, 8, 90}}, true},
		{"groups of groups of rows", `buf b0 f32 in 5
buf b1 f32 in 3
buf b2 f32 out 5
{
  vec i0 i1 i2 i3 i4 {
    %0 = load f32 b0[i0, i1, i2, i3, i4]
    %1 = load f32 b1[i0, i2, i4]
    %2 = add f32 %0 %1
    store f32 b2[i0, i1, i2, i3, i4] %2
  }
}`, []int{6, 2, 3, 4, 90}, [][]int{{6, 3, 4, 5, 95}, {6, 3, 90}, {6, 2, 3, 4, 90}}, true},
		{"groups of rows across vectors", `buf b0 f64 in 3
buf b1 f64 in 2
buf b2 f64 out 3
{
  vec i0 i1 i2 {
    %0 = load f64 b0[i0, i1, i2]
    %1 = load f64 b1[i0, i2]
    %2 = add f64 %0 %1
    store f64 b2[i0, i1, i2] %2
  }
}`, []int{6, 70, 5}, [][]int{{6, 90, 7}, {6, 5}, {6, 70, 5}}, true},
		{"sums of many rows", `buf b0 f32 in 2
buf b1 f32 out 1
{
  par i0 {
    vec i1 {
      %0 = load f32 b0[i0, i1]
      %1 = reduce sum f32 %0
    }
    store f32 b1[i0] %1
  }
}`, []int{100_000, 20}, [][]int{{100_000, 20}, {100_000}}, false},
		{"sum", sum, []int{40_000}, [][]int{{40_000}, {}}, false},
		{"sum of one block", sum, []int{4096}, [][]int{{4096}, {}}, true},
		{"sum of two blocks", sum, []int{4097}, [][]int{{4097}, {}}, false},
		{"sum of nothing", sum, []int{0}, [][]int{{0}, {}}, false},
		{"loops with a row buffer", `buf b0 f32 in 1
buf b1 i64 out 0
buf b2 f32 row [i0]
buf b3 f32 out 1
scalar s0 f32
{
  %0 = scalar f32 s0
  vec i0 {
    %1 = load f32 b0[i0]
    %2 = mul f32 %1 %0
    store f32 b2[i0] %2
    %3 = reduce max f32 %2
    %4 = reduce argmin i64 %2
  }
  store i64 b1[] %4
  vec i0 {
    %5 = load f32 b2[i0]
    %6 = sub f32 %5 %3
    store f32 b3[i0] %6
  }
}`, []int{45}, [][]int{{45}, {}, nil, {45}}, true},
		{"sum with a division that may fault", `buf b0 i32 in 1
buf b1 i32 in 1
buf b2 i32 out 0
{
  vec i0 {
    %0 = load i32 b0[i0]
    %1 = load i32 b1[i0]
    %2 = const i32 0
    %3 = eq bool %1 %2
    fault divide %3
    %4 = div i32 %0 %1
    %5 = reduce sum i32 %4
  }
  store i32 b2[] %5
}`, []int{100}, [][]int{{100}, {100}, {}}, true},
		{"a loop and elements beside it", stencil, []int{300}, [][]int{{300}, {}, {300}, {}, {}}, true},
		{"a long loop and elements beside it", stencil, []int{40_000}, [][]int{{40_000}, {}, {40_000}, {}, {}}, false},
		{"two loops", `buf b0 u8 in 1
buf b1 u8 in 1
buf b2 u8 out 1
buf b3 u8 out 1
{
  vec i0 {
    %0 = load u8 b0[i0]
    store u8 b2[i0] %0
  }
  vec i1 {
    %1 = load u8 b1[i1]
    store u8 b3[i1] %1
  }
}`, []int{1000, 77}, [][]int{{1000}, {77}, {1000}, {77}}, true},
		{"parts of rows", `buf b0 f64 in 2
buf b1 f64 in 2
buf b2 f64 in 1
buf b3 f64 out 2
buf b4 f64 out 2
buf b5 f64 out 1
{
  par i0 {
    vec i1 {
      %0 = load f64 b0[i0, i1]
      store f64 b3[i0, i1] %0
    }
    vec i2 {
      %1 = load f64 b1[i0, i2]
      store f64 b4[i0, i2] %1
    }
    %2 = load f64 b2[i0]
    store f64 b5[i0] %2
  }
}`, []int{20, 33, 3}, [][]int{{20, 40}, {20, 3}, {20}, {20, 33}, {20, 5}, {20}}, true},
		{"scan down columns", scanDown, []int{37, 50}, [][]int{{50, 37}, {37}, {50, 37}, {37}}, true},
		{"scan down columns longer than a call", scanDown, []int{37, 9000}, [][]int{{9000, 37}, {37}, {9000, 37}, {37}}, false},
		{"scan along rows", scanAlong, []int{60, 50}, [][]int{{60, 50}, {60, 50}}, true},
		{"sums of columns", `buf b0 f32 in 2
buf b1 f32 in 1
buf b2 f32 out 1
{
  vec i0 {
    seq i1 {
      %0 = load f32 b0[i1, i0]
      %1 = reduce sum f32 %0
    }
    %2 = load f32 b1[i0]
    %3 = add f32 %1 %2
    store f32 b2[i0] %3
  }
}`, []int{60, 70}, [][]int{{70, 60}, {60}, {60}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 9))
			k := parse(t, "kernel k\naxis "+"i0 i1 i2 i3 i4"[:3*len(c.extents)-1]+"\n"+c.text)
			s := newSetup(t, r, k, c.extents, nil, c.shapes, true)
			for _, be := range isas(t) {
				want := c.short
				switch c.name {
				case "groups of rows across vectors": // the last rows go under masks unless loads are blended
					want = be.(*generator).Blends
				}
				if got := s.instance(t, be).NewWorker().(*worker).short.step > 0; got != want {
					t.Errorf("%s: a shortcut: %v", be.Name(), got)
				}
			}
			differ(t, r, s)
		})
	}
}
