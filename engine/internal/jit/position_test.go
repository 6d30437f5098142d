package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// TestPositions compares the positions of the least and the greatest elements of rows with the interpreter: of few
// values, so that many are equal, of one, of zeros, of NaN, and of rows of one element to several calls. Some are chosen by elements of 8
// bytes, so that a vector has fewer lanes than its positions could have.
func TestPositions(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U32, dtype.I64, dtype.U64, dtype.I16, dtype.U8, dtype.F16, dtype.BF16} {
		for i, columns := range []int{1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 200, 301, 1000, 4096, 5000, 13000} {
			name, rows := []string{"argmax", "argmin"}[(i+int(typ))%2], 1+r.IntN(5)
			beside, value := "", 0
			if i%3 == 1 {
				beside, value = strings.ReplaceAll("%1 = load i64 z[i1]\n%2 = cvt R %1\n%3 = max R %0 %2", "R", typ.Register().Short()), 3
			}
			k := parse(t, fmt.Sprintf(`kernel positions
axis i0 i1
buf x %[1]s in 2
buf z i64 in 1
buf y i64 out 1
{
  par i0 {
    vec i1 {
      %%0 = load %[2]s x[i0, i1]
      %[4]s
      %%4 = reduce %[3]s i64 %%%[5]d
    }
    store i64 y[i0] %%4
  }
}`, typ.Short(), typ.Register().Short(), name, beside, value))
			s := newSetup(t, r, k, []int{rows, columns}, nil, [][]int{{rows, columns}, {columns}, {rows}}, r.IntN(2) == 0)
			makeEqual(r, typ, s.mem[0])
			differ(t, r, s)
			forget()
		}
	}
}

// TestPositionsOfColumns compares the positions down columns with the interpreter, also where lanes of the last vector have no column.
func TestPositionsOfColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U32, dtype.I64, dtype.U64, dtype.I16, dtype.U8, dtype.F16} {
		for i, columns := range []int{1, 3, 8, 10, 16, 17, 33, 100, 300} {
			name, rows := []string{"argmax", "argmin"}[(i+int(typ))%2], 1+r.IntN(200)
			k := parse(t, fmt.Sprintf(`kernel positions
axis i0 i1
buf x %[1]s in 2
buf y i64 out 1
{
  vec i1 {
    seq i0 {
      %%0 = load %[2]s x[i0, i1]
      %%1 = reduce %[3]s i64 %%0
    }
    store i64 y[i1] %%1
  }
}`, typ.Short(), typ.Register().Short(), name))
			s := newSetup(t, r, k, []int{rows, columns}, nil, [][]int{{rows, columns}, {columns}}, r.IntN(2) == 0)
			makeEqual(r, typ, s.mem[0])
			differ(t, r, s)
			forget()
		}
	}
}

// makeEqual makes some elements of m equal: all have a few values, in any order, or one, or they are zeros of either sign, perhaps with NaN.
func makeEqual(r *rand.Rand, typ dtype.Type, m []byte) {
	if size := typ.Size(); r.IntN(2) == 0 {
		few := 1 + 2*r.IntN(2)
		for at := few * size; at+size <= len(m); at += size {
			from := r.IntN(few) * size
			copy(m[at:at+size], m[from:from+size])
		}
	}
	if size := typ.Size(); typ.IsFloat() && r.IntN(3) == 0 {
		clear(m)
		for at := size - 1; at < len(m); at += size {
			m[at] = byte(r.IntN(2) << 7)
		}
		if at := r.IntN(2*len(m)) / size * size; at < len(m) {
			m[at+size-1], m[at+size-2] = 0x7f, 0xff
		}
	}
}
