package nn

import (
	"cmp"
	"math"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// last returns the last of the options, or without if there are none.
func last[O any](given []O, without O) O {
	if len(given) > 0 {
		return given[len(given)-1]
	}
	return without
}

// betas returns the numbers of two averages, with defaults if the second is 0.
func betas(b1, b2, default1, default2 float64) (float64, float64) {
	if b2 != 0 {
		return b1, b2
	}
	return cmp.Or(b1, default1), default2
}

// SGDOptions are the numbers of [SGD]. The default is zero. Nesterov needs a momentum.
type SGDOptions struct {
	Momentum, Decay float64
	Nesterov        bool
}

// SGD returns gradient descent as PyTorch defines it:
//
//	g = g + Decay*w
//	b = Momentum*b + g
//	w = w - rate*b             or, with Nesterov, w - rate*(g + Momentum*b)
//
// Without momentum there is no b: w = w - rate*g.
func SGD[T Float](rate float64, opts ...SGDOptions) *Optimizer[T] {
	c := last(opts, SGDOptions{})
	o := newOptimizer("SGD", rate, func(u *update[T]) []expr.Statement {
		g := u.decayed(c.Decay)
		if c.Momentum == 0 {
			return []expr.Statement{u.minus(op.Mul[T](u.a, g))}
		}
		b := u.slot("momentum")
		next := op.Add(op.Scale(c.Momentum, b), g)
		d := expr.Exp[T](b)
		if c.Nesterov {
			d = op.Add(g, op.Scale(c.Momentum, b))
		}
		return []expr.Statement{expr.Let(b.Value(), next), u.minus(op.Mul[T](u.a, d))}
	})
	if c.Nesterov && c.Momentum == 0 {
		o.fail(tree.NewError(tree.ErrValue, "", "Nesterov's form needs a momentum"))
	}
	o.within("the momentum", c.Momentum, 0, 1)
	o.within("the decay", c.Decay, 0, math.Inf(1))
	return o
}

// AdamOptions are the numbers of [Adam] and [AdamW]. If Beta2 is 0 it is .999, and then a
// Beta1 of 0 is .9. An Eps of 0 is 1e-8. AdamW without options has the decay .01.
type AdamOptions struct{ Beta1, Beta2, Eps, Decay float64 }

// Adam returns the optimiser of Kingma and Ba (2015), as PyTorch defines it, with
// t the step from 1:
//
//	g = g + Decay*w
//	m = Beta1*m + (1-Beta1)*g
//	v = Beta2*v + (1-Beta2)*g^2
//	w = w - rate/(1-Beta1^t) * m / (sqrt(v)/sqrt(1-Beta2^t) + Eps)
func Adam[T Float](rate float64, opts ...AdamOptions) *Optimizer[T] {
	c := last(opts, AdamOptions{}).settled()
	return adam("Adam", rate, c, func(u *update[T]) []expr.Statement { return u.adam(c, u.decayed(c.Decay)) })
}

// AdamW is [Adam] with the decay apart from the gradient (Loshchilov, Hutter
// 2019): first w = w - rate*Decay*w, then the step of Adam with g itself.
func AdamW[T Float](rate float64, opts ...AdamOptions) *Optimizer[T] {
	c := last(opts, AdamOptions{Decay: .01}).settled()
	return adam("AdamW", rate, c, func(u *update[T]) []expr.Statement {
		return append([]expr.Statement{u.shrink(u.c)}, u.adam(c, u.g)...)
	})
}

// settled returns c with its defaults.
func (c AdamOptions) settled() AdamOptions {
	c.Beta1, c.Beta2 = betas(c.Beta1, c.Beta2, .9, .999)
	c.Eps = cmp.Or(c.Eps, 1e-8)
	return c
}

// adam returns an optimiser with the scalars of Adam: rate/(1-Beta1^t),
// sqrt(1-Beta2^t), and 1 - rate*Decay.
func adam[T Float](name string, rate float64, c AdamOptions, r rule[T]) *Optimizer[T] {
	o := newOptimizer(name, rate, r)
	o.scalars = func(t, rate float64) [3]float64 {
		return [3]float64{rate / (1 - math.Pow(c.Beta1, t)), math.Sqrt(1 - math.Pow(c.Beta2, t)), 1 - rate*c.Decay}
	}
	o.within("Beta1", c.Beta1, 0, 1)
	o.within("Beta2", c.Beta2, 0, 1)
	o.within("Eps", c.Eps, 0, math.Inf(1))
	o.within("the decay", c.Decay, 0, math.Inf(1))
	return o
}

// adam returns the three statements of Adam.
func (u *update[T]) adam(c AdamOptions, g expr.Exp[T]) []expr.Statement {
	m, v := u.slot("m"), u.slot("v")
	root := op.AddScalar(op.Div[T](op.Sqrt[T](v), u.b), c.Eps)
	return []expr.Statement{
		average(m, c.Beta1, g),
		average(v, c.Beta2, op.Square(g)),
		u.minus(op.Div(op.Mul[T](u.a, m), root)),
	}
}

// shrink returns the statement w *= factor.
func (u *update[T]) shrink(factor expr.Exp[T]) expr.Statement {
	return expr.LetMul(u.p.Value(), factor)
}

// AdaGradOptions are the numbers of [AdaGrad]. An Eps of 0 is 1e-10.
type AdaGradOptions struct{ RateDecay, Decay, Eps float64 }

// AdaGrad returns the optimiser of Duchi, Hazan and Singer (2011), as PyTorch
// defines it, with t the step from 1:
//
//	g = g + Decay*w
//	s = s + g^2
//	w = w - rate/(1 + (t-1)*RateDecay) * g / (sqrt(s) + Eps)
func AdaGrad[T Float](rate float64, opts ...AdaGradOptions) *Optimizer[T] {
	c := last(opts, AdaGradOptions{})
	c.Eps = cmp.Or(c.Eps, 1e-10)
	o := newOptimizer("AdaGrad", rate, func(u *update[T]) []expr.Statement {
		g, s := u.decayed(c.Decay), u.slot("sum")
		return []expr.Statement{
			expr.LetAdd(s.Value(), op.Square(g)),
			u.minus(op.Div(op.Mul[T](u.a, g), op.AddScalar(op.Sqrt[T](s), c.Eps))),
		}
	})
	o.scalars = func(t, rate float64) [3]float64 { return [3]float64{rate / (1 + (t-1)*c.RateDecay)} }
	o.within("the decay of the rate", c.RateDecay, 0, math.Inf(1))
	o.within("the decay", c.Decay, 0, math.Inf(1))
	o.within("Eps", c.Eps, 0, math.Inf(1))
	return o
}

// RMSPropOptions are the numbers of [RMSProp]. An Alpha of 0 is .99, and an Eps of 0 is
// 1e-8.
type RMSPropOptions struct{ Alpha, Eps, Momentum, Decay float64 }

// RMSProp returns the optimiser of Hinton's lectures, as PyTorch defines it:
//
//	g = g + Decay*w
//	v = Alpha*v + (1-Alpha)*g^2
//	w = w - rate * g / (sqrt(v) + Eps)
//
// With momentum, b = Momentum*b + g/(sqrt(v) + Eps), and w = w - rate*b.
func RMSProp[T Float](rate float64, opts ...RMSPropOptions) *Optimizer[T] {
	c := last(opts, RMSPropOptions{})
	c.Alpha, c.Eps = cmp.Or(c.Alpha, .99), cmp.Or(c.Eps, 1e-8)
	o := newOptimizer("RMSProp", rate, func(u *update[T]) []expr.Statement {
		g, v := u.decayed(c.Decay), u.slot("v")
		stmts := []expr.Statement{average(v, c.Alpha, op.Square(g))}
		d := op.Div(g, op.AddScalar(op.Sqrt[T](v), c.Eps))
		if c.Momentum != 0 {
			b := u.slot("momentum")
			stmts = append(stmts, expr.Let(b.Value(), op.Add(op.Scale(c.Momentum, b), d)))
			d = b
		}
		return append(stmts, u.minus(op.Mul[T](u.a, d)))
	})
	o.within("Alpha", c.Alpha, 0, 1)
	o.within("Eps", c.Eps, 0, math.Inf(1))
	o.within("the momentum", c.Momentum, 0, 1)
	o.within("the decay", c.Decay, 0, math.Inf(1))
	return o
}

// LionOptions are the numbers of [Lion]. If Beta2 is 0 it is .99, and then a Beta1 of 0 is
// .9.
type LionOptions struct{ Beta1, Beta2, Decay float64 }

// Lion returns the optimiser of Chen et al. (2023):
//
//	w = w - rate*Decay*w
//	w = w - rate * sign(Beta1*m + (1-Beta1)*g)
//	m = Beta2*m + (1-Beta2)*g
func Lion[T Float](rate float64, opts ...LionOptions) *Optimizer[T] {
	c := last(opts, LionOptions{})
	c.Beta1, c.Beta2 = betas(c.Beta1, c.Beta2, .9, .99)
	o := newOptimizer("Lion", rate, func(u *update[T]) []expr.Statement {
		m := u.slot("m")
		d := op.Sign(op.Add(op.Scale(c.Beta1, m), op.Scale(1-c.Beta1, u.g)))
		return []expr.Statement{u.shrink(u.b), u.minus(op.Mul[T](u.a, d)), average(m, c.Beta2, u.g)}
	})
	o.scalars = func(_, rate float64) [3]float64 { return [3]float64{rate, 1 - rate*c.Decay} }
	o.within("Beta1", c.Beta1, 0, 1)
	o.within("Beta2", c.Beta2, 0, 1)
	o.within("the decay", c.Decay, 0, math.Inf(1))
	return o
}

// A Schedule returns the factor of the learning rate for a step, counted from 0.
type Schedule func(step int) float64

// StepDecay multiplies the rate by gamma after each number of steps.
func StepDecay(every int, gamma float64) Schedule {
	return func(step int) float64 { return math.Pow(gamma, float64(step/max(every, 1))) }
}

// Cosine goes from 1 to floor along half a wave in total steps, and stays there
// (Loshchilov, Hutter 2017).
func Cosine(total int, floor float64) Schedule {
	return func(step int) float64 {
		x := min(float64(step)/float64(max(total, 1)), 1)
		return floor + (1-floor)*(1+math.Cos(math.Pi*x))/2
	}
}

// Warmup goes up linearly to 1 in the given number of steps, and then follows a
// schedule, which counts from there. A nil schedule stays at 1.
func Warmup(steps int, then Schedule) Schedule {
	return func(step int) float64 {
		switch {
		case step < steps:
			return float64(step+1) / float64(steps)
		case then == nil:
			return 1
		}
		return then(step - steps)
	}
}
