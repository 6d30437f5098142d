package nn

import (
	"math"
	"strconv"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/shape"
)

// A Module is parameters and a function of trees.
type Module[T Float] interface {
	// Forward returns the output for an input. A mistake, such as a wrong shape, is
	// an error of the tree.
	Forward(p *Pass[T], x expr.Exp[T]) expr.Exp[T]
	// Params returns parameters and buffers, always in the same order, with names
	// that differ; see [Prefixed].
	Params() []*Param[T]
}

// A Pass is one use of a module: for training, or for its results. The nil Pass is
// for results.
type Pass[T Float] struct {
	step, seed *expr.Param[uint32]
	draws      uint32
	after      []expr.Statement
}

// NewPass returns a pass for training. Random numbers follow from the seed, and
// from the step that the program reads when it runs.
func NewPass[T Float](step, seed *expr.Param[uint32]) *Pass[T] {
	return &Pass[T]{step: step, seed: seed}
}

// Training reports whether the pass is for training.
func (p *Pass[T]) Training() bool { return p != nil }

// After adds the assignment t = e. The program of a step carries it out after it
// has computed the gradients and before it updates the parameters. Outside of
// training After does nothing.
func (p *Pass[T]) After(t *engine.Tensor[T], e expr.Exp[T]) {
	if !p.Training() {
		return
	}
	p.after = append(p.after, expr.Let(t, e))
}

// Statements returns what After has added.
func (p *Pass[T]) Statements() []expr.Statement { return zero.IfNil(p).after }

// Keep returns true with probability q, to within 2^-32, for each element of an array of
// the shape of x. Each call on a pass gives other values, and so does each step. Outside
// of training the result is an error, and unless 0 <= q <= 1.
func (p *Pass[T]) Keep(x expr.Exp[T], q float64) expr.Exp[bool] {
	if !p.Training() {
		return expr.Of[bool](tree.Errorf(tree.ErrValue, "", "nothing is random outside of training"))
	}
	if !(q >= 0 && q <= 1) {
		return expr.Of[bool](tree.Errorf(tree.ErrValue, "nn.Pass.Keep", "the probability %v is not in [0, 1]", q))
	}
	p.draws++
	n := expr.NodeOf(x)
	if n.Err() != nil {
		return expr.Of[bool](n)
	}
	limit := uint32(min(q*(1<<32), math.MaxUint32))
	return op.Less(bits(p.step, p.seed, p.draws, n.Shape()), expr.Const(limit))
}

// A Sequential applies modules one after the other.
type Sequential[T Float] []Module[T]

// NewSequential returns the modules as one.
func NewSequential[T Float](modules ...Module[T]) Sequential[T] { return modules }

// Forward applies the modules in order.
func (s Sequential[T]) Forward(p *Pass[T], x expr.Exp[T]) expr.Exp[T] {
	for i, m := range s {
		if m == nil {
			return expr.Of[T](tree.Errorf(tree.ErrType, "", "module %d is nil", i))
		}
		x = m.Forward(p, x)
	}
	return x
}

// Params returns the parameters of the modules. A name begins with the number of
// the module: "0.weight".
func (s Sequential[T]) Params() (all []*Param[T]) {
	for i, m := range s {
		if m == nil {
			continue
		}
		all = append(all, Prefixed(strconv.Itoa(i), m.Params())...)
	}
	return all
}

// Prefixed returns the parameters of a part of a module, which share the variables of
// params. The name of the part stands before theirs, as in "name.weight".
func Prefixed[T Float](name string, params []*Param[T]) []*Param[T] {
	return lists.Map(params, func(p *Param[T]) *Param[T] {
		p = zero.IfNil(p)
		return &Param[T]{Variable: p.Variable, Name: name + "." + p.Name}
	})
}

// A Func is a module without parameters, such as Func[float32](op.ReLU[float32]).
type Func[T Float] func(x expr.Exp[T]) expr.Exp[T]

// Forward returns f(x).
func (f Func[T]) Forward(_ *Pass[T], x expr.Exp[T]) expr.Exp[T] {
	if f == nil {
		return expr.Of[T](tree.Errorf(tree.ErrType, "", "the function of a module is nil"))
	}
	return f(x)
}

// Params returns nil.
func (f Func[T]) Params() []*Param[T] { return nil }

// philox is the first word of Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011). The
// operands are the first three words of the counter, of which the fourth is zero,
// and the first word of the key, of which the second is zero.
var philox = op.Define("philox", 4, func(b *op.B, x ...op.V) op.V {
	word := func(v uint32) op.V { return b.Int(dtype.U32, int64(v)) }
	c := [4]op.V{x[0], x[1], x[2], word(0)}
	key := [2]op.V{x[3], word(0)}
	m := [2]op.V{word(0xD2511F53), word(0xCD9E8D57)}
	weyl := [2]op.V{word(0x9E3779B9), word(0xBB67AE85)}
	for round := range 10 {
		if round > 0 {
			key[0], key[1] = b.Add(key[0], weyl[0]), b.Add(key[1], weyl[1])
		}
		hi0, lo0 := b.MulHi(m[0], c[0]), b.Mul(m[0], c[0])
		hi1, lo1 := b.MulHi(m[1], c[2]), b.Mul(m[1], c[2])
		c = [4]op.V{b.Xor(b.Xor(hi1, c[1]), key[0]), lo1, b.Xor(b.Xor(hi0, c[3]), key[1]), lo0}
	}
	return c[0]
}, op.On(dtype.U32), op.Doc("the first word of Philox4x32-10"))

// bits returns random words of the given shape. They depend on the position of the
// element modulo 2^32, on the number of the draw in the network, on the step and on
// the seed.
func bits(step, seed *expr.Param[uint32], draw uint32, dims shape.Shape) expr.Exp[uint32] {
	at := expr.Of[uint32](untyped.Cast(untyped.Reshape(untyped.Iota(dims.Size()), dims), dtype.U32))
	return expr.Of[uint32](untyped.Apply(philox, at.Node(), expr.Const(draw).Node(), step.Node(), seed.Node()))
}
