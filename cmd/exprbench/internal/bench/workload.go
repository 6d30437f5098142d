package bench

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// A Workload is a formula with the arrays that it works on.
type Workload struct {
	Name    string // in tables and benchmark names
	Text    string
	Arrays  []Variable
	Scalars map[string]float64
	dims    func(n int) dims
	cost    cost
	tol     [2]float64 // against the Go loop: float32, float64; 0: the default
	loops   loops
}

// A Variable is an array of a workload, with values uniform in Lo..Hi. Axes
// names its extents, a letter each: "n", "rc", "1c".
type Variable struct {
	Name   string
	Axes   string
	Lo, Hi float64
}

// dims are the extents that the letters of axes stand for.
type dims map[rune]int

func (d dims) shape(axes string) shape.Shape {
	return lists.Map([]rune(axes), func(a rune) int { return d[a] })
}

// elements is what times are divided by.
func (d dims) elements() int {
	if n, ok := d['n']; ok {
		return n
	}
	return d['r'] * d['c'] * max(d['o'], 1)
}

func vector(n int) dims { return dims{'n': n} }

// square is a matrix of about n elements.
func square(n int) dims {
	side := int(math.Round(math.Sqrt(float64(n))))
	return dims{'r': side, 'c': side, '1': 1}
}

// scores is a matrix of about n elements, and vectors of 64 for each row and
// column.
func scores(n int) dims {
	d := square(n)
	d['d'] = 64
	return d
}

// planes is an image of 32 planes with about n elements, and windows of 3 x 3.
func planes(n int) dims {
	const channels = 32
	d := square(max(n/channels, 4))
	d['i'], d['o'], d['k'] = channels, channels, 3
	return d
}

// rows is a matrix of rows of 128, or of 1024 in the larger sizes.
func rows(n int) dims {
	c := 128
	if n >= 1<<21 {
		c = 1024
	}
	return dims{'r': max(n/c, 1), 'c': c, '1': 1}
}

// A cost says how long an element takes, and so which sizes are measured.
type cost int

const (
	cheap         cost = iota // a few operations
	wide                      // more operations or arrays
	fewFunctions              // one or two functions
	manyFunctions             // many functions
	cubic                     // a matrix product
)

// A Scale is a choice of sizes.
type Scale int

// The scales.
const (
	Quick Scale = iota
	Normal
	Full
)

// sizes are such that the interpreter, on two cores, finishes Quick in about ten
// seconds and Normal in about a minute.
var sizes = [...]map[cost][]int{
	Quick: {
		cheap: {10_000, 250_000}, wide: {10_000, 250_000}, fewFunctions: {10_000, 250_000},
		manyFunctions: {10_000, 250_000}, cubic: {10_000, 40_000},
	},
	Normal: {
		cheap: {10_000, 1_000_000, 8_000_000}, wide: {10_000, 1_000_000, 4_000_000}, fewFunctions: {10_000, 1_000_000, 2_097_152},
		manyFunctions: {10_000, 100_000, 1_000_000}, cubic: {10_000, 40_000, 160_000},
	},
	Full: {
		cheap: {1000, 10_000, 100_000, 1_000_000, 8_000_000, 32_000_000}, wide: {10_000, 1_000_000, 16_777_216},
		fewFunctions: {10_000, 1_000_000, 4_194_304, 16_777_216}, manyFunctions: {10_000, 1_000_000, 8_000_000}, cubic: {10_000, 262_144, 1_048_576},
	},
}

// Sizes lists the sizes to measure, in elements.
func (w *Workload) Sizes(s Scale) []int { return sizes[s][w.cost] }

// tolerance is the relative difference allowed between the program and the Go
// loop, which orders sums otherwise and has other functions.
func (w *Workload) tolerance(t dtype.Type) float64 {
	i := 0
	if t == dtype.F64 {
		i = 1
	}
	if w.tol[i] != 0 {
		return w.tol[i]
	}
	return [2]float64{1e-5, 1e-12}[i]
}

// Workloads are the programs that the tool measures.
func Workloads() []*Workload { return workloads }

var workloads = []*Workload{
	{
		Name: "Update", Text: "w += -eta*(g + lam*w)", dims: vector,
		Arrays:  []Variable{{"w", "n", -1, 1}, {"g", "n", -1, 1}},
		Scalars: map[string]float64{"eta": .01, "lam": 1e-4},
		loops:   loops{update[float32], update[float64]},
	},
	{
		Name: "Six", Text: "y = b*c + d*e - f/g", dims: vector, cost: wide,
		Arrays: []Variable{{"y", "n", 0, 0}, {"b", "n", 1, 2}, {"c", "n", 1, 2}, {"d", "n", 1, 2}, {"e", "n", 1, 2}, {"f", "n", 1, 2}, {"g", "n", 1, 2}},
		loops:  loops{six[float32], six[float64]},
	},
	{
		Name: "Add", Text: "a = b + c", dims: vector,
		Arrays: []Variable{{"a", "n", 0, 0}, {"b", "n", -1, 1}, {"c", "n", -1, 1}},
		loops:  loops{add[float32], add[float64]},
	},
	{
		Name: "GELU", Text: "y = 0.5*x*(1 + tanh(0.7978845608*(x + 0.044715*x*x*x)))", dims: vector, cost: fewFunctions,
		Arrays: []Variable{{"y", "n", 0, 0}, {"x", "n", -4, 4}},
		loops:  loops{gelu[float32], gelu[float64]},
	},
	{
		Name: "Sigmoid", Text: "y = 1/(1 + exp(-x))", dims: vector, cost: fewFunctions,
		Arrays: []Variable{{"y", "n", 0, 0}, {"x", "n", -8, 8}},
		loops:  loops{sigmoid[float32], sigmoid[float64]},
	},
	{
		Name: "Hypot", Text: "z = sqrt(x*x + y*y)", dims: vector,
		Arrays: []Variable{{"z", "n", 0, 0}, {"x", "n", -1, 1}, {"y", "n", -1, 1}},
		loops:  loops{hypot[float32], hypot[float64]},
	},
	{
		Name: "BlackScholes", dims: vector, cost: manyFunctions, tol: [2]float64{1e-4, 1e-12},
		Text: "v = sigma*sqrt(T); d1 = (log(S/K) + (r + 0.5*sigma*sigma)*T)/v; d2 = d1 - v; " +
			"call = 0.5*S*(1 + erf(d1/1.4142135623730951)) - 0.5*K*exp(-r*T)*(1 + erf(d2/1.4142135623730951))",
		Arrays:  []Variable{{"call", "n", 0, 0}, {"S", "n", 80, 120}, {"K", "n", 80, 120}, {"T", "n", .25, 2}},
		Scalars: map[string]float64{"r": .05, "sigma": .2},
		loops:   loops{blackScholes[float32], blackScholes[float64]},
	},
	{
		Name: "Softmax", dims: rows, cost: fewFunctions, tol: [2]float64{1e-4, 1e-12},
		Text:   "t = exp(x - max(x, axis=-1, keepdims=True)); y = t/sum(t, axis=-1, keepdims=True)",
		Arrays: []Variable{{"y", "rc", 0, 0}, {"x", "rc", -4, 4}},
		loops:  loops{softmax[float32], softmax[float64]},
	},
	{
		Name: "LayerNorm", dims: rows, cost: fewFunctions, tol: [2]float64{1e-4, 1e-12},
		Text:   "d = x - mean(x, axis=-1, keepdims=True); y = d/sqrt(mean(d*d, axis=-1, keepdims=True) + 1e-5)*gamma + beta",
		Arrays: []Variable{{"y", "rc", 0, 0}, {"x", "rc", -4, 4}, {"gamma", "c", .5, 1.5}, {"beta", "c", -1, 1}},
		loops:  loops{layerNorm[float32], layerNorm[float64]},
	},
	{
		Name: "SumSqDiff", Text: "s = sum((a - b)**2)", dims: vector,
		Arrays: []Variable{{"s", "", 0, 0}, {"a", "n", -1, 1}, {"b", "n", -1, 1}},
		loops:  loops{sumSqDiff[float32], sumSqDiff[float64]},
	},
	{
		Name: "Adam", dims: vector, cost: wide,
		Text:    "m = b1*m + (1 - b1)*g; v = b2*v + (1 - b2)*g*g; w -= lrt*m/(sqrt(v) + eps)",
		Arrays:  []Variable{{"w", "n", -1, 1}, {"m", "n", -.1, .1}, {"v", "n", .01, .1}, {"g", "n", -1, 1}},
		Scalars: map[string]float64{"b1": .9, "b2": .999, "lrt": 1e-3, "eps": 1e-8},
		loops:   loops{adam[float32], adam[float64]},
	},
	{
		Name: "AddTransposed", Text: "A = B + C.T", dims: square, cost: wide,
		Arrays: []Variable{{"A", "rc", 0, 0}, {"B", "rc", -1, 1}, {"C", "rc", -1, 1}},
		loops:  loops{addTransposed[float32], addTransposed[float64]},
	},
	{
		Name: "Broadcast", Text: "Y = X*row + col", dims: square,
		Arrays: []Variable{{"Y", "rc", 0, 0}, {"X", "rc", -1, 1}, {"row", "c", -1, 1}, {"col", "r1", -1, 1}},
		loops:  loops{broadcast[float32], broadcast[float64]},
	},
	{
		Name: "Stencil", dims: square, cost: wide,
		Text:    "v[1:-1,1:-1] = u[1:-1,1:-1] + k*(u[:-2,1:-1] + u[2:,1:-1] + u[1:-1,:-2] + u[1:-1,2:] - 4*u[1:-1,1:-1])",
		Arrays:  []Variable{{"v", "rc", 0, 0}, {"u", "rc", 1, 2}},
		Scalars: map[string]float64{"k": .2},
		loops:   loops{stencil[float32], stencil[float64]},
	},
	{
		Name: "Dense", Text: "C = relu(A @ B + bias)", dims: square, cost: cubic, tol: [2]float64{1e-4, 1e-12},
		Arrays: []Variable{{"C", "rc", 0, 0}, {"A", "rc", 0, 1}, {"B", "rc", 0, 1}, {"bias", "c", -1, 1}},
		loops:  loops{dense[float32], dense[float64]},
	},
	{
		Name: "Attention", dims: scores, cost: cubic, tol: [2]float64{1e-4, 1e-12},
		Text:   "s = q @ k.T*0.125; e = exp(s - max(s, axis=-1, keepdims=True)); y = (e/sum(e, axis=-1, keepdims=True)) @ v",
		Arrays: []Variable{{"y", "rd", 0, 0}, {"q", "rd", -1, 1}, {"k", "cd", -1, 1}, {"v", "cd", -1, 1}},
		loops:  loops{attention[float32], attention[float64]},
	},
	{
		Name: "Conv", Text: "y = relu(conv(x, w, padding=1))", dims: planes, cost: cubic, tol: [2]float64{1e-4, 1e-12},
		Arrays: []Variable{{"y", "1orc", 0, 0}, {"x", "1irc", 0, 1}, {"w", "oikk", -1, 1}},
		loops:  loops{conv[float32], conv[float64]},
	},
}

// Memory is about what a case needs at once, in bytes: arrays, a copy of what
// is written, and the temporaries of the naive way.
func (w *Workload) Memory(t dtype.Type, n int) int {
	const temporaries = 8
	bytes := temporaries * n * t.Size()
	for _, v := range w.Arrays {
		bytes += w.dims(n).shape(v.Axes).Size() * t.Size()
	}
	return bytes
}
