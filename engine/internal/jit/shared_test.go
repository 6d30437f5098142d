package jit

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// TestSharedAddresses compares loops over rows of several parts with the interpreter: the inside of a row, its first element and its last
// one, of arrays at inaccessible pages, in place or not, also with groups of rows. With AVX2 the parts share the registers of their
// addresses, so no row changes the frame.
func TestSharedAddresses(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(10, 9))
	for _, typ := range []dtype.Type{dtype.U8, dtype.Bool, dtype.I16, dtype.F16, dtype.I32, dtype.F32, dtype.F64} {
		for _, from := range []string{"x", "y"} {
			op, mode := "max", map[string]string{"x": "out", "y": "inout"}[from]
			if typ == dtype.Bool {
				op = "xor"
			}
			k := parse(t, strings.NewReplacer("OP", op, "T", typ.Short(), "R", typ.Register().Short(), "MODE", mode, "FROM", from).Replace(`kernel parts
axis i0 i1 i2
params 2
buf x T in 3
buf c T in 2
buf y T MODE 3
{
par i0 i1 {
vec i2 {
%0 = load R x[i0, i1, i2]
%1 = load R x[i0, i1, i2+2]
%2 = OP R %0 %1
%3 = load R FROM[i0, i1, i2+1]
%4 = OP R %2 %3
store R y[i0, i1, i2+1] %4
}
%5 = load R FROM[i0, i1, 0]
%6 = load R x[i0, i1, p0]
%7 = OP R %5 %6
%8 = load R c[i0, i1]
%9 = OP R %7 %8
store R y[i0, i1, 0] %9
%10 = load R FROM[i0, i1, p0]
%11 = OP R %10 %8
store R y[i0, i1, p0] %11
}
}
`))
			for _, row := range []int{1, 2, 7, 8, 15, 16, 17, 31, 33, 48, 64, 100, 600} {
				n := [...][2]int{{1, 1}, {1, 9}, {4, 5}, {3, 20}}[r.IntN(4)]
				shape, plain := []int{n[0], n[1], row + 2}, r.IntN(3) > 0
				s := newSetup(t, r, k, []int{n[0], n[1], row}, []int{row + 1, 0}, [][]int{shape, {n[0], n[1]}, shape}, plain)
				if in, ok := s.instance(t, isas(t)[0]).(*instance); ok && isas(t)[0].Name() == "avx2" && plain && n[0]*n[1] > 1 && countIn(t, in, "next row", "add qword") > 0 {
					t.Errorf("%s, %s, %d x %d rows of %d: rows change their addresses in the frame", typ, from, n[0], n[1], row)
				}
				differ(t, r, s)
				forget()
			}
		}
	}
}

// TestAddressesOfOnePart compares rows of one part, whose sites lie at fixed distances, with the interpreter.
func TestAddressesOfOnePart(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(11, 9))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I32, dtype.F64} {
		k := parse(t, strings.NewReplacer("T", typ.Short(), "R", typ.Register().Short()).Replace(`kernel part
axis i0 i1 i2
buf x T in 3
buf y T out 3
{
par i0 i1 {
vec i2 {
%0 = load R x[i0, i1, i2]
%1 = load R x[i0, i1, i2+2]
%2 = max R %0 %1
%3 = load R x[i0, i1, i2+1]
%4 = max R %2 %3
store R y[i0, i1, i2+1] %4
}
}
}
`))
		for _, row := range []int{1, 2, 8, 17, 33, 100} {
			shape := []int{3, 20, row + 2}
			differ(t, r, newSetup(t, r, k, []int{3, 20, row}, []int{}, [][]int{shape, shape}, true))
			forget()
		}
	}
}

// TestAddressesOfReductions compares rows with a reduction, and what follows from it, with the interpreter, also with groups of rows. With AVX2
// the phases share the registers of their addresses, so no row changes the frame. Operands are read at two places: rows that are folded together
// do not share.
func TestAddressesOfReductions(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(12, 9))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I16, dtype.F16, dtype.I32, dtype.F32, dtype.F64} {
		for _, op := range []string{"max", "sum", "prod"} {
			k := parse(t, strings.NewReplacer("OP", op, "T", typ.Short(), "R", typ.Register().Short()).Replace(`kernel reduction
axis i0 i1 i2
buf x T in 3
buf c T in 2
buf y T out 2
{
par i0 i1 {
vec i2 {
%0 = load R x[i0, i1, i2]
%1 = load R x[i0, i1, i2+1]
%2 = add R %0 %1
%3 = reduce OP R %2
}
%4 = load R c[i0, i1]
%5 = load R c[i0, i1+1]
%6 = add R %4 %5
%7 = add R %3 %6
store R y[i0, i1] %7
}
}
`))
			for _, row := range []int{1, 7, 16, 33, 100, 130, 600, 1100} {
				n := [...][2]int{{1, 1}, {1, 9}, {4, 5}, {3, 20}, {1, 40}}[r.IntN(5)]
				s := newSetup(t, r, k, []int{n[0], n[1], row}, []int{}, [][]int{{n[0], n[1], row + 2}, {n[0], n[1] + 1}, {n[0], n[1]}}, true)
				if in, ok := s.instance(t, isas(t)[0]).(*instance); ok && isas(t)[0].Name() == "avx2" && n[0]*n[1] > 1 && countIn(t, in, "next row", "add qword") > 0 {
					t.Errorf("%s of %s, %d x %d rows of %d: rows change their addresses in the frame", op, typ, n[0], n[1], row)
				}
				differ(t, r, s)
				forget()
			}
		}
	}
}
