package jit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// TestPositions compares the positions of the least and the greatest elements of rows with the interpreter: of few
// values, so that many are equal, of one, of zeros, of NaN, and of rows of one element to several calls.
func TestPositions(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U32, dtype.I64, dtype.U64, dtype.I16, dtype.U8, dtype.F16, dtype.BF16} {
		for i, columns := range []int{1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 200, 301, 1000, 4096, 5000, 13000} {
			name, rows := []string{"argmax", "argmin"}[(i+int(typ))%2], 1+r.IntN(5)
			k := parse(t, fmt.Sprintf(`kernel positions
axis i0 i1
buf x %[1]s in 2
buf y i64 out 1
{
  par i0 {
    vec i1 {
      %%0 = load %[2]s x[i0, i1]
      %%1 = reduce %[3]s i64 %%0
    }
    store i64 y[i0] %%1
  }
}`, typ.Short(), typ.Register().Short(), name))
			s := newSetup(t, r, k, []int{rows, columns}, nil, [][]int{{rows, columns}, {rows}}, r.IntN(2) == 0)
			if size := typ.Size(); r.IntN(2) == 0 { // few values, in any order, or one
				few := 1 + 2*r.IntN(2)
				m := s.mem[0]
				for at := few * size; at+size <= len(m); at += size {
					from := r.IntN(few) * size
					copy(m[at:at+size], m[from:from+size])
				}
			}
			if size, m := typ.Size(), s.mem[0]; typ.IsFloat() && r.IntN(3) == 0 { // zeros of either sign, and perhaps NaN
				clear(m)
				for at := size - 1; at < len(m); at += size {
					m[at] = byte(r.IntN(2) << 7)
				}
				if at := r.IntN(2*len(m)) / size * size; at < len(m) {
					m[at+size-1], m[at+size-2] = 0x7f, 0xff
				}
			}
			differ(t, r, s)
			forget()
		}
	}
}
