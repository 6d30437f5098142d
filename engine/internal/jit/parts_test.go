package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// TestPartsOfTypes compares a long loop, whose parts have different numbers of vectors at once, with the interpreter, for
// results of all sizes.
func TestPartsOfTypes(t *testing.T) {
	const nodes, consts = 45, 15
	r := rand.New(rand.NewPCG(8, 48))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I8, dtype.I16, dtype.BF16, dtype.F16, dtype.F32, dtype.I32, dtype.Bool} {
		body := ""
		for i := range consts {
			body += fmt.Sprintf("%%%d = const u32 %d\n", i, 3*i+5)
		}
		body += fmt.Sprintf("vec i0 {\n%%%d = index i0\n%%%d = cvt u32 %%%[1]d\n", consts, consts+1)
		last := consts + 1
		step := func(back int) {
			x := r.IntN(consts)
			if last%3 == 0 {
				x = last - back
			}
			body += fmt.Sprintf("%%%d = %s u32 %%%d %%%d\n", last+1, []string{"mul", "xor", "add"}[last%3], last, x)
			last++
		}
		for range nodes {
			step(0)
		}
		for range nodes {
			step(1 + r.IntN(5))
		}
		reg := typ.Register()
		switch reg {
		case dtype.Bool:
			body += fmt.Sprintf("%%%d = lt bool %%%d %%%d\n", last+1, last, last-1)
		default:
			body += fmt.Sprintf("%%%d = cvt %s %%%d\n", last+1, reg.Short(), last)
		}
		k := parse(t, fmt.Sprintf("kernel parts\naxis i0\nbuf y %s out 1\n{\n%sstore %s y[i0] %%%d\n}\n}\n", typ.Short(), body, reg.Short(), last+1))
		parts := isas(t)[0].Name() != "avx2"
		for _, n := range []int{1, 8, 47, 48, 49, 96, 131} {
			s := newSetup(t, r, k, []int{n}, nil, [][]int{{n}}, true)
			parts = parts || strings.Contains(textOfCode(t, s.instance(t, isas(t)[0])), "(6 vectors)")
			differ(t, r, s)
		}
		if !parts {
			t.Errorf("%v: the loop has one part", typ)
		}
	}
}
