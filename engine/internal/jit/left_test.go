package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// TestLeftPredicates compares predicates of rows that are the same but one element, or all, with the interpreter: a loop is left
// when no element changes the result any more.
func TestLeftPredicates(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(6, 27))
	for _, typ := range []dtype.Type{dtype.Bool, dtype.U8, dtype.I16, dtype.F32, dtype.F64} {
		for i, n := range []int{1, 63, 64, 129, 511, 512, 513, 1025, 2000, 4096, 4097, 9000} {
			name := []string{"any", "all"}[(i+r.IntN(2))%2]
			text := "kernel left\naxis i0 i1\nbuf x TYPE in 2\nbuf y bool out 1\n{\npar i0 {\nvec i1 {\n%0 = load REG x[i0, i1]\nTEST%2 = reduce NAME bool %1\n}\nstore bool y[i0] %2\n}\n}\n"
			test := ""
			if typ != dtype.Bool {
				text = strings.Replace(text, "buf y", "buf z TYPE in 0\nbuf y", 1)
				test = "%3 = load REG z[]\n%1 = lt bool %3 %0\n"
				if i%3 > 0 { // takes most of the mask registers
					test = "%3 = load REG z[]\n%4 = lt bool %3 %0\n%5 = le bool %3 %0\n%6 = ne bool %0 %3\n%7 = eq bool %0 %0\n%8 = le bool %0 %0\n" +
						"%9 = and bool %4 %8\n%10 = and bool %5 %7\n%11 = and bool %6 %9\n%1 = and bool %10 %11\n"
				}
			} else {
				text = strings.ReplaceAll(text, "bool %1\n", "bool %0\n")
			}
			text = strings.Replace(text, "TEST", test, 1)
			k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "REG", typ.Register().Short(), "NAME", name).Replace(text))
			rows := 3 + r.IntN(9)
			shapes := [][]int{{rows, n}, nil, {rows}}
			if typ == dtype.Bool {
				shapes = [][]int{{rows, n}, {rows}}
			}
			s := newSetup(t, r, k, []int{rows, n}, nil, shapes, true)
			common := byte(0)
			if name == "all" {
				common = 1
			}
			m := s.mem[0]
			for at := range m {
				m[at] = common
			}
			for row := range rows {
				if at := (row*n + r.IntN(n)) * typ.Size(); r.IntN(3) > 0 {
					for b := range typ.Size() {
						m[at+b] = 1 - common
					}
				}
			}
			if typ != dtype.Bool {
				clear(s.mem[1])
			}
			t.Run(fmt.Sprint(typ, n, name), func(t *testing.T) { differ(t, r, s) })
			forget()
		}
	}
}
