package untyped

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// This file has the compositions of sorts, quantiles, searches and scatters.

// ordered returns the composition of a row of a sort along one axis, or without an
// axis of the vector of all elements.
func ordered(name string) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node {
		a, axis := oneLine(o, x[0])
		return With(name, []int{axis}, nil, a)
	}
}

// parted returns a partition or its positions. The integers are the places, which count from the end
// if they are negative.
func parted(name string) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node {
		a, axis := oneLine(o, x[0])
		return partedAlong(name, a, axis, o.Ints)
	}
}

// partedNames are the names of constructors, and of the sorts that some partitions are, because machine code sorts
// these rows faster than it divides them.
var partedNames = map[string][2]string{"partition": {"Partition", "sort"}, "argpartition": {"ArgPartition", "argsort"}}

// sortsParts reports whether a partition at so many places, or its positions, sorts an axis of n elements of a type.
func sortsParts(name string, n, places int, t dtype.Type) bool {
	switch size := t.Register().Size(); {
	case size == 1 || n <= 256:
		return true
	case name != "partition":
		return size == 2
	case size == 2:
		return n <= 1024 || places > 1
	default:
		return size == 4 && n <= 512
	}
}

func partedAlong(name string, a *tree.Node, axis int, kth []int) *tree.Node {
	if a.Err() != nil {
		return a
	}
	n, places := a.Shape()[axis], []int{}
	for _, place := range kth {
		if (place < -n || place >= n) && a.Shape().Size() > 0 {
			return tree.Errorf(tree.ErrIndex, partedNames[name][0], "place %d is outside of axis %d of size %d", place, axis, n)
		}
		if place < 0 {
			place += n
		}
		places = append(places, place)
	}
	if sortsParts(name, n, len(kth), a.DType()) || a.Shape().Size() == 0 {
		return With(partedNames[name][1], []int{axis}, nil, a)
	}
	slices.Sort(places)
	return With(name, []int{axis}, append([]int{0}, slices.Compact(places)...), a)
}

// Partition returns op.Partition of untyped trees, or, for the name argpartition, op.ArgPartition.
func Partition(name string, a *tree.Node, axis int, kth []int) *tree.Node {
	called := partedNames[name][0]
	if called == "" {
		return tree.Errorf(tree.ErrValue, "", "there is no partition %q", name)
	}
	a = Given(a, called)
	at, bad := AxisOf(called, a, axis)
	if bad != nil {
		return bad
	}
	return partedAlong(name, a, at, kth)
}

// oneLine returns a, and the only axis of the options. Without an axis it returns a
// vector of all elements.
func oneLine(o Options, a *tree.Node) (line *tree.Node, axis int) {
	if o.Axes == nil {
		return flatten(o, a), 0
	}
	return a, o.axis(0, len(a.Shape()))
}

// lines returns the elements of several axes, or of all, along one axis, and the
// shape that a reduction over them keeps. An empty axis is an error: it has no such statistic.
func (o Options) lines(a *tree.Node, statistic string) (line *tree.Node, axis int, kept shape.Shape) {
	axes := valid(shape.Axes(o.Axes, len(a.Shape())))
	line, axis, kept = a, len(a.Shape())-len(axes), a.Shape().Reduce(axes, o.Keep)
	if len(axes) == 1 {
		axis = axes[0]
	} else {
		line, _ = joinAxes(a, axes)
	}
	stopIf(line.Shape()[axis] == 0, misshapen, "an empty axis has no %s", statistic)
	return line, axis, kept
}

// median returns the mean of the two elements in the middle. Unlike a quantile of .5,
// it is infinite if both are the same infinity.
func median(o Options, x ...*tree.Node) *tree.Node {
	line, axis, kept := o.lines(x[0], "median")
	n := line.Shape()[axis]
	pick := sortedPlaces(line, axis, kept, n/2, (n-1)/2, n-1)
	v, last := pick(0), pick(2)
	if n%2 == 0 {
		v = Call("div", Call("add", pick(1), v), like(v, 2))
	}
	return Call("where", Call("isnan", last), last, v)
}

// sortedPlaces returns a function that returns the elements at one of the places of the
// sorted axis.
func sortedPlaces(a *tree.Node, axis int, kept shape.Shape, places ...int) func(i int) *tree.Node {
	sorted := With("select", []int{axis}, places, a)
	return func(i int) *tree.Node { return Reshape(Index(sorted, axis, i), kept) }
}

// quantile returns NumPy's quantile, for q from 0 to per: the value at a place among
// the sorted elements, between its neighbours in proportion.
func quantile(per float64) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node {
		q, method := o.quantile(per, x[0])
		line, axis, kept := o.lines(x[0], "quantile")
		n := line.Shape()[axis]
		low, high, t := method.between(n, q)
		pick := sortedPlaces(line, axis, kept, low, high, n-1)
		v, y, last := pick(0), pick(1), pick(2)
		if v.DType().IsInt() {
			return v
		}
		step := Call("sub", y, v)
		switch {
		case t >= .5:
			v = Call("sub", y, Call("mul", step, like(step, 1-t)))
		case t > 0:
			v = Call("add", v, Call("mul", step, like(step, t)))
		}
		return Call("where", Call("isnan", last), last, v)
	}
}

// quantile returns the number of the options, which is from 0 to per, as a part of per, and
// the method o.Text. Integers have the quantiles that are elements.
func (o Options) quantile(per float64, a *tree.Node) (q float64, method placing) {
	stopIf(len(o.Numbers) != 1, wrong, "takes one number")
	if q = o.Numbers[0]; !(q >= 0 && q <= per) {
		panic(stop{wrong("%v is not from 0 to %v", q, per)})
	}
	method, ok := placings[o.Text]
	stopIf(!ok, wrong, "there is no method %q", o.Text)
	if a.DType().IsInt() && !method.chooses() {
		panic(stop{tree.Errorf(tree.ErrType, "", "elements of type %v have no quantiles by a method that interpolates", a.DType())})
	}
	return q / per, method
}

// amongNumbers sorts the elements over axes, with NaN last. It returns the number of those
// that are not NaN, as float64, and a function that returns the elements at places
// among them; a place outside is brought inside.
func (o Options) amongNumbers(a *tree.Node) (count *tree.Node, pick func(place *tree.Node) *tree.Node) {
	line, axis, kept := o.lines(a, "quantile")
	n := line.Shape()[axis]
	sorted := With("sort", []int{axis}, nil, line)
	one := line.Shape().Reduce([]int{axis}, true)
	number := Cast(Call("equal", line, line), dtype.F64)
	count = Reshape(Reduce("sum", number, Options{Axes: []int{axis}, Keep: true}), kept)
	return count, func(place *tree.Node) *tree.Node {
		i := Cast(Call("clip", place, like(place, 0), like(place, float64(n-1))), dtype.I64)
		return Reshape(With("take_along", []int{axis}, nil, sorted, Reshape(i, one)), kept)
	}
}

// nanMedian returns the mean of the two elements in the middle of those that are not NaN.
func nanMedian(o Options, x ...*tree.Node) *tree.Node {
	count, pick := o.amongNumbers(x[0])
	half := Call("div", count, like(count, 2))
	low, high := Call("sub", Call("ceil", half), like(count, 1)), Call("floor", half)
	v, y := pick(low), pick(high)
	return Call("where", Call("equal", low, high), v, Call("div", Call("add", v, y), like(v, 2)))
}

func nanQuantile(per float64) func(o Options, x ...*tree.Node) *tree.Node {
	return func(o Options, x ...*tree.Node) *tree.Node {
		q, method := o.quantile(per, x[0])
		count, pick := o.amongNumbers(x[0])
		one := like(count, 1)
		last := Call("sub", count, one)
		at := placeOf(method, q, count, func(v float64) *tree.Node { return like(count, v) }, Call)
		low := Call("floor", at)
		v := pick(low)
		if method.chooses() {
			return v
		}
		t, y := Call("sub", at, low), pick(Call("minimum", Call("add", low, one), last))
		step := Call("sub", y, v)
		up := Call("add", v, Call("mul", step, Cast(t, v.DType())))
		down := Call("sub", y, Call("mul", step, Cast(Call("sub", one, t), v.DType())))
		between := Call("where", Call("less", t, like(t, .5)), up, down)
		return Call("where", Call("greater", t, like(t, 0)), between, v)
	}
}

func searchSorted(o Options, x ...*tree.Node) *tree.Node {
	side := slices.Index([]string{"left", "right"}, o.Text)
	if o.Text == "" {
		side = 0
	}
	stopIf(side < 0, wrong, "the side is left or right, not %q", o.Text)
	return places(x[0], x[1], side)
}

// A search in at most fewPlaces elements counts those that come before a value, in a loop that fuses. A sum of countedTerms of them is
// written out, so that the loop has no loop inside.
const fewPlaces, countedTerms = 32, 16

// places returns the places of values in a sorted vector, behind equal elements if side is 1.
func places(a, v *tree.Node, side int) *tree.Node {
	n := With("searchsorted", nil, []int{side}, a, v)
	if n.Err() != nil || a.Shape()[0] == 0 || a.Shape()[0] > fewPlaces || a.DType() == dtype.Bool {
		return n
	}
	count := func(x *tree.Node) *tree.Node { return countNonzero(Options{Axes: []int{-1}}, x) }
	last, before := count(Call("equal", a, a)), "less" // the place of NaN
	if side == 1 {
		last, before = tree.ConstInt(dtype.I64, int64(a.Shape()[0])), "less_equal"
	}
	at := tree.ConstInt(dtype.I64, 0)
	for i := 0; i < a.Shape()[0]; i += countedTerms {
		some := Slice(a, []shape.Slice{shape.Range(i, min(i+countedTerms, a.Shape()[0]))})
		at = Call("add", at, count(Call(before, some, withAxis(v, -1))))
	}
	if at = Call("where", Call("equal", v, v), at, last); at.Err() != nil { // v has as many axes as an array may have
		return n
	}
	return at
}

func binCount(o Options, x ...*tree.Node) *tree.Node {
	return Bins("Bincount", x[0], tree.ConstInt(dtype.I64, 1), o.int(0, 0))
}

// Bins adds weights at indices from 0 to n-1. A negative index is outside.
func Bins(called string, index, weights *tree.Node, n int) *tree.Node {
	switch {
	case index.Err() != nil:
		return index.As(called, index, weights)
	case !index.DType().IsInt() || len(index.Shape()) != 1:
		return tree.Errorf(tree.ErrType, called, "the operand is %v of rank %d, not a vector of integers", index.DType(), len(index.Shape()))
	}
	return Scatter("bincount", index, weights, nil, 0, []int{n}).As(called, index, weights)
}

// A placing is where a method of NumPy has the quantile q of n sorted elements, counted
// from 0 (Hyndman and Fan, Sample Quantiles in Statistical Packages, 1996): n*q rounded, plus
// add + q*slope - 1, or (n-1)*q rounded. It lies between two elements if it is not an integer.
type placing struct {
	fewer      bool // (n-1)*q
	add, slope float64
	round      string // an element-wise function; "middle": the mean of floor and ceil
}

// continuous returns the placing of a method with the constants alpha and beta.
func continuous(alpha, beta float64) placing { return placing{add: alpha, slope: 1 - alpha - beta} }

// chooses reports whether every quantile is an element.
func (p placing) chooses() bool { return p.round != "" && p.round != "middle" }

// placings are the methods of quantiles, by the names in o.Text.
var placings = map[string]placing{
	"":                          {fewer: true},
	"linear":                    {fewer: true},
	"lower":                     {fewer: true, round: "floor"},
	"higher":                    {fewer: true, round: "ceil"},
	"nearest":                   {fewer: true, round: "rint"},
	"midpoint":                  {fewer: true, round: "middle"},
	"inverted_cdf":              {round: "ceil"},
	"closest_observation":       {round: "rint"}, // of two the one whose place from 1 is even
	"averaged_inverted_cdf":     {add: .5, round: "middle"},
	"interpolated_inverted_cdf": continuous(0, 1),
	"hazen":                     continuous(.5, .5),
	"weibull":                   continuous(0, 0),
	"median_unbiased":           continuous(1./3, 1./3),
	"normal_unbiased":           continuous(3./8, 3./8),
}

// placeOf returns the place of the quantile q among n elements. The functions compute with
// numbers, or with trees.
func placeOf[T any](p placing, q float64, n T, number func(float64) T, do func(name string, x ...T) T) T {
	last := do("sub", n, number(1))
	at := n
	if p.fewer {
		at = last
	}
	at = do("mul", at, number(q))
	switch p.round {
	case "":
	case "middle":
		at = do("mul", do("add", do("floor", at), do("ceil", at)), number(.5))
	default:
		at = do(p.round, at)
	}
	if add := p.add + float64(q*p.slope); add != 0 {
		at = do("add", at, number(add))
	}
	if !p.fewer {
		at = do("sub", at, number(1))
	}
	return do("minimum", do("maximum", at, number(0)), last)
}

// numeric has the functions of placeOf for numbers.
var numeric = map[string]func(x ...float64) float64{
	"add":     func(x ...float64) float64 { return x[0] + x[1] },
	"sub":     func(x ...float64) float64 { return x[0] - x[1] },
	"mul":     func(x ...float64) float64 { return x[0] * x[1] },
	"floor":   func(x ...float64) float64 { return math.Floor(x[0]) },
	"ceil":    func(x ...float64) float64 { return math.Ceil(x[0]) },
	"rint":    func(x ...float64) float64 { return math.RoundToEven(x[0]) },
	"minimum": func(x ...float64) float64 { return min(x[0], x[1]) },
	"maximum": func(x ...float64) float64 { return max(x[0], x[1]) },
}

// between returns the places of the two of n sorted elements between which the quantile q
// is, and its distance from the first one in parts of their distance. Methods without
// interpolation name one element.
func (p placing) between(n int, q float64) (low, high int, t float64) {
	at := placeOf(p, q, float64(n), func(v float64) float64 { return v }, func(name string, x ...float64) float64 { return numeric[name](x...) })
	low = int(at)
	return low, min(low+1, n-1), at - float64(low)
}
