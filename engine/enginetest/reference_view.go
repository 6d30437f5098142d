package enginetest

import (
	"math"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/shape"
)

// view evaluates a Chainer as its documentation defines it.
func view(n *expr.Node, args []*value) *value {
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
	switch n.Op.Name {
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
	case "transpose":
		next(func(ix []int) {
			at := make([]int, len(args[0].shape))
			for k, a := range n.Axes {
				if a >= 0 {
					at[a] = ix[k]
				}
			}
			from(i, args[0], linear(args[0].shape, at))
		})
	case "slice":
		next(func(ix []int) {
			at := make([]int, len(ix))
			for k := range ix {
				at[k] = n.Ints[3*k] + ix[k]*n.Ints[3*k+1]
			}
			from(i, args[0], linear(args[0].shape, at))
		})
	case "concat":
		axis := n.Axes[0]
		next(func(ix []int) {
			at := append([]int(nil), ix...)
			part := 0
			for at[axis] >= args[part].shape[axis] {
				at[axis] -= args[part].shape[axis]
				part++
			}
			from(i, args[part], linear(args[part].shape, at))
		})
	case "pad":
		next(func(ix []int) {
			at := make([]int, len(ix))
			inside := true
			for k := range ix {
				at[k] = ix[k] - n.Ints[2*k]
				inside = inside && 0 <= at[k] && at[k] < args[0].shape[k]
			}
			if inside {
				from(i, args[0], linear(args[0].shape, at))
			} else {
				from(i, args[1], 0)
			}
		})
	case "windows":
		rank := len(args[0].shape)
		next(func(ix []int) {
			at := make([]int, rank)
			for k := range at {
				at[k] = ix[k]*n.Ints[3*k+1] + ix[rank+k]*n.Ints[3*k+2]
			}
			from(i, args[0], linear(args[0].shape, at))
		})
	case "take":
		next(func(ix []int) { take(n, args, out, i, ix) })
	case "unslice":
		each(args[0].shape, func(ix []int) {
			at := make([]int, len(ix))
			for k := range ix {
				at[k] = n.Ints[3*k] + ix[k]*n.Ints[3*k+1]
			}
			from(linear(n.Shape(), at), args[0], linear(args[0].shape, ix))
		})
	case "window_scatter":
		each(args[0].shape, func(ix []int) { from(linear(n.Shape(), windowed(n, ix)), args[0], linear(args[0].shape, ix)) })
	case "window_gather":
		next(func(ix []int) { from(i, args[0], linear(args[0].shape, windowed(n, ix))) })
	default:
		panic("enginetest: no reference for the view " + n.Op.Name)
	}
	return out
}

// windowed replaces the coordinates of a window, and of an element in it, by the
// coordinates of that element in the operand.
func windowed(n *expr.Node, ix []int) []int {
	at := append([]int(nil), ix...)
	for k := range at[:len(at)/2] {
		at[k] = ix[k]*n.Ints[3*k] + ix[len(at)/2+k]*n.Ints[3*k+1]
	}
	return at
}

// take computes element i of op.Take.
func take(n *expr.Node, args []*value, out *value, i int, ix []int) {
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
	at := append(append(append([]int(nil), ix[:axis]...), k), ix[axis+rank:]...)
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
	w := 64 - 8*uint(t.Size())
	k := int64(bits<<w) >> w
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

// userViews has the references of user-defined Chainers.
var userViews = map[*expr.Operator]func(n *expr.Node, args []*value) *value{}

// product returns the matrix product, with k ascending. The suite compares it
// only on values whose sums are exact, because a GPU uses the order of cuBLAS.
func product(n *expr.Node, a, b *value) *value {
	as, bs := a.shape, b.shape
	if len(as) == 1 {
		as = shape.Shape{1, as[0]}
	}
	if len(bs) == 1 {
		bs = shape.Shape{bs[0], 1}
	}
	ra, rb := len(as), len(bs)
	batch, err := shape.Broadcast(as[:ra-2], bs[:rb-2])
	if err != nil {
		panic(err)
	}
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
	return acc & mask(t)
}

func float(t dtype.Type, bits uint64) float64 {
	if t == dtype.F64 {
		return math.Float64frombits(bits)
	}
	return float64(math.Float32frombits(uint32(bits)))
}
