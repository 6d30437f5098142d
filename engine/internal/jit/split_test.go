package jit

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// TestSplitRows compares reductions of few long rows, whose blocks are units, with the interpreter: beside values of each row before
// and after the loop, and of two reductions. Shorter rows are units.
func TestSplitRows(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(30, 11))
	for _, op := range []string{"sum", "max", "argmax"} {
		for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I16} {
			out := typ.Register().Short()
			if op == "argmax" {
				out = "i64"
			}
			k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "REG", typ.Register().Short(), "OP", op, "OUT", out).Replace(
				"kernel rows\naxis i0 i1\nbuf x TYPE in 2\nbuf z TYPE in 1\nbuf w TYPE out 1\nbuf y OUT out 1\n{\npar i0 {\n%0 = load REG z[i0]\n%1 = add REG %0 %0\nvec i1 {\n"+
					"%2 = load REG x[i0, i1]\n%3 = sub REG %2 %1\n%4 = reduce OP OUT %3\n%5 = reduce max REG %2\n}\n%6 = add REG %5 %0\nstore REG w[i0] %6\nstore OUT y[i0] %4\n}\n}\n"))
			cases := []struct{ rows, n, units int }{{2, 300_001, 2 * 74}, {1, 300_000, 1}}
			if op == "sum" && typ.IsFloat() { // a call has one block
				cases = append(cases[1:], []struct{ rows, n, units int }{{2, leastSplit, 2 * 8}, {3, leastSplit + 1, 3 * 9}, {5, 40000, 5 * 10}, {2, leastSplit - 1, 2}}...)
			}
			for _, c := range cases {
				s := newSetup(t, r, k, []int{c.rows, c.n}, nil, [][]int{{c.rows, c.n + c.rows%2}, {c.rows}, {c.rows}, {c.rows}}, true)
				for _, be := range isas(t) {
					if n, _, _ := s.instance(t, be).Units(); n != c.units {
						t.Errorf("%s, %s of %d rows of %d %s: %d units, want %d", be.Name(), op, c.rows, c.n, typ, n, c.units)
					}
				}
				differ(t, r, s)
			}
		}
	}
}

// TestSplitRowsStore fails if blocks of rows are units where rows store before their loop, which would happen once for each piece of a row.
func TestSplitRowsStore(t *testing.T) {
	r := rand.New(rand.NewPCG(30, 12))
	k := parse(t, "kernel rows\naxis i0 i1\nbuf x f32 in 2\nbuf z f32 inout 1\nbuf y f32 out 1\n{\npar i0 {\n%0 = load f32 z[i0]\n%1 = add f32 %0 %0\nstore f32 z[i0] %1\nvec i1 {\n"+
		"%2 = load f32 x[i0, i1]\n%3 = reduce sum f32 %2\n}\nstore f32 y[i0] %3\n}\n}\n")
	differ(t, r, newSetup(t, r, k, []int{3, leastSplit}, nil, [][]int{{3, leastSplit}, {3}, {3}}, true))
}
