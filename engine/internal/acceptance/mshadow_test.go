package acceptance

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

type (
	f32    = expr.Exp[float32]
	tensor = engine.Tensor[float32]
)

// seeded returns the input number seed of the program that made
// testdata/mshadow: small multiples of 1/2, whose sums are exact.
func seeded(seed int, dims ...int) *tensor {
	x := engine.Zeros[float32](dims...)
	for k := range x.Data() {
		x.Data()[k] = float32((k*7+seed*5)%17-8) * .5
	}
	return x
}

// onto returns t after f has assigned to it.
func onto(t *tensor, f func(t *tensor) error) f32 {
	if err := f(t); err != nil {
		return expr.Of[float32](tree.Failed(err))
	}
	return t
}

func number(n expr.Exp[int64]) f32 { return op.Cast[float32](n) }

func indices(v ...int32) expr.Exp[int32] { return engine.MustFromSlice(v, len(v)) }

// parts returns the real and the imaginary parts of interleaved numbers.
func parts(x f32) (re, im f32) {
	s := x.Node().Shape()
	pairs := op.Reshape(x, s[0], s[1]/2, 2)
	return op.Index(pairs, 2, 0), op.Index(pairs, 2, 1)
}

func interleaved(re, im f32) f32 {
	s := re.Node().Shape()
	return op.Reshape(op.Stack(-1, re, im), s[0], 2*s[1])
}

var (
	addOne   = op.Define("addone", 1, func(b *op.B, x ...op.V) op.V { return b.Add(x[0], b.Const(x[0].Type, 1)) })
	mixTwo   = op.Define("lerp", 3, mixed)
	imageOf  = func() f32 { return seeded(2, 2, 3, 6, 7) }
	cubeOf   = func() f32 { return seeded(2, 2, 3, 4, 5) }
	channels = op.Sliding{Kernel: []int{3, 1, 1}, Padding: []int{1, 0, 0}, Stride: []int{1}}
	windows  = op.Sliding{Kernel: []int{2, 3}, Stride: []int{2, 2}}
)

func mixed(b *prim.B, x ...prim.V) prim.V {
	return b.Add(b.Mul(x[0], x[2]), b.Mul(x[1], b.Sub(b.Const(x[0].Type, 1), x[2])))
}

// region is the part 1:2, 1:3, 1:3, 2:5.
func region(t *tensor) *tensor {
	return t.Span(op.Range(1, 2), op.Range(1, 3), op.Range(1, 3), op.Range(2, 5))
}

// fromMshadow are the expressions of testdata/mshadow, by the names of their
// outputs.
var fromMshadow = map[string]func() f32{
	// Savers and element-wise operators.
	"plusto": func() f32 {
		return onto(seeded(4, 3, 5), func(r *tensor) error {
			return r.AddAssign(op.AddScalar(op.Mul(seeded(1, 3, 5), seeded(2, 3, 5)), 2))
		})
	},
	"multo": func() f32 {
		return onto(seeded(4, 3, 5), func(r *tensor) error {
			return r.MulAssign(op.AddScalar(op.Mul(seeded(1, 3, 5), seeded(2, 3, 5)), 2))
		})
	},
	"F1":    func() f32 { return op.Map1(addOne, f32(seeded(1, 3, 5))) },
	"F3":    func() f32 { return op.Map3(mixTwo, f32(seeded(1, 3, 5)), seeded(2, 3, 5), seeded(3, 3, 5)) },
	"tcast": func() f32 { return op.Cast[float32](op.Cast[int32](seeded(1, 3, 5))) },

	// Products.
	"dot_nn":     func() f32 { return op.Dot(seeded(1, 3, 4), seeded(2, 4, 5)) },
	"dot_nt":     func() f32 { return op.Dot(seeded(1, 3, 4), op.T(seeded(4, 5, 4))) },
	"dot_scaled": func() f32 { return op.Scale(.5, op.Dot(seeded(1, 3, 4), seeded(2, 4, 5))) },
	"dot_plus": func() f32 {
		return onto(seeded(9, 3, 5), func(r *tensor) error { return r.AddAssign(op.Dot(seeded(1, 3, 4), seeded(2, 4, 5))) })
	},
	"gemv_n": func() f32 { return op.VecMat(seeded(5, 4), seeded(2, 4, 5)) },
	"gemv_plus": func() f32 {
		return onto(seeded(7, 5), func(r *tensor) error { return r.AddAssign(op.Dot(seeded(5, 4), seeded(2, 4, 5))) })
	},
	"implicit_dot": func() f32 {
		return op.AddScalar(op.MatMul(op.AddScalar(seeded(1, 3, 4), 1), op.Scale(2, seeded(2, 4, 5))), 1)
	},
	"vectordot": func() f32 {
		a := f32(seeded(1, 3, 4))
		return op.Reshape(op.VecDot(op.Index(a, 0, 0), op.Index(a, 0, 1), -1), 1)
	},

	// Broadcasting and reductions.
	"broadcast0":       func() f32 { return op.BroadcastTo(op.Reshape(seeded(1, 2), 2, 1, 1, 1), 2, 3, 4, 5) },
	"broadcast2":       func() f32 { return op.BroadcastTo(op.Reshape(seeded(1, 4), 4, 1), 2, 3, 4, 5) },
	"broadcast_scalar": func() f32 { return op.BroadcastTo(op.Full[float32](2.5), 2, 3, 4, 5) },
	"bwa0":             func() f32 { return op.BroadcastTo(op.NewAxis(seeded(2, 3, 4), 1), 3, 6, 4) },
	"bwa1":             func() f32 { return op.BroadcastTo(op.NewAxis(seeded(2, 3, 4), -1), 3, 4, 6) },
	"bmulti":           func() f32 { return op.BroadcastTo(seeded(3, 1, 3, 1, 5), 2, 3, 4, 5) },
	"sum_rows":         func() f32 { return op.Sum(seeded(1, 4, 6), op.Axis(0)) },
	"saed0":            func() f32 { return op.Sum(cubeOf(), op.Axis(1, 2, 3)) },
	"saed2":            func() f32 { return op.Sum(cubeOf(), op.Axis(0, 1, 3)) },
	"red1max":          func() f32 { return op.Max(cubeOf(), op.Axis(0, 2, 3)) },
	"rwa_sum1":         func() f32 { return op.Sum(cubeOf(), op.Axis(1)) },
	"rwa_argmax1":      func() f32 { return number(op.ArgMax(cubeOf(), op.Axis(1))) },
	"rkd":              func() f32 { return op.Sum(cubeOf(), op.Axis(1), op.KeepDims()) },

	// Shapes.
	"T":      func() f32 { return op.Scale(2, op.T(seeded(1, 3, 5))) },
	"swap21": func() f32 { return op.SwapAxes(cubeOf(), 2, 1) },
	"swap20": func() f32 { return op.SwapAxes(cubeOf(), 2, 0) },
	"swap31": func() f32 { return op.SwapAxes(cubeOf(), 3, 1) },
	"transpose_indices": func() f32 {
		turned := op.Transpose(op.Reshape(op.Arange[float32](0, 120, 1), 4, 2, 5, 3), 1, 3, 0, 2)
		return op.Take(op.Flatten(turned), indices(0, 7, 23, 59, 100, 119), 0)
	},
	"flip0": func() f32 { return op.Flip(cubeOf(), 0) },
	"flip_assign": func() f32 {
		return onto(engine.Zeros[float32](2, 3, 4, 5), func(r *tensor) error {
			return r.Span(shape.Slice{}, op.By(shape.Slice{}, -1)).Assign(cubeOf())
		})
	},
	"slice3": func() f32 { return op.Slice(cubeOf(), op.Span{}, op.Span{}, op.Span{}, op.Range(1, 3)) },
	"slice_plus": func() f32 {
		return onto(seeded(4, 2, 3, 4, 5), func(r *tensor) error {
			return r.Span(shape.Slice{}, op.Range(1, 3)).AddAssign(op.Slice(cubeOf(), op.Span{}, op.Range(1, 3)))
		})
	},
	"slice_ex_assign": func() f32 {
		return onto(seeded(4, 2, 3, 4, 5), func(r *tensor) error {
			return region(r).Assign(op.Scale(2, region(seeded(2, 2, 3, 4, 5))))
		})
	},
	"concat_assign_a": func() f32 {
		a, b := engine.Zeros[float32](2, 3, 4, 5), engine.Zeros[float32](2, 2, 4, 5)
		err := engine.Run(context.Background(), expr.Let(op.Into[float32](1, a, b), f32(seeded(8, 2, 5, 4, 5))))
		return onto(a, func(*tensor) error { return err })
	},
	"concat3_nested": func() f32 {
		return op.Concat(3, op.Concat[float32](3, seeded(1, 2, 3, 4, 1), seeded(2, 2, 3, 4, 2)), seeded(3, 2, 3, 4, 3))
	},
	"pad12":   func() f32 { return op.Pad(cubeOf(), [][2]int{{}, {}, {1, 1}, {2, 2}}, 0) },
	"crop_at": func() f32 { return op.Crop(cubeOf(), []int{2, 2}, 2, 3) },

	// Indices.
	"choose":      func() f32 { return op.Pick(f32(seeded(1, 4, 5)), indices(1, 4, 0, 3)) },
	"one_hot":     func() f32 { return op.OneHot[float32](indices(1, 4, 9, 3), 5) },
	"range":       func() f32 { return op.Repeat(op.Arange[float32](0, 4, 2), 3, 0) },
	"take_grad":   func() f32 { return takeGrad(seeded(4, 5, 3), 8, 0, 1, 8, 9) },
	"addtakegrad": func() f32 { return op.AddAt(f32(seeded(6, 10, 3)), indices(8, 0, 1, 8, 9), f32(seeded(4, 5, 3)), 0) },
	"indexfill":   func() f32 { return op.SetAt(f32(seeded(6, 10, 3)), indices(8, 0, 1, 5, 9), f32(seeded(4, 5, 3)), 0) },
	"sort_asc_v":  func() f32 { return number(op.ArgSort(sortKeys(), 0)) },
	"sort_desc_v": func() f32 { return number(op.ArgSort(sortKeys(), 0, op.Descending)) },

	// Convolution and pooling.
	"im2col":    func() f32 { return op.Im2Col(imageOf(), windows) },
	"im2col_sq": func() f32 { return op.Im2Col(imageOf(), op.Sliding{Kernel: []int{3, 3}}) },
	"col2im_s2": func() f32 { return op.Col2Im(f32(seeded(5, 18, 18)), []int{2, 3, 6, 7}, windows) },
	"pool_max":  func() f32 { return op.Pool("max", imageOf(), windows) },
	"pool_min":  func() f32 { return op.Pool("min", imageOf(), windows) },
	"unpool_max": func() f32 {
		return op.Unpool(imageOf(), op.MaxPool(imageOf(), windows), f32(seeded(3, 2, 3, 3, 3)), windows)
	},
	"chpool_sum": func() f32 { return op.SumPool(f32(seeded(2, 2, 5, 2, 3)), channels) },
	"ch_unpool_max": func() f32 {
		c := f32(seeded(2, 2, 5, 2, 3))
		return op.Unpool(c, op.MaxPool(c, channels), f32(seeded(3, 2, 5, 2, 3)), channels)
	},

	// Complex numbers in pairs.
	"cmul_cc": func() f32 {
		b := f32(seeded(2, 3, 8))
		ar, ai := parts(seeded(1, 3, 8))
		br, bi := parts(op.AddScalar(op.Square(b), 1))
		return interleaved(op.Sub(op.Mul(ar, br), op.Mul(ai, bi)), op.Add(op.Mul(ar, bi), op.Mul(ai, br)))
	},
	"cmul_cr": scaledPairs, "cmul_rc": scaledPairs,
	"conj": func() f32 {
		re, im := parts(seeded(1, 3, 8))
		return interleaved(re, op.Neg(im))
	},
	"cpad": func() f32 {
		re := op.AddScalar(op.Square(seeded(3, 3, 4)), 1)
		return interleaved(re, op.BroadcastTo(op.Full[float32](0), 3, 4))
	},
	"cabs2": func() f32 {
		re, im := parts(seeded(1, 3, 8))
		return op.Add(op.Square(re), op.Square(im))
	},

	// Networks.
	"softmax2":        func() f32 { return op.Softmax(seeded(1, 3, 5), -1) },
	"softmax3":        func() f32 { return op.Softmax(seeded(2, 2, 3, 4), 1) },
	"softmaxgrad_ign": func() f32 { return op.SoftmaxGrad(f32(seeded(1, 3, 5)), indices(1, 4, 0), 4) },
}

// takeGrad returns the gradient of Take from ten rows.
func takeGrad(out f32, index ...int32) f32 {
	w := f32(engine.Zeros[float32](10, 3))
	g, err := grad.Of(op.Sum(op.Mul(op.Take(w, indices(index...), 0), out)), w)
	if err != nil {
		return expr.Of[float32](tree.Failed(err))
	}
	return g[0]
}

func sortKeys() f32 { return engine.MustFromSlice([]float32{3, 1, 2, 3, 0, 1, 2, 0}) }

func scaledPairs() f32 {
	re, im := parts(seeded(1, 3, 8))
	by := op.AddScalar(op.Square(seeded(3, 3, 4)), 1)
	return interleaved(op.Mul(re, by), op.Mul(im, by))
}

// TestMshadow compares expressions with the outputs of mshadow. They are equal,
// but for softmax, whose exponential differs.
func TestMshadow(t *testing.T) {
	f, err := os.Open("../../../testdata/mshadow/outputs.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	done := map[string]bool{}
	for s := bufio.NewScanner(f); s.Scan(); {
		head, tail, _ := strings.Cut(s.Text(), ":")
		fields := strings.Fields(head)
		name := fields[0]
		build := fromMshadow[name]
		if build == nil {
			t.Errorf("%s has no expression", name)
			continue
		}
		done[name] = true
		var dims []int
		for _, d := range fields[1:] {
			n, _ := strconv.Atoi(d)
			dims = append(dims, n)
		}
		got, err := engine.Eval(build())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(got.Shape(), dims) {
			t.Errorf("%s has shape %v, want %v", name, got.Shape(), dims)
			continue
		}
		for i, text := range strings.Fields(tail) {
			want, _ := strconv.ParseFloat(text, 64)
			have := float64(got.Values()[i])
			if have != want && !(strings.HasPrefix(name, "softmax") && math.Abs(have-want) < 1e-7) {
				t.Errorf("%s: element %d is %v, want %v", name, i, have, want)
				break
			}
		}
	}
	for name := range fromMshadow {
		if !done[name] {
			t.Errorf("%s has no output of mshadow", name)
		}
	}
}

// TestMshadowPage checks that no cell of docs/mshadow.md is empty, and that the
// tests that it names exist.
func TestMshadowPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/mshadow.md")
	if err != nil {
		t.Fatal(err)
	}
	outputs, err := os.ReadFile("../../../testdata/mshadow/outputs.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, line := range strings.Split(string(page), "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| mshadow") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, "¦"), "| "), " | ")
		if len(cells) != 5 {
			t.Errorf("%d cells: %s", len(cells), line)
			continue
		}
		for _, c := range cells {
			if strings.TrimSpace(c) == "" {
				t.Errorf("an empty cell: %s", line)
			}
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[4], -1) {
			if err := named(m[1], string(outputs)); err != nil {
				t.Errorf("%v: %s", err, line)
			}
		}
	}
	if rows < 70 {
		t.Errorf("%d rows", rows)
	}
}

// named returns an error unless name is an output of mshadow, or folder.Test for a
// test, an example or a program in that folder.
func named(name, outputs string) error {
	if strings.Contains("\n"+outputs, "\n"+name+" ") {
		return nil
	}
	folder, test, ok := strings.Cut(name, ".")
	if !ok {
		return fmt.Errorf("%q is no output of mshadow", name)
	}
	files, err := os.ReadDir("../../../" + folder)
	for _, f := range files {
		if text, _ := os.ReadFile("../../../" + folder + "/" + f.Name()); strings.Contains(string(text), "func "+test+"(") {
			return nil
		}
	}
	return fmt.Errorf("there is no %q in %s (%v)", test, folder, err)
}
