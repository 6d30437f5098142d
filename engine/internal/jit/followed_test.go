package jit

import (
	"cmp"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestFollowedRows compares maps over many rows of known length with the interpreter: rows that are shorter than a vector,
// whose stores reach into the rows behind, and longer ones whose last vector overlaps, of arrays at inaccessible pages.
func TestFollowedRows(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(9, 2))
	for _, typ := range []string{"u8", "i16", "f32", "f64", "bf16", "f16"} {
		for _, more := range []string{"", "%2 = load TYPE z[i2]\n%3 = add TYPE %1 %2\n", "%2 = load TYPE c[i1]\n%3 = add TYPE %1 %2\n"} {
			last := "%1"
			if more != "" {
				last = "%3"
			}
			text := "kernel rows\naxis i0 i1 i2\nbuf x MEM in 3\nbuf z MEM in 1\nbuf c MEM in 1\nbuf y MEM out 3\n{\nvec i0 i1 i2 {\n%0 = load TYPE x[i0, i1, i2]\n%1 = add TYPE %0 %0\n" +
				more + "store TYPE y[i0, i1, i2] " + last + "\n}\n}\n"
			k := parse(t, strings.NewReplacer("MEM", typ, "TYPE", cmp.Or(map[string]string{"bf16": "f32", "f16": "f32"}[typ], typ)).Replace(text))
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
