package cuda

import (
	"fmt"
	"math"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// testOrdered compares the bits of products in the order of the interpreter with the CPU's.
func testOrdered(t *testing.T, _ *standIn) {
	d := open(t)
	orderedOf[float32](t, d)
	if testlevel.Wide() {
		orderedOf[float64](t, d)
	}
}

// rounded returns a tensor of numbers whose sums round differently in each order.
func rounded[T float32 | float64](dims ...int) *engine.Tensor[T] {
	x := engine.Zeros[T](dims...)
	for i := range x.Data() {
		x.Data()[i] = T(math.Sin(float64(i)*1.7+1) * math.Exp2(float64(i*i%23-11)))
	}
	return x
}

func orderedOf[T float32 | float64](t *testing.T, d driver.Device) {
	t.Helper()
	type E = expr.Exp[T]
	plain := func(a, b E) E { return op.MatMul(a, b) }
	for _, c := range []struct {
		name    string
		a, b    []int
		product func(a, b E) E
	}{
		{"one tile", []int{3, 5}, []int{5, 7}, plain},
		{"several tiles", []int{70, 40}, []int{40, 129}, plain},
		{"both transposed", []int{40, 70}, []int{66, 40}, func(a, b E) E { return op.MatMul(op.T(a), op.T(b)) }},
		{"two blocks", []int{9, 257}, []int{257, 6}, plain},
		{"two sections", []int{2, 16384 + 300}, []int{16384 + 300, 3}, plain},
		{"three sections", []int{2, 3*16384 - 1}, []int{3*16384 - 1, 2}, plain},
		{"stack", []int{3, 1, 4, 300}, []int{2, 300, 5}, plain},
		{"rows", []int{6, 600}, []int{600, 4}, func(a, b E) E { return op.MatMul(op.Slice(a, op.By(op.Range(0, 6), 2)), b) }},
		{"vector and matrix", []int{400}, []int{400, 5}, plain},
		{"matrix and vector", []int{5, 400}, []int{400}, plain},
		{"two vectors", []int{1000}, []int{1000}, plain},
		{"a row", []int{1, 77}, []int{77, 300}, plain},
		{"a column of two sections", []int{3, 16384 + 45}, []int{16384 + 45, 1}, plain},
		{"a stack of columns", []int{4, 3, 33}, []int{4, 33, 1}, plain},
		{"no terms", []int{3, 0}, []int{0, 2}, plain},
		{"a bias and a loop", []int{4, 300}, []int{300, 4}, func(a, b E) E {
			return op.ReLU(op.Add(op.Scale(3, op.MatMul(a, b)), op.Slice(b, op.Range(0, 1))))
		}},
	} {
		if c.name == "three sections" && testing.Short() { // minutes on an emulator
			continue
		}
		if sections := map[string]int{"two sections": 4, "three sections": 8}[c.name]; sections != 0 && sections != dtype.Of[T]().Size() && !testlevel.Deep() {
			continue // the other type has them, in wide tests
		}
		a, b := rounded[T](c.a...), rounded[T](c.b...)
		want, err := engine.Eval(c.product(a, b))
		check(t, err)
		got := there(t, d, engine.Zeros[T](want.Shape()...))
		options := engine.Options{Products: engine.ProductsByEngine}
		check(t, engine.RunWith(ctx, options, expr.Let(got, c.product(there(t, d, a), there(t, d, b)))))
		for i, x := range got.Values() {
			if fmt.Sprintf("%x", x) != fmt.Sprintf("%x", want.Data()[i]) {
				t.Errorf("%s: element %d is %x, want %x", c.name, i, x, want.Data()[i])
				break
			}
		}
	}
	// Infinity times zero is NaN, and a tile that ends in the matrix has no other terms.
	a, b := engine.Zeros[T](65, 17), engine.Full(T(math.Inf(1)), 17, 65)
	got := there(t, d, engine.Zeros[T](65, 65))
	check(t, engine.RunWith(ctx, engine.Options{Products: engine.ProductsByEngine}, expr.Let(got, op.MatMul(there(t, d, a), there(t, d, b)))))
	for i, x := range got.Values() {
		if x == x {
			t.Fatalf("element %d of zeros times infinity is %v", i, x)
		}
	}
}
