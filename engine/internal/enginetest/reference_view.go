package enginetest

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// view evaluates a Chainer as its documentation defines it.
func view(n *tree.Node, args []*value) *value {
	if f, ok := userViews[n.Op]; ok {
		return f(n, args)
	}
	out := newValue(n.DType(), n.Shape())
	for _, a := range args {
		out.reads(a)
	}
	from := func(i int, a *value, at int) {
		out.bits[i] = a.bits[at]
		out.addFault(i, a.faultAt(at))
	}
	i := 0
	next := func(f func(ix []int)) {
		each(n.Shape(), func(ix []int) { f(ix); i++ })
	}
	if f := coordinates[n.Op.Name()]; f != nil {
		in := args[0].shape
		next(func(ix []int) { from(i, args[0], linear(in, f(n, in, ix))) })
		return out
	}
	if f := targets[n.Op.Name()]; f != nil {
		in := args[0].shape
		each(in, func(ix []int) { from(linear(n.Shape(), f(n, ix)), args[0], linear(in, ix)) })
		return out
	}
	switch n.Op.Name() {
	case "iota":
		for k := range out.bits {
			out.bits[k] = uint64(k)
		}
	case "reshape":
		for k := range out.bits {
			from(k, args[0], k)
		}
	case "broadcast_to":
		for k, at := range broadcastIndex(args[0].shape, n.Shape()) {
			from(k, args[0], at)
		}
	case "concat":
		next(func(ix []int) {
			part, at := partOf(n.Axes[0], args, ix)
			from(i, args[part], linear(args[part].shape, at))
		})
	case "pad":
		next(func(ix []int) {
			if at, inside := unpadded(n, args[0].shape, ix); inside {
				from(i, args[0], linear(args[0].shape, at))
			} else {
				from(i, args[1], 0)
			}
		})
	case "take":
		next(func(ix []int) { take(n, args, out, i, ix) })
	default:
		next(func(ix []int) { gathered(n, args, out, i, ix) })
	}
	return out
}

// coordinates has, for views that show elements of one operand, the coordinates in
// the operand, of shape in, of element ix of the view.
var coordinates = map[string]func(n *tree.Node, in shape.Shape, ix []int) []int{
	"slice":         func(n *tree.Node, _ shape.Shape, ix []int) []int { return stepped(n, ix) },
	"window_gather": func(n *tree.Node, _ shape.Shape, ix []int) []int { return windowed(n, ix) },
	"transpose": func(n *tree.Node, in shape.Shape, ix []int) []int {
		at := make([]int, len(in))
		for k, a := range n.Axes {
			if a >= 0 {
				at[a] = ix[k]
			}
		}
		return at
	},
	"windows": func(n *tree.Node, in shape.Shape, ix []int) []int {
		return lists.Make(len(in), func(k int) int { return ix[k]*n.Ints[3*k+1] + ix[len(in)+k]*n.Ints[3*k+2] })
	},
}

// targets has, for views that put the elements of their operand into zeros, the
// coordinates in the view of element ix of the operand.
var targets = map[string]func(n *tree.Node, ix []int) []int{"unslice": stepped, "window_scatter": windowed}

// stepped returns the coordinates of element ix of a slice.
func stepped(n *tree.Node, ix []int) []int {
	return lists.Make(len(ix), func(k int) int { return n.Ints[3*k] + ix[k]*n.Ints[3*k+1] })
}

// partOf returns the operand of a concatenation that has element ix of it, and its
// coordinates there.
func partOf(axis int, args []*value, ix []int) (part int, at []int) {
	at = slices.Clone(ix)
	for at[axis] >= args[part].shape[axis] {
		at[axis] -= args[part].shape[axis]
		part++
	}
	return part, at
}

// unpadded returns the coordinates of element ix of a padding in the operand, and
// whether the operand has that element.
func unpadded(n *tree.Node, in shape.Shape, ix []int) (at []int, inside bool) {
	at, inside = make([]int, len(ix)), true
	for k := range ix {
		at[k] = ix[k] - n.Ints[2*k]
		inside = inside && 0 <= at[k] && at[k] < in[k]
	}
	return at, inside
}

// windowed replaces the coordinates of a window, and of an element in it, by the
// coordinates of that element in the operand.
func windowed(n *tree.Node, ix []int) []int {
	at := slices.Clone(ix)
	for k := range at[:len(at)/2] {
		at[k] = ix[k]*n.Ints[3*k] + ix[len(at)/2+k]*n.Ints[3*k+1]
	}
	return at
}

// take computes element i of op.Take.
func take(n *tree.Node, args []*value, out *value, i int, ix []int) {
	axis, rank := n.Axes[0], len(args[1].shape)
	where := linear(args[1].shape, ix[axis:axis+rank])
	if f := args[1].faultAt(where); f != 0 {
		out.addFault(i, f)
		out.may |= indexFault
	}
	k, ok := index(args[1].typ, args[1].bits[where], args[0].shape[axis])
	if !ok {
		out.addFault(i, indexFault)
		return
	}
	at := slices.Concat(ix[:axis], []int{k}, ix[axis+rank:])
	from := linear(args[0].shape, at)
	out.bits[i] = args[0].bits[from]
	out.addFault(i, args[0].faultAt(from))
}

// index returns the element that an index selects in an axis of size n, and
// whether it is in range.
func index(t dtype.Type, bits uint64, n int) (int, bool) {
	if t.IsUnsigned() {
		return int(bits), bits < uint64(n)
	}
	k := int64(t.Extend(bits))
	if k < 0 {
		k += int64(n)
	}
	return int(k), 0 <= k && k < int64(n)
}

func linear(s shape.Shape, ix []int) int {
	at := 0
	for i, x := range ix {
		at = at*s[i] + x
	}
	return at
}

// userViews has references of views that do not use the index map.
var userViews = map[*tree.Operator]func(n *tree.Node, args []*value) *value{}

// gathered computes element i of a view by its index map. Every element that
// the map reads adds its faults.
func gathered(n *tree.Node, args []*value, out *value, i int, ix []int) {
	e := element{}
	read := func(arg int, coords []prim.Ix) (at int, inside bool) {
		for k, c := range coords {
			x, d := e.index(c), args[arg].shape[k]
			if x < 0 || x >= int64(d) {
				return 0, false
			}
			at = at*d + int(x)
		}
		return at, true
	}
	load := func(arg, at int) prim.V {
		out.addFault(i, args[arg].faultAt(at))
		return e.put(args[arg].typ.Register(), args[arg].bits[at])
	}
	g := &tree.Gather{IxTable: &e.ix, B: prim.NewB(&e), Node: n, Int: func(v int) prim.Ix { return e.ix.Const(int64(v)) }}
	g.Value = func(x prim.Ix) prim.V { return e.put(dtype.I64, uint64(e.index(x))) }
	g.Guarded = func(arg int, coords []prim.Ix, fill prim.V) prim.V {
		if at, inside := read(arg, coords); inside {
			return load(arg, at)
		}
		return fill
	}
	g.Checked = func(arg int, coords []prim.Ix) prim.V {
		out.may |= indexFault
		at, inside := read(arg, coords)
		if !inside {
			out.addFault(i, indexFault)
			return e.put(args[arg].typ.Register(), 0)
		}
		return load(arg, at)
	}
	g.At = g.Checked
	for _, x := range ix {
		g.Out = append(g.Out, e.ix.Const(int64(x)))
	}
	out.bits[i] = e.values[n.Op.Gather()(g).ID]
}

// An element is the sink of an index map: it computes one element.
type element struct {
	ix     prim.IxTable
	values []uint64
	tables [][]uint64
}

func (e *element) put(t dtype.Type, bits uint64) prim.V {
	e.values = append(e.values, bits)
	return prim.V{ID: int32(len(e.values) - 1), Type: t}
}

// index returns the value of an index expression.
func (e *element) index(x prim.Ix) int64 {
	n := e.ix.At(x)
	switch n.Op {
	case prim.IxConst:
		return n.K
	case prim.IxValue:
		return int64(e.values[n.K])
	case prim.IxAdd:
		return e.index(n.A) + e.index(n.B)
	case prim.IxMul:
		return e.index(n.A) * e.index(n.B)
	}
	a, b := e.index(n.A), e.index(n.B)
	rest := (a%b + b) % b
	if n.Op == prim.IxMod {
		return rest
	}
	return (a - rest) / b
}

// Emit implements [prim.Sink].
func (e *element) Emit(ins prim.Ins) prim.V {
	var args [3]uint64
	for k := range ins.Op.Info().Arity {
		args[k] = e.values[ins.Args[k].ID]
	}
	return e.put(ins.Type, prim.Eval(ins, args, e.tables))
}

// Cold implements [prim.Sink].
func (e *element) Cold(p, fast prim.V, body func() prim.V) prim.V {
	if e.values[p.ID] != 0 {
		return body()
	}
	return fast
}

// Table implements [prim.Sink].
func (e *element) Table(_ dtype.Type, bits []uint64) int {
	e.tables = append(e.tables, bits)
	return len(e.tables) - 1
}

// Has implements [prim.Sink].
func (e *element) Has(v prim.V) bool { return v.ID >= 0 && int(v.ID) < len(e.values) }

// product returns the matrix product, with k ascending. The suite compares it
// only on values whose sums are exact, because a GPU uses the order of cuBLAS.
func product(n *tree.Node, a, b *value) *value {
	as, bs := a.shape, b.shape
	if len(as) == 1 {
		as = shape.Shape{1, as[0]}
	}
	if len(bs) == 1 {
		bs = shape.Shape{bs[0], 1}
	}
	ra, rb := len(as), len(bs)
	batch := must(shape.Broadcast(as[:ra-2], bs[:rb-2]))
	m, k, cols := as[ra-2], as[ra-1], bs[rb-1]
	ia, ib := broadcastIndex(as[:ra-2], batch), broadcastIndex(bs[:rb-2], batch)
	out := newValue(n.DType(), n.Shape())
	out.reads(a)
	out.reads(b)
	i := 0
	for g := range ia {
		for r := range m {
			for c := range cols {
				p, q := ia[g]*m*k+r*k, ib[g]*k*cols+c
				if k > 0 {
					out.bits[i] = dot(n.DType(), a.bits[p:p+k], b.bits[q:], cols)
				}
				for x := range k {
					out.addFault(i, a.faultAt(p+x)|b.faultAt(q+x*cols))
				}
				i++
			}
		}
	}
	return out
}

// dot returns the inner product of x and every step-th element of y.
func dot(t dtype.Type, x, y []uint64, step int) uint64 {
	switch t.Register() {
	case dtype.F32, dtype.F64:
		acc := 0.0
		for i, b := range x {
			acc += float(t, b) * float(t, y[i*step])
		}
		return stored(t.Register(), acc)
	}
	acc := uint64(0)
	for i, b := range x {
		acc += b * y[i*step]
	}
	return acc & t.Mask()
}
