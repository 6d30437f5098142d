package nn

import (
	"math"
	"strconv"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
)

// A Module is parameters and a function of trees.
type Module[T Float] interface {
	// Forward returns the output for an input. A mistake, such as a wrong shape, is
	// an error of the tree.
	Forward(p *Pass[T], x expr.Exp[T]) expr.Exp[T]
	// Params returns parameters and buffers, always in the same order, with names
	// that differ.
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
		all = append(all, prefixed(strconv.Itoa(i), m.Params())...)
	}
	return all
}

// prefixed returns the parameters of a part of a module, with its name before theirs.
func prefixed[T Float](name string, ps []*Param[T]) []*Param[T] {
	return lists.Map(ps, func(p *Param[T]) *Param[T] { return &Param[T]{Variable: p.Variable, Name: name + "." + p.Name} })
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
