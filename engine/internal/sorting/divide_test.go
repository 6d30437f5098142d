package sorting

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// TestPlaces compares elements at places, and the parts of rows before and behind a place and their positions,
// with a stable sort, bit by bit.
func TestPlaces(t *testing.T) {
	for _, isa := range isas() {
		testPlaces[float64](t, isa, dtype.F64)
		testPlaces[float32](t, isa, dtype.F32)
		testPlaces[int64](t, isa, dtype.I64)
		testPlaces[uint32](t, isa, dtype.U32)
		testPlaces[int16](t, isa, dtype.I16)
		testPlaces[uint16](t, isa, dtype.U16)
	}
}

// TestWidePairs tests integers of two bytes where the processor does not compress lanes of two.
func TestWidePairs(t *testing.T) {
	defer func(does bool) { compressesPairs = does }(compressesPairs)
	compressesPairs = false
	for _, isa := range isas() {
		testPlaces[int16](t, isa, dtype.I16)
		testPlaces[uint16](t, isa, dtype.U16)
	}
}

func testPlaces[T number](t *testing.T, isa string, typ dtype.Type) {
	r := rand.New(rand.NewPCG(3, uint64(typ)))
	s := New(isa)
	for _, n := range []int{1, 2, 3, 7, 8, 9, 31, 33, 63, 64, 65, 100, 128, 129, 256, 300, 600, 1000, 1023, 1025, 3000, 1 << 12, 5003, 1<<15 + 3, 1<<16 + 90} {
		for k, kind := range kinds {
			if n > 100 && (n+k)%3 > 0 {
				continue
			}
			x := make([]T, n)
			for i := range x {
				bits := kind.bits(r, i, n)
				x[i] = *(*T)(unsafe.Pointer(&bits))
			}
			down := r.IntN(2) > 0
			order := make([]int64, n)
			for i := range order {
				order[i] = int64(i)
			}
			slices.SortStableFunc(order, func(a, b int64) int { return order0(x[a], x[b], down) })
			what := fmt.Sprintf("%s: %d %v, %s, descending %t", isa, n, typ, kind.name, down)
			rows := tree.Rows{Type: typ, Descending: down, Count: 1, Length: n, From: unsafe.Pointer(&x[0])}
			for _, place := range []int{0, n / 2, n - 1, r.IntN(n)} {
				rows.Places = []int{place}
				checkParts(t, s, rows, x, order, what)
			}
			if typ.Size() == 2 { // they have no other selections
				continue
			}
			rows.Places = slices.Compact(slices.Sorted(slices.Values([]int{n / 3, n / 2, min(n/2+1, n-1), n - 1})))
			checkPlaces(t, s, rows, x, order, what)
		}
	}
}

func checkPlaces[T number](t *testing.T, s *Sorter, rows tree.Rows, x []T, order []int64, what string) {
	t.Helper()
	to := make([]T, len(x))
	rows.To = unsafe.Pointer(&to[0])
	if !s.Sort(callOf(1), rows) {
		t.Fatal(what, "has no kernels")
	}
	for _, place := range rows.Places {
		if want := x[order[place]]; bitsOf(to[place]) != bitsOf(want) && want == want {
			t.Errorf("%s: the element at place %d of %v is %v, not %v", what, place, rows.Places, to[place], want)
		}
	}
}

func checkParts[T number](t *testing.T, s *Sorter, rows tree.Rows, x []T, order []int64, what string) {
	t.Helper()
	place := rows.Places[0]
	order = slices.Clone(order)
	slices.Sort(order[:place])
	slices.Sort(order[place+1:])
	typ := rows.Type
	if typ.Size() > 2 {
		checkPlaces(t, s, rows, x, order, what)
	}
	room, guard := make([]byte, len(x)*12), 9
	got, at := make([]T, len(x)+guard), slices.Repeat([]int64{-7}, len(x)+guard)
	rows.To, rows.Parted = unsafe.Pointer(&room[0]), unsafe.Pointer(&got[0])
	if !s.Sort(callOf(1), rows) {
		t.Fatal(what, "has no kernels")
	}
	rows.Parted, rows.Positions = unsafe.Pointer(&at[0]), true
	if s.Sort(callOf(1), rows) == (typ.Size() == 2) {
		t.Fatal(what, "has kernels of positions, or none")
	} else if typ.Size() == 2 {
		copy(at, order)
	}
	for i, from := range order {
		if bitsOf(got[i]) != bitsOf(x[from]) || at[i] != from {
			t.Errorf("%s: element %d of the parts at %d is %v from %d, not %v from %d", what, i, place, got[i], at[i], x[from], from)
			return
		}
	}
	for i := range guard {
		if bitsOf(got[len(x)+i]) != 0 || at[len(x)+i] != -7 {
			t.Fatal(what, "stores behind the end")
		}
	}
}

// TestPartsEncode tests that all instruction sets have kernels of the parts.
func TestPartsEncode(t *testing.T) {
	if len(isas()) == 0 {
		t.Skip("no memory for machine code")
	}
	for isa := range families {
		for _, size := range []int{4, 8} {
			for _, f := range []form{0, enter} {
				if c := families[isa].of(size); c.partition(f, values) == nil || c.partition(f, positions) == nil {
					t.Errorf("%s has no partition of values of %d bytes in form %d", isa, size, f)
				}
			}
		}
	}
}

// TestReverse tests lengths around those of vectors, and one that takes several calls of the kernel.
func TestReverse(t *testing.T) {
	for _, isa := range isas() {
		for _, n := range append(lists.UpTo(70), 3*callKeys+5) {
			testReverse[int32](t, isa, n)
			testReverse[int64](t, isa, n)
		}
	}
}

func testReverse[K int32 | int64](t *testing.T, isa string, n int) {
	u := newRun()
	u.begin(nil, families[isa].of(int(unsafe.Sizeof(K(0)))), new(order), false)
	x := make([]K, n)
	for i := range x {
		x[i] = K(i)
	}
	reverse(u, x)
	for i, v := range x {
		if int(v) != n-1-i {
			t.Fatalf("%s: element %d of %d of %T is %d", isa, i, n, v, v)
		}
	}
}

// TestFind tests the position of an element, in and between the groups that a kernel compares, in rows of one call and of several. The
// last element stands for one that is missing.
func TestFind(t *testing.T) {
	for _, isa := range isas() {
		for _, n := range []int{64, 70} { // 64 are whole groups of vectors
			testFind[int32](t, isa, lists.UpTo(n))
			testFind[int64](t, isa, lists.UpTo(n))
		}
		testFind[int32](t, isa, []int{callKeys - 1, callKeys, 3*callKeys + 37})
	}
}

func testFind[K int32 | int64](t *testing.T, isa string, places []int) {
	u := newRun()
	o := orderOf(dtype.I64, false)
	u.begin(nil, families[isa].of(int(unsafe.Sizeof(K(0)))), &o, false)
	n := places[len(places)-1] + 1
	x := make([]K, n)
	for i := range x {
		x[i] = K(i) << 8
	}
	for _, place := range places {
		for skip, want := range []int{place, n - 1} {
			if at := find(u, x, x[place], skip); at != want {
				t.Errorf("%s: %T %d of %d, after %d others, is found at %d", isa, x[0], place, n, skip, at)
			}
		}
	}
	for i := range x {
		x[i] &= 3 << 8
	}
	for _, place := range places {
		if at := find(u, x, x[place], place/4); at != place {
			t.Errorf("%s: %T %d of %d that repeat, after %d others, is found at %d", isa, x[0], place, n, place/4, at)
		}
	}
}

// TestShortBand tests that wanted keys of short rows are looked for in a band where the sample is sorted fast: a single one with AVX-512.
func TestShortBand(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 28))
	x, to := make([]int32, bandKeys), make([]int32, bandKeys)
	for i := range x {
		x[i] = r.Int32()
	}
	for _, isa := range isas() {
		for _, c := range []struct {
			n      int
			places []int
			want   bool
		}{
			{shortBand, []int{200}, isa == "avx512"},
			{shortBand - 1, []int{200}, false},
			{1000, []int{500, 501}, false},
			{bandKeys, []int{2000, 2001}, true},
		} {
			f, o, u, kept := families[isa].of(4), orderOf(dtype.I32, false), newRun(), false
			u.begin(nil, f, &o, false)
			u.places = c.places
			for range 9 { // a band may miss the keys
				p := part{from: unsafe.Pointer(&x[0]), data: unsafe.Pointer(&to[0]), n: c.n, values: true, floor: ^o.most}
				kept = u.keepBand(&p) || kept
			}
			if kept != c.want {
				t.Errorf("%s: %d keys, places %v: band %t", isa, c.n, c.places, kept)
			}
		}
	}
}

// TestWiden tests positions in lengths around those of the steps of a kernel, and some that take several calls. Those from 2^31 on are
// not negative.
func TestWiden(t *testing.T) {
	for _, isa := range isas() {
		u := newRun()
		u.begin(nil, families[isa].of(4), new(order), false)
		for _, n := range append(lists.UpTo(20), 2*callKeys+11) {
			for _, place := range []int{0, n / 2, n} {
				from, got, want := make([]int32, n), slices.Repeat([]int64{-7}, n+3), slices.Repeat([]int64{-7}, n+3)
				for i := range from {
					from[i] = int32(i*0x10000001) ^ int32(i&1)<<31
				}
				for i, x := range from {
					at := i
					if i >= place {
						at = n - 1 - (i - place)
					}
					want[at] = int64(uint32(x))
				}
				if widen(u, got[:n], from, place); !slices.Equal(got, want) {
					t.Errorf("%s: %d positions, %d of them lower ones: %v, not %v", isa, n, place, got[:min(n, 20)], want[:min(n, 20)])
				}
			}
		}
	}
}
