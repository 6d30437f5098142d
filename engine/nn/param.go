package nn

import (
	"cmp"
	"log/slog"
	"math"
	"math/rand/v2"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/autograd"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// A Float is an element type of networks.
type Float interface{ autograd.Float }

// A Param is a parameter of a module: a variable with a name. A parameter that
// requires no gradient is a buffer, such as a running mean, or frozen: optimisers
// leave it alone.
type Param[T Float] struct {
	*autograd.Variable[T]
	Name string
}

// Node returns the value as a leaf of a tree, see [autograd.Variable.Node].
func (p *Param[T]) Node() *tree.Node { return zero.IfNil(p).Variable.Node() }

// LogValue returns what the value gives to a log, see [autograd.Variable.LogValue].
func (p *Param[T]) LogValue() slog.Value { return zero.IfNil(p).Variable.LogValue() }

// NewParam returns a parameter of zeros. If its memory cannot be allocated, its
// tensor has that error.
func NewParam[T Float](name string, dims ...int) *Param[T] {
	t, err := engine.New[T](dims...)
	if err != nil {
		t = engine.Failed[T](err)
	}
	return &Param[T]{Variable: autograd.New(t.Named(name)), Name: name}
}

// newBuffer returns a buffer filled with v.
func newBuffer[T Float](name string, v float64, n int) *Param[T] {
	p := NewParam[T](name, n)
	p.SetRequiresGrad(false)
	p.fill(nil, Constant(v))
	return p
}

// Init draws the elements of p, row-major. It returns the error of the tensor, or
// [expr.ErrType] if init is nil, or draws from a generator that is nil.
func (p *Param[T]) Init(r *rand.Rand, init Init) error {
	x, err := elements(zero.IfNil(p).Value())
	if err != nil {
		return err
	}
	var none absent
	r = cmp.Or(r, rand.New(&none))
	var draw func() float64
	if init != nil {
		draw = init(r, p.Value().Shape()...)
	}
	if draw == nil {
		return tree.NewError(tree.ErrType, "", "the function that draws elements is nil")
	}
	for i := range x {
		x[i] = T(draw())
	}
	if none.used {
		return tree.NewError(tree.ErrType, "", "the generator of random numbers is nil")
	}
	return nil
}

// fill is Init for constructors, which leave an error in the tensor.
func (p *Param[T]) fill(r *rand.Rand, init Init) {
	if err := p.Init(r, init); err != nil && p.Value().Err() == nil {
		p.Variable = autograd.New(engine.Failed[T](err))
	}
}

// absent is the source of the generator that stands for nil.
type absent struct{ used bool }

func (a *absent) Uint64() uint64 {
	a.used = true
	return 0
}

// elements returns the elements of a contiguous tensor on the host, for reading
// and writing.
func elements[T Float](t *engine.Tensor[T]) ([]T, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	a := t.Array()
	if a.Shape().Size() == 0 { // the offset may be beyond the memory
		return nil, nil
	}
	if !a.IsContiguous() {
		return nil, tree.NewError(tree.ErrShape, "", "the elements of %v are not contiguous", a.Shape())
	}
	b, err := a.Memory().MutableHost()
	if err != nil {
		return nil, err
	}
	return dtype.Slice[T](b)[a.Offset():][:a.Shape().Size()], nil
}

// An Init returns a function that draws one element after the other for a
// parameter of the given shape. The first axis counts outputs, the second inputs,
// and the others the elements of a window. A vector counts as one output.
type Init func(r *rand.Rand, dims ...int) func() float64

// Constant gives every element the value v.
func Constant(v float64) Init {
	return func(*rand.Rand, ...int) func() float64 { return func() float64 { return v } }
}

// Uniform draws from lo to hi.
func Uniform(lo, hi float64) Init {
	return func(r *rand.Rand, _ ...int) func() float64 {
		return func() float64 { return lo + (hi-lo)*r.Float64() }
	}
}

// Normal draws from the normal distribution with a mean and a standard deviation.
func Normal(mean, std float64) Init {
	return func(r *rand.Rand, _ ...int) func() float64 {
		return func() float64 { return mean + std*r.NormFloat64() }
	}
}

// XavierUniform draws from -a to a, with a = gain*sqrt(6/(inputs+outputs))
// (Glorot, Bengio 2010).
func XavierUniform(gain float64) Init {
	return scaled(func(in, out float64) Init {
		a := gain * math.Sqrt(6/(in+out))
		return Uniform(-a, a)
	})
}

// XavierNormal has the standard deviation gain*sqrt(2/(inputs+outputs)).
func XavierNormal(gain float64) Init {
	return scaled(func(in, out float64) Init { return Normal(0, gain*math.Sqrt(2/(in+out))) })
}

// KaimingUniform draws from -a to a, with a = gain*sqrt(3/inputs) (He et al.
// 2015). The gain for ReLU is the square root of 2.
func KaimingUniform(gain float64) Init {
	return scaled(func(in, _ float64) Init {
		a := gain * math.Sqrt(3/in)
		return Uniform(-a, a)
	})
}

// KaimingNormal has the standard deviation gain/sqrt(inputs).
func KaimingNormal(gain float64) Init {
	return scaled(func(in, _ float64) Init { return Normal(0, gain/math.Sqrt(in)) })
}

// scaled returns an Init that depends on the numbers of inputs and outputs.
func scaled(f func(in, out float64) Init) Init {
	return func(r *rand.Rand, dims ...int) func() float64 {
		in, out := 1, 1
		switch len(dims) {
		case 0:
		case 1:
			in = dims[0]
		default:
			in, out = dims[1], dims[0]
			for _, d := range dims[2:] {
				in, out = in*d, out*d
			}
		}
		return f(float64(in), float64(out))(r, dims...)
	}
}
