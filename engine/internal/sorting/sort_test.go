package sorting

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// isas returns the instruction sets of the machine that have kernels.
func isas() (names []string) {
	for _, isa := range jit.ISAs {
		if _, err := jit.New(isa); err == nil && Has(isa) {
			names = append(names, isa)
		}
	}
	return names
}

// kinds make the bits of values of several distributions.
var kinds = []struct {
	name string
	bits func(r *rand.Rand, i, n int) uint64
}{
	{"random", func(r *rand.Rand, _, _ int) uint64 { return r.Uint64() }},
	{"sorted", func(_ *rand.Rand, i, _ int) uint64 { return uint64(i) * 0x100000001 }},
	{"reversed", func(_ *rand.Rand, i, n int) uint64 { return uint64(n-i) * 0x100000001 }},
	{"few", func(r *rand.Rand, _, _ int) uint64 { return uint64(r.IntN(7)) * 0x2000000020000000 }},
	{"seventeen", func(r *rand.Rand, _, _ int) uint64 { return uint64(r.IntN(17)) * 0x0700000007000001 }},
	{"one", func(*rand.Rand, int, int) uint64 { return 0xc0c0c0c0c0c0c0c0 }},
	{"NaN", func(*rand.Rand, int, int) uint64 { return 0xff800001ff800001 }},
	{"-0", func(*rand.Rand, int, int) uint64 { return 1 << 63 }},
	{"mostly one", func(r *rand.Rand, _, _ int) uint64 { return uint64(max(0, r.IntN(100)-90)) << 30 }},
	{"organ pipe", func(_ *rand.Rand, i, n int) uint64 { return uint64(min(i, n-i)) * 0x100000001 }},
	{"last is NaN", func(r *rand.Rand, i, n int) uint64 { return last(r, i, n, math.MaxInt64) }},
	{"last is -0", func(r *rand.Rand, i, n int) uint64 { return last(r, i, n, 1<<63) }},
	{"special", func(r *rand.Rand, _, _ int) uint64 { return special[r.IntN(len(special))] }},
}

// last returns the bits of a small positive float, and those of the last one. Some are 0.
func last(r *rand.Rand, i, n int, bits uint64) uint64 {
	if i == n-1 {
		return bits
	}
	return uint64(r.IntN(5)) * 0x0100000001000000
}

// special has numbers of 8 bytes, and two of 4 bytes each.
var special = []uint64{
	0, 1 << 63, math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(-1)), math.Float64bits(math.NaN()), math.MaxUint64,
	math.MaxInt64, 0x7f8000007f800000, 0xff800000ff800000, 0x7fc000007fc00000, 0x80000000, 0x7fffffff, 0xff800001ff800001, 1,
}

type number interface {
	int8 | uint8 | int16 | uint16 | int32 | int64 | uint32 | uint64 | float32 | float64
}

// TestSort compares sorts of rows with the standard library's, bit by bit.
func TestSort(t *testing.T) {
	for _, isa := range isas() {
		testSort[float64](t, isa, dtype.F64)
		testSort[float32](t, isa, dtype.F32)
		testSort[int64](t, isa, dtype.I64)
		testSort[int32](t, isa, dtype.I32)
		testSort[uint64](t, isa, dtype.U64)
		testSort[uint32](t, isa, dtype.U32)
		testSort[int8](t, isa, dtype.I8)
		testSort[uint8](t, isa, dtype.U8)
		testSort[int16](t, isa, dtype.I16)
		testSort[uint16](t, isa, dtype.U16)
	}
}

func testSort[T number](t *testing.T, isa string, typ dtype.Type) {
	r := rand.New(rand.NewPCG(1, uint64(typ)))
	s := New(isa)
	var lengths []int
	for n := 1; n < 530; n += 1 + n/20 {
		lengths = append(lengths, n)
	}
	lengths = append(lengths, 31, 32, 64, 96, 128, 256, 512, 777, 1000, 1024, 1800, 2048, 3001, 4096, 4097, 5000, 8191, 11003, 1<<15, 1<<15+3)
	if typ.Size() == 2 {
		lengths = append(lengths, 1<<17-9, 1<<17+1)
	}
	for _, n := range lengths {
		f := families[isa].of(typ.Size())
		if f == nil || typ.Size() < 4 && !f.sortsWhole(n) {
			f = families[isa].of(4)
		}
		if typ.Size() < 4 && !f.sortsWhole(n) || typ.Size() == 1 && n > mostBytes {
			if s.Sort(callOf(1), tree.Rows{Type: typ, Count: 2, Length: n}) {
				t.Errorf("%s: %d values of %v are sorted", isa, n, typ)
			}
			continue
		}
		for k, kind := range kinds {
			if n > 40 && n < 530 && n&63 > 0 && n%len(kinds) != k {
				continue
			}
			rows := 1
			switch { // several of them are merged at once
			case n <= 1024:
				rows = 1 + r.IntN(9)
			case n <= 8192:
				rows = 1 + r.IntN(3)
			}
			x := make([]T, rows*n)
			for i := range x {
				bits := kind.bits(r, i, n)
				x[i] = *(*T)(unsafe.Pointer(&bits))
			}
			for _, threads := range []int{1, 3} {
				down := (n+threads)&1 == 0
				what := fmt.Sprintf("%s: %d rows of %d %v, %s, descending %t, %d threads", isa, rows, n, typ, kind.name, down, threads)
				check(t, s, typ, x, rows, down, threads, what)
			}
		}
	}
}

func check[T number](t *testing.T, s *Sorter, typ dtype.Type, x []T, rows int, down bool, threads int, what string) {
	t.Helper()
	n := len(x) / rows
	want, top := slices.Clone(x), orderOf(typ, down).top
	for i := range rows {
		slices.SortFunc(want[i*n:][:n], func(a, b T) int { return order0(a, b, down) })
	}
	for _, inPlace := range []bool{false, true} {
		from := slices.Clone(x)
		after := slices.Repeat([]T{42}, 8)
		to := slices.Repeat([]T{42}, len(x)+8)
		if inPlace {
			to = append(from, after...)
			from = to
		}
		c := callOf(threads)
		if !s.Sort(c, tree.Rows{
			Type: typ, Descending: down, Count: rows, Length: n, To: unsafe.Pointer(&to[0]), From: unsafe.Pointer(&from[0]),
		}) {
			t.Fatal(what, "has no kernels")
		}
		for i, y := range want {
			bits := bitsOf(y)
			if y != y { // all have one form
				bits = uint64(top)
			}
			if bitsOf(to[i]) != bits {
				t.Errorf("%s: element %d is %v, %x, not %v", what, i, to[i], bitsOf(to[i]), y)
				break
			}
		}
		for i := range 8 {
			if to[len(x)+i] != 42 {
				t.Fatal(what, "stores behind the end")
			}
		}
		if !inPlace && !slices.EqualFunc(from, x, func(a, b T) bool { return bitsOf(a) == bitsOf(b) }) {
			t.Fatal(what, "changes the operand")
		}
	}
}

// TestCompare sorts values as is done where there is no memory for kernels.
func TestCompare(t *testing.T) {
	for _, isa := range isas() {
		testCompare[int8](t, isa, dtype.I8)
		testCompare[uint8](t, isa, dtype.U8)
		testCompare[int16](t, isa, dtype.I16)
		testCompare[uint16](t, isa, dtype.U16)
		testCompare[uint32](t, isa, dtype.U32)
		testCompare[float64](t, isa, dtype.F64)
	}
}

func testCompare[T number](t *testing.T, isa string, typ dtype.Type) {
	f := families[isa].of(typ.Size())
	if f == nil {
		return
	}
	const n, rows = 37, 2
	r := rand.New(rand.NewPCG(5, uint64(typ)))
	for _, down := range []bool{false, true} {
		x, to := make([]T, rows*n), slices.Repeat([]T{42}, rows*n+8)
		for i := range x {
			x[i] = T(r.IntN(250))
		}
		s := Sorter{f: f, order: orderOf(typ, down), rows: tree.Rows{Length: n, From: unsafe.Pointer(&x[0]), To: unsafe.Pointer(&to[0])}}
		u := newRun()
		u.begin(nil, f, &s.order, false)
		for i := range rows {
			p := s.whole(i)
			u.compare(&p)
			slices.SortFunc(x[i*n:][:n], func(a, b T) int { return order0(a, b, down) })
		}
		if want := append(x, slices.Repeat([]T{42}, 8)...); !slices.Equal(to, want) {
			t.Errorf("%s: %v, descending %t: %v, want %v", isa, typ, down, to, want)
		}
	}
}

// TestCounted tests which parts are counted: those of at most 16 values, all of which are among the keys that are looked at, and rows of
// integers of which none is far from the others. Other parts are as before.
func TestCounted(t *testing.T) {
	for _, isa := range isas() {
		testCounted[float64](t, isa, dtype.F64)
		testCounted[int32](t, isa, dtype.I32)
		testCounted[int64](t, isa, dtype.I64)
		testCounted[uint64](t, isa, dtype.U64)
		if families[isa].of(2) != nil {
			testCounted[uint16](t, isa, dtype.U16)
			testCounted[int16](t, isa, dtype.I16)
		}
	}
}

// TestLongPairs tests rows of numbers of two bytes that are too long for merges: those of few values are sorted.
func TestLongPairs(t *testing.T) {
	const n = 1<<17 + 5
	for _, isa := range isas() {
		if families[isa].of(2) == nil {
			continue
		}
		for values := range 20 {
			x := make([]uint16, n)
			for i := range x {
				x[i] = uint16(i % (values + 1) * 4001)
			}
			if s := New(isa); values < mostDistinct {
				check(t, s, dtype.U16, x, 1, values%2 > 0, 1, "few values")
			} else if p := unsafe.Pointer(&x[0]); s.Sort(callOf(1), tree.Rows{Type: dtype.U16, Count: 1, Length: n, To: p, From: p}) {
				t.Errorf("%s: a long row of %d values is sorted", isa, values+1)
			}
		}
	}
}

func testCounted[T number](t *testing.T, isa string, typ dtype.Type) {
	const n = 4*countedKeys + 77
	f := families[isa].of(typ.Size())
	least, most := 0, int(uint(math.MaxUint)>>(64-8*typ.Size()))
	switch {
	case typ.IsFloat():
		most = 2000
	case typ.IsSigned():
		least, most = ^int(uint(most)>>1), int(uint(most)>>1)
	}
	for _, c := range []struct {
		values, first, step int
		other               int // the distance of one value from the first; or 0
		counted, tabulated  bool
	}{
		{values: 1, first: 3, counted: true},
		{values: 2, step: 4001, counted: true},
		{values: mostDistinct, step: 3000, counted: true},
		{values: mostDistinct + 1, step: 3000},
		{values: 3, other: 30000},
		{values: 2000, step: 1, other: 30000},
		{values: 2000, first: most - 1999, step: 1, other: 2100}, // which is the least or near it
		{values: 5000, step: 1},
		{values: 1000, step: 3, tabulated: true},
		{values: 3000, first: least, step: 1, tabulated: true},
		{values: 2000, first: most - 1999, step: 1, tabulated: true},
	} {
		for _, down := range []bool{false, true} {
			x, to, o, u := make([]T, n), slices.Repeat([]T{77}, n+8), orderOf(typ, down), newRun()
			for i := range x {
				x[i] = T(c.first + i*7%c.values*c.step)
			}
			if c.other > 0 {
				x[n-1] = T(c.first + c.other)
			}
			u.begin(nil, f, &o, false)
			counts := c.counted || c.tabulated && !typ.IsFloat()
			if is := u.counted(&part{from: unsafe.Pointer(&x[0]), data: unsafe.Pointer(&to[0]), n: n, values: true}); is != counts {
				t.Errorf("%s: %v, %+v: counted %t", isa, typ, c, is)
			}
			if want := slices.Repeat([]T{77}, n+8); counts {
				slices.SortFunc(x, func(a, b T) int { return order0(a, b, down) })
				if !slices.Equal(to[:n], x) || !slices.Equal(to[n:], want[n:]) {
					t.Errorf("%s: %v of %d values, descending %t: the counts are wrong", isa, typ, c.values, down)
				}
			} else if !slices.Equal(to, want) {
				t.Errorf("%s: %v of %d values: a part that is not counted has changed", isa, typ, c.values)
			}
		}
	}
}

// TestSelectedRows checks how long rows may be that are sorted though one key alone is wanted: with AVX2 four networks take less time
// than partitions, with AVX-512 two.
func TestSelectedRows(t *testing.T) {
	for _, isa := range isas() {
		for _, size := range []int{4, 8} {
			f, o, u := families[isa].of(size), orderOf(dtype.I64, false), newRun()
			most := 2 * f.largest()
			if isa == "avx2" {
				most *= 2
			}
			u.begin(nil, f, &o, false)
			u.places = []int{most / 2}
			x := make([]int64, most+1)
			for length, want := range map[int]bool{most: true, most + 1: false} {
				if p := unsafe.Pointer(&x[0]); u.few(p, p, 1, length) != want {
					t.Errorf("%s: a row of %d keys of %d bytes is sorted: %t", isa, length, size, !want)
				}
			}
		}
	}
}

// order0 compares values with NaN last and -0 before +0.
func order0[T number](a, b T, down bool) int {
	switch {
	case a != a || b != b:
		return cmp.Compare(nan(a), nan(b))
	case down:
		a, b = b, a
	}
	if a == b { // zeros
		return cmp.Compare(-int64(bitsOf(a)>>31), -int64(bitsOf(b)>>31))
	}
	return cmp.Compare(a, b)
}

func nan[T number](x T) int {
	if x != x {
		return 1
	}
	return 0
}

func bitsOf[T number](x T) uint64 {
	switch unsafe.Sizeof(x) {
	case 1:
		return uint64(*(*uint8)(unsafe.Pointer(&x)))
	case 2:
		return uint64(*(*uint16)(unsafe.Pointer(&x)))
	case 4:
		return uint64(*(*uint32)(unsafe.Pointer(&x)))
	}
	return *(*uint64)(unsafe.Pointer(&x))
}

// callOf returns a call whose workers are goroutines.
func callOf(threads int) *tree.Call {
	return &tree.Call{Threads: threads, On: func(n int, _ float64, f func(worker, lo, hi int)) {
		var all sync.WaitGroup
		for w := range threads {
			all.Go(func() { f(w, n*w/threads, n*(w+1)/threads) })
		}
		all.Wait()
	}}
}

func BenchmarkSort(b *testing.B) {
	for _, isa := range isas() {
		for _, n := range []int{4, 8, 16, 32, 64, 128, 256, 1024, 1 << 14, 1 << 20} {
			b.Run(fmt.Sprintf("%s/float64/%d", isa, n), func(b *testing.B) { benchSort(b, isa, dtype.F64, n, rand.NormFloat64) })
			b.Run(fmt.Sprintf("%s/float32/%d", isa, n), func(b *testing.B) {
				benchSort(b, isa, dtype.F32, n, func() float32 { return float32(rand.NormFloat64()) })
			})
		}
	}
}

func benchSort[T number](b *testing.B, isa string, typ dtype.Type, n int, value func() T) {
	rows := max(1, 1<<17/n)
	x, y := make([]T, n*rows), make([]T, n*rows)
	for i := range x {
		x[i] = value()
	}
	s, c := New(isa), &tree.Call{Threads: 1}
	r := tree.Rows{Type: typ, Count: rows, Length: n, To: unsafe.Pointer(&y[0]), From: unsafe.Pointer(&x[0])}
	least := math.Inf(1)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range b.N {
		before := testlevel.CPUTime()
		s.Sort(c, r)
		least = min(least, float64(testlevel.CPUTime()-before))
	}
	b.ReportMetric(least/float64(len(x)), "ns/elem")
}

// meanwhile calls change again and again, with the number of the call, in another goroutine until the test ends. It skips the test under the
// race detector.
func meanwhile(t *testing.T, change func(turn int)) {
	if testlevel.Race {
		t.Skip("the test is a race")
	}
	end := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for turn := 0; ; turn++ {
			change(turn)
			select {
			case <-end:
				return
			default:
			}
		}
	})
	t.Cleanup(func() {
		close(end)
		done.Wait()
	})
}

// TestCountedChanges tests that a part whose numbers change while it is counted is stored within its memory.
func TestCountedChanges(t *testing.T) {
	const n = 1 << 14
	x, to := make([]int32, n), make([]int32, n)
	meanwhile(t, func(turn int) {
		for i := range x {
			atomic.StoreInt32(&x[i], int32(i+turn)%mostDistinct)
		}
	})
	for _, isa := range isas() {
		o, u := orderOf(dtype.I32, false), newRun()
		u.begin(nil, families[isa].of(4), &o, false)
		for range 2000 {
			u.counted(&part{from: unsafe.Pointer(&x[0]), data: unsafe.Pointer(&to[0]), n: n, values: true})
		}
	}
}
