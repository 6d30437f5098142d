package untyped

import (
	"cmp"
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/internal/routine"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// fourierRow transforms rows; see [routine.Fourier]. It is in no table: a transform
// of complex numbers is made of several nodes.
var fourierRow = tree.NewOperator(tree.Row{
	Name: "fft", GoName: "FFT", Class: tree.Opaque, Arity: 1, Types: tree.TypesOf(dtype.F32, dtype.F64),
	Shape: fourierShape, Routine: routine.Fourier(), Grad: gradFourier,
	Doc: "the discrete Fourier transform of rows.",
})

func fourierShape(n *tree.Node) (shape.Shape, error) {
	in := n.Args[0].Shape()
	if len(n.Ints) != 2 || n.Ints[1] < 1 {
		return nil, tree.NewError(tree.ErrShape, "FFT", "a transform needs at least one point")
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
		return nil, tree.NewError(tree.ErrValue, "FFT", "there is no transform %d", n.Ints[0])
	}
	if lead < 0 || !slices.Equal(in[lead:], wants) {
		return nil, tree.NewError(tree.ErrShape, "FFT", "rows of shape %v have no transform of %d points", in, points)
	}
	return append(in[:lead].Clone(), gives...), nil
}

// gradFourier is the adjoint of the transform, a linear function of real numbers. A
// point of a half that represents two points has twice the weight.
func gradFourier(g *tree.Adjoint, _ int) *tree.Node {
	kind, points := routine.Transform(g.Node.Ints[0]), g.Node.Ints[1]
	out := g.Full()
	adjoint := func(kind routine.Transform, a *tree.Node) *tree.Node {
		return tree.ApplyWith(g.Node.Op, tree.Attributes{Ints: []int{int(kind), points}}, a)
	}
	switch kind {
	case routine.Forward:
		return adjoint(routine.Backward, out)
	case routine.Backward:
		return adjoint(routine.Forward, out)
	}
	at := g.With("iota", nil, []int{points/2 + 1})
	twice := g.Op("less", g.Op("add", at, at), tree.ConstInt(dtype.I64, int64(points)))
	twice = g.Op("logical_and", twice, g.Op("greater", at, tree.ConstInt(dtype.I64, 0)))
	weight := g.Reshape(g.Where(twice, g.Const(2), g.Const(1)), shape.Shape{points/2 + 1, 1})
	if kind == routine.BackwardReal {
		return g.Mul(weight, adjoint(routine.ForwardReal, out))
	}
	return adjoint(routine.BackwardReal, g.Div(out, weight))
}

// FourierOptions are the arguments of a Fourier transform. The zero value is NumPy's default.
type FourierOptions struct {
	Points []int  // the numbers of points along the axes; nil: their extents
	Norm   string // "backward", "ortho" or "forward"
}

// A fourierFunction is a row of the table of transforms.
type fourierFunction struct {
	goName string
	last   routine.Transform // along the last of the axes
	others routine.Transform // along the axes before it
	many   bool              // takes any number of axes
	// conjugate means that the complex numbers of the transform are the conjugates of
	// those of the caller, and that the norm is the one of the other direction.
	conjugate bool
}

var fourierFunctions = map[string]fourierFunction{
	"fft":    {goName: "FFT", last: routine.Forward},
	"ifft":   {goName: "IFFT", last: routine.Backward},
	"rfft":   {goName: "RFFT", last: routine.ForwardReal},
	"irfft":  {goName: "IRFFT", last: routine.BackwardReal},
	"hfft":   {goName: "HFFT", last: routine.BackwardReal, conjugate: true},
	"ihfft":  {goName: "IHFFT", last: routine.ForwardReal, conjugate: true},
	"fftn":   {goName: "FFTN", last: routine.Forward, others: routine.Forward, many: true},
	"ifftn":  {goName: "IFFTN", last: routine.Backward, others: routine.Backward, many: true},
	"rfftn":  {goName: "RFFTN", last: routine.ForwardReal, others: routine.Forward, many: true},
	"irfftn": {goName: "IRFFTN", last: routine.BackwardReal, others: routine.Backward, many: true},
}

// Fourier returns a transform of an untyped tree: fft, ifft, rfft, irfft, hfft and
// ihfft along one axis, fftn, ifftn, rfftn and irfftn along any.
func Fourier(name string, a *tree.Node, axes []int, o FourierOptions) *tree.Node {
	f, ok := fourierFunctions[name]
	if !ok {
		return tree.Errorf(tree.ErrValue, "FFT", "there is no transform %q", name)
	}
	a = Given(a, f.goName)
	return f.tree(a, axes, o).As(f.goName, a)
}

func (f fourierFunction) tree(a *tree.Node, axes []int, o FourierOptions) *tree.Node {
	if a.Err() != nil {
		return a
	}
	t := a.DType()
	if !t.IsComplex() && t.Complex() == dtype.Invalid || t.IsComplex() == (f.last == routine.ForwardReal) {
		return tree.Errorf(tree.ErrType, "", "elements of type %v are not supported", t)
	}
	axes, points, bad := f.lengths(a.Shape(), axes, o.Points)
	if bad != nil {
		return bad
	}
	if f.last != routine.ForwardReal && !t.IsComplex() {
		a = Cast(a, t.Complex())
	}
	if f.conjugate {
		o.Norm = cmp.Or(map[string]string{"": "forward", "backward": "forward", "forward": "backward"}[o.Norm], o.Norm)
		if f.last == routine.BackwardReal {
			a = Call("conjugate", a)
		}
	}
	last := len(axes) - 1
	if f.last == routine.BackwardReal {
		for i, axis := range axes[:last] {
			a = fourierAlong(f.others, a, axis, points[i], o)
		}
	}
	if last >= 0 {
		a = fourierAlong(f.last, a, axes[last], points[last], o)
	}
	if f.last != routine.BackwardReal {
		for i := last - 1; i >= 0; i-- {
			a = fourierAlong(f.others, a, axes[i], points[i], o)
		}
	}
	if f.conjugate && f.last == routine.ForwardReal {
		a = Call("conjugate", a)
	}
	return a
}

// lengths returns the axes, not negative, and the number of points along each.
func (f fourierFunction) lengths(s shape.Shape, axes, given []int) (at, points []int, bad *tree.Node) {
	at = slices.Clone(axes)
	if axes == nil {
		at = fromEnd(len(s))
		if given != nil {
			at = fromEnd(len(given))
		}
	}
	switch {
	case given != nil && len(given) != len(at):
		return nil, nil, misshapen("%d numbers of points are given for %d axes", len(given), len(at))
	case len(at) != 1 && !f.many:
		return nil, nil, misshapen("the transform has one axis, not %d", len(at))
	case len(at) == 0 && f.others != f.last:
		return nil, nil, misshapen("a transform of real numbers has at least one axis")
	}
	points = make([]int, len(at))
	for i, axis := range at {
		axis, err := shape.Axis(axis, len(s))
		if err != nil {
			return nil, nil, misshapen("%s", err)
		}
		at[i], points[i] = axis, s[axis]
		switch {
		case given != nil && (given[i] != -1 || !f.many):
			points[i] = given[i]
		case given == nil && i == len(at)-1 && f.last == routine.BackwardReal:
			points[i] = 2 * (s[axis] - 1)
		}
		if points[i] < 1 {
			return nil, nil, misshapen("%d points have no transform", points[i])
		}
	}
	return at, points, nil
}

// fourierAlong returns the transform of one kind along one axis.
func fourierAlong(kind routine.Transform, a *tree.Node, axis, points int, o FourierOptions) *tree.Node {
	if a.Err() != nil {
		return a
	}
	rank := len(a.Shape())
	read := points
	if kind == routine.BackwardReal {
		read = points/2 + 1
	}
	scale, bad := o.scale(kind, points)
	if bad != nil {
		return bad
	}
	order := append(slices.Delete(lists.UpTo(rank), axis, axis+1), axis)
	rows := Transpose(fitted(a, axis, read), order)
	if kind != routine.ForwardReal {
		rows = Concat(-1, []*tree.Node{Call("real", withAxis(rows, -1)), Call("imag", withAxis(rows, -1))})
	}
	y := tree.ApplyWith(fourierRow, tree.Attributes{Ints: []int{int(kind), points}}, rows)
	if scale != 1 {
		y = Call("mul", y, like(y, scale))
	}
	if kind != routine.BackwardReal {
		y = tree.ComplexOf(pairPart(y, 0), pairPart(y, 1))
	}
	return Transpose(y, lists.Make(rank, func(i int) int { return slices.Index(order, i) }))
}

// scale returns the factor of a transform.
func (o FourierOptions) scale(kind routine.Transform, points int) (float64, *tree.Node) {
	inverse := kind == routine.Backward || kind == routine.BackwardReal
	switch o.Norm {
	case "", "backward", "forward":
		if inverse != (o.Norm == "forward") {
			return 1 / float64(points), nil
		}
		return 1, nil
	case "ortho":
		return 1 / math.Sqrt(float64(points)), nil
	}
	return 0, tree.Errorf(tree.ErrValue, "", "the norm is backward, ortho or forward, not %q", o.Norm)
}

// pairPart returns the positions i of the last axis, which it drops.
func pairPart(a *tree.Node, i int) *tree.Node {
	if a.Err() != nil {
		return a
	}
	last := len(a.Shape()) - 1
	return Reshape(cut(a, last, shape.Range(i, i+1)), a.Shape()[:last])
}

// fitted returns a with n positions along an axis: the first ones, or more that are 0.
func fitted(a *tree.Node, axis, n int) *tree.Node {
	have := a.Shape()[axis]
	if have > n {
		return cut(a, axis, shape.Until(n))
	}
	if have < n {
		widths := make([]int, 2*len(a.Shape()))
		widths[2*axis+1] = n - have
		return Pad(a, widths, like(a, 0))
	}
	return a
}

// Frequency returns op.FFTFreq, or if half is true op.RFFTFreq, as an untyped tree.
func Frequency(t dtype.Type, n int, d float64, half bool) *tree.Node {
	called := "FFTFreq"
	if half {
		called = "RFFTFreq"
	}
	if n < 1 {
		return tree.Errorf(tree.ErrShape, called, "a transform needs at least one point, not %d", n)
	}
	count := n
	if half {
		count = n/2 + 1
	}
	at := With("iota", nil, []int{count})
	if !half {
		at = Call("where", Call("less", at, tree.ConstInt(dtype.I64, int64((n+1)/2))), at, Call("sub", at, tree.ConstInt(dtype.I64, int64(n))))
	}
	return Call("mul", Cast(at, t), tree.ConstFloat(t, 1/(float64(n)*d))).As(called)
}
