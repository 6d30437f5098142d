package acceptance

import (
	"math"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
)

type layout int

const (
	contiguous layout = iota
	strided           // every second element of the last axis
	transposed        // axes in reverse order in memory; a vector is a column, bottom up
)

func (l layout) String() string { return [...]string{"contiguous", "strided", "transposed"}[l] }

// A world makes the arrays of one variant of a case, in the variant's layout.
type world[T expr.Float] struct {
	t      *testing.T
	layout layout
	n      int
	outs   []*engine.Array // to be equal fused and naive
	gaps   []func() bool   // whether memory between the elements is as it was
}

// from and to convert between the case's type and float64.
func from[T expr.Float](v float64) (out T) {
	switch p := any(&out).(type) {
	case *float64:
		*p = v
	case *float32:
		*p = float32(v)
	case *expr.Float16:
		*p = dtype.F16From(float32(v))
	}
	return out
}

func to[T expr.Float](v T) float64 {
	switch v := any(v).(type) {
	case float64:
		return v
	case float32:
		return float64(v)
	case expr.Float16:
		return float64(v.Float32())
	}
	panic("no such type")
}

// dims is the shape of element-wise cases: a vector, or a matrix where that is
// to be transposed.
func (w *world[T]) dims() []int {
	if w.layout != transposed {
		return []int{w.n}
	}
	for r := int(math.Sqrt(float64(w.n))); ; r-- {
		if w.n%r == 0 {
			return []int{w.n / r, r}
		}
	}
}

// in is an array of given values, row-major; without dims a vector.
func (w *world[T]) in(vals []float64, dims ...int) *engine.Tensor[T] {
	if dims == nil {
		dims = []int{len(vals)}
	}
	return w.make(w.layout, vals, dims)
}

// state is an array that is read and written.
func (w *world[T]) state(vals []float64, dims ...int) *engine.Tensor[T] {
	x := w.in(vals, dims...)
	w.outs = append(w.outs, x.Array())
	return x
}

// out is an array to be written, NaN until then. It is contiguous where the
// inputs are transposed.
func (w *world[T]) out(dims ...int) *engine.Tensor[T] {
	l := w.layout
	if l == transposed {
		l = contiguous
	}
	x := w.make(l, nil, dims)
	w.outs = append(w.outs, x.Array())
	return x
}

// make lays out values, which may be left out, between NaNs.
func (w *world[T]) make(l layout, vals []float64, dims []int) *engine.Tensor[T] {
	w.t.Helper()
	if len(dims) == 0 {
		l = contiguous
	}
	size := 1
	for _, d := range dims {
		size *= d
	}
	mem := append([]int(nil), dims...)
	last := len(dims) - 1
	switch {
	case l == strided:
		mem[last] = 2*dims[last] + 1
	case l == transposed && len(dims) == 1:
		mem = []int{dims[0], 3}
	case l == transposed:
		for i := range mem {
			mem[i] = dims[last-i]
		}
	}
	total := 1
	for _, d := range mem {
		total *= d
	}
	data := make([]T, total)
	for i := range data {
		data[i] = from[T](math.NaN())
	}
	x, err := engine.FromSlice(data, mem...)
	if err != nil {
		w.t.Fatal(err)
	}
	switch {
	case l == strided:
		spans := make([]op.Span, len(dims))
		spans[last] = op.By(op.From(1), 2)
		x = x.Span(spans...)
	case l == transposed && len(dims) == 1:
		x = x.Span(op.By(op.Span{}, -1), op.Range(1, 2)).Reshape(dims...)
	case l == transposed:
		x = x.Transpose()
	}
	if err := x.Err(); err != nil {
		w.t.Fatal(err)
	}
	used := make([]bool, total)
	next := 0
	var fill func(axis, off int)
	fill = func(axis, off int) {
		if axis == len(dims) {
			used[off] = true
			if vals != nil {
				data[off] = from[T](vals[next])
			}
			next++
			return
		}
		for i := range dims[axis] {
			fill(axis+1, off+i*x.Array().Strides()[axis])
		}
	}
	fill(0, x.Array().Offset())
	w.gaps = append(w.gaps, func() bool {
		for i, u := range used {
			if !u && !math.IsNaN(to(data[i])) {
				return false
			}
		}
		return true
	})
	return x
}

func (w *world[T]) checkGaps(what string) {
	w.t.Helper()
	for _, ok := range w.gaps {
		if !ok() {
			w.t.Error(what, "evaluation wrote between the elements of an array")
		}
	}
}

// values are the elements of a tensor, row-major.
func values[T expr.Float](x interface{ Values() []T }) []float64 {
	vals := x.Values()
	out := make([]float64, len(vals))
	for i, v := range vals {
		out[i] = to(v)
	}
	return out
}
