package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/backend"
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

// carried returns a kernel that applies c to arrays, down columns with three states.
func (c *primCase) carried() string {
	var decl, body strings.Builder
	var names []any
	for i, t := range c.args {
		fmt.Fprintf(&decl, "buf x%d %s in 2\n", i, t.Short())
		fmt.Fprintf(&body, "      %%%d = load %s x%d[i0, i1]\n", i, t.Short(), i)
		names = append(names, fmt.Sprintf("%%%d", i))
	}
	fmt.Fprintf(&decl, "buf y %s out 2\nbuf w f32 inout 2\nbuf v f32 inout 1\n", c.typ.Short())
	fmt.Fprintf(&body, "      %%8 = "+c.text+"\n      store %s y[i0, i1] %%8\n", append(names, c.typ.Short())...)
	return "kernel p\naxis i0 i1\n" + decl.String() + c.pre + `{
  vec i1 {
    %20 = load f32 v[i1]
    seq i0 {
      %21 = carry f32 %20
      %22 = carry f32 %20
      %23 = carry f32 %20
      %24 = load f32 w[i0, i1]
` + body.String() + `      %25 = min f32 %21 %24
      %26 = add f32 %22 %24
      %27 = mul f32 %23 %24
      %28 = add f32 %25 %26
      %29 = add f32 %28 %27
      store f32 w[i0, i1] %29
      %30 = next f32 %21 %25
      %31 = next f32 %22 %26
      %32 = next f32 %23 %27
    }
    store f32 v[i1] %30
  }
}
`
}

// TestCarriedPressure compares instructions in loops that keep the states of whole rows in registers.
func TestCarriedPressure(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for i, c := range primCases() {
		t.Run(c.name, func(t *testing.T) {
			k := parse(t, c.carried())
			for j, n := range []int{4, 8, 12, 16, 20, 21, 32, 40, 64, 85, 100, 200} {
				if (i+j)%testlevel.Every(1, 4) != 0 {
					continue
				}
				e := []int{1 + r.IntN(20), n}
				shapes := make([][]int, len(k.Bufs))
				for b := range shapes {
					if shapes[b] = e; k.Bufs[b].Rank == 1 {
						shapes[b] = e[1:]
					}
				}
				differ(t, r, newSetup(t, r, k, e, nil, shapes, r.IntN(3) > 0))
			}
		})
	}
	forget()
}

// TestSelections compares places of the largest of several elements with the interpreter. The comparisons come before the selections of
// places, and have no more masks than there are, as each selection follows its operands.
func TestSelections(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for _, typ := range []string{"f32", "f64", "i32"} {
		for _, n := range []int{3, 9, 12} {
			var decl, first, last strings.Builder
			best, place := "%0", "%100"
			fmt.Fprintf(&first, "%%0 = load %s x0[i0]\n%%100 = const i32 0\n", typ)
			for i := range n {
				fmt.Fprintf(&decl, "buf x%d %s in 1\n", i, typ)
				if i == 0 {
					continue
				}
				fmt.Fprintf(&first, "%%%[1]d = load %[2]s x%[1]d[i0]\n%%%[3]d = le bool %[4]s %%%[1]d\n%%%[5]d = ne bool %%%[1]d %%%[1]d\n%%%[6]d = or bool %%%[3]d %%%[5]d\n%%%[7]d = select %[2]s %%%[6]d %%%[1]d %[4]s\n", i, typ, 20+i, best, 40+i, 60+i, 80+i)
				fmt.Fprintf(&last, "%%%[1]d = const i32 %[2]d\n%%%[3]d = select i32 %%%[4]d %%%[1]d %[5]s\n", 100+i, i, 120+i, 60+i, place)
				best, place = fmt.Sprintf("%%%d", 80+i), fmt.Sprintf("%%%d", 120+i)
			}
			k := parse(t, fmt.Sprintf("kernel places\naxis i0\n%sbuf p i32 out 1\n{\nvec i0 {\n%s%sstore i32 p[i0] %s\n}\n}\n", decl.String(), first.String(), last.String(), place))
			for _, size := range []int{5, 40, 300} {
				s := newSetup(t, r, k, []int{size}, nil, slices.Repeat([][]int{{size}}, n+1), r.IntN(3) > 0)
				differ(t, r, s)
				for _, be := range isas(t) {
					if be.Name() != "avx512" {
						continue
					}
					fns, err := s.instance(t, be).(backend.Native).Listing()
					if err != nil {
						t.Fatal(err)
					}
					if fns[0].Spills > 0 {
						t.Errorf("%d elements of %s: %d spills", n, typ, fns[0].Spills)
					}
				}
			}
		}
	}
	forget()
}
