package scatter

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// guarded returns n elements that end at a page without access. An access to that page crashes the test.
func guarded[T any](t *testing.T, n int) []T {
	return unsafe.Slice((*T)(testlevel.Guarded(t, n*int(unsafe.Sizeof(*new(T))), true)), n)
}

// TestRows compares machine code with Go, for rows of all lengths up to some vectors and of more than one block. Some rows are apart,
// some updates are one number, and some indices repeat or are outside.
func TestRows(t *testing.T) {
	inf := math.Inf(1)
	for _, isa := range jit.ISAs {
		if _, err := jit.New(isa); err != nil || New(isa, prim.Cvt, dtype.F64, 1, false) == nil {
			continue
		}
		rows(t, isa, func(r *rand.Rand) float32 {
			return [...]float32{0, float32(math.Copysign(0, -1)), float32(inf), float32(math.NaN()), r.Float32() - .5, 1 / r.Float32()}[r.IntN(6)]
		})
		rows(t, isa, func(r *rand.Rand) float64 {
			return [...]float64{0, math.Copysign(0, -1), -inf, math.NaN(), r.Float64() - .5, 1 / r.Float64()}[r.IntN(6)]
		})
		rows(t, isa, func(r *rand.Rand) int32 { return int32(r.Uint32()) })
		rows(t, isa, func(r *rand.Rand) uint32 { return r.Uint32() })
		rows(t, isa, func(r *rand.Rand) int64 { return int64(r.Uint64()) >> r.IntN(64) })
		rows(t, isa, func(r *rand.Rand) uint64 { return r.Uint64() })
		rows(t, isa, func(r *rand.Rand) int16 { return int16(r.Uint32()) })
	}
}

func rows[T dtype.Int | float32 | float64](t *testing.T, isa string, value func(*rand.Rand) T) {
	const size, count = 5, 33
	outside := []int64{-1, -size, size, math.MinInt64, math.MaxInt64} // left out
	r, typ := rand.New(rand.NewPCG(3, 4)), dtype.Of[T]()
	for _, op := range []prim.Op{prim.Cvt, prim.Add, prim.Max, prim.Min} {
		for width := 1; width < 500; width += 1 + width/40*7 {
			same := r.IntN(4) == 0
			combine := New(isa, op, typ, width, same)
			if has := typ.Size() >= 4 && (typ != dtype.U64 || op == prim.Cvt || op == prim.Add); has != (combine != nil) {
				t.Fatalf("%s: %v of rows of %v: machine code: %v", isa, op, typ, combine != nil)
			} else if !has {
				break
			}
			after, step := width+r.IntN(3), []int{0, width, width + 3, -width}[r.IntN(4)]
			apart := 1 // elements of an update
			if same {
				apart = 0
			}
			to, from, index := guarded[T](t, (size-1)*after+width), guarded[T](t, (count-1)*max(step, -step)+(width-1)*apart+1), make([]int64, count)
			first := (count - 1) * max(-step, 0) // the first update
			want := make([]T, len(to))
			for i := range to {
				to[i] = value(r)
			}
			for i := range from {
				from[i] = value(r)
			}
			copy(want, to)
			for j := range index {
				if index[j] = int64(r.IntN(size)); j%8 == 0 {
					index[j] = outside[r.IntN(len(outside))]
					continue
				}
				for k := range width {
					a, b := &want[int(index[j])*after+k], from[first+j*step+k*apart]
					switch op {
					case prim.Cvt:
						*a = b
					case prim.Add:
						*a += b
					case prim.Max:
						*a = max(*a, b)
					case prim.Min:
						*a = min(*a, b)
					}
				}
			}
			combine(unsafe.Pointer(&to[0]), unsafe.Pointer(&from[first]), index, size, after, step)
			for i, x := range to {
				a, b := dtype.Bytes([]T{x}), dtype.Bytes(want[i:i+1])
				if !bytes.Equal(a, b) && (x == x || want[i] == want[i]) {
					t.Fatalf("%s: %v of rows of %d %v: element %d is %v, not %v", isa, op, width, typ, i, x, want[i])
				}
			}
		}
	}
}

// TestLongRows tests that rows have no kernel whose offsets need more than 32 bits.
func TestLongRows(t *testing.T) {
	for _, isa := range jit.ISAs {
		for _, width := range []int{1 << 28, math.MaxInt / 8} {
			if New(isa, prim.Add, dtype.F64, width, false) != nil {
				t.Errorf("%s: rows of %d elements have a kernel", isa, width)
			}
		}
	}
}
