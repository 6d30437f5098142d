package interp_test

import (
	"math"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// moved returns a function that loads n elements of x and stores them in y.
func moved(t *testing.T, x, y *array, n int) func() {
	t.Helper()
	text := "kernel move\naxis i0\nbuf x " + x.t.Short() + " in 1\nbuf y " + y.t.Short() + " out 1\n{\n  vec i0 {\n    %0 = load f32 x[i0]\n    store f32 y[i0] %0\n  }\n}"
	inst, err := compile(t, text).Bind(&ir.Binding{Extents: []int{n}, Bufs: []ir.BufBind{vector(x, n), vector(y, n)}})
	if err != nil {
		t.Fatal(err)
	}
	return func() { runAll(inst) }
}

func TestHalves(t *testing.T) {
	const n = 1 << 16
	halves, floats := newArray(dtype.F16, n), newArray(dtype.F32, n)
	for i := range n {
		halves.set(i, uint64(i))
	}
	moved(t, halves, floats, n)()
	for i := range n {
		if w, x := uint64(math.Float32bits(dtype.F16Value(uint16(i)))), floats.get(i); x != w {
			t.Fatalf("%#x: %#x, want %#x", i, x, w)
		}
	}
	step := uint32(251)
	if !testlevel.Deep() {
		step = 65521
	}
	narrow := moved(t, floats, halves, n)
	for b, k := uint32(0), 0; ; b += step {
		floats.set(k, uint64(b))
		if k%2 > 0 { // between two halves
			floats.set(k, uint64(b&^0x1fff|0x1000))
		}
		last := b > math.MaxUint32-step
		if k++; last || k == n {
			narrow()
			for i := range k {
				x := math.Float32frombits(uint32(floats.get(i)))
				if w := dtype.F16Bits(x); w != uint16(halves.get(i)) {
					t.Fatalf("%v: %#x, want %#x", x, halves.get(i), w)
				}
			}
			k = 0
		}
		if last {
			return
		}
	}
}
