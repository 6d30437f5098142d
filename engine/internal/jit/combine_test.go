package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestColumnsToResults compares loops down columns that go from the identity to the result with the interpreter: runs of rows
// that are whole or not, groups of columns that fill vectors or not, several spans of columns, several calls, columns
// of records, and reductions with an order beside others.
func TestColumnsToResults(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(5, 6))
	cases := 0
	for _, typ := range []string{"f32", "f64", "i32", "i8", "u8", "i16"} {
		for _, reds := range [][]string{{"sum"}, {"max"}, {"min"}, {"prod", "min"}, {"fmax", "sum", "max"}} {
			head, body, stores := "", "", ""
			for i, red := range reds {
				head += fmt.Sprintf("buf y%d %s out 2\n", i, typ)
				body += fmt.Sprintf("%%%d = reduce %s %s %%0\n", i+1, red, typ)
				stores += fmt.Sprintf("store %s y%d[i0, i2] %%%d\n", typ, i, i+1)
			}
			k := parse(t, fmt.Sprintf("kernel columns\naxis i0 i1 i2\nbuf x %[1]s in 4\n%[2]s{\nvec i0 i2 {\nseq i1 {\n%%0 = load %[1]s x[i0, i1, i2, 0]\n%[3]s}\n%[4]s}\n}\n", typ, head, body, stores))
			for at, c := range [][3]int{{1, 64, 88}, {1, 1, 40}, {1, 0, 40}, {1, 63, 33}, {1, 257, 119}, {3, 200, 70}, {5, 65, 41}, {1, 70, 100}, {1, 9, 10}, {2, 300, 300}, {1, 20, 10017}, {1, 300, 2049}, {1, 450, 700}, {2, 130, 1030}} {
				if cases++; cases%testlevel.Every(1, 3) != 0 {
					continue
				}
				step := 1 + at%2*(1+r.IntN(3)) // in records the last vectors of a row overlap
				shapes := [][]int{{c[0], c[1], c[2], step}}
				for range reds {
					shapes = append(shapes, []int{c[0], c[2]})
				}
				differ(t, r, newSetup(t, r, k, []int{c[0], c[1], c[2]}, nil, shapes, r.IntN(3) > 0))
			}
		}
	}
}

// TestPredicatesOfColumns compares reductions of predicates down columns with the interpreter, in lanes of 8, 16 and 32 bits.
func TestPredicatesOfColumns(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(7, 8))
	for _, typ := range []string{"i8", "u16", "f32", "bool"} {
		predicate := "%0 = load bool x[i0, i1]\n"
		if typ != "bool" {
			predicate = fmt.Sprintf("%%5 = load %[1]s x[i0, i1]\n%%6 = const %[1]s 1\n%%0 = lt bool %%6 %%5\n", typ)
		}
		k := parse(t, fmt.Sprintf("kernel predicates\naxis i0 i1\nbuf x %s in 2\nbuf y bool out 1\nbuf z bool out 1\n{\nvec i1 {\nseq i0 {\n%s%%1 = reduce any bool %%0\n%%2 = reduce all bool %%0\n}\nstore bool y[i1] %%1\nstore bool z[i1] %%2\n}\n}\n", typ, predicate))
		for _, c := range [][2]int{{0, 40}, {1, 1}, {3, 31}, {2, 65}, {6, 300}, {200, 100}, {9, 8000}} {
			differ(t, r, newSetup(t, r, k, c[:], nil, [][]int{{c[0], c[1]}, {c[1]}, {c[1]}}, r.IntN(3) > 0))
		}
	}
}

// TestManyColumns compares several reductions down columns of bytes with the interpreter: registers do not hold all of their
// accumulators.
func TestManyColumns(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(9, 10))
	for _, typ := range []string{"i8", "u8", "u16"} {
		for n := 3; n <= 8; n++ {
			head, body, stores := "", "%0 = load T x[i0, i1]\n", ""
			for i := range n {
				head += fmt.Sprintf("buf y%d T out 1\n", i)
				body += fmt.Sprintf("%%%[1]d = const T %[2]d\n%%%[3]d = xor T %%0 %%%[1]d\n%%%[4]d = reduce sum T %%%[3]d\n", 3*i+1, i+1, 3*i+2, 3*i+3)
				stores += fmt.Sprintf("store T y%d[i1] %%%d\n", i, 3*i+3)
			}
			k := parse(t, strings.ReplaceAll("kernel many\naxis i0 i1\nbuf x T in 2\n"+head+"{\nvec i1 {\nseq i0 {\n"+body+"}\n"+stores+"}\n}\n", "T", typ))
			for _, c := range [][2]int{{1, 33}, {70, 40}, {5, 63}, {20, 90}, {300, 120}} {
				shapes := [][]int{{c[0], c[1]}}
				for range n {
					shapes = append(shapes, []int{c[1]})
				}
				differ(t, r, newSetup(t, r, k, c[:], nil, shapes, true))
			}
		}
	}
}
