package gather_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/gather"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// noValues implements Values for index expressions without values.
type noValues struct{}

func (noValues) Value(int32, []int64) { panic("an index expression has a value") }

// cube returns a kernel that reads a cube of rank axes. The axes are in reverse, so
// that no two of them join. If shifted, the last coordinate may be outside.
func cube(t *testing.T, rank int, shifted bool) *ir.Kernel {
	t.Helper()
	var axes, coords []string
	for i := range rank {
		axes = append(axes, fmt.Sprintf("i%d", i))
		coords = append([]string{fmt.Sprintf("i%d", i)}, coords...)
	}
	fill := ""
	if shifted {
		coords[rank-1] += "+1"
		fill = " else %9"
	}
	k, err := ir.Parse(fmt.Sprintf("kernel cube\naxis %[1]s\nbuf x f32 in %[2]d\nbuf y f32 out %[2]d\n{\n  %%9 = const f32 1\n  vec %[1]s {\n    %%0 = load f32 x[%[3]s]%[4]s\n    store f32 y[%[5]s] %%0\n  }\n}",
		strings.Join(axes, " "), rank, strings.Join(coords, ", "), fill, strings.Join(axes, ", ")))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestSpans loads and stores cubes with few and with many axes, in chunks.
func TestSpans(t *testing.T) {
	for _, rank := range []int{1, 2, 3, 10, 16, 17, 18} {
		for _, shifted := range []bool{false, true} {
			t.Run(fmt.Sprintf("rank=%d/shifted=%v", rank, shifted), func(t *testing.T) { testCube(t, rank, shifted) })
		}
	}
}

func testCube(t *testing.T, rank int, shifted bool) {
	k := cube(t, rank, shifted)
	n := 1 << rank
	extents, strides := make([]int, rank), make([]int, rank)
	for d := range rank {
		extents[d], strides[d] = 2, 1<<(rank-1-d)
	}
	array := ir.BufBind{Extents: extents, Strides: strides}
	b, err := bound.New(k, &ir.Binding{Extents: extents, Bufs: []ir.BufBind{array, array}}, false)
	if err != nil {
		t.Fatal(err)
	}
	at := gather.At{Kernel: b, Digits: b.Order(k.Loops[0].Axes)}
	load, store := at.Access(&b.Access[0]), at.Access(&b.Access[1])
	if load.Masked() != shifted {
		t.Fatalf("masked: %v", load.Masked())
	}
	var need gather.Need
	need.Add(&load)
	need.Add(&store)
	const lanes = 100
	c := need.New(rank, lanes, noValues{})
	x, y := make([]uint32, n), make([]uint32, n)
	for i := range x {
		x[i] = uint32(i + 1)
	}
	fill := make([]uint32, lanes)
	for i := range fill {
		fill[i] = 1 << 30
	}
	r := rand.New(rand.NewPCG(1, uint64(rank)))
	for lo := 0; lo < n; {
		m := min(1+r.IntN(lanes), n-lo)
		d, inside := make([]uint32, m), make([]uint8, m)
		gather.Load(&c, &load, unsafe.Pointer(&x[0]), lo, d)
		if load.Masked() {
			c.Inside(&load, inside)
			gather.Fill(&c, &load, d, fill)
		}
		for i := range d {
			if load.Masked() && (inside[i] == 0) != (d[i] == fill[0]) {
				t.Fatalf("lane %d: %d, inside %d", i, d[i], inside[i])
			}
		}
		gather.Store(&c, &store, unsafe.Pointer(&y[0]), lo, d)
		lo += m
	}
	for p, got := range y {
		from, in := 0, true
		for d := range rank { // bit d of p, from the top, is axis d; x has the axes in reverse
			bit := p >> (rank - 1 - d) & 1
			if d == 0 && shifted {
				bit++
				in = bit < 2
			}
			from |= bit << d
		}
		want := fill[0]
		if in {
			want = x[from]
		}
		if got != want {
			t.Fatalf("y[%d] = %d, want %d", p, got, want)
		}
	}
}
