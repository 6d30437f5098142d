package main

// A workload is a formula, and the C loop that does the same.
type workload struct {
	name    string
	text    string
	symbol  string
	flag    string     // of gcc, beside -O3 -march=native
	arrays  []variable // in the order of the C loop
	scalars []scalar
	square  bool // a matrix
}

// A variable is an array with values uniform in lo..hi. Its axes are "n" for
// all elements, "r" and "c" for rows and columns, "1" or none for one element.
type variable struct {
	name, axes string
	lo, hi     float64
	out        bool
}

type scalar struct {
	name  string
	value float64
}

var sumArrays = []variable{{"s", "", 0, 0, true}, {"a", "n", -1, 1, false}, {"b", "n", -1, 1, false}}

const adamText = "m = b1*m + (1 - b1)*g; v = b2*v + (1 - b2)*g*g; w -= lrt*m/(sqrt(v) + eps)"

var (
	adamArrays  = []variable{{"w", "n", -1, 1, true}, {"m", "n", -.1, .1, true}, {"v", "n", .01, .1, true}, {"g", "n", -1, 1, false}}
	adamScalars = []scalar{{"b1", .9}, {"b2", .999}, {"lrt", 1e-3}, {"eps", 1e-8}}
)

const updateText = "w += -eta*(g + lam*w)"

var (
	updateArrays  = []variable{{"w", "n", -1, 1, true}, {"g", "n", -1, 1, false}}
	updateScalars = []scalar{{"eta", .01}, {"lam", 1e-4}}
)

// sameBits keeps gcc from contracting a product and a sum into one operation,
// as our programs must not.
const sameBits = "-ffp-contract=off"

// title is the name in the table.
func (w *workload) title() string {
	if w.flag == "" {
		return w.name
	}
	return w.name + ", " + w.flag
}

var workloads = []workload{
	{name: "update", text: updateText, symbol: "update", arrays: updateArrays, scalars: updateScalars},
	{name: "update", flag: sameBits, text: updateText, symbol: "update", arrays: updateArrays, scalars: updateScalars},
	{
		name: "six", text: "y = b*c + d*e - f/g", symbol: "six",
		arrays: []variable{
			{"y", "n", 0, 0, true},
			{"b", "n", 1, 2, false},
			{"c", "n", 1, 2, false},
			{"d", "n", 1, 2, false},
			{"e", "n", 1, 2, false},
			{"f", "n", 1, 2, false},
			{"g", "n", 1, 2, false},
		},
	},
	{
		name: "add", text: "y = b + c", symbol: "add",
		arrays: []variable{{"y", "n", 0, 0, true}, {"b", "n", -1, 1, false}, {"c", "n", -1, 1, false}},
	},
	{name: "sum (a-b)^2", text: "s = sum((a - b)**2)", symbol: "sumsq", arrays: sumArrays},
	{name: "sum (a-b)^2", flag: "-ffast-math", text: "s = sum((a - b)**2)", symbol: "sumsq", arrays: sumArrays},
	{name: "Adam", text: adamText, symbol: "adam", arrays: adamArrays, scalars: adamScalars},
	{name: "Adam", flag: "-ffast-math", text: adamText, symbol: "adam", arrays: adamArrays, scalars: adamScalars},
	{
		name:   "stencil",
		text:   "v[1:-1,1:-1] = u[1:-1,1:-1] + k*(u[:-2,1:-1] + u[2:,1:-1] + u[1:-1,:-2] + u[1:-1,2:] - 4*u[1:-1,1:-1])",
		symbol: "stencil", square: true,
		arrays:  []variable{{"v", "rc", 0, 0, true}, {"u", "rc", 1, 2, false}},
		scalars: []scalar{{"k", .2}},
	},
	{
		name: "broadcast", text: "Y = X*row + col", symbol: "broadcast", square: true,
		arrays: []variable{{"Y", "rc", 0, 0, true}, {"X", "rc", -1, 1, false}, {"row", "c", -1, 1, false}, {"col", "r1", -1, 1, false}},
	},
	{
		name: "transposed", text: "A = B + C.T", symbol: "transposed", square: true,
		arrays: []variable{{"A", "rc", 0, 0, true}, {"B", "rc", -1, 1, false}, {"C", "rc", -1, 1, false}},
	},
}
