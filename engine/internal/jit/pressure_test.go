package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/internal/testlevel"
)

// pressed returns a kernel that applies c to arrays, and to scalars where bit i of uni is set, in a
// loop with as many other scalars, each used twice, as registers may have.
func (c *primCase) pressed(uni int) string {
	const others = 28
	var decl, body strings.Builder
	var names []any
	for i, t := range c.args {
		rank, at := 1, "i0"
		if uni>>i&1 != 0 {
			rank, at = 0, ""
		}
		fmt.Fprintf(&decl, "buf x%d %s in %d\n", i, t.Short(), rank)
		fmt.Fprintf(&body, "    %%%d = load %s x%d[%s]\n", i, t.Short(), i, at)
		names = append(names, fmt.Sprintf("%%%d", i))
	}
	fmt.Fprintf(&decl, "buf y %s out 1\nbuf w f32 inout 1\n", c.typ.Short())
	for i := range others {
		fmt.Fprintf(&decl, "buf s%d f32 in 0\n", i)
		fmt.Fprintf(&body, "    %%%d = load f32 s%d[]\n", 10+i, i)
	}
	fmt.Fprintf(&body, "    %%8 = "+c.text+"\n    store %s y[i0] %%8\n    %%9 = load f32 w[i0]\n", append(names, c.typ.Short())...)
	last := 9
	for i := range 2 * others {
		fmt.Fprintf(&body, "    %%%d = %s f32 %%%d %%%d\n", 10+others+i, []string{"add", "mul"}[i/others], last, 10+i%others)
		last = 10 + others + i
	}
	fmt.Fprintf(&body, "    store f32 w[i0] %%%d\n", last)
	return "kernel p\naxis i0\n" + decl.String() + c.pre + "{\n  vec i0 {\n" + body.String() + "  }\n}\n"
}

// TestPressure compares instructions in loops whose scalars take all registers that they may.
func TestPressure(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i, c := range primCases() {
		t.Run(c.name, func(t *testing.T) {
			for uni := range 1 << len(c.args) {
				k := parse(t, c.pressed(uni))
				for j, n := range []int{5, 40, 300} {
					if (i+j+uni)%testlevel.Every(1, 3) != 0 {
						continue
					}
					shapes := make([][]int, len(k.Bufs))
					for b := range shapes {
						if k.Bufs[b].Rank > 0 {
							shapes[b] = []int{n}
						}
					}
					differ(t, r, newSetup(t, r, k, []int{n}, nil, shapes, r.IntN(3) > 0))
				}
			}
		})
	}
	forget()
}
