package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestNear compares stencils of more places than there are registers for addresses with the
// interpreter. Their main loops load no address.
func TestNear(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 1))
	for _, typ := range []string{"f32", "f64", "i32", "u8"} {
		var body strings.Builder
		last := 0
		for k := range 9 {
			fmt.Fprintf(&body, "    %%%d = load %s x[i0+%d, i1+%d]\n", 2*k, typ, k/3, k%3)
			fmt.Fprintf(&body, "    %%%d = add %s %%%d %%%d\n", 2*k+1, typ, 2*k, last)
			last = 2*k + 1
		}
		k := parse(t, fmt.Sprintf(`kernel stencil
axis i0 i1
buf x %[1]s in 2
buf y %[1]s out 2
{
  vec i0 i1 {
%[2]s    store %[1]s y[i0, i1] %%17
  }
}`, typ, body.String()))
		for _, n := range []int{66, 129, 300} {
			s := newSetup(t, r, k, []int{20, n}, nil, [][]int{{22, n + 2}, {20, n}}, true)
			for _, be := range isas(t) {
				in := s.instance(t, be)
				near := 0
				for _, x := range in.(*instance).phases[0].Sites {
					if x.Near > 0 && x.Apart != 0 {
						near++
					}
				}
				if near != 8 {
					t.Errorf("%s, %s: %d loads share the address of another, want 8", be.Name(), typ, near)
				}
				if got := countIn(t, in, "main loop", "mov rcx"); got > 0 {
					t.Errorf("%s, %s: the main loop loads %d addresses", be.Name(), typ, got)
				}
			}
			differ(t, r, s)
			forget()
		}
	}
}

// TestFarRows compares copies of rows of predicates between more arrays of one memory than there are registers for addresses, which are too
// far from each other to share one, with the interpreter.
func TestFarRows(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(35, 1))
	var bufs, body strings.Builder
	for i := range 8 {
		fmt.Fprintf(&bufs, "buf x%[1]d bool in 2\nbuf y%[1]d bool out 2\n", i)
		fmt.Fprintf(&body, "%%%[1]d = load bool x%[1]d[i0, i1]\nstore bool y%[1]d[i0, i1] %%%[1]d\n", i)
	}
	k := parse(t, "kernel far\naxis i0 i1\n"+bufs.String()+"{\nvec i0 i1 {\n"+body.String()+"}\n}\n")
	for _, columns := range []int{3, 8, 40} {
		s := newSetup(t, r, k, []int{60, columns}, nil, slices.Repeat([][]int{{60, columns + 20}}, 16), true)
		for i := range s.b.Bufs {
			s.b.Bufs[i].Memory, s.b.Bufs[i].Offset = 1+i%2, i<<29
		}
		differ(t, r, s)
		forget()
	}
}
