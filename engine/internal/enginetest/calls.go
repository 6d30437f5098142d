package enginetest

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// Calls tests every operator that is a Go function over whole arrays, with every
// element type, over arrays in all layouts and over computed trees.
func Calls(t *testing.T, o Options) { wholeArrays(t, o, tree.Opaque) }

// scattered returns a scatter of the operand by a list of indices. The base, if
// based is set, has the shape dims.
func scattered(name string, axis int, list []int64, based bool, dims ...int) func(*tree.Node) *tree.Node {
	return func(x *tree.Node) *tree.Node {
		bits := lists.Map(list, func(v int64) uint64 { return uint64(v) })
		var base *tree.Node
		if based {
			base = place(newRand(9), x.DType(), columnMajor, wild, dims...).Node()
		}
		return untyped.Scatter(name, of(dtype.I64, bits, len(bits)).Node(), x, base, axis, dims)
	}
}

func scatters(name string) []viewCase {
	return []viewCase{
		{[]int{6}, scattered(name, 0, []int64{0, 4, -1, 2, 4, -5}, false, 5)},
		{[]int{6}, scattered(name, 0, []int64{0, 4, -1, 2, 4, 0}, true, 5)},
		{nil, scattered(name, 0, []int64{1, 1, 1}, false, 3)},
		{[]int{4, 70}, scattered(name, 0, []int64{1, 0, 1, 1}, true, 3, 70)},
		{[]int{2, 5, 3}, scattered(name, 1, []int64{3, 1, 0, -4, 1}, false, 2, 4, 3)},
		{[]int{2, 1, 3}, scattered(name, 1, []int64{3, 1, 3}, true, 2, 4, 3)},
		{[]int{3, 4}, scattered(name, -1, []int64{2, 2, 0, 5}, false, 3, 7)},
		{[]int{0}, scattered(name, 0, nil, true, 3)},
		{[]int{2}, scattered(name, 0, []int64{0, 5}, false, 5)},
		{[]int{2, 3}, scattered(name, 0, []int64{-6, 2}, true, 5, 3)},
	}
}

// An alongCase is an operator along an axis, with integers.
type alongCase struct {
	axis       int
	ints, dims []int
}

var sorts = []alongCase{
	{0, nil, []int{1}},
	{0, nil, []int{300}},
	{1, nil, []int{40, 7}},
	{1, []int{1}, []int{3, 70}},
	{0, []int{1}, []int{70, 3}},
	{1, []int{0}, []int{3, 4, 5}},
	{0, nil, []int{0, 3}},
}

// partitions are at no place, one and several.
var partitions = []alongCase{
	{0, []int{0, 0}, []int{1}},
	{0, []int{0, 150}, []int{300}},
	{0, []int{1, 299}, []int{300}},
	{1, []int{0, 3}, []int{40, 7}},
	{1, []int{1, 0, 1, 33, 69}, []int{3, 70}},
	{0, []int{1, 40}, []int{70, 3}},
	{1, []int{0}, []int{3, 4, 5}},
	{0, []int{0}, []int{0, 3}},
}

func init() {
	for _, name := range []string{"scatter", "scatter_add", "bincount", "scatter_max", "scatter_min"} {
		viewCases[name] = scatters(name)
	}
	for name, list := range map[string][]alongCase{
		"sort": sorts, "argsort": sorts, "rank": sorts, "partition": partitions, "argpartition": partitions,
		"select": {{0, []int{0}, []int{1}}, {0, []int{0, 299, 150, 151}, []int{300}}, {0, []int{35}, []int{70, 3}}, {1, []int{3, 3, 0}, []int{2, 4, 5}}},
	} {
		for _, c := range list {
			viewCases[name] = append(viewCases[name], viewCase{c.dims, func(x *tree.Node) *tree.Node {
				return tree.ApplyWith(untyped.Row(name), tree.Attributes{Axes: []int{c.axis}, Ints: c.ints}, x)
			}})
		}
	}
	for _, side := range []int{0, 1} {
		viewCases["searchsorted"] = append(viewCases["searchsorted"], viewCase{[]int{33}, func(x *tree.Node) *tree.Node {
			return searched(side, x, place(newRand(5), x.DType(), columnMajor, wild, 7, 9).Node())
		}}, viewCase{[]int{3, 40}, func(x *tree.Node) *tree.Node {
			return searched(side, place(newRand(6), x.DType(), gaps, tame, 21).Node(), x)
		}}, viewCase{[]int{9}, func(x *tree.Node) *tree.Node {
			return searched(side, place(newRand(6), x.DType(), packed, tame, 0).Node(), x)
		}}, viewCase{[]int{33}, func(x *tree.Node) *tree.Node {
			return places(side, x, place(newRand(5), x.DType(), columnMajor, wild, 7, 9).Node())
		}}, viewCase{[]int{3, 40}, func(x *tree.Node) *tree.Node {
			return places(side, place(newRand(6), x.DType(), packed, tame, 21).Node(), x)
		}})
	}
}

// searched returns the places of v among the elements of a in order.
func searched(side int, a, v *tree.Node) *tree.Node {
	return places(side, tree.ApplyWith(untyped.Row("sort"), tree.Attributes{Axes: []int{0}}, a), v)
}

func places(side int, a, v *tree.Node) *tree.Node {
	return tree.ApplyWith(untyped.Row("searchsorted"), tree.Attributes{Ints: []int{side}}, a, v)
}

// searchValue is the definition of searchsorted: the number of elements before each value in
// a sorted vector. In another one the place is found by halving. It takes -0 and 0 as equal.
func searchValue(n *tree.Node, args []*value) *value {
	out := newValue(n.DType(), n.Shape())
	a, v := args[0], args[1]
	t := a.typ.Register()
	zero := func(bits uint64) uint64 {
		if t.IsFloat() && float(t, bits) == 0 {
			return 0
		}
		return bits
	}
	compare := func(x, y uint64) int { return comesBefore(t, zero(x), zero(y), false) }
	sorted := slices.IsSortedFunc(a.bits, compare)
	out.reads(a)
	for i := range out.bits {
		before := func(x uint64) bool {
			c := compare(x, v.bits[i])
			return c < 0 || c == 0 && n.Ints[0] == 1
		}
		if sorted {
			for _, x := range a.bits {
				out.bits[i] += b2i[uint64](before(x))
			}
		} else {
			out.bits[i] = halved(a.bits, before)
		}
		out.addFault(i, a.faults()|v.faults())
	}
	return out
}

// halved returns the place that halving finds in a list that is not empty.
func halved(list []uint64, before func(uint64) bool) uint64 {
	at := 0
	for len(list) > 1 {
		if half := len(list) / 2; before(list[half-1]) {
			at += half
			list = list[half:]
		} else {
			list = list[:len(list)-half]
		}
	}
	return uint64(at + b2i[int](before(list[0])))
}

// combining has the element-wise operator of each scatter, and its first operand
// where there is no base.
var combining = map[string]struct {
	row   string
	first func(t dtype.Type) uint64
}{
	"scatter":     {"", prim.Zero},
	"scatter_add": {"add", prim.Zero},
	"bincount":    {"add", prim.Zero},
	"scatter_max": {"maximum", prim.Lowest},
	"scatter_min": {"minimum", prim.Highest},
}

// scatterValue is the definition of a scatter. Every element is visited in the
// order of the indices.
func scatterValue(n *tree.Node, args []*value) *value {
	out := newValue(n.DType(), n.Shape())
	axis, c := n.Axes[0], combining[n.Op.Name()]
	t := out.typ.Register()
	for i := range out.bits {
		if len(args) > 2 {
			out.bits[i] = args[2].bits[i]
		} else {
			out.bits[i] = c.first(t)
		}
	}
	index, full := args[0], slices.Concat(n.Shape()[:axis], args[0].shape, n.Shape()[axis+1:])
	from := broadcastIndex(args[1].shape, full)
	var failed fault
	for _, a := range args {
		out.reads(a)
		failed |= a.faults()
	}
	i := -1
	each(full, func(ix []int) {
		i++
		at := int64(index.bits[linear(index.shape, ix[axis:axis+len(index.shape)])])
		size := int64(n.Shape()[axis])
		if at < 0 && n.Op.Name() != "bincount" {
			at += size
		}
		if at < 0 || at >= size {
			failed |= indexFault
			return
		}
		to := linear(n.Shape(), slices.Concat(ix[:axis], []int{int(at)}, ix[axis+len(index.shape):]))
		x := args[1].bits[from[i]]
		if c.row != "" {
			x = program(untyped.Row(c.row), []dtype.Type{t, t}).value.Call(out.bits[to], x)
		}
		out.bits[to] = x
	})
	out.failsWhole(failed)
	return out
}

// sortValue is the definition of the sorts: an insertion of each element after those
// that are not greater. Partitions put the elements between two places back in their order.
func sortValue(n *tree.Node, x *value) *value {
	out := newValue(n.DType(), n.Shape())
	name := n.Op.Name()
	axis, descending := n.Axes[0], name != "select" && len(n.Ints) > 0 && n.Ints[0] == 1
	out.reads(x)
	dims := n.Args[0].Shape()
	each(dims, func(ix []int) {
		if ix[axis] > 0 {
			return
		}
		place := func(i int) int {
			at := slices.Clone(ix)
			at[axis] = i
			return linear(dims, at)
		}
		order := lists.UpTo(dims[axis])
		slices.SortStableFunc(order, func(i, j int) int {
			return comesBefore(x.typ.Register(), x.bits[place(i)], x.bits[place(j)], descending)
		})
		if name == "partition" || name == "argpartition" {
			first := 0
			for _, at := range append(n.Ints[1:len(n.Ints):len(n.Ints)], dims[axis]) {
				slices.Sort(order[first:at])
				first = at + 1
			}
		}
		for i, from := range order {
			switch name {
			case "sort", "partition":
				out.bits[place(i)] = x.bits[place(from)]
			case "argsort", "argpartition":
				out.bits[place(i)] = uint64(from)
			case "select":
				for k, at := range n.Ints {
					if at == i {
						to := slices.Clone(ix)
						to[axis] = k
						out.bits[linear(n.Shape(), to)] = x.bits[place(from)]
					}
				}
			default:
				out.bits[place(from)] = uint64(i)
			}
		}
	})
	for i := range out.bits {
		out.addFault(i, x.faults())
	}
	return out
}

// comesBefore compares elements as sorts do.
func comesBefore(t dtype.Type, a, b uint64, descending bool) (c int) {
	switch {
	case t.IsFloat():
		x, y := float(t, a), float(t, b)
		if x != x || y != y {
			return cmp.Compare(b2i[int](x != x), b2i[int](y != y))
		}
		if c = cmp.Compare(x, y); c == 0 {
			c = cmp.Compare(b2i[int](!math.Signbit(x)), b2i[int](!math.Signbit(y)))
		}
	case t.IsSigned():
		c = cmp.Compare(int64(t.Extend(a)), int64(t.Extend(b)))
	default:
		c = cmp.Compare(a, b)
	}
	if descending {
		return -c
	}
	return c
}
