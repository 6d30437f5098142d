package jit

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// TestFollowedRows compares maps over many rows of known length with the interpreter: rows that are shorter than a vector,
// whose stores reach into the rows behind, and longer ones whose last vector overlaps, of arrays at inaccessible pages.
func TestFollowedRows(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(9, 2))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I16, dtype.F32, dtype.F64, dtype.F16, dtype.BF16} {
		for _, more := range []string{"", "%2 = load REG z[i2]\n%3 = add REG %1 %2\n", "%2 = load REG c[i1]\n%3 = add REG %1 %2\n"} {
			last := "%1"
			if more != "" {
				last = "%3"
			}
			text := "kernel rows\naxis i0 i1 i2\nbuf x TYPE in 3\nbuf z TYPE in 1\nbuf c TYPE in 1\nbuf y TYPE out 3\n{\nvec i0 i1 i2 {\n%0 = load REG x[i0, i1, i2]\n%1 = add REG %0 %0\n" +
				more + "store REG y[i0, i1, i2] " + last + "\n}\n}\n"
			k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "REG", typ.Register().Short()).Replace(text))
			for _, row := range []int{8, 9, 10, 15, 16, 17, 23, 24, 31, 33, 40, 67} {
				for _, n := range [][2]int{{1, 16}, {1, 33}, {3, 17}, {2, 100}} {
					for _, cut := range []int{0, 1} { // rows of x do, or do not
						s := newSetup(t, r, k, []int{n[0], n[1], row}, nil, [][]int{{n[0], n[1], row + cut}, {row}, {n[1]}, {n[0], n[1], row}}, true)
						differ(t, r, s)
					}
				}
			}
		}
	}
}
