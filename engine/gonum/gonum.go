// Package gonum exchanges tensors with gonum.org/v1/gonum/mat and
// gonum.org/v1/plot.
//
//	x, err := gonum.FromDense(m)         // shares the elements of a *mat.Dense
//	err = x.Assign(op.Tanh(x))           // stores in m
//	d, err := gonum.Dense(y)             // shares the elements of a tensor
//	line, err := plotter.NewLine(gonum.XYs{X: t, Y: y})
//	heat := plotter.NewHeatMap(gonum.Grid{Values: z}, palette.Heat(12, 1))
//
// Package engine/blas makes gonum itself faster.
package gonum

import (
	"reflect"

	"gonum.org/v1/gonum/mat"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A Tensor is a tensor of the elements that gonum has.
type Tensor = engine.Tensor[float64]

// FromDense returns a tensor that shares the elements of a matrix, which may be a
// slice of another one.
func FromDense(m *mat.Dense) (*Tensor, error) {
	if m == nil || m.IsEmpty() {
		return nil, tree.NewError(tree.ErrValue, "gonum.FromDense", "the matrix is empty")
	}
	r := m.RawMatrix()
	return shared(r.Data, shape.Shape{r.Rows, r.Cols}, shape.Strides{r.Stride, 1})
}

// FromVec returns a tensor that shares the elements of a vector, which may be a
// column of a matrix.
func FromVec(v *mat.VecDense) (*Tensor, error) {
	if v == nil || v.IsEmpty() {
		return nil, tree.NewError(tree.ErrValue, "gonum.FromVec", "the vector is empty")
	}
	r := v.RawVector()
	return shared(r.Data, shape.Shape{r.N}, shape.Strides{r.Inc})
}

func shared(data []float64, s shape.Shape, st shape.Strides) (*Tensor, error) {
	a, err := engine.ArrayOf(engine.MemoryOf(dtype.Bytes(data)), dtype.F64, s, st, 0)
	if err != nil {
		return nil, err
	}
	return engine.TensorOf[float64](a)
}

// FromMatrix returns a copy of any matrix.
func FromMatrix(m mat.Matrix) (*Tensor, error) {
	if v := reflect.ValueOf(m); m == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, tree.NewError(tree.ErrValue, "gonum.FromMatrix", "the matrix is nil")
	}
	if r, c := m.Dims(); r == 0 || c == 0 {
		return nil, tree.NewError(tree.ErrValue, "gonum.FromMatrix", "the matrix is empty")
	}
	var d mat.Dense
	d.CloneFrom(m)
	return FromDense(&d)
}

// Dense returns a matrix that shares the elements of a tensor of rank 2. The
// elements of a row must follow each other, and the rows must not overlap:
// [engine.Tensor.Clone] copies others. They must be on the host.
func Dense(t *Tensor) (*mat.Dense, error) {
	data, err := elements(t, "gonum.Dense", 2)
	if err != nil {
		return nil, err
	}
	s, st := t.Shape(), t.Array().Strides()
	if s[1] > 1 && st[1] != 1 || s[0] > 1 && st[0] < s[1] {
		return nil, tree.NewError(tree.ErrShape, "gonum.Dense", "a view of shape %v with strides %v has no rows in memory; Clone copies it", s, st)
	}
	m := &mat.Dense{}
	r := m.RawMatrix()
	r.Rows, r.Cols, r.Stride = s[0], s[1], s[1]
	if s[0] > 1 {
		r.Stride = st[0]
	}
	r.Data = data[:(s[0]-1)*r.Stride+s[1]]
	m.SetRawMatrix(r)
	return m, nil
}

// VecDense returns a vector that shares the elements of a tensor of rank 1, whose
// step must be positive. They must be on the host.
func VecDense(t *Tensor) (*mat.VecDense, error) {
	data, err := elements(t, "gonum.VecDense", 1)
	if err != nil {
		return nil, err
	}
	n, inc := t.Shape()[0], t.Array().Strides()[0]
	if n == 1 {
		inc = 1
	}
	if inc < 1 {
		return nil, tree.NewError(tree.ErrShape, "gonum.VecDense", "a view with step %d is no vector of gonum; Clone copies it", inc)
	}
	v := &mat.VecDense{}
	r := v.RawVector()
	r.N, r.Inc, r.Data = n, inc, data[:(n-1)*inc+1]
	v.SetRawVector(r)
	return v, nil
}

// elements returns the memory from the first element of t on.
func elements(t *Tensor, name string, rank int) ([]float64, error) {
	switch {
	case t == nil:
		return nil, tree.NewError(tree.ErrType, name, "the tensor is nil")
	case t.Err() != nil:
		return nil, t.Err()
	case t.Device() != "cpu":
		return nil, tree.NewError(tree.ErrDevice, name, "the elements are on %s", t.Device())
	case t.Rank() != rank || t.Size() == 0:
		return nil, tree.NewError(tree.ErrShape, name, "gonum has no matrix or vector of shape %v", t.Shape())
	}
	return dtype.Slice[float64](t.Array().Memory().Bytes())[t.Array().Offset():], nil
}

// A View is a tensor of rank 2 as a mat.Matrix, of any element type and with any
// strides. Its methods panic for tensors of other ranks.
type View[T expr.Number] struct{ Of *engine.Tensor[T] }

// Dims returns the numbers of rows and columns.
func (v View[T]) Dims() (rows, columns int) { return sides("View", v.Of.Shape()) }

// At returns the element in a row and a column.
func (v View[T]) At(i, j int) float64 { return number(v.Of.At(i, j)) }

// T returns the transpose, without a copy.
func (v View[T]) T() mat.Matrix { return View[T]{v.Of.Transpose()} }

func number[T expr.Number](x T) float64 {
	switch x := any(x).(type) {
	case expr.Float16:
		return float64(x.Float32())
	case expr.BFloat16:
		return float64(x.Float32())
	}
	return reflect.ValueOf(x).Convert(reflect.TypeFor[float64]()).Float()
}

// XYs are points for gonum.org/v1/plot/plotter. X and Y have rank 1. X may be nil:
// then point i has the position i. Its methods panic for tensors of other ranks.
type XYs struct{ X, Y *Tensor }

// Len returns the number of points.
func (p XYs) Len() int { return p.Y.Size() }

// XY returns point i.
func (p XYs) XY(i int) (x, y float64) { return position(p.X, i), p.Y.At(i) }

// A Grid is a function on a grid for heat maps and contours of
// gonum.org/v1/plot/plotter. Values has the shape [rows columns]. The vectors
// Columns and Rows are the positions; nil means the numbers of columns and rows. The
// methods panic for values of another rank.
type Grid struct{ Values, Columns, Rows *Tensor }

// Dims returns the numbers of columns and rows.
func (g Grid) Dims() (columns, rows int) {
	rows, columns = sides("Grid", g.Values.Shape())
	return columns, rows
}

// sides returns the extents of a matrix. It panics for other shapes.
func sides(called string, s shape.Shape) (rows, columns int) {
	if len(s) != 2 {
		panic(tree.NewError(tree.ErrShape, "gonum."+called+".Dims", "the shape %v is not that of a matrix", s))
	}
	return s[0], s[1]
}

// X returns the position of a column.
func (g Grid) X(column int) float64 { return position(g.Columns, column) }

// Y returns the position of a row.
func (g Grid) Y(row int) float64 { return position(g.Rows, row) }

// Z returns the value in a column and a row.
func (g Grid) Z(column, row int) float64 { return g.Values.At(row, column) }

// position returns element i of a vector, or i without one.
func position(t *Tensor, i int) float64 {
	if t == nil {
		return float64(i)
	}
	return t.At(i)
}
