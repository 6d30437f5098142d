package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestNarrowReductions compares reductions of narrow integers and predicates with the interpreter:
// of all kinds, and sums in wider integers, of single arrays and of rows.
func TestNarrowReductions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	type result struct {
		op string
		t  dtype.Type
	}
	for _, mem := range []dtype.Type{dtype.I8, dtype.U8, dtype.Bool, dtype.I16, dtype.U16} {
		var results []result
		for _, row := range ir.Reductions() {
			if row.Types().Has(mem) && !row.Position() {
				results = append(results, result{row.Name(), mem})
			}
		}
		for _, wide := range []dtype.Type{dtype.I32, dtype.U32, dtype.I64, dtype.U64} {
			results = append(results, result{"sum", wide})
		}
		for i, res := range results {
			for j, n := range []int{1, 7, 31, 64, 100, 256, 257, 300, 4096, 4097, 3 * 4096, 40000} {
				if (i+j)%3 != 0 && j > 7 {
					continue
				}
				rows := []int{1, 5}[r.IntN(2)]
				cvt, value := "", "%1"
				if res.t != mem {
					cvt, value = fmt.Sprintf("    %%2 = cvt %s %%1\n", res.t.Short()), "%2"
				}
				op := []string{"min", "add"}[r.IntN(2)]
				if mem == dtype.Bool {
					op = "or"
				}
				k := parse(t, strings.NewReplacer("MEM", mem.Short(), "OUT", res.t.Short(), "CVT", cvt, "OP", op, "KIND", res.op, "VALUE", value).Replace(`kernel narrow
axis i0 i1
buf x MEM in 2
buf z MEM in 2
buf y OUT out 1
{
  par i0 {
    vec i1 {
      %0 = load MEM x[i0, i1]
      %3 = load MEM z[i0, i1]
      %1 = OP MEM %0 %3
CVT      %4 = reduce KIND OUT VALUE
    }
    store OUT y[i0] %4
  }
}`))
				differ(t, r, newSetup(t, r, k, []int{rows, n}, nil, [][]int{{rows, n}, {rows, n}, {rows}}, true))
			}
		}
	}
}

// TestSumsOfLanes compares sums over a long array, over rows, and over short rows that are folded together, with the interpreter:
// sums of predicates, beside other reductions of the same values, and sums of narrow integers of the greatest magnitude. Several
// vectors are joined before lanes of 64 bits take their sum.
func TestSumsOfLanes(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(13, 28))
	for _, c := range []struct{ in, sum, value string }{
		{"f32", "i64", "%2 = lt bool %0 %1"},
		{"f32", "i64", "%2 = lt bool %0 %1\n%7 = reduce max f32 %0"},
		{"f32", "u64", "%2 = le bool %1 %0\n%7 = reduce any bool %2"},
		{"i32", "i64", "%2 = ne bool %0 %1\n%7 = reduce sum i32 %0"},
		{"u32", "i64", "%2 = eq bool %0 %1"},
		{"f16", "i64", "%2 = lt bool %0 %1"},
		{"f64", "i64", "%2 = lt bool %0 %1"},
		{"u8", "i64", "%2 = lt bool %0 %1"},
		{"i16", "u64", "%2 = lt bool %0 %1"},
		{"u8", "u64", "%2 = max u8 %0 %1"},
		{"i8", "i64", "%2 = min i8 %0 %1"},
		{"u16", "u64", "%2 = max u16 %0 %1"},
		{"i16", "i64", "%2 = min i16 %0 %1"},
	} {
		in := c.in
		if in == "f16" {
			in = "f32"
		}
		body := strings.NewReplacer("MEM", c.in, "IN", in, "SUM", c.sum, "VALUE", c.value, "; ", "\n").Replace(
			"%0 = load IN x[AT]; %1 = load IN z[AT]; VALUE; %3 = cvt SUM %2; %4 = reduce sum SUM %3")
		bufs := func(axes, out string) string {
			return "buf x " + c.in + " in " + axes + "\nbuf z " + c.in + " in " + axes + "\nbuf y " + c.sum + " out " + out + "\n"
		}
		all := parse(t, "kernel all\naxis i0\n"+bufs("1", "0")+"{\nvec i0 {\n"+strings.ReplaceAll(body, "AT", "i0")+"\n}\nstore "+c.sum+" y[] %4\n}\n")
		rows := parse(t, "kernel rows\naxis i0 i1\n"+bufs("2", "1")+"{\npar i0 {\nvec i1 {\n"+strings.ReplaceAll(body, "AT", "i0, i1")+"\n}\n%5 = add "+c.sum+" %4 %4\nstore "+c.sum+" y[i0] %5\n}\n}\n")
		for _, n := range []int{1, 5, 8, 15, 16, 17, 33, 127, 128, 300, 4097, 70000} {
			differ(t, r, newSetup(t, r, all, []int{n}, nil, [][]int{{n}, {n}, nil}, true))
			if n < 5000 {
				differ(t, r, newSetup(t, r, rows, []int{19, n}, nil, [][]int{{19, n}, {19, n}, {19}}, true))
			}
		}
		extreme(t, r, all, 5*4096+77)
	}
}

// extreme compares a kernel on arrays of n elements whose bits are all ones, and whose sign alone is set.
func extreme(t *testing.T, r *rand.Rand, k *ir.Kernel, n int) {
	for _, last := range []byte{0xff, 0x80} {
		s := newSetup(t, r, k, []int{n}, nil, [][]int{{n}, {n}, nil}, true)
		size := k.Bufs[0].Type.Size()
		for i := range 2 * n * size {
			b := byte(0)
			if last == 0xff || i%size == size-1 {
				b = last
			}
			s.mem[i/(n*size)][i%(n*size)] = b
		}
		differ(t, r, s)
	}
}
