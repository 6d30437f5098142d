package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// A row is a line of the table: a formula on arrays of about 10^8 elements.
type row struct {
	name    string
	text    string
	arrays  map[string][]int
	scalars map[string]float64
	types   []dtype.Type
}

const (
	size = 100_000_000
	side = 10_000
)

var (
	plain  = []dtype.Type{dtype.F32, dtype.F64}
	single = []dtype.Type{dtype.F32}
	floats = []dtype.Type{dtype.F32, dtype.F64, dtype.F16}

	vector = []int{size}
	matrix = []int{side, side}
)

// rowsOf is a matrix of about size elements whose rows have n elements.
func rowsOf(n int) []int { return []int{size / n, n} }

const (
	softmaxText   = "t = exp(x - max(x, axis=-1, keepdims=True)); y = t/sum(t, axis=-1, keepdims=True)"
	layerNormText = "d = x - mean(x, axis=-1, keepdims=True); y = d/sqrt(mean(d*d, axis=-1, keepdims=True) + 1e-5)*gamma + beta"
)

func softmax(n int, types []dtype.Type) row {
	return row{fmt.Sprintf("Softmax %d", n), softmaxText, map[string][]int{"y": rowsOf(n), "x": rowsOf(n)}, nil, types}
}

func layerNorm(n int, types []dtype.Type) row {
	return row{fmt.Sprintf("LayerNorm %d", n), layerNormText, map[string][]int{"y": rowsOf(n), "x": rowsOf(n), "gamma": {n}, "beta": {n}}, nil, types}
}

// rows are the workloads of exprbench that are bound by memory, and the shapes whose
// kernels differ from theirs.
var rows = []row{
	{"Add", "a = b + c", map[string][]int{"a": vector, "b": vector, "c": vector}, nil, plain},
	{"Update", "w += -eta*(g + lam*w)", map[string][]int{"w": vector, "g": vector}, map[string]float64{"eta": .01, "lam": 1e-4}, plain},
	{"Six", "y = b*c + d*e - f/g", map[string][]int{"y": vector, "b": vector, "c": vector, "d": vector, "e": vector, "f": vector, "g": vector}, nil, plain},
	{"Hypot", "z = sqrt(x*x + y*y)", map[string][]int{"z": vector, "x": vector, "y": vector}, nil, plain},
	{"Broadcast", "Y = X*row + col", map[string][]int{"Y": matrix, "X": matrix, "row": {side}, "col": {side, 1}}, nil, plain},
	{"Adam", "m = b1*m + (1 - b1)*g; v = b2*v + (1 - b2)*g*g; w -= lrt*m/(sqrt(v) + eps)", map[string][]int{"w": vector, "m": vector, "v": vector, "g": vector}, map[string]float64{"b1": .9, "b2": .999, "lrt": 1e-3, "eps": 1e-8}, plain},
	{"SumAll", "s = sum(a)", map[string][]int{"s": {}, "a": vector}, nil, plain},
	{"SumSqDiff", "s = sum((a - b)**2)", map[string][]int{"s": {}, "a": vector, "b": vector}, nil, plain},
	{"SumRows", "s = sum(a, axis=1)", map[string][]int{"s": {side}, "a": matrix}, nil, single},
	{"SumColumns", "s = sum(a, axis=0)", map[string][]int{"s": {side}, "a": matrix}, nil, single},
	{"Stencil", "v[1:-1,1:-1] = u[1:-1,1:-1] + k*(u[:-2,1:-1] + u[2:,1:-1] + u[1:-1,:-2] + u[1:-1,2:] - 4*u[1:-1,1:-1])", map[string][]int{"v": matrix, "u": matrix}, map[string]float64{"k": .2}, plain},
	{"GELU", "y = 0.5*x*(1 + tanh(0.7978845608*(x + 0.044715*x*x*x)))", map[string][]int{"y": vector, "x": vector}, nil, floats},
	{"Sigmoid", "y = 1/(1 + exp(-x))", map[string][]int{"y": vector, "x": vector}, nil, floats},
	softmax(1024, floats),
	softmax(8192, plain),
	softmax(32000, single),
	layerNorm(1024, floats),
	layerNorm(8192, plain),
	{"ArgMax 1024", "s = argmax(x, axis=1)", map[string][]int{"s": {size / 1024}, "x": rowsOf(1024)}, nil, single},
	{"AddTransposed", "A = B + C.T", map[string][]int{"A": matrix, "B": matrix, "C": matrix}, nil, floats},
	{
		"BlackScholes", "v = sigma*sqrt(T); d1 = (log(S/K) + (r + 0.5*sigma*sigma)*T)/v; d2 = d1 - v; " +
			"call = 0.5*S*(1 + erf(d1/1.4142135623730951)) - 0.5*K*exp(-r*T)*(1 + erf(d2/1.4142135623730951))",
		map[string][]int{"call": vector, "S": vector, "K": vector, "T": vector},
		map[string]float64{"r": .05, "sigma": .2},
		plain,
	},
}

// A stage is a loop of a plan: its source and its launches.
type stage struct {
	source   *cudagen.Source
	bound    *cudagen.Bound
	bytes    int // of the arrays, each element once
	elements int // of the largest array
	last     int // last extent of that array
	size     int // bytes of its elements
}

// A memory is where an array would be.
type memory struct{ size int }

func (*memory) Device() string { return "cpu" }
func (m *memory) Size() int    { return m.size }

// stages plans a row for an element type. The arrays have no contents.
func (r *row) stages(t dtype.Type, d cudagen.Device) (out []stage) {
	env := map[string]*tree.Node{}
	for name, x := range r.scalars {
		env[name] = tree.ConstFloat(dtype.F64, x)
	}
	for name, dims := range r.arrays {
		elem := t
		if name == "s" && r.name == "ArgMax 1024" {
			elem = dtype.I64
		}
		sh := shape.Shape(dims)
		m := &memory{sh.Size() * elem.Size()}
		env[name] = tree.NewLeaf(elem, sh, &tree.Leaf{Mem: m, Strides: sh.Strides(), Name: name})
	}
	unit := failure.Must(failure.Must(formula.Parse(r.text)).BuildFor(env, nil))
	for _, s := range failure.Must(plan.Compile(context.Background(), unit.Statements)).Stages {
		out = append(out, newStage(s, d))
	}
	return out
}

// newStage generates the code of a loop for arrays that lie apart from each other.
func newStage(s *plan.Stage, d cudagen.Device) (x stage) {
	const apart = 1 << 40
	b := ir.Binding{Extents: s.Extents, Params: s.Params, Scalars: make([]uint64, len(s.Scalars)), Bufs: make([]ir.BufBind, len(s.Bufs))}
	addresses := make([]uint64, len(s.Bufs))
	for i, o := range s.Bufs {
		b.Bufs[i] = ir.BufBind{Strides: o.Strides, Extents: o.Extents}
		if o.Array != nil {
			first := slices.IndexFunc(s.Bufs, func(p plan.Operand) bool { return p.Array != nil && p.Array.Mem == o.Array.Mem })
			addresses[i] = uint64(first+1)*apart + uint64(o.Array.Offset*o.Array.Type.Size())
			if n := o.Array.Shape.Size(); n > x.elements {
				x.elements, x.last, x.size = n, o.Array.Shape[len(o.Array.Shape)-1], o.Array.Type.Size()
			}
		}
	}
	x.source = cudagen.Generate(s.Kernel, failure.Must(cudagen.LayoutOf(s.Kernel, &b, addresses, d)))
	x.bound = failure.Must(x.source.Bind(&b, d))
	x.bytes = s.Bytes()
	return x
}

// device is an H100 or an H200.
var device = cudagen.Device{SMs: 132, Shared: 227 << 10}

// scan finds the format's first word in text and reads what stands there.
func scan(text, format string, to any) bool {
	word, _, _ := strings.Cut(format, " ")
	_, rest, ok := strings.Cut(text, word)
	_, err := fmt.Sscanf(word+rest, format, to)
	return ok && err == nil
}

// job returns what launch i of a stage does. The comment before a kernel says how its work
// is divided.
func (s *stage) job(source []string, i int) job {
	l := s.bound.Launches[i]
	entry := " " + s.source.Entries[l.Entry] + "("
	at := slices.IndexFunc(source, func(line string) bool { return strings.Contains(line, entry) })
	comment := source[at-1]
	j := job{elements: float64(s.elements), bytes: float64(s.bytes), trips: 1}
	scratch := float64(s.bound.Scratch)
	switch {
	case strings.Contains(comment, "The rows along"):
		threads := float64(l.Block[0])
		if strings.Contains(strings.Join(source[at:], "\n"), "thread = lane;") {
			threads = 32
		} else {
			j.warps = threads / 32
		}
		j.span = float64(s.last) / threads
		j.rows = float64(s.elements / s.last)
		if j.warps == 0 { // several rows at a time
			j.rows *= threads / float64(l.Block[0])
		}
	case strings.Contains(comment, "warp for each block of 4096"):
		j.bytes += scratch
		j.span = ir.Block / 32
	case strings.Contains(comment, "run of 64"):
		j.bytes += scratch
		j.span = ir.Run
	case i > 0: // it combines results: a thread block for each column, for several, or for all
		items, threads := 1.0, float64(l.Block[0])
		if strings.Contains(comment, "column") {
			items = float64(s.last)
			if n := 0.0; scan(comment, "each %g columns", &n) {
				threads /= n
			}
		}
		j = job{elements: items * threads, bytes: scratch, span: 1, cached: true}
		for m := math.Ceil(scratch / float64(s.size) / items); m > 1; m = math.Ceil(m / 16) {
			j.trips += math.Ceil(m / 16 / threads)
		}
	}
	return j
}
