package formula_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
)

func ExampleMustCompile() {
	f := formula.MustCompile[float32]("w -= eta*(g + lam*w)")
	w := []float32{1, 2, 4}
	vars := map[string]any{"w": w, "g": []float32{.5, .5, .5}, "eta": .5, "lam": .25}
	if err := f.Run(context.Background(), vars); err != nil {
		fmt.Println(err)
	}
	fmt.Println(w)
	// Output: [0.625 1.5 3.25]
}

func ExampleFormula_Run() {
	f := formula.MustCompile[float64](`
		m = beta*m + (1 - beta)*g      # momentum
		w -= eta*m`)
	step := struct {
		W, G, M []float64
		Beta    float64
		Rate    float64 `oneloop:"eta"`
	}{
		W: []float64{1, 2}, G: []float64{2, -2}, M: []float64{0, 0}, Beta: .5, Rate: .25,
	}
	for range 2 {
		if err := f.Run(context.Background(), &step); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(step.W, step.M)
	// Output: [0.375 2.625] [1.5 -1.5]
}

func ExampleFormula_Eval() {
	f := formula.MustCompile[float32]("e = exp(x - max(x)); e / sum(e)")
	out, err := f.Eval(context.Background(), map[string]any{"x": []float32{1, 1, 1, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _ := engine.TensorOf[float32](out["_"])
	fmt.Println(p)
	// Output: [0.25 0.25 0.25 0.25]
}

func ExampleParse() {
	_, err := formula.Parse("y = exp(x - max(x, axis=-1)")
	var e *formula.Error
	if errors.As(err, &e) {
		fmt.Println(e)
		fmt.Println(e.Caret())
	}
	// Output:
	// oneloop: formula 1:8: ")" is missing for this bracket
	// y = exp(x - max(x, axis=-1)
	//        ^
}

func ExampleSource_Build() {
	s, err := formula.Parse("t = g + lam*w; w -= t; t")
	if err != nil {
		fmt.Println(err)
		return
	}
	w, g := engine.Zeros[float32](3).Named("w"), engine.Zeros[float32](3).Named("g")
	u, err := s.Build(map[string]*tree.Node{"w": w.Node(), "g": g.Node(), "lam": expr.NewParam[float32](.1).Node()})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, st := range u.Statements {
		fmt.Println(st)
	}
	fmt.Println("value:", u.Values["_"])
	// Output:
	// t = (g + (param(0.1) * w))
	// w -= (g + (param(0.1) * w))
	// value: t
}

func run(t *testing.T, text string, vars any) {
	t.Helper()
	f, err := formula.Compile[float64](text)
	if err == nil {
		err = f.Run(context.Background(), vars)
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// TestStatements checks what assignments mean, against values worked out by
// hand.
func TestStatements(t *testing.T) {
	for _, c := range []struct {
		text string
		x, y []float64 // after: x = 1 2 3 4 and y = 0 0 0 0 before
	}{
		{"y = x", []float64{1, 2, 3, 4}, []float64{1, 2, 3, 4}},
		{"y = x; y[0] = 9", []float64{1, 2, 3, 4}, []float64{9, 2, 3, 4}},
		{"t = x*2; x = t + 1; y = t", []float64{3, 5, 7, 9}, []float64{2, 4, 6, 8}},
		{"t = x*2; x += 1; y = t", []float64{2, 3, 4, 5}, []float64{2, 4, 6, 8}},
		{"t = x; x += 1; t[0] = 7; y = t + x", []float64{2, 3, 4, 5}, []float64{9, 5, 7, 9}},
		{"t = x; u = t; t[1:] = 0; y = t + 10*u", []float64{1, 2, 3, 4}, []float64{11, 20, 30, 40}},
		{"t = x; t += 1; y = t", []float64{1, 2, 3, 4}, []float64{2, 3, 4, 5}},
		{"k = 2; k *= 3; y = k*x", []float64{1, 2, 3, 4}, []float64{6, 12, 18, 24}},
		{"x[1:] += x[:-1]", []float64{1, 3, 5, 7}, []float64{0, 0, 0, 0}},
		{"x[::-1] = x", []float64{4, 3, 2, 1}, []float64{0, 0, 0, 0}},
		{"x[1:3] = 7", []float64{1, 7, 7, 4}, []float64{0, 0, 0, 0}},
		{"x[x > 2] = 0", []float64{1, 2, 0, 0}, []float64{0, 0, 0, 0}},
		{"x[x > 2] *= 10", []float64{1, 2, 30, 40}, []float64{0, 0, 0, 0}},
		{"x[-1] -= 1; y[...] = x[-1]", []float64{1, 2, 3, 3}, []float64{3, 3, 3, 3}},
		{"y = x[[3, 0, -1, 1]]", []float64{1, 2, 3, 4}, []float64{4, 1, 4, 2}},
		{"y = x.reshape(2, 2).T.ravel()", []float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}},
		{"y[:] = reshape(x, (1, 1, 4))", []float64{1, 2, 3, 4}, []float64{1, 2, 3, 4}},
		{"x **= 2; x //= 3; x %= 3", []float64{0, 1, 0, 2}, []float64{0, 0, 0, 0}},
		{"y = x / x.shape[0]", []float64{1, 2, 3, 4}, []float64{.25, .5, .75, 1}},
		{"a = x + 1; b = a*2; x = b; y = a", []float64{4, 6, 8, 10}, []float64{2, 3, 4, 5}},
	} {
		x, y := []float64{1, 2, 3, 4}, []float64{0, 0, 0, 0}
		run(t, c.text, map[string]any{"x": x, "y": y})
		if !slices.Equal(x, c.x) || !slices.Equal(y, c.y) {
			t.Errorf("%s: x %v, y %v; want %v, %v", c.text, x, y, c.x, c.y)
		}
	}
}

// TestShared checks variables that share memory, also when the sharing changes
// between runs of one formula.
func TestShared(t *testing.T) {
	f := formula.MustCompile[float64]("t = y*1; x += t; x += t; x += y")
	ctx := context.Background()
	for range 2 {
		data := []float64{1, 2, 3, 4, 5}
		if err := f.Run(ctx, map[string]any{"x": data[1:], "y": data[:4]}); err != nil {
			t.Fatal(err)
		}
		// t = 1 2 3 4 throughout; x = 2 3 4 5, then 3 5 7 9, then 4 7 10 13, and y is then 1 4 7 10
		if want := []float64{1, 5, 11, 17, 23}; !slices.Equal(data, want) {
			t.Errorf("overlapping: %v, want %v", data, want)
		}
		x := []float64{2, 3, 4, 5}
		if err := f.Run(ctx, map[string]any{"x": x, "y": []float64{1, 2, 3, 4}}); err != nil {
			t.Fatal(err)
		}
		if want := []float64{5, 9, 13, 17}; !slices.Equal(x, want) {
			t.Errorf("apart: %v, want %v", x, want)
		}
		if err := f.Run(ctx, map[string]any{"x": x, "y": x}); err != nil {
			t.Fatal(err)
		}
		if want := []float64{30, 54, 78, 102}; !slices.Equal(x, want) {
			t.Errorf("the same: %v, want %v", x, want)
		}
	}
}

func TestErrors(t *testing.T) {
	x, i := []float64{1, 2, 3, 4}, []int32{1, 2, 3, 4}
	u := []uint8{1, 2, 3, 4}
	vars := map[string]any{"x": x, "i": i, "u": u, "y": []float64{1, 2, 3}, "lr": .5}
	for _, c := range []struct {
		text, msg string
		kind      error
	}{
		{"x = z + 1", `1:5: name "z" is not bound; known names: i, lr, u, x, y`, expr.ErrValue},
		{"x += y", "1:3: shapes [4] and [3] do not broadcast", expr.ErrShape},
		{"x = y", "1:3: a value of shape [3] cannot be assigned to a target of shape [4]", expr.ErrShape},
		{"i = x", "1:5: a value of type float64 cannot be stored in i, which is int32; convert it with astype", expr.ErrType},
		{"i += 1.5", "1:6: a value of type float64 cannot be stored in i, which is int32; convert it with astype", expr.ErrType},
		{"i[:2] += 1.5", "1:10: a value of type float64 cannot be stored in i, which is int32; convert it with astype", expr.ErrType},
		{"i = full(4, -inf, dtype=int)", "1:13: the number -inf has no value in int64", expr.ErrValue},
		{"x = norm(x[None], axis=())", "1:5: the argument axis has one axis or two, not []", expr.ErrShape},
		{"x = norm(x[None], 'nuc')", "1:19: orders of vectors are numbers, and those of matrices 1, -1, inf, -inf and 'fro'; there are no singular values, of which the orders 2, -2 and 'nuc' are made", expr.ErrUnsupported},
		{"u += 300", "1:3: the integer 300 is out of bounds for uint8", expr.ErrValue},
		{"x = x + count_nonzero(2**64)", "1:24: the integer 18446744073709551616 is out of bounds for int64", expr.ErrValue},
		{"u += -1", "1:3: the integer -1 is out of bounds for uint8", expr.ErrValue},
		{"i = i ** -1", "1:7: integers to negative integer powers are not allowed; make one of them a float", expr.ErrValue},
		{"x = -(x > 1)", "1:5: - is not defined for bool; use ~, or convert with astype", expr.ErrType},
		{"x = x & 1", "1:7: & is not defined for float64", expr.ErrType},
		{"x = histogram(x, range=(0, inf))[1]", "1:5: the range has no finite width", expr.ErrValue},
		{"x = histogram(x, range=(0, nan))[1]", "1:5: the range has no finite width", expr.ErrValue},
		{"x = bincount(u[:, None], x[:, None], minlength=4)", "1:5: bincount counts the integers of a vector, not of an array of shape [4 1]", expr.ErrShape},
		{"x = bincount(u[0], x, minlength=4)", "1:5: bincount counts the integers of a vector, not of an array of shape []", expr.ErrShape},
		{"x = sum(zeros((3, 0)), axis=2, initial=1)", "1:5: axis 2 is out of range for rank 2", expr.ErrShape},
		{"x = max(zeros((3, 0)), axis=-3, initial=1)", "1:5: axis -3 is out of range for rank 2", expr.ErrShape},
		{"x = histogramdd((), weights=x)[0]", "1:5: histogramdd takes at least one sample", expr.ErrShape},
		{"x = histogramdd(ones((4, 0)))[0]", "1:5: histogramdd takes at least one sample", expr.ErrShape},
		{"x = 1/0", "1:6: /: division by zero", expr.ErrValue},
		{"x = exq(x)", `1:5: there is no function "exq"; is it exp?`, nil},
		{"x = x.exp()", `1:7: arrays have no method "exp"; write exp(x)`, nil},
		{"x = x.foo", `1:7: there is no attribute "foo"; there are T, mT, shape, ndim, size, dtype`, nil},
		{"x = x.sum", `1:7: "sum" is a method; call it with parentheses`, nil},
		{"x = x.T()", `1:7: "T" is an attribute; write it without parentheses`, nil},
		{"x = exp(x, x)", "1:5: exp takes 1 argument, not 2", nil},
		{"x = sum(x, keepdim=True)", `1:20: sum has no argument "keepdim"; it has a, axis, dtype, keepdims, initial, where`, nil},
		{"x = sum(x, 0, None, True)", "1:21: sum takes 3 positional arguments, not 4", nil},
		{"x = sum()", `1:5: sum lacks the argument "a"`, nil},
		{"x = sum(x, axis=1)", "1:5: axis 1 is out of range for rank 1", expr.ErrShape},
		{"x = sum(x, axis=lr)", "1:17: axis must be an integer written in the formula, not a number known at run time only", expr.ErrType},
		{"x = x[4]", "1:7: index 4 is out of range for axis 0 of size 4", expr.ErrIndex},
		{"x = x[0, 0]", "1:6: 2 subscripts are too many for an array of rank 1", expr.ErrIndex},
		{"x = x[::0]", "1:9: the step of a slice cannot be 0", expr.ErrValue},
		{"x = [[1, 2], [3]]", "1:5: element 0 of the list has the shape [2], and element 1 has [1]", expr.ErrShape},
		{"x = [x, 2]", "1:5: element 0 of the list has the shape [4], and element 1 has []", expr.ErrShape},
		{"x = x[x > 2]", "1:9: x[mask] is not supported: its length depends on the elements, and formulas have shapes that are known before they run; there are where(mask, x, y), sum(x, where=mask), and in Go engine.Compress(mask, x)", expr.ErrUnsupported},
		{"x = sum(x[[True, False]])", "there are where(mask, x, y)", expr.ErrUnsupported},
		{"x = x[ix_(x > 2)]", "ix_ takes no mask: its length depends on the elements", expr.ErrUnsupported},
		{"x = sum(unique(x))", "; in Go engine.Unique runs at once", nil},
		{"x[i] = 2", "1:2: index 4 at [3] is out of range for axis 0 of size 4", expr.ErrIndex},
		{"x = astype(x, float99)", `1:15: name "float99" is not bound; known names: i, lr, u, x, y`, expr.ErrValue},
		{"x = astype(x, 'f9')", `1:15: "f9" is no element type; there are [bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128]`, expr.ErrType},
		{"add.at(x, i, b=1)", "1:1: add.at takes an array, subscripts and values, without names", expr.ErrType},
		{"add.at(i, 0, 1.5)", "1:14: values of type float64 cannot be stored in an array of int32", expr.ErrType},
		{"add.at(i, 0, 3000000000)", "1:1: the integer 3000000000 is out of bounds for int32", expr.ErrValue},
		{"add.at(x, 0, 2j)", "1:14: values of type complex128 cannot be stored in an array of float64", expr.ErrType},
		{"x[:] = 2j*x", "1:10: complex128 cannot be converted to float64, which has no imaginary part; real(x) and abs(x) are real", expr.ErrType},
		{"y = sum(exp(2j*x), dtype=float32)", "1:5: complex128 cannot be converted to float32, which has no imaginary part; real(x) and abs(x) are real", expr.ErrType},
		{"y = 1 + float64(1j*x)", "1:9: complex128 cannot be converted to float64, which has no imaginary part; real(x) and abs(x) are real", expr.ErrType},
		{"add.at(x[0], i, 1)", "1:1: add.at writes to its first argument, which must be a name", nil},
		{"x = jnp.exp(x)", "1:5: jnp is no module here; write exp(x) or np.exp(x)", nil},
		{"x = fft.rfft(x)", "1:5: fft is no module here; write rfft(x) or np.fft.rfft(x)", nil},
		{"x = linalg.norm(x)", "1:5: linalg is no module here; write norm(x) or np.linalg.norm(x)", nil},
		{"x = linalg.solve(x, x)", "1:5: linalg is no module here, and there is no function \"solve\"", nil},
		{"x = jnp.exq(x)", "1:5: jnp is no module here, and there is no function \"exq\"; is it exp?", nil},
		{"x = jnp.float32(x)", "1:5: jnp is no module here; write float32(x) or np.float32(x)", nil},
		{"x = np.linalg.inv(x)", "1:8: np.linalg.inv is not supported; formulas have functions of NumPy itself, such as np.exp, of np.fft, and np.linalg.norm", nil},
		{"x = np.fft.exp(x)", "1:8: np.fft.exp is not supported; formulas have functions of NumPy itself, such as np.exp, of np.fft, and np.linalg.norm", nil},
		{"x = x + 10**1000 * i", "1:18: the integer 100000000000...0000 (1001 digits) is out of bounds for int32", expr.ErrValue},
		{"x = None", "1:5: None cannot be assigned", expr.ErrType},
		{"x = ... + 1", "1:5: this has a meaning in subscripts only", nil},
		{"lr[0] = 2", "1:3: lr is a number known at run time only, which has no parts to assign to", expr.ErrType},
		{"q = x", "none of the assigned names (q) is bound to an array", expr.ErrValue},
		{"x = x[i]", "formula 1:6: index 4 at [3] is out of range for axis 0 of size 4", expr.ErrIndex},
		{"x = sum(x[i] + x)", "formula 1:10: index 4 at [3] is out of range for axis 0 of size 4", expr.ErrIndex},
		{"i = i // (i - 1)", "formula 1:7: integer division by zero at [0]", expr.ErrDivide},
		{"x = pad(x, 0, mode='mximum')", `1:20: there is no mode "mximum" of pad; there are constant, edge, wrap, reflect, symmetric, linear_ramp, maximum, minimum, mean and median`, expr.ErrValue},
		{"i = 1 + divmod(7, i - 1)[1]", "formula 1:9: integer division by zero at [0]", expr.ErrDivide},
		{"q = divmod(i, i - 2); i = q[0]", "formula 1:5: integer division by zero at [1]", expr.ErrDivide},
		{"i[:2] = split(i // (i - 1), 2)[0] + 1", "formula 1:17: integer division by zero at [0]", expr.ErrDivide},
		{"i = where(i > 0, take(abs(max(i // (i[:, None] - 1), axis=0)), i - 1), 0)", "formula 1:33: integer division by zero at [0 0]", expr.ErrDivide},
		{"i //= i - 2", "formula 1:3: integer division by zero at [1]", expr.ErrDivide},
		{"i[1:] //= i[1:] - 3", "formula 1:7: integer division by zero at [1]", expr.ErrDivide},
		{"k = i + 1\nk %= i - 3\ni = k", "formula 2:3: integer division by zero at [2]", expr.ErrDivide},
		{"f(a, b) = a[b]\nx = f(x, i) + 1", "formula 1:12: index 4 at [3] is out of range for axis 0 of size 4", expr.ErrIndex},
		{"x += bincount(i, minlength=4)", "formula 1:6: index 4 at position 3 is outside of axis 0 of size 4", expr.ErrIndex},
	} {
		f, err := formula.Compile[float64](c.text)
		if err == nil {
			err = f.Run(context.Background(), vars)
		}
		if err == nil || !strings.Contains(err.Error(), c.msg) {
			t.Errorf("%s: %v, want %s", c.text, err, c.msg)
		} else if c.kind != nil && !errors.Is(err, c.kind) {
			t.Errorf("%s: %v is not of kind %v", c.text, err, c.kind)
		}
		if !slices.Equal(x, []float64{1, 2, 3, 4}) || !slices.Equal(i, []int32{1, 2, 3, 4}) {
			t.Fatalf("%s failed and changed its target", c.text)
		}
	}
}

func TestBindErrors(t *testing.T) {
	f := formula.MustCompile[float32]("x += y")
	ctx := context.Background()
	var none *engine.Tensor[float32]
	for want, vars := range map[string]any{
		"variables come in a map[string]any or a struct, not in int": 3,
		`name "x" is not bound; no name is bound`:                    nil,
		"y is a nil *engine.Tensor[float32]":                         map[string]any{"x": []float32{1}, "y": none},
		"oneloop: formula: y is the zero value of its type":          map[string]any{"x": []float32{1}, "y": &engine.Tensor[float32]{}},
		"y is nil": map[string]any{"x": []float32{1}, "y": nil},
		"y is a [][]float32; bind tensors, arrays, parameters, slices of element types and scalars": map[string]any{"x": []float32{1}, "y": [][]float32{{1}}},
		"y is a chan int; bind tensors, arrays, parameters, slices of element types and scalars":    struct{ X, Y any }{[]float32{1}, make(chan int)},
		"y is 9223372036854775808, above the largest integer scalar":                                struct{ X, Y any }{[]float32{1}, uint64(1 << 63)},
	} {
		err := f.Run(ctx, vars)
		if typed := errors.Is(err, expr.ErrType) || errors.Is(err, expr.ErrValue); err == nil || !typed || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestStruct checks how fields are found.
func TestStruct(t *testing.T) {
	type vars struct {
		Y   []float32
		W   []float32 `oneloop:"x"`
		X   []float32 // hidden by the tag of W
		Eta float32
		N   int
		eta float32
	}
	v := vars{Y: []float32{1, 2}, W: []float32{10, 20}, X: []float32{5, 5}, Eta: .5, N: 3, eta: 100}
	f := formula.MustCompile[float32]("y += eta*x*n")
	if err := f.Run(context.Background(), v); err != nil {
		t.Fatal(err)
	}
	if want := []float32{16, 32}; !slices.Equal(v.Y, want) {
		t.Errorf("%v, want %v", v.Y, want)
	}
}

// TestAllocs checks that a run with a known signature allocates nothing.
func TestAllocs(t *testing.T) {
	f := formula.MustCompile[float32]("m = b*m + (1 - b)*g; w -= eta*m/(sqrt(v) + 1e-8)")
	ctx := context.Background()
	make4 := func() []float32 { return []float32{1, 2, 3, 4} }
	slicesVars := map[string]any{"m": make4(), "g": make4(), "w": make4(), "v": make4(), "b": float32(.9), "eta": 1e-3}
	tensor := func() *engine.Tensor[float32] { return engine.MustFromSlice(make4()) }
	tensors := map[string]any{"m": tensor(), "g": tensor(), "w": tensor(), "v": tensor(), "b": expr.NewParam[float32](.9), "eta": 1e-3}
	fields := &struct {
		M, G, W []float32
		V       *engine.Tensor[float32]
		B, Eta  float64
	}{make4(), make4(), make4(), tensor(), .9, 1e-3}
	for name, vars := range map[string]any{"slices": slicesVars, "tensors": tensors, "struct": fields} {
		if err := f.Run(ctx, vars); err != nil {
			t.Fatal(err)
		}
		if n := testlevel.Allocs(10, func() {
			if err := f.Run(ctx, vars); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestConcurrent runs one formula from many goroutines, with signatures that
// come and go.
func TestConcurrent(t *testing.T) {
	f := formula.MustCompile[float64]("y = a*x + 1")
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 150 {
				n := 1 + (g*37+i)%90
				x, y := make([]float64, n), make([]float64, n)
				for k := range x {
					x[k] = float64(k)
				}
				if err := f.Run(context.Background(), map[string]any{"x": x, "y": y, "a": float64(g)}); err != nil {
					t.Error(err)
					return
				}
				for k := range y {
					if y[k] != float64(g*k+1) {
						t.Errorf("y[%d] is %v", k, y[k])
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestScalars checks that Go scalars are as weak as Python's.
func TestScalars(t *testing.T) {
	f := formula.MustCompile[float32]("y = s*x")
	for _, c := range []struct {
		x, s any
		want dtype.Type
	}{
		{[]float32{1}, 2.5, dtype.F32},
		{[]float64{1}, float32(2.5), dtype.F64},
		{[]dtype.Float16{{}}, 2.5, dtype.F16},
		{[]int8{1}, 2, dtype.I8},
		{[]uint64{1}, uint8(2), dtype.U64},
		{[]float32{1}, 3, dtype.F32},
		{[]bool{true}, 3, dtype.I64},
		{[]int32{1}, 2.5, dtype.F64},
		{[]int32{1}, true, dtype.I32},
		{[]float32{1}, dtype.F16From(2.5), dtype.F32},
	} {
		out, err := f.Eval(context.Background(), map[string]any{"x": c.x, "s": c.s})
		if err != nil {
			t.Errorf("%T times %T: %v", c.s, c.x, err)
			continue
		}
		if got := out["y"].DType(); got != c.want {
			t.Errorf("%T times %T is %v, want %v", c.s, c.x, got, c.want)
		}
	}
}

// TestTuples checks the values of tuples of arrays: an array if they have one shape, else those of
// the parts. Parts keep their values when what they read is overwritten.
func TestTuples(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5}
	f := formula.MustCompile[float64]("h = split(x, [2]); g = divmod(x, 2); x[:] = 0; r = h[1] + 1; histogram(r, 2)")
	got, err := f.Eval(context.Background(), map[string]any{"x": x})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"h[0]": "[1 2]", "h[1]": "[3 4 5]", "r": "[4 5 6]", "_[0]": "[1 2]", "_[1]": "[4 5 6]", "g": "[[0 1 1 2 2]\n [1 0 1 0 1]]",
	} {
		if s := fmt.Sprint(got[name]); s != want {
			t.Errorf("%s is %s, want %s", name, s, want)
		}
	}
	if len(got) != 6 {
		t.Errorf("there are values %v", got)
	}
}

// TestManyEdges compares histograms, whose elements are sorted where there are many edges, with those of weights, which search.
func TestManyEdges(t *testing.T) {
	f := formula.MustCompile[float64](`n = histogram(x, e)[0]; w = histogram(x, e, weights=ones_like(x))[0]
		d = histogram(x, e, density=True)[0]; v = histogram(x, e, weights=ones_like(x), density=True)[0]`)
	for _, edges := range []int{20, 32, 33, 100} {
		e := make([]float64, edges)
		x := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, -.5, 1e9}
		for i := range e {
			e[i] = float64(i * i / 3) // some bins are empty
			x = append(x, e[i], e[i], e[i]+.5, float64(7*i%edges))
		}
		got, err := f.Eval(context.Background(), map[string]any{"x": x, "e": e})
		if err != nil {
			t.Fatal(err)
		}
		for have, want := range map[string]string{"n": "w", "d": "v"} {
			if a, b := fmt.Sprint(got[have]), fmt.Sprint(got[want]); a != b {
				t.Errorf("%d edges: %s is %s, %s is %s", edges, have, a, want, b)
			}
		}
	}
}

// TestEval checks that results are new arrays each time.
func TestEval(t *testing.T) {
	f := formula.MustCompile[float64]("a = x + 1; x *= 2; b = a; b += 1; c = 3; a*0")
	x := []float64{1, 2}
	var first map[string]*engine.Array
	for range 2 {
		out, err := f.Eval(context.Background(), map[string]any{"x": x})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = out
		}
	}
	values := func(name string) []float64 {
		v, err := engine.TensorOf[float64](first[name])
		if err != nil {
			t.Fatal(name, err)
		}
		return v.Values()
	}
	if a, b := values("a"), values("b"); !slices.Equal(a, []float64{2, 3}) || !slices.Equal(b, []float64{3, 4}) {
		t.Errorf("a %v, b %v", a, b)
	}
	if first["c"].DType() != dtype.I64 || len(first) != 4 || !slices.Equal(x, []float64{4, 8}) {
		t.Errorf("%v, x %v", first, x)
	}
}

// TestPlace checks that an error of a run states a line of the program that
// uses the library.
func TestPlace(t *testing.T) {
	f := formula.MustCompile[float64]("y = x // d")
	y := []int64{1}
	err := f.Run(context.Background(), map[string]any{"y": y, "x": []int64{1}, "d": []int64{0}})
	if err == nil || !strings.Contains(err.Error(), "formula_test.go:") {
		t.Errorf("the error is %v", err)
	}
}
