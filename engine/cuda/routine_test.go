package cuda

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// unordered returns numbers with repetitions, zeros of both signs, infinities and NaN.
func unordered(dims ...int) *engine.Tensor[float32] {
	x := engine.Zeros[float32](dims...)
	special := []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), -1e-40}
	for i := range x.Data() {
		x.Data()[i] = float32(i*7919%1009)/8 - 60
		if i%9 == 0 {
			x.Data()[i] = special[i/9%len(special)]
		}
	}
	return x
}

// at returns n indices of an axis, negative ones too.
func at(n, size int) *engine.Tensor[int64] {
	x := engine.Zeros[int64](n)
	for i := range x.Data() {
		x.Data()[i] = int64(i*i*31%(2*size) - size)
	}
	return x
}

// row returns a node of an operator over whole arrays.
func row[R expr.Elem](name string, axis int, ints []int, args ...*tree.Node) expr.Exp[R] {
	return expr.Of[R](tree.ApplyWith(untyped.Row(name), tree.Attributes{Axes: []int{axis}, Ints: ints}, args...))
}

// routineCases are calls whose rows and indices fill several tiles of a sort, one, or a part
// of one, along each axis.
func routineCases() (list []ability) {
	add := func(a ability) { list = append(list, a) }
	same := func(name string, axis int, ints []int) func(place, f32) f32 {
		return func(_ place, x f32) f32 { return row[float32](name, axis, ints, x.Node()) }
	}
	positions := func(name string, axis int, ints []int) func(place, f32) expr.Exp[int64] {
		return func(_ place, x f32) expr.Exp[int64] { return row[int64](name, axis, ints, x.Node()) }
	}
	for name, x := range testlevel.InOrder(map[string]*engine.Tensor[float32]{
		"one long row": unordered(5000), "two long rows": unordered(2, 2049), "a tile": unordered(2048), "short rows": unordered(700, 7), "single numbers": unordered(2100, 1),
	}) {
		axis := x.Rank() - 1
		add(computed("sort of "+name, "kernels", x, same("sort", axis, nil)))
		add(computed("argsort of "+name, "kernels", x, positions("argsort", axis, []int{1})))
		add(computed("rank of "+name, "kernels", x, positions("rank", axis, nil)))
	}
	add(computed("sort of columns", "kernels", unordered(2500, 3), same("sort", 0, []int{1})))
	add(computed("sort of slices", "kernels", unordered(3, 40, 5), func(_ place, x f32) f32 { return op.Sort(op.Flip(op.Transpose(x)), 1) }))
	add(computed("argsort of bytes", "kernels", numbers[uint16](5000), func(_ place, x u16) expr.Exp[int64] { return op.ArgSort(op.Cast[uint8](x), 0) }))
	many := make([]int, 300)
	for i := range many {
		many[i] = i * 8
	}
	add(computed("partition", "kernels", unordered(3, 2400), same("partition", 1, []int{0, 7, 900, 2399})))
	add(computed("partition at many places", "kernels", unordered(2400, 2), same("partition", 0, append([]int{1}, many...))))
	add(computed("partition of pairs", "kernels", numbers[uint16](5000), func(_ place, x u16) u16 { return op.Partition(x, 0, 2500) }))
	add(computed("argpartition", "kernels", unordered(3, 700), positions("argpartition", 1, []int{1, 44})))
	add(computed("select", "kernels", unordered(3, 2400), same("select", 1, []int{7, 0, 2399, 7})))
	add(computed("select of many", "kernels", unordered(2400, 2), same("select", 0, many)))
	add(computed("search", "kernels", unordered(70, 90), func(p place, x f32) expr.Exp[int64] {
		return op.SearchSorted(op.Sort(on(p, unordered(999)), 0), x, true)
	}))
	add(computed("search without order", "kernels", unordered(70, 90), func(p place, x f32) expr.Exp[int64] {
		return op.SearchSorted(on(p, unordered(999)), x, false)
	}))
	for _, name := range []string{"scatter", "scatter_add", "scatter_max", "scatter_min"} {
		scatter := func(n int, axis int, dims ...int) func(p place, x f32) f32 {
			return func(p place, x f32) f32 {
				return expr.Of[float32](untyped.Scatter(name, on(p, at(n, dims[axis])).Node(), x.Node(), nil, axis, dims))
			}
		}
		add(computed(name+" to few", "kernels", numbers[float32](5000), scatter(5000, 0, 9)))
		add(computed(name+" to many", "kernels", unordered(2100), scatter(2100, 0, 70000)))
		add(computed(name+" of rows", "kernels", unordered(40, 33), scatter(40, 0, 7, 33)))
		add(computed(name+" of columns", "kernels", unordered(3, 40), scatter(40, 1, 3, 7)))
	}
	add(computed("add of integers to few", "kernels", numbers[uint16](5000), func(p place, x u16) u16 {
		return op.ScatterAdd(on(p, at(5000, 3)), x, 0, 3)
	}))
	add(computed("maximum of rows to few", "kernels", unordered(2, 300, 3), func(p place, x f32) f32 {
		return op.ScatterMax(on(p, at(300, 2)), x, 1, 2, 2, 3)
	}))
	add(computed("add in place", "kernels", unordered(50, 3), func(p place, x f32) f32 {
		return op.AddAt(x, on(p, at(4000, 50)), on(p, unordered(4000, 1)), 0)
	}))
	return list
}

func testRoutines(t *testing.T, _ *standIn) {
	var list []ability
	for i, a := range routineCases() {
		if i%testlevel.Every(1, 1, 2) == 0 { // each operator has several cases
			list = append(list, a)
		}
	}
	computeAll(t, open(t), list)
}

// testRoutineTarget checks a scatter into an array of the program itself.
func testRoutineTarget(t *testing.T, _ *standIn) {
	for _, d := range []driver.Device{engine.CPU(), open(t)} {
		x := on(place{d}, numbers[float32](50))
		p, err := engine.Compile(ctx, expr.Let(x, op.AddAt(x, on(place{d}, at(90, 50)), on(place{d}, numbers[float32](90)), 0)))
		check(t, err)
		for range 3 {
			check(t, p.Run(ctx))
		}
		want := numbers[float32](50).Data()
		for range 3 {
			for i, k := range at(90, 50).Data() {
				want[(k+50)%50] += numbers[float32](90).Data()[i]
			}
		}
		if got := x.Values(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", d.Name(), got, want)
		}
		check(t, p.Close())
	}
}

// testRoutineFault checks that an index outside is the error of the CPU, and that nothing is
// stored then.
func testRoutineFault(t *testing.T, _ *standIn) {
	index := at(9, 4)
	index.Data()[5] = 4
	var texts []string
	for _, d := range []driver.Device{engine.CPU(), open(t)} {
		y := on(place{d}, numbers[float32](4))
		err := y.Assign(op.ScatterAdd(on(place{d}, index), on(place{d}, numbers[float32](9)), 0, 4))
		if !errors.Is(err, expr.ErrIndex) {
			t.Errorf("%s: an index outside: %v", d.Name(), err)
			continue
		}
		texts = append(texts, err.Error())
		if !slices.Equal(y.Values(), numbers[float32](4).Data()) {
			t.Errorf("%s: the failed scatter stored %v", d.Name(), y.Values())
		}
	}
	if len(slices.Compact(texts)) != 1 {
		t.Errorf("the errors differ: %q", texts)
	}
}

// TestEveryRoutine checks that each operator of the table that is no loop has kernels.
func TestEveryRoutine(t *testing.T) {
	for _, o := range untyped.Table() {
		if o.Class() == tree.Opaque && routines[o] == nil {
			t.Errorf("%s has no kernels", o.Name())
		}
	}
}
