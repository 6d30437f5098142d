package nn

import (
	"cmp"
	"math"
	"slices"

	"github.com/oneloop/oneloop/engine/autograd"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// An Optimizer updates parameters by their gradients. Its rule is trees: the
// updates of all parameters are statements of one program. A learning rate is a
// scalar that the program reads when it runs.
type Optimizer[T Float] struct {
	name  string
	rule  rule[T]
	rate  float64
	step  int
	slots []*Param[T] // moments and the like, in the order in which they were made
	owner []*autograd.Variable[T]
	err   error

	// The scalars of the rule, which scalars sets from the step, from 1, and the
	// rate.
	cells   [3]*expr.Param[T]
	scalars func(step, rate float64) [3]float64
}

// A rule returns the statements that update w.
type rule[T Float] func(u *update[T]) []expr.Statement

// An update is what a rule needs: a parameter, its gradient, and scalars.
type update[T Float] struct {
	o       *Optimizer[T]
	p       *Param[T]
	w, g    expr.Exp[T]
	a, b, c *expr.Param[T]
}

// minus returns the statement w -= e.
func (u *update[T]) minus(e expr.Exp[T]) expr.Statement { return expr.LetSub(u.p.Value(), e) }

// decayed returns the gradient of the loss with the penalty decay/2*|w|^2.
func (u *update[T]) decayed(decay float64) expr.Exp[T] {
	if decay == 0 {
		return u.g
	}
	return op.Add(u.g, op.Scale(decay, u.w))
}

// slot returns the optimiser's own tensor called name for the parameter.
func (u *update[T]) slot(name string) *Param[T] {
	o := u.o
	for i, s := range o.slots {
		if o.owner[i] == u.p.Variable && s.Name == u.p.Name+"."+name {
			return s
		}
	}
	t, err := u.p.Value().NewZeros(u.p.Value().Shape()...)
	if err != nil {
		o.fail(err)
		t = u.p.Value()
	}
	s := &Param[T]{Variable: autograd.New(t.Named(name)), Name: u.p.Name + "." + name}
	o.slots, o.owner = append(o.slots, s), append(o.owner, u.p.Variable)
	return s
}

// average returns the statement s = beta*s + (1-beta)*e.
func average[T Float](s *Param[T], beta float64, e expr.Exp[T]) expr.Statement {
	return expr.Let(s.Value(), op.Add(op.Scale(beta, s), op.Scale(1-beta, e)))
}

func newOptimizer[T Float](name string, rate float64, r rule[T]) *Optimizer[T] {
	o := &Optimizer[T]{name: name, rule: r, scalars: func(_, rate float64) [3]float64 { return [3]float64{rate} }}
	for i := range o.cells {
		o.cells[i] = expr.NewParam(T(0))
	}
	o.fail(o.SetRate(rate))
	return o
}

func (o *Optimizer[T]) fail(err error) {
	o.err = cmp.Or(o.err, err)
}

// within makes o an error unless lo <= v < hi. NaN is outside.
func (o *Optimizer[T]) within(name string, v, lo, hi float64) { o.fail(o.outside(name, v, lo, hi)) }

// outside returns an error unless lo <= v < hi.
func (o *Optimizer[T]) outside(name string, v, lo, hi float64) error {
	if v >= lo && v < hi {
		return nil
	}
	return tree.NewError(tree.ErrValue, "", "%s is %v, outside of [%v, %v)", name, v, lo, hi)
}

// Name returns the name of the rule.
func (o *Optimizer[T]) Name() string { return zero.IfNil(o).name }

// Rate returns the learning rate.
func (o *Optimizer[T]) Rate() float64 { return zero.IfNil(o).rate }

// SetRate sets the learning rate of the next steps. The error is [expr.ErrValue]
// if rate is negative, infinite or NaN; then the old rate stays.
func (o *Optimizer[T]) SetRate(rate float64) error {
	if o == nil {
		return tree.NewError(tree.ErrType, "", "the optimiser is nil")
	}
	if !(rate >= 0) || math.IsInf(rate, 0) {
		return tree.NewError(tree.ErrValue, "", "%s: the learning rate is %v", o.name, rate)
	}
	o.rate = rate
	return nil
}

// Steps returns the number of steps so far.
func (o *Optimizer[T]) Steps() int { return zero.IfNil(o).step }

// State returns the tensors of the optimiser, such as moments. They exist after
// Statements.
func (o *Optimizer[T]) State() []*Param[T] { return zero.IfNil(o).slots }

// Statements returns the updates of the parameters that require a gradient, by the
// gradients in [autograd.Variable.Grad]. Parameters with one variable are updated
// once, under the name of the first. If clip is not 0, the gradients are
// scaled down so that the root of the sum of the squares of all their elements is
// at most clip: g * min(1, clip/(norm + 1e-6)), as PyTorch does. The error is
// [expr.ErrValue] if a number given to the optimiser is out of its range.
func (o *Optimizer[T]) Statements(params []*Param[T], clip float64) ([]expr.Statement, error) {
	o = zero.IfNil(o)
	if o == nil || o.rule == nil {
		return nil, tree.NewError(tree.ErrType, "", "the optimiser is nil or not made by a function such as Adam")
	}
	if slices.ContainsFunc(params, func(p *Param[T]) bool { return p == nil || p.Variable == nil }) {
		return nil, tree.NewError(tree.ErrType, "", "a parameter is nil")
	}
	params = slices.DeleteFunc(distinct(params), func(p *Param[T]) bool { return !p.RequiresGrad() })
	var factor expr.Exp[T]
	if clip != 0 {
		if err := o.outside("the bound of the norm", clip, 0, math.Inf(1)); err != nil {
			return nil, err
		}
		factor = clipFactor(params, clip)
	}
	var stmts []expr.Statement
	for _, p := range params {
		u := &update[T]{o: o, p: p, w: p.Value(), g: p.Grad(), a: o.cells[0], b: o.cells[1], c: o.cells[2]}
		if factor != nil {
			u.g = op.Mul(factor, u.g)
		}
		stmts = append(stmts, o.rule(u)...)
	}
	return stmts, o.err
}

// distinct returns the first parameter of each variable. Layers may share one.
func distinct[T Float](params []*Param[T]) (out []*Param[T]) {
	seen := map[*autograd.Variable[T]]bool{}
	for _, p := range params {
		if v := zero.IfNil(p).Variable; !seen[v] {
			seen[v] = true
			out = append(out, p)
		}
	}
	return out
}

// clipFactor returns min(1, clip/(norm + 1e-6)) for the gradients.
func clipFactor[T Float](params []*Param[T], clip float64) expr.Exp[T] {
	var sum expr.Exp[T] = op.Full[T](0)
	for _, p := range params {
		sum = op.Add(sum, op.Sum(op.Square[T](p.Grad())))
	}
	bound := op.Div(op.Full[T](clip), op.AddScalar(op.Sqrt(sum), 1e-6))
	return op.Minimum(op.Full[T](1), bound)
}

// Advance begins the next step: it counts the step, and sets the scalars that the
// program of the statements reads. The learning rate of the step is factor times
// Rate.
func (o *Optimizer[T]) Advance(factor float64) {
	if o == nil || o.scalars == nil {
		return
	}
	o.step++
	for i, v := range o.scalars(float64(o.step), o.rate*factor) {
		o.cells[i].Set(T(v))
	}
}

// prepare makes the tensors of the optimiser for the parameters.
func (o *Optimizer[T]) prepare(params []*Param[T]) {
	for _, p := range distinct(params) {
		if o.rule != nil && p != nil && p.RequiresGrad() {
			o.rule(&update[T]{o: o, p: p, w: p.Value(), g: p.Value(), a: o.cells[0], b: o.cells[1], c: o.cells[2]})
		}
	}
}
