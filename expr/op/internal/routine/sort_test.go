package routine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/shape"
)

// TestSorter compares sorts of keys with tags with the stable sort of the standard
// library, for lengths at which the method changes and for keys that share digits.
func TestSorter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 23, 24, 25, 63, 64, 65, 300, 4095, 4096, 10000} {
		for _, mask := range []uint64{0, 1, 0xff, 0xffff << 40, 1 << 63, 0xf0f0f0f0f0f0f0f0, math.MaxUint64, 0xff000000000000ff} {
			testSorter[uint8](t, r, n, mask|mask>>56)
			testSorter[uint16](t, r, n, mask|mask>>48)
			testSorter[uint32](t, r, n, mask|mask>>32)
			testSorter[uint64](t, r, n, mask)
		}
	}
}

func testSorter[K key](t *testing.T, r *rand.Rand, n int, mask uint64) {
	t.Helper()
	keys, tags, want := make([]K, n), make([]uint32, n), make([]uint32, n)
	for i := range keys {
		keys[i] = K(r.Uint64() & mask)
		tags[i], want[i] = uint32(i), uint32(i)
	}
	slices.SortStableFunc(want, func(a, b uint32) int {
		if keys[a] == keys[b] {
			return 0
		} else if keys[a] < keys[b] {
			return -1
		}
		return 1
	})
	sorted := slices.Sorted(slices.Values(keys))
	alone := sorter[K]{keys: slices.Clone(keys), otherKeys: make([]K, n)}
	both := sorter[K]{keys: slices.Clone(keys), otherKeys: make([]K, n), tags: tags, otherTags: make([]uint32, n)}
	alone.sort()
	both.sort()
	if !slices.Equal(alone.keys, sorted) || !slices.Equal(both.keys, sorted) || !slices.Equal(both.tags, want) {
		t.Errorf("%d keys of %T with mask %x are not in order", n, K(0), mask)
	}
}

// TestPairs tests sorts of many keys of two bytes, of all values, of few, and in order.
func TestPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for _, n := range []int{manyKeys, manyKeys + 3, 1<<17 - 1, 1 << 17, 1<<18 + 1} {
		for _, width := range []int{0, 3, 11, 16} {
			for _, ordered := range []bool{false, true} {
				s := sorter[uint16]{keys: make([]uint16, n), otherKeys: make([]uint16, n)}
				for i := range s.keys {
					s.keys[i] = uint16(r.Uint32()>>(32-width)) - 1<<10
				}
				want := slices.Sorted(slices.Values(s.keys))
				if ordered {
					copy(s.keys, want)
				}
				if s.sort(); !slices.Equal(s.keys, want) {
					t.Errorf("%d keys of %d bits are not in order", n, width)
				}
			}
		}
	}
}

// TestKeys tests that keys have the order of values, and give the values back.
func TestKeys(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	order := []float64{-inf, -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, math.Copysign(0, -1), 0, math.SmallestNonzeroFloat64, 1, math.MaxFloat64, inf, nan, math.Float64frombits(1<<63 | 0x7ff0000000000001)}
	keys := make([]uint64, len(order))
	keysOf(keys, dtype.F64, unsafe.Pointer(&order[0]), 1, false)
	if !slices.IsSorted(keys) || keys[10] != keys[11] || keys[9] == keys[10] {
		t.Errorf("the keys of %v are %x", order, keys)
	}
	for _, down := range []bool{false, true} {
		keysOf(keys, dtype.F64, unsafe.Pointer(&order[0]), 1, down)
		back := make([]float64, len(order))
		valuesOf(keys, dtype.F64, unsafe.Pointer(&back[0]), 1, down)
		for i, x := range back {
			if math.Float64bits(x) != math.Float64bits(order[i]) && x == x {
				t.Errorf("%v comes back as %v", order[i], x)
			}
		}
		if down && (keys[10] != math.MaxUint64 || keys[0] == math.MaxUint64 || keys[0] < keys[9]) {
			t.Errorf("the descending keys of %v are %x", order, keys)
		}
	}
	ints := []int8{-128, -1, 0, 1, 127}
	small := make([]uint8, 5)
	keysOf(small, dtype.I8, unsafe.Pointer(&ints[0]), 1, false)
	if !slices.IsSorted(small) {
		t.Errorf("the keys of %v are %v", ints, small)
	}
}

func BenchmarkSorter(b *testing.B) {
	for _, n := range []int{16, 64, 256, 1024, 1 << 14, 1 << 20} {
		b.Run(fmt.Sprint("float32/", n), func(b *testing.B) { benchSorter[uint32](b, n, dtype.F32) })
		b.Run(fmt.Sprint("float64/", n), func(b *testing.B) { benchSorter[uint64](b, n, dtype.F64) })
	}
}

func benchSorter[K key](b *testing.B, n int, typ dtype.Type) {
	rows := max(1, 1<<18/n)
	x := make([]K, n*rows)
	for i := range x {
		if typ == dtype.F64 {
			x[i] = K(math.Float64bits(rand.NormFloat64()))
		} else {
			x[i] = K(math.Float32bits(float32(rand.NormFloat64())))
		}
	}
	out := make([]K, n)
	s := sorter[K]{keys: make([]K, n), otherKeys: make([]K, n)}
	b.ResetTimer()
	for i := range b.N {
		row := x[i%rows*n:][:n]
		keysOf(s.keys, typ, unsafe.Pointer(&row[0]), 1, false)
		s.sort()
		valuesOf(s.keys, typ, unsafe.Pointer(&out[0]), 1, false)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
}

// TestPlaces compares places of values in sorted vectors with those of the standard library,
// for values in order and not, equal ones and NaN.
func TestPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	value := func() float64 {
		return []float64{float64(r.IntN(9)), r.NormFloat64(), math.NaN(), math.Copysign(0, -1), math.Inf(1)}[r.IntN(5)]
	}
	for n := range 40 {
		sorted, x := make([]float64, n), make([]float64, 60)
		for i := range sorted {
			sorted[i] = value()
		}
		order := func(a, b float64) int {
			switch {
			case below(a, b):
				return -1
			case below(b, a):
				return 1
			}
			return 0
		}
		slices.SortFunc(sorted, order)
		for i := range x {
			x[i] = value()
		}
		slices.SortFunc(x[:30], order)
		for _, right := range []bool{false, true} {
			got := make([]int64, len(x))
			strided := func(x []float64) tree.Strided {
				return tree.Strided{Ptr: unsafe.Pointer(unsafe.SliceData(x)), Type: dtype.F64, Shape: shape.Shape{len(x)}, Strides: shape.Strides{1}}
			}
			out := tree.Strided{Ptr: unsafe.Pointer(&got[0]), Type: dtype.I64, Shape: shape.Shape{len(x)}, Strides: shape.Strides{1}}
			if err := searchOf[float64](right)(&tree.Call{Out: out, Args: []tree.Strided{strided(sorted), strided(x)}, Threads: 1, Work: make([]byte, room(startsOf(n, len(x)), 4))}); err != nil {
				t.Fatal(err)
			}
			for i, x := range x {
				want, _ := slices.BinarySearchFunc(sorted, x, func(a, x float64) int {
					if below(a, x) || right && !below(x, a) {
						return -1
					}
					return 1
				})
				if got[i] != int64(want) {
					t.Errorf("the place of %v in %v, right %t, is %d, not %d", x, sorted, right, got[i], want)
				}
			}
		}
	}
}

// TestBytes tests sorts of bytes, which are counted.
func TestBytes(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 1001, 5000} {
		s := sorter[uint8]{keys: make([]uint8, n), otherKeys: make([]uint8, n)}
		for i := range s.keys {
			s.keys[i] = uint8(rand.Uint32())
		}
		want := slices.Sorted(slices.Values(s.keys))
		if s.sort(); !slices.Equal(s.keys, want) {
			t.Errorf("%d bytes are not in order", n)
		}
	}
}

// TestPicks tests keys at places in any order, of rows whose keys differ in high or in low bits.
func TestPicks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{1, 64, 65, 1000, 5000} {
		for shift := 0; shift < 64; shift += 9 {
			s := sorter[uint64]{keys: make([]uint64, n), otherKeys: make([]uint64, n)}
			for i := range s.keys {
				s.keys[i] = r.Uint64() >> shift << (shift / 2)
				if i%3 == 0 {
					s.keys[i] = s.keys[i/2]
				}
			}
			want := slices.Sorted(slices.Values(s.keys))
			ranks := []int{n / 2, n - 1, 0, 0, n / 3, min(n/3+1, n-1), r.IntN(n), r.IntN(n)}
			s.pickAll(ranks)
			for i, rank := range ranks {
				if s.pivots[i] != want[rank] {
					t.Fatalf("%d keys, shift %d: the key at place %d is %x, not %x", n, shift, rank, s.pivots[i], want[rank])
				}
			}
		}
	}
}

// TestPick takes several places of equal keys, without memory of its own.
func TestPick(t *testing.T) {
	const n = 2 * someKeys
	s, ranks := &sorter[uint32]{keys: slices.Repeat([]uint32{7}, n), otherKeys: make([]uint32, n)}, lists.UpTo(n)
	if allocs := testlevel.Allocs(5, func() { s.pickAll(ranks) }); allocs != 0 || !slices.Equal(s.pivots, s.keys) {
		t.Errorf("got %v and %v allocations, want %v and none", s.pivots, allocs, s.keys)
	}
}

// TestRoomOfLongRows tests that the bytes of a workspace that are too many do not wrap to few ones.
func TestRoomOfLongRows(t *testing.T) {
	for _, n := range []int{math.MaxInt / 20, math.MaxInt / 12, math.MaxInt / 4} {
		if got := rowRoom(n, n, dtype.I8, Order); got >= 0 && got < n {
			t.Errorf("the positions of %d elements take %d bytes", n, got)
		}
	}
}

// TestOrderChanges tests that a part is divided although its positions, which are a result, have been changed.
func TestOrderChanges(t *testing.T) {
	values, room := []uint32{3, 1, 2, 0}, make([]uint32, 8)
	d := parter[uint32]{rowSort: &rowSort[uint32]{typ: dtype.U32}, s: &sorter[uint32]{}, values: values, part: make([]uint32, 4)}
	d.rows.Positions, d.rows.To = true, unsafe.Pointer(&room[0])
	d.order, d.partOrder = []int64{-1, 1, 4, math.MaxInt64}, make([]int64, 4)
	d.between(0, 4, []int{3})
	if want := []int64{-1, 4, math.MaxInt64, 1}; !slices.Equal(d.order, want) {
		t.Errorf("the positions are %v, not %v", d.order, want)
	}
}
