package sorting

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// TestPositions compares positions in sorted order with a stable sort, of keys with few and with many differing bits, for lengths at which
// kernels and the size of words change. Nothing behind the positions and the room is touched.
func TestPositions(t *testing.T) {
	for _, isa := range isas() {
		testPositions[float64](t, isa, dtype.F64)
		testPositions[float32](t, isa, dtype.F32)
		testPositions[int64](t, isa, dtype.I64)
		testPositions[uint64](t, isa, dtype.U64)
		testPositions[int32](t, isa, dtype.I32)
		testPositions[uint32](t, isa, dtype.U32)
		testPositions[int16](t, isa, dtype.I16)
		testPositions[uint16](t, isa, dtype.U16)
		testPositions[int8](t, isa, dtype.I8)
		testPositions[uint8](t, isa, dtype.U8)
	}
}

func testPositions[T number](t *testing.T, isa string, typ dtype.Type) {
	r, s := rand.New(rand.NewPCG(7, uint64(typ))), New(isa)
	kinds := append(kinds[:len(kinds):len(kinds)], struct {
		name string
		bits func(r *rand.Rand, i, n int) uint64
	}{"close", func(r *rand.Rand, _, _ int) uint64 { return 0x4010101010101000 + uint64(r.IntN(300)) }})
	for _, n := range []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 17, 31, 64, 100, 333, 899, 901, 1 << 13, callKeys + 5} {
		for k, kind := range kinds {
			rows := 1 + r.IntN(9)
			if n > 1000 {
				rows = 1
			}
			if n > 1<<13 && k > 1 {
				continue
			}
			down := r.IntN(2) > 0
			x := make([]T, rows*n)
			for i := range x {
				bits := kind.bits(r, i%n, n)
				x[i] = *(*T)(unsafe.Pointer(&bits))
			}
			var want []int64
			for i := range rows {
				row, at := x[i*n:][:n], make([]int64, n)
				for j := range at {
					at[j] = int64(j)
				}
				slices.SortStableFunc(at, func(a, b int64) int { return order0(row[a], row[b], down) })
				want = append(want, at...)
			}
			const after = 42
			words := rows * max(n, 1<<bits.Len(uint(min(n, 8)-1)))
			if typ.Size() <= 2 {
				words *= 2
			}
			words += 8
			got, room := slices.Repeat([]int64{after}, len(want)+8), slices.Repeat([]int64{after}, words+8)
			if !s.Sort(callOf(1), tree.Rows{Type: typ, Descending: down, Count: rows, Length: n, From: unsafe.Pointer(&x[0]), To: unsafe.Pointer(&room[0]), Order: unsafe.Pointer(&got[0])}) {
				t.Fatalf("%s: %d rows of %d %v have no order", isa, rows, n, typ)
			}
			for _, x := range slices.Concat(got[len(want):], room[words:]) {
				if x != after {
					t.Errorf("%s: %d rows of %d %v: %d is stored behind the results", isa, rows, n, typ, x)
				}
			}
			if !slices.Equal(got[:len(want)], want) {
				t.Fatalf("%s: the order of %d rows of %d %v, %s, descending %t, is %v, not %v", isa, rows, n, typ, kind.name, down, got[:min(60, len(want))], want[:min(60, len(want))])
			}
		}
	}
}
