package net

import (
	"slices"
	"strings"

	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A row is an operator of the table.
type row struct {
	typ, blobs, doc string // blobs: the names of the inputs -> those of the outputs, with semicolons between
	first           bool   // the first output may be the first input; outputs may always be inputs of the same name
	args            []ArgDoc
	tree            Tree
}

var axisArg = []ArgDoc{{"axis", "The first axis of a sample, 1.", false}}

// rows are the operators that are trees, with Caffe2's names.
var rows = slices.Concat(mapRows(), []row{
	{
		"Sum", "X... -> Y", "The sum of inputs of one shape.", true, nil,
		func(_ *Args, x []*tree.Node) []*tree.Node { return one(total(x)) },
	},
	{
		"Scale", "X -> Y", "scale*X.", true,
		[]ArgDoc{{"scale", "The factor, 1.", false}},
		func(a *Args, x []*tree.Node) []*tree.Node { return one(scaled(a.Float("scale", 1), x[0])) },
	},
	{
		"Clip", "X -> Y", "X brought between two bounds.", true,
		[]ArgDoc{{"min", "The lower bound.", true}, {"max", "The upper bound.", true}},
		func(a *Args, x []*tree.Node) []*tree.Node {
			return one(untyped.Call("clip", x[0], like(x[0], a.Float("min", 0)), like(x[0], a.Float("max", 0))))
		},
	},
	{
		"Softmax", "X -> Y", "exp(X) divided by its sum over the elements of each sample.", true, axisArg,
		func(a *Args, x []*tree.Node) []*tree.Node {
			flat := samples(x[0], a.Int("axis", 1))
			return one(untyped.Reshape(untyped.Compose("softmax", untyped.Options{Axes: []int{1}}, flat), x[0].Shape()))
		},
	},
	{
		"MatMul", "A; B -> Y", "A @ B.", false,
		[]ArgDoc{{"trans_a", "Transpose A.", false}, {"trans_b", "Transpose B.", false}},
		func(a *Args, x []*tree.Node) []*tree.Node {
			return one(untyped.MatMul(turned(x[0], a.Bool("trans_a", false)), turned(x[1], a.Bool("trans_b", false))))
		},
	},
	{
		"FC", "X; W; b -> Y", "X @ W.T + b, with X as a matrix of one row for each sample.", false, axisArg,
		func(a *Args, x []*tree.Node) []*tree.Node {
			y := untyped.MatMul(samples(x[0], a.Int("axis", 1)), untyped.Permute(x[1], nil))
			return one(untyped.Call("add", y, x[2]))
		},
	},
	{
		"Flatten", "X -> Y", "X as a matrix of one row for each sample.", false, axisArg,
		func(a *Args, x []*tree.Node) []*tree.Node { return one(samples(x[0], a.Int("axis", 1))) },
	},
	{
		"Transpose", "X -> Y", "X with its axes in another order, or in reverse.", false,
		[]ArgDoc{{"axes", "The order.", false}},
		func(a *Args, x []*tree.Node) []*tree.Node { return one(untyped.Permute(x[0], a.Ints("axes"))) },
	},
	{
		"AveragedLoss", "X -> Y", "The mean of all elements.", false, nil,
		func(_ *Args, x []*tree.Node) []*tree.Node {
			return one(untyped.Compose("mean", untyped.Options{}, x[0]))
		},
	},
	{
		"SquaredL2Distance", "X; Y -> Z", "Half the squared distance between each sample of X and the sample of Y with the same number.", false, nil,
		func(_ *Args, x []*tree.Node) []*tree.Node {
			d := untyped.Call("square", untyped.Call("sub", samples(x[0], 1), samples(x[1], 1)))
			return one(scaled(.5, untyped.Reduce("sum", d, untyped.Options{Axes: []int{1}})))
		},
	},
	{
		"LabelCrossEntropy", "X; label -> Y", "-log(max(X[i, label[i]], 1e-20)) for the probabilities X of each sample.", false, nil,
		labelCrossEntropy,
	},
	{
		"Accuracy", "X; label -> accuracy", "The part of the samples whose label is the position of the largest of X.", false, nil,
		func(_ *Args, x []*tree.Node) []*tree.Node {
			at := untyped.Reduce("argmax", x[0], untyped.Options{Axes: []int{-1}})
			right := untyped.Call("equal", at, labels(x[1], at.Shape()))
			return one(untyped.Compose("mean", untyped.Options{}, untyped.Cast(right, dtype.F32)))
		},
	},
	{
		"Iter", "iter -> iter", "iter + 1, in place.", false, nil,
		func(_ *Args, x []*tree.Node) []*tree.Node { return one(untyped.Call("add", x[0], like(x[0], 1))) },
	},
	{
		"LearningRate", "iter -> lr", "The learning rate of a step.", false,
		[]ArgDoc{
			{"base_lr", "The rate of step 0.", true},
			{"policy", "fixed, step or exp.", false},
			{"gamma", "The factor of each period, .1.", false},
			{"stepsize", "The steps of a period, 1.", false},
		},
		learningRate,
	},
	{
		"WeightedSum", "X0, w0, X1, w1... -> Y", "X0*w0 + X1*w1 + ..., of pairs of inputs; each weight has one element.", true, nil,
		weightedSum,
	},
	{
		"MomentumSGDUpdate", "grad; m; lr; param -> grad; m; param", "m = momentum*m + lr*grad; param -= m, or with Nesterov (1+momentum)*m - momentum*(m before).", false,
		[]ArgDoc{{"momentum", "The momentum, 0.", false}, {"nesterov", "Nesterov's form.", false}},
		momentumSGD,
	},
	{
		"Adagrad", "param; h; grad; lr -> param; h", "h = decay*h + grad^2; param += lr*grad/(sqrt(h) + epsilon). As in Caffe2, lr is negative.", false,
		[]ArgDoc{{"epsilon", "1e-5.", false}, {"decay", "1.", false}},
		adagrad,
	},
	{
		"Adam", "param; m; v; grad; lr; iter -> param; m; v", "Adam (Kingma, Ba 2015) at step iter+1: param += lr*sqrt(1-beta2^t)/(1-beta1^t) * m/(sqrt(v) + epsilon). As in Caffe2, lr is negative.", false,
		[]ArgDoc{{"beta1", ".9.", false}, {"beta2", ".999.", false}, {"epsilon", "1e-5.", false}},
		adam,
	},
})

func init() {
	for _, r := range rows {
		in, out, _ := strings.Cut(r.blobs, " -> ")
		s := Schema{Type: r.typ, Doc: r.doc, Inputs: strings.Split(in, "; "), Outputs: strings.Split(out, "; "), Args: r.args, InPlace: map[int]int{}, Forced: r.typ == "Iter"}
		for i, name := range s.Outputs {
			if j := slices.Index(s.Inputs, name); j >= 0 {
				s.InPlace[i] = j
			}
		}
		if r.first {
			s.InPlace[0] = 0
		}
		Define(s, r.tree)
	}
}

// mapRows are the operators that are one row of the operator table of package untyped.
func mapRows() (rows []row) {
	for _, r := range [][3]string{
		{"Relu", "relu", "max(X, 0)."},
		{"Sigmoid", "sigmoid", "1/(1 + exp(-X))."},
		{"Tanh", "tanh", "The hyperbolic tangent."},
		{"Exp", "exp", "exp(X)."},
		{"Log", "log", "The natural logarithm."},
		{"Abs", "abs", "|X|."},
		{"Sqr", "square", "X^2."},
		{"Sqrt", "sqrt", "The square root."},
		{"Negative", "neg", "-X."},
		{"Sin", "sin", "The sine."},
		{"Cos", "cos", "The cosine."},
		{"StopGradient", "stop_gradient", "X, which passes no gradient on."},
	} {
		rows = append(rows, row{r[0], "X -> Y", r[2], true, nil, mapped(r[1])})
	}
	rows = append(rows, row{"Copy", "X -> Y", "X.", false, nil, func(_ *Args, x []*tree.Node) []*tree.Node { return x }})
	for _, r := range [][3]string{{"Add", "add", "A + B"}, {"Sub", "sub", "A - B"}, {"Mul", "mul", "A*B"}, {"Div", "div", "A/B"}} {
		rows = append(rows, row{r[0], "A; B -> C", r[2] + ", with NumPy's broadcasting.", true, nil, mapped(r[1])})
	}
	return rows
}

// mapped returns the tree of an operator without attributes.
func mapped(name string) Tree {
	return func(_ *Args, x []*tree.Node) []*tree.Node { return one(untyped.Call(name, x...)) }
}

// total returns the sum of nodes, or nil if there are none.
func total(x []*tree.Node) (sum *tree.Node) {
	for _, y := range x {
		if sum != nil {
			y = untyped.Call("add", sum, y)
		}
		sum = y
	}
	return sum
}

func one(n *tree.Node) []*tree.Node { return []*tree.Node{n} }

// like returns v in the type of x.
func like(x *tree.Node, v float64) *tree.Node { return tree.ConstFloat(x.DType(), v) }

func scaled(v float64, x *tree.Node) *tree.Node { return untyped.Call("mul", like(x, v), x) }

// turned returns x, or its transpose.
func turned(x *tree.Node, on bool) *tree.Node {
	if on {
		return untyped.Permute(x, nil)
	}
	return x
}

// samples returns x as a matrix: the axes before axis are the rows.
func samples(x *tree.Node, axis int) *tree.Node {
	s := x.Shape()
	if axis < 0 {
		axis += len(s)
	}
	if x.Err() != nil || axis < 0 || axis > len(s) {
		return tree.Errorf(tree.ErrShape, "", "axis %d is out of range for shape %v", axis, s)
	}
	return untyped.Reshape(x, []int{s.Count(0, axis), s.Count(axis, len(s))})
}

// labels returns labels as int64 in the shape s, of which they must have the number of
// elements.
func labels(x *tree.Node, s shape.Shape) *tree.Node {
	return untyped.Cast(untyped.Reshape(x, s), dtype.I64)
}

func labelCrossEntropy(_ *Args, x []*tree.Node) []*tree.Node {
	p := samples(x[0], 1)
	if p.Err() != nil {
		return one(p)
	}
	classes := p.Shape()[1]
	label := nn.CheckLabels(expr.Of[int64](labels(x[1], p.Shape()[:1])), classes)
	own := untyped.Call("equal", untyped.Compose("expand_dims", untyped.Options{Axes: []int{1}}, label.Node()), untyped.Iota(classes))
	picked := untyped.Reduce("sum", untyped.Call("where", own, p, like(p, 0)), untyped.Options{Axes: []int{1}})
	return one(untyped.Call("neg", untyped.Call("log", untyped.Call("maximum", picked, like(p, 1e-20)))))
}

// learningRate returns base_lr * gamma^(iter/stepsize), with a quotient that is
// rounded down for the policy step.
func learningRate(a *Args, x []*tree.Node) []*tree.Node {
	base, gamma, size := a.Float("base_lr", 0), a.Float("gamma", .1), a.Int("stepsize", 1)
	iter := untyped.Cast(x[0], dtype.F32)
	periods := untyped.Call("div", iter, like(iter, float64(max(size, 1))))
	switch a.String("policy", "fixed") {
	case "fixed":
		return one(untyped.BroadcastTo(like(iter, base), iter.Shape()))
	case "step":
		periods = untyped.Call("floor", periods)
	case "exp":
	default:
		a.wrong("policy", "fixed, step or exp")
	}
	return one(untyped.Call("mul", like(iter, base), untyped.Call("pow", like(iter, gamma), periods)))
}

// scalar returns an input of one element as a scalar.
func scalar(x *tree.Node) *tree.Node { return untyped.Reshape(x, nil) }

func weightedSum(a *Args, x []*tree.Node) []*tree.Node {
	if len(x)%2 != 0 {
		return one(tree.Errorf(tree.ErrValue, "", "%d inputs are no pairs", len(x)))
	}
	var terms []*tree.Node
	for i := 0; i < len(x); i += 2 {
		terms = append(terms, untyped.Call("mul", scalar(x[i+1]), x[i]))
	}
	return one(total(terms))
}

func momentumSGD(a *Args, x []*tree.Node) []*tree.Node {
	g, m, lr, param := x[0], x[1], scalar(x[2]), x[3]
	mu := a.Float("momentum", 0)
	next := untyped.Call("add", scaled(mu, m), untyped.Call("mul", lr, g))
	step := next
	if a.Bool("nesterov", false) {
		step = untyped.Call("sub", scaled(1+mu, next), scaled(mu, m))
	}
	return []*tree.Node{step, next, untyped.Call("sub", param, step)}
}

func adagrad(a *Args, x []*tree.Node) []*tree.Node {
	param, h, g, lr := x[0], x[1], x[2], scalar(x[3])
	next := untyped.Call("add", scaled(a.Float("decay", 1), h), untyped.Call("square", g))
	root := untyped.Call("add", untyped.Call("sqrt", next), like(h, a.Float("epsilon", 1e-5)))
	return []*tree.Node{untyped.Call("add", param, untyped.Call("div", untyped.Call("mul", lr, g), root)), next}
}

func adam(a *Args, x []*tree.Node) []*tree.Node {
	param, m, v, g, lr := x[0], x[1], x[2], x[3], scalar(x[4])
	b1, b2 := a.Float("beta1", .9), a.Float("beta2", .999)
	t := untyped.Cast(untyped.Call("add", scalar(x[5]), like(x[5], 1)), param.DType())
	rest := func(b float64) *tree.Node {
		return untyped.Call("sub", like(param, 1), untyped.Call("pow", like(param, b), t))
	}
	mean := func(b float64, s, e *tree.Node) *tree.Node { return untyped.Call("add", scaled(b, s), scaled(1-b, e)) }
	m, v = mean(b1, m, g), mean(b2, v, untyped.Call("square", g))
	rate := untyped.Call("div", untyped.Call("mul", lr, untyped.Call("sqrt", rest(b2))), rest(b1))
	root := untyped.Call("add", untyped.Call("sqrt", v), like(param, a.Float("epsilon", 1e-5)))
	return []*tree.Node{untyped.Call("add", param, untyped.Call("div", untyped.Call("mul", rate, m), root)), m, v}
}
