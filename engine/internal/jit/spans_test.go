package jit

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// manySpans are maps over parts of arrays, of which no axes are one: T is the type of elements, and R of values.
var manySpans = []string{`kernel add
axis i0 i1 i2 i3 i4
params 3
buf x T in 5
buf back T in 5
buf y T out 5
{
  vec i0 i1 i2 i3 i4 {
    %0 = load R x[i0, i1, i2, i3, i4]
    %1 = load R back[i0, p0+i1*-1, i2, p1+i3*-1, p2+i4*-1]
    %2 = add R %0 %1
    store R y[i0, i1, i2, i3, i4] %2
  }
}`, `kernel in_place
axis i0 i1 i2 i3 i4
params 3
buf few T in 3
buf back T in 3
buf y T inout 5
{
  vec i0 i1 i2 i3 i4 {
    %0 = load R few[i1, i3, i4]
    %1 = load R back[i0, p0+i1*-1, p1+i3*-1]
    %2 = mul R %0 %1
    %3 = load R y[i0, i1, i2, i3, i4]
    %4 = add R %2 %3
    store R y[i0, i1, i2, i3, i4] %4
  }
}`, `kernel tiles
axis i0 i1 i2 i3 i4
params 3
buf x T in 4
buf y T out 5
{
  vec i0 i1 i2 i3 i4 {
    %0 = load R x[i2, i4, p0+i1*-1, p1+i3*-1]
    store R y[i0, i1, i2, i3, i4] %0
  }
}`, `kernel deep
axis i0 i1 i2 i3 i4 i5 i6
params 3
buf x T in 7
buf few T in 3
buf y T out 7
{
  vec i0 i1 i2 i3 i4 i5 i6 {
    %0 = load R x[i0, i1, i2, i3, i4, i5, i6]
    %1 = load R few[i2, i4, i6]
    %2 = mul R %0 %1
    store R y[i0, i1, i2, i3, i4, i5, i6] %2
  }
}`, `kernel folds
axis i0 i1 i2 i3 i4
params 3
buf x T in 5
buf few T in 2
buf y T out 4
{
  par i0 i1 i2 i3 {
    vec i4 {
      %0 = load R x[i0, i1, i2, i3, i4]
      %1 = reduce max R %0
    }
    %2 = load R few[i1, i3]
    %3 = add R %1 %2
    store R y[i0, i1, i2, i3] %3
  }
}`}

// TestManySpans compares loops over several groups of rows, also over more levels of them than a call has, with the interpreter: short and long rows,
// rows from the last to the first, operands without some axes, results in place. The arrays end at pages without access.
func TestManySpans(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 5))
	levels, laid, tiles, rounds := [frame.Levels + 1]int{}, 0, 0, 12
	if testlevel.Deep() {
		rounds = 200
	}
	for _, text := range manySpans {
		for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U8, dtype.I16} {
			k := parse(t, strings.NewReplacer("T", typ.Short(), "R", typ.Register().Short()).Replace(text))
			for range rounds {
				e := []int{1 + r.IntN(5), 1 + r.IntN(6), 1 + r.IntN(6), 1 + r.IntN(12), 1 + r.IntN([...]int{12, 60}[r.IntN(2)])}
				part := func(axes ...int) (out []int) {
					for _, i := range axes {
						out = append(out, e[i]+r.IntN(3)/2)
					}
					return out
				}
				all := []int{0, 1, 2, 3, 4}
				shapes := [][]int{part(all...), part(all...), part(all...)}
				if k.Name == "in_place" {
					shapes = [][]int{part(1, 3, 4), part(0, 1, 3), part(all...)}
				}
				if k.Name == "tiles" {
					e[3] = 2 + r.IntN(60)
					shapes = [][]int{part(2, 4, 1, 3), part(all...)}
				}
				if k.Name == "folds" {
					shapes = [][]int{part(all...), part(1, 3), part(0, 1, 2, 3)}
				}
				if k.Name == "deep" {
					e, all = append(e, 1+r.IntN(3), 1+r.IntN(40)), append(all, 5, 6)
					shapes = [][]int{part(all...), part(2, 4, 6), part(all...)}
				}
				s := newSetup(t, r, k, e, []int{e[1] - 1, e[3] - 1, e[4] - 1}, shapes, r.IntN(4) > 0)
				for _, be := range isas(t) {
					for _, bp := range s.instance(t, be).(*instance).phases {
						levels[bp.Groups]++
						if bp.walked > 0 {
							tiles++
						}
						if bp.Rows && bp.Laid > 0 {
							laid++
						}
					}
				}
				differ(t, r, s)
			}
			forget()
		}
	}
	if n := 10 * len(isas(t)); cpu.X86.HasAVX2 && (slices.Min(levels[1:]) < n || laid < n/2 || tiles < n/2) {
		t.Errorf("loops have %d levels of groups, %d copy tiles, and %d have laid rows, want %d, %d and %[5]d", levels, tiles, laid, n, n/2)
	}
}
