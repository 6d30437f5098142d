package cuda

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
)

// An ability is a computation. route names the kinds of stages that carry it out on
// a GPU: "kernels", "cuBLAS", "host". docs/cuda.md has a table of them.
type ability struct {
	name, route string
	run         func(*testing.T, driver.Device) (bits []byte, route string)
}

// computed returns an ability that computes a tree of x. The values of x are small
// integers, so that sums have the same bits in every order.
func computed[T, R expr.Elem](name, route string, x *engine.Tensor[T], tree func(p place, x expr.Exp[T]) expr.Exp[R]) ability {
	return ability{name, route, func(t *testing.T, d driver.Device) ([]byte, string) {
		t.Helper()
		there, err := x.To(d)
		check(t, err)
		value := tree(place{d}, there)
		n := expr.NodeOf(value)
		check(t, n.Err())
		out, err := engine.Zeros[R](n.Shape()...).To(d)
		check(t, err)
		o := engine.Options{}
		if d == engine.CPU() {
			o.Backend = "interp"
		}
		p, err := engine.CompileWith(ctx, o, expr.Let(out, value))
		check(t, err)
		defer p.Close()
		for range 4 { // the last is a graph, if there are several launches
			check(t, p.Run(ctx))
		}
		all := out.Values()
		if len(all) == 0 {
			t.Fatal("there are no elements to compare")
		}
		size := int(unsafe.Sizeof(all[0]))
		bits := unsafe.Slice((*byte)(unsafe.Pointer(&all[0])), len(all)*size)
		for i, v := range all {
			if v != v { // all NaNs are equal
				clear(bits[i*size:][:size])
				bits[i*size] = 0x99
			}
		}
		return bits, routeOf(p.Plan())
	}}
}

// routeOf returns the kinds of the stages of a plan, each once.
func routeOf(p *plan.Plan) string {
	var kinds []string
	for _, s := range p.Stages {
		kind := map[plan.StageKind]string{plan.Loop: "kernels", plan.Call: "host", plan.Product: "kernels"}[s.Kind]
		if s.Kind == plan.Call && hasKernels(s) {
			kind = "kernels"
		}
		if s.Kind == plan.Product && s.Out.Type.IsFloat() {
			kind = "cuBLAS"
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return strings.Join(kinds, ", ")
}

// numbers returns a tensor of small integers.
func numbers[T int16 | uint16 | float32 | float64](dims ...int) *engine.Tensor[T] {
	x := engine.Zeros[T](dims...)
	for i := range x.Data() {
		x.Data()[i] = T(i * 7919 % 11)
	}
	return x
}

func pairs[T expr.ComplexNumber](dims ...int) *engine.Tensor[T] {
	x := engine.Zeros[T](dims...)
	for i := range x.Data() {
		x.Data()[i] = T(complex(float64(i*7919%11), float64(i*104729%7)))
	}
	return x
}

func indexes(n, below int) *engine.Tensor[int64] {
	x := engine.Zeros[int64](n)
	for i := range x.Data() {
		x.Data()[i] = int64(i * 31 % below)
	}
	return x
}

// A place is where the operands of a tree are.
type place struct{ driver.Device }

// on moves a tensor to a place.
func on[T expr.Elem](p place, x *engine.Tensor[T]) *engine.Tensor[T] {
	x, err := x.To(p.Device)
	if err != nil {
		panic(err)
	}
	return x
}

// moments are the number of elements, their mean, and the sum of their squared
// distances from it.
var moments = op.Reducer{
	Name: "variance",
	First: func(t dtype.Type) []*tree.Node {
		zero := tree.ConstFloat(t, 0)
		return []*tree.Node{zero, zero, zero}
	},
	Element: func(_, x *tree.Node) []*tree.Node {
		return []*tree.Node{tree.ConstFloat(x.DType(), 1), x, tree.ConstFloat(x.DType(), 0)}
	},
	Combine: func(x, y []*tree.Node) []*tree.Node {
		use := func(name string, a, b *tree.Node) *tree.Node { return untyped.Apply(untyped.Row(name), a, b) }
		n, d := use("add", x[0], y[0]), use("sub", y[1], x[1])
		part := use("div", y[0], n)
		return []*tree.Node{n, use("add", x[1], use("mul", d, part)), use("add", use("add", x[2], y[2]), use("mul", use("mul", d, d), use("mul", x[0], part)))}
	},
}

type (
	f32 = expr.Exp[float32]
	f64 = expr.Exp[float64]
	i16 = expr.Exp[int16]
	u16 = expr.Exp[uint16]
	z64 = expr.Exp[complex64]
	z   = expr.Exp[complex128]
)

// abilities returns what the engine can compute, by the kinds of stages.
func abilities() []ability {
	window := op.Sliding{Kernel: []int{2, 2}}
	return []ability{
		computed("elements", "kernels", numbers[float32](70), func(_ place, x f32) f32 { return op.Exp(op.Neg(x)) }),
		computed("elements of int16", "kernels", numbers[int16](70), func(_ place, x i16) i16 { return op.Mul(op.Sub(x, expr.Const(int16(5))), x) }),
		computed("elements of uint16", "kernels", numbers[uint16](70), func(_ place, x u16) u16 { return op.Sub(x, expr.Const(uint16(5))) }),
		computed("complex elements", "kernels", pairs[complex128](67), func(_ place, x z) z { return op.Div(op.Mul(x, op.Conj(x)), op.AddScalar(op.Flip(x), 1)) }),
		computed("complex functions", "kernels", pairs[complex128](67), func(_ place, x z) f64 { return op.Add(op.Modulus[float64](x), op.Angle[float64](x)) }),
		computed("complex sums", "kernels", pairs[complex64](67, 9), func(_ place, x z64) z64 { return op.Sum(x, op.Axis(0)) }),
		computed("complex products", "cuBLAS, kernels", pairs[complex128](33, 33), func(_ place, x z) z { return op.MatMul(x, x) }),
		computed("reductions", "kernels", numbers[float32](67, 70), func(_ place, x f32) f32 { return op.Sum(x, op.Axis(1)) }),
		computed("reductions with several states", "kernels", numbers[float64](3, 4200), func(_ place, x f64) f64 { return op.ReduceStates[float64](moments, x, op.Axis(1)) }),
		computed("scans", "kernels", numbers[float32](7, 300), func(_ place, x f32) f32 { return op.CumSum(x, 1) }),
		computed("random numbers", "kernels", numbers[float32](70), func(_ place, x f32) f32 { return op.Add(x, op.Normal[float32](expr.Const(uint64(7)), 70)) }),
		computed("products of floats", "cuBLAS", numbers[float32](20, 20), func(_ place, x f32) f32 { return op.MatMul(x, x) }),
		computed("products of integers", "kernels", numbers[int16](20, 20), func(_ place, x i16) i16 { return op.MatMul(x, x) }),
		computed("a product, a bias and a function", "cuBLAS, kernels", numbers[float32](20, 20), func(p place, x f32) f32 { return op.ReLU(op.Add(op.MatMul(x, x), on(p, numbers[float32](20)))) }),
		computed("convolutions", "cuBLAS, kernels", numbers[float32](2, 3, 9, 9), func(p place, x f32) f32 {
			return op.Conv(x, on(p, numbers[float32](4, 3, 3, 3)), op.Sliding{Padding: []int{1, 1}})
		}),
		computed("pools", "kernels", numbers[float32](2, 3, 8, 8), func(_ place, x f32) f32 { return op.MaxPool(x, window) }),
		computed("pools with overlap", "kernels", numbers[float32](2, 3, 9, 9), func(p place, x f32) f32 {
			return op.AvgPool(x, op.Sliding{Kernel: []int{3, 3}, Stride: []int{2, 2}, Padding: []int{1, 1}})
		}),
		computed("take", "kernels", numbers[float32](20, 7), func(p place, x f32) f32 { return op.Take(x, on(p, indexes(33, 20)), 0) }),
		computed("the gradient of take", "kernels", numbers[float32](20, 7), func(p place, x f32) f32 {
			return derivative(x, op.Sum(op.Square(op.Take(x, on(p, indexes(33, 20)), 0))))
		}),
		computed("the gradient of a pool", "kernels", numbers[float32](2, 3, 8, 8), func(_ place, x f32) f32 { return derivative(x, op.Sum(op.Square(op.MaxPool(x, window)))) }),
		computed("scatters", "kernels", numbers[float32](33, 7), func(p place, x f32) f32 { return op.ScatterAdd(on(p, indexes(33, 20)), x, 0, 20, 7) }),
		computed("sorts", "kernels", numbers[float32](3, 300), func(_ place, x f32) f32 { return op.Sort(x, 1) }),
		computed("partitions and selections", "kernels", numbers[float32](3, 300), func(_ place, x f32) f32 { return op.Partition(x, 1, 9, 40) }),
		computed("searches", "kernels", numbers[float32](30), func(_ place, x f32) expr.Exp[int64] { return op.SearchSorted(op.Sort(x, 0), x, false) }),
		computed("Go functions of the user", "host", numbers[float32](30), func(_ place, x f32) f32 {
			return op.GoFunc("half", func(v float32) float32 { return v / 2 })(x)
		}),
		computed("Fourier transforms", "host, kernels", pairs[complex128](3, 64), func(_ place, x z) z { return op.FFT(x, 1) }),
	}
}

// derivative returns the derivative of y with respect to the leaf x.
func derivative[T expr.Float](x, y expr.Exp[T]) expr.Exp[T] {
	all, err := grad.Of(y, x)
	if err != nil {
		panic(err)
	}
	return all[0]
}

func testAbilities(t *testing.T, _ *standIn) { compute(t, open(t)) }

// TestAbilitiesAreDocumented finds every ability and its route in the table of docs/cuda.md.
func TestAbilitiesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/cuda.md")
	check(t, err)
	for _, a := range abilities() {
		if row := "| " + a.name + " | " + a.route + " |"; !bytes.Contains(text, []byte(row)) {
			t.Errorf("docs/cuda.md lacks the row %q", row)
		}
	}
}

// compute computes every ability on a GPU, and compares the bits with those of the
// interpreter, and the route with the expected one. It reads no file, because the
// program of the tests runs in other directories too.
func compute(t *testing.T, d driver.Device) { computeAll(t, d, abilities()) }

func computeAll(t *testing.T, d driver.Device, list []ability) {
	for _, a := range list {
		t.Run(a.name, func(t *testing.T) {
			want, _ := a.run(t, engine.CPU())
			got, route := a.run(t, d)
			if !bytes.Equal(got, want) {
				t.Errorf("the bits are not those of the interpreter")
			}
			if route != a.route {
				t.Errorf("the GPU carries it out with %q, not with %q", route, a.route)
			}
		})
	}
}
