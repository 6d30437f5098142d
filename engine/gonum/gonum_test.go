package gonum_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/gonum"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

func Example() {
	m := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	x, err := gonum.FromDense(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Assign(op.Scale(10, x))) // stores in m
	fmt.Println(mat.Formatted(m), mat.Trace(gonum.View[float64]{Of: x}))
	// Output:
	// <nil>
	// ⎡10  20⎤
	// ⎣30  40⎦ 50
}

// TestShared tests that elements are shared both ways, also of slices of
// matrices and of views of tensors.
func TestShared(t *testing.T) {
	m := mat.NewDense(4, 5, nil)
	part := m.Slice(1, 3, 2, 5).(*mat.Dense)
	x, err := gonum.FromDense(part)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Assign(op.Reshape(op.Arange[float64](1, 7, 1), 2, 3)); err != nil {
		t.Fatal(err)
	}
	if m.At(1, 2) != 1 || m.At(2, 4) != 6 || mat.Sum(m) != 21 {
		t.Error(mat.Formatted(m))
	}
	v, err := gonum.FromVec(m.ColView(2).(*mat.VecDense))
	if err != nil {
		t.Fatal(err)
	}
	v.Set(9, 3)
	if m.At(3, 2) != 9 {
		t.Error(mat.Formatted(m))
	}
	y := engine.Zeros[float64](4, 6)
	d, err := gonum.Dense(y.Span(op.Range(1, 3), op.Range(2, 4)))
	if err != nil {
		t.Fatal(err)
	}
	d.Set(1, 1, 7)
	if r, c := d.Dims(); r != 2 || c != 2 || y.At(2, 3) != 7 {
		t.Error(y)
	}
	w, err := gonum.VecDense(y.Transpose().Index(3))
	if err != nil {
		t.Fatal(err)
	}
	if w.SetVec(0, 5); w.Len() != 4 || w.AtVec(2) != 7 || y.At(0, 3) != 5 {
		t.Error(mat.Formatted(w), y)
	}
	c, err := gonum.FromMatrix(m.T())
	if err != nil || c.At(2, 3) != 9 {
		t.Error(c, err)
	}
}

func TestViews(t *testing.T) {
	x := engine.MustFromSlice([]int32{1, 2, 3, 4, 5, 6}, 2, 3)
	v := gonum.View[int32]{Of: x}
	var p mat.Dense
	p.Mul(v, v.T())
	if !mat.Equal(&p, mat.NewDense(2, 2, []float64{14, 32, 32, 77})) {
		t.Error(mat.Formatted(&p))
	}
	y := engine.MustFromSlice([]float64{4, 5, 6})
	points := gonum.XYs{Y: y}
	if px, py := points.XY(2); points.Len() != 3 || px != 2 || py != 6 {
		t.Error(px, py)
	}
	if px, _ := (gonum.XYs{X: y, Y: y}).XY(0); px != 4 {
		t.Error(px)
	}
	g := gonum.Grid{Values: engine.MustFromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3), Columns: y}
	if c, r := g.Dims(); c != 3 || r != 2 || g.X(1) != 5 || g.Y(1) != 1 || g.Z(2, 0) != 3 {
		t.Error(c, r)
	}
	if h := (gonum.View[expr.Float16]{Of: engine.Ones[expr.Float16](1, 1)}); h.At(0, 0) != 1 {
		t.Error(h.At(0, 0))
	}
}

func TestErrors(t *testing.T) {
	x := engine.Zeros[float64](3, 4)
	for name, err := range map[string]error{
		"transposed":   second(gonum.Dense(x.Transpose())),
		"a vector":     second(gonum.Dense(x.Index(0))),
		"backwards":    second(gonum.VecDense(x.Index(0).Span(op.By(op.Span{}, -1)))),
		"a matrix":     second(gonum.VecDense(x)),
		"empty":        second(gonum.Dense(engine.Zeros[float64](0, 4))),
		"nil":          second(gonum.Dense(nil)),
		"no view":      second(gonum.VecDense(x.Index(7))),
		"nil Dense":    second(gonum.FromDense(nil)),
		"empty Dense":  second(gonum.FromDense(&mat.Dense{})),
		"nil Vec":      second(gonum.FromVec(nil)),
		"nil Matrix":   second(gonum.FromMatrix(nil)),
		"nil pointer":  second(gonum.FromMatrix((*mat.Dense)(nil))),
		"repeated row": second(gonum.Dense(repeated())),
	} {
		if !errors.Is(err, expr.ErrShape) && !errors.Is(err, expr.ErrValue) && !errors.Is(err, expr.ErrType) && !errors.Is(err, expr.ErrIndex) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNilNames tests that the errors of a nil tensor name the function.
func TestNilNames(t *testing.T) {
	_, dense := gonum.Dense(nil)
	_, vector := gonum.VecDense(nil)
	for name, err := range map[string]error{"gonum.Dense": dense, "gonum.VecDense": vector} {
		if err == nil || !strings.Contains(err.Error(), name+": the tensor is nil") {
			t.Errorf("error is %v, which does not name %s", err, name)
		}
	}
}

// repeated returns a tensor whose rows are the same elements.
func repeated() *engine.Tensor[float64] {
	x := engine.Zeros[float64](3)
	a, err := engine.ArrayOf(x.Array().Memory(), x.Array().DType(), []int{2, 3}, []int{0, 1}, 0)
	if err != nil {
		return engine.Failed[float64](err)
	}
	t, err := engine.TensorOf[float64](a)
	if err != nil {
		return engine.Failed[float64](err)
	}
	return t
}

// TestNoCopy tests that a matrix for a tensor costs no memory for its elements.
func TestNoCopy(t *testing.T) {
	x := engine.Zeros[float64](1000, 1000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := gonum.Dense(x)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; err != nil || n > 1<<20 {
		t.Errorf("a matrix that shares its elements takes %d bytes: %v", n, err)
	}
	if _, err := gonum.FromMatrix(&mat.Dense{}); err == nil || !strings.Contains(err.Error(), "gonum.FromMatrix: ") {
		t.Errorf("an empty matrix: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestOtherRanks tests that the panic of a value that is no matrix says so.
func TestOtherRanks(t *testing.T) {
	x := engine.Ones[float64](3)
	for name, dims := range map[string]func() (int, int){"View": gonum.View[float64]{Of: x}.Dims, "Grid": gonum.Grid{Values: x}.Dims} {
		func() {
			defer func() {
				if e := recover(); !strings.Contains(fmt.Sprint(e), "gonum."+name+".Dims: the shape [3] is not that of a matrix") {
					t.Errorf("%s: %v", name, e)
				}
			}()
			dims()
		}()
	}
}
