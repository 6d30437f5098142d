package op

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/internal/routine"
	"github.com/oneloop/oneloop/shape"
)

// fourierRow transforms rows; see [routine.Fourier]. It is in no table: a transform
// of complex numbers is made of several nodes.
var fourierRow = expr.NewOperator(expr.Row{
	Name: "fft", GoName: "FFT", Class: expr.Opaque, Arity: 1, Types: expr.TypesOf(dtype.F32, dtype.F64),
	Shape: fourierShape, Routine: routine.Fourier(), Grad: gradFourier,
	Doc: "the discrete Fourier transform of rows.",
})

func fourierShape(n *expr.Node) (shape.Shape, error) {
	in := n.Args[0].Shape()
	if len(n.Ints) != 2 || n.Ints[1] < 1 {
		return nil, expr.NewError(expr.ErrShape, "FFT", "a transform needs at least one point")
	}
	points, half := n.Ints[1], n.Ints[1]/2+1
	lead, wants, gives := len(in)-2, []int{points, 2}, []int{points, 2}
	switch routine.Transform(n.Ints[0]) {
	case routine.Forward, routine.Backward:
	case routine.ForwardReal:
		lead, wants, gives = len(in)-1, []int{points}, []int{half, 2}
	case routine.BackwardReal:
		wants, gives = []int{half, 2}, []int{points}
	default:
		return nil, expr.NewError(expr.ErrValue, "FFT", "there is no transform %d", n.Ints[0])
	}
	if lead < 0 || !slices.Equal(in[lead:], wants) {
		return nil, expr.NewError(expr.ErrShape, "FFT", "rows of shape %v have no transform of %d points", in, points)
	}
	return append(in[:lead].Clone(), gives...), nil
}

// gradFourier is the adjoint of the transform, a linear function of real numbers. The
// points of a half that stand for two have twice the weight.
func gradFourier(g *expr.Adjoint, _ int) *expr.Node {
	kind, points := routine.Transform(g.Node.Ints[0]), g.Node.Ints[1]
	out := g.Full()
	adjoint := func(kind routine.Transform, a *expr.Node) *expr.Node {
		return expr.ApplyWith(g.Node.Op, expr.Attributes{Ints: []int{int(kind), points}}, a)
	}
	switch kind {
	case routine.Forward:
		return adjoint(routine.Backward, out)
	case routine.Backward:
		return adjoint(routine.Forward, out)
	}
	at := g.With("iota", nil, []int{points/2 + 1})
	twice := g.Op("less", g.Op("add", at, at), expr.ConstInt(dtype.I64, int64(points)))
	twice = g.Op("logical_and", twice, g.Op("greater", at, expr.ConstInt(dtype.I64, 0)))
	weight := g.Reshape(g.Where(twice, g.Const(2), g.Const(1)), shape.Shape{points/2 + 1, 1})
	if kind == routine.BackwardReal {
		return g.Mul(weight, adjoint(routine.ForwardReal, out))
	}
	return adjoint(routine.BackwardReal, g.Div(out, weight))
}

// A FourierOption is an option of a Fourier transform.
type FourierOption func(o *fourierOptions)

type fourierOptions struct {
	points int // 0: the extent of the axis
	norm   string
}

// FourierPoints sets the number of points of a transform. The axis is cut or padded with
// zeros. For [IRFFT] it is the number of results.
func FourierPoints(n int) FourierOption {
	return func(o *fourierOptions) {
		if o.points = n; n == 0 {
			o.points = -1
		}
	}
}

// FourierNorm says where a transform divides by its number of points n: "backward", the
// default, in inverse transforms, "forward" in the others, and "ortho" by the root of
// n in all.
func FourierNorm(norm string) FourierOption { return func(o *fourierOptions) { o.norm = norm } }

// FFT returns the discrete Fourier transform along an axis: of x[t] the sum of
// x[t]*exp(-2i*pi*k*t/n) for each k. It is computed in float64, on the host, with one
// rounding of complex64. Lengths with large prime factors take time with their square.
func FFT[C expr.ComplexNumber](x expr.Exp[C], axis int, opts ...FourierOption) expr.Exp[C] {
	return expr.Of[C](FourierNode("fft", expr.NodeOf(x), axis, opts...))
}

// IFFT returns the inverse of [FFT].
func IFFT[C expr.ComplexNumber](x expr.Exp[C], axis int, opts ...FourierOption) expr.Exp[C] {
	return expr.Of[C](FourierNode("ifft", expr.NodeOf(x), axis, opts...))
}

// RFFT returns the first n/2 + 1 numbers of the transform of n real numbers. The
// others are their conjugates. C is the type whose parts have type T.
func RFFT[C expr.ComplexNumber, T float32 | float64](x expr.Exp[T], axis int, opts ...FourierOption) expr.Exp[C] {
	return expr.Of[C](FourierNode("rfft", expr.NodeOf(x), axis, opts...))
}

// IRFFT returns the inverse of [RFFT]. The number of results is 2*(m-1) for m points,
// if the options do not state it. It ignores the imaginary part of the first point,
// and for an even number of results of the last.
func IRFFT[T float32 | float64, C expr.ComplexNumber](x expr.Exp[C], axis int, opts ...FourierOption) expr.Exp[T] {
	return expr.Of[T](FourierNode("irfft", expr.NodeOf(x), axis, opts...))
}

// fourierKinds are the transforms by name.
var fourierKinds = map[string]routine.Transform{"fft": routine.Forward, "ifft": routine.Backward, "rfft": routine.ForwardReal, "irfft": routine.BackwardReal}

// FourierNode returns the transform fft, ifft, rfft or irfft of an untyped tree.
func FourierNode(name string, a *expr.Node, axis int, opts ...FourierOption) *expr.Node {
	var o fourierOptions
	for _, f := range opts {
		if f != nil {
			f(&o)
		}
	}
	kind, ok := fourierKinds[name]
	if !ok {
		return expr.Errorf(expr.ErrValue, "FFT", "there is no transform %q", name)
	}
	return fourierTree(kind, given(a), axis, o).As(map[string]string{"fft": "FFT", "ifft": "IFFT", "rfft": "RFFT", "irfft": "IRFFT"}[name], given(a))
}

func fourierTree(kind routine.Transform, a *expr.Node, axis int, o fourierOptions) *expr.Node {
	if a.Err() != nil {
		return a
	}
	rank := len(a.Shape())
	axis, err := shape.Axis(axis, rank)
	if err != nil {
		return misshapen("%s", err)
	}
	if !a.DType().IsComplex() && a.DType().Complex() == dtype.Invalid || a.DType().IsComplex() == (kind == routine.ForwardReal) {
		return expr.Errorf(expr.ErrType, "", "does not take elements of type %v", a.DType())
	}
	if kind != routine.ForwardReal && !a.DType().IsComplex() {
		a = CastNode(a, a.DType().Complex())
	}
	points := o.points
	switch {
	case points == 0 && kind == routine.BackwardReal:
		points = 2 * (a.Shape()[axis] - 1)
	case points == 0:
		points = a.Shape()[axis]
	}
	if points < 1 {
		return misshapen("%d points have no transform", max(points, 0))
	}
	read := points
	if kind == routine.BackwardReal {
		read = points/2 + 1
	}
	scale, bad := o.scale(kind, points)
	if bad != nil {
		return bad
	}
	order := append(slices.Delete(upTo(rank), axis, axis+1), axis)
	rows := TransposeNode(fitted(a, axis, read), order)
	if kind != routine.ForwardReal {
		rows = ConcatNode(-1, []*expr.Node{call("real", newLast(rows)), call("imag", newLast(rows))})
	}
	y := expr.ApplyWith(fourierRow, expr.Attributes{Ints: []int{int(kind), points}}, rows)
	if scale != 1 {
		y = call("mul", y, like(y, scale))
	}
	if kind != routine.BackwardReal {
		y = expr.ComplexOf(pairPart(y, 0), pairPart(y, 1))
	}
	back := make([]int, rank)
	for i, x := range order {
		back[x] = i
	}
	return TransposeNode(y, back)
}

// scale returns the factor of a transform.
func (o fourierOptions) scale(kind routine.Transform, points int) (float64, *expr.Node) {
	inverse := kind == routine.Backward || kind == routine.BackwardReal
	switch o.norm {
	case "", "backward", "forward":
		if inverse != (o.norm == "forward") {
			return 1 / float64(points), nil
		}
		return 1, nil
	case "ortho":
		return 1 / math.Sqrt(float64(points)), nil
	}
	return 0, expr.Errorf(expr.ErrValue, "", "the norm is backward, ortho or forward, not %q", o.norm)
}

// newLast returns a with a new last axis.
func newLast(a *expr.Node) *expr.Node {
	return TransposeNode(a, append(upTo(len(a.Shape())), -1))
}

// pairPart returns the positions i of the last axis, which it drops.
func pairPart(a *expr.Node, i int) *expr.Node {
	s := a.Shape()
	if a.Err() != nil {
		return a
	}
	ints := make([]int, 0, 3*len(s))
	for _, d := range s[:len(s)-1] {
		ints = append(ints, 0, 1, d)
	}
	return ReshapeNode(expr.ApplyWith(row("slice"), expr.Attributes{Ints: append(ints, i, 1, 1)}, a), s[:len(s)-1])
}

// fitted returns a with n positions along an axis: the first ones, or more that are 0.
func fitted(a *expr.Node, axis, n int) *expr.Node {
	have := a.Shape()[axis]
	if have > n {
		ints := make([]int, 0, 3*len(a.Shape()))
		for i, d := range a.Shape() {
			if i == axis {
				d = n
			}
			ints = append(ints, 0, 1, d)
		}
		return expr.ApplyWith(row("slice"), expr.Attributes{Ints: ints}, a)
	}
	if have < n {
		ints := make([]int, 2*len(a.Shape()))
		ints[2*axis+1] = n - have
		return expr.ApplyWith(row("pad"), expr.Attributes{Ints: ints}, a, like(a, 0))
	}
	return a
}

// FFTFreq returns the frequencies of the points of a transform of n points at
// distance d, as NumPy's fftfreq: 0, 1, ..., then the negative ones, over n*d.
func FFTFreq[T float32 | float64](n int, d float64) expr.Exp[T] {
	return expr.Of[T](FrequencyNode(dtype.Of[T](), n, d, false))
}

// RFFTFreq returns the frequencies of the points of [RFFT]: 0 to n/2, over n*d.
func RFFTFreq[T float32 | float64](n int, d float64) expr.Exp[T] {
	return expr.Of[T](FrequencyNode(dtype.Of[T](), n, d, true))
}

// FrequencyNode returns [FFTFreq], or of the first half [RFFTFreq], as an untyped tree.
func FrequencyNode(t dtype.Type, n int, d float64, half bool) *expr.Node {
	if n < 1 {
		return expr.Errorf(expr.ErrShape, "FFTFreq", "a transform needs at least one point, not %d", n)
	}
	count := n
	if half {
		count = n/2 + 1
	}
	at := makeRow("iota", nil, []int{count})
	if !half {
		at = call("where", call("less", at, expr.ConstInt(dtype.I64, int64((n+1)/2))), at, call("sub", at, expr.ConstInt(dtype.I64, int64(n))))
	}
	return call("mul", CastNode(at, t), expr.ConstFloat(t, 1/(float64(n)*d)))
}
