package enginetest

import (
	"errors"
	"math"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/shape"
)

// indexMaps are the index maps of mapped, by number. Each gives the coordinate to
// read for position i and the integers a and b, as an index expression and as a
// Go function.
var indexMaps = []struct {
	ix      func(g *tree.Gather, i, a, b prim.Ix) prim.Ix
	at      func(i, a, b int) int
	divides bool // by a, which must be positive
}{
	{func(g *tree.Gather, i, a, b prim.Ix) prim.Ix { return g.Add(g.Mul(i, a), b) }, affine, false},
	{func(g *tree.Gather, i, a, b prim.Ix) prim.Ix { return g.Add(b, g.Mul(a, i)) }, affine, false},
	{
		func(g *tree.Gather, i, a, b prim.Ix) prim.Ix { return g.Div(g.Add(i, b), a) },
		func(i, a, b int) int { return floorDiv(i+b, a) }, true,
	},
	{
		func(g *tree.Gather, i, a, b prim.Ix) prim.Ix { return g.Add(g.Mod(g.Mul(i, g.Const(7)), a), b) },
		func(i, a, b int) int { return i*7 - floorDiv(i*7, a)*a + b }, true,
	},
	{func(g *tree.Gather, i, a, b prim.Ix) prim.Ix { return g.Add(g.Mul(g.IxTable.Value(g.Value(i)), a), b) }, affine, false},
	{ // proven: these bounds are those of the operand
		clamped(func(g *tree.Gather, x, zero op.V) op.V { return g.B.Min(g.B.Max(x, zero), g.Value(g.Int(mapLength-1))) }),
		func(i, a, b int) int { return min(max(i*a+b, 0), mapLength-1) }, false,
	},
	{ // checked: one position too many
		clamped(func(g *tree.Gather, x, zero op.V) op.V {
			return g.B.Max(zero, g.B.Min(g.B.Int(dtype.I64, mapLength), x))
		}),
		func(i, a, b int) int { return max(0, min(mapLength, i*a+b)) }, false,
	},
	{ // checked: one bound
		clamped(func(g *tree.Gather, x, zero op.V) op.V { return g.B.Max(x, zero) }),
		func(i, a, b int) int { return max(i*a+b, 0) }, false,
	},
}

func affine(i, a, b int) int { return i*a + b }

// clamped returns the index map of i*a + b between bounds. It is computed by primitives, so nothing else is known of it.
func clamped(bounded func(g *tree.Gather, x, zero op.V) op.V) func(g *tree.Gather, i, a, b prim.Ix) prim.Ix {
	return func(g *tree.Gather, i, a, b prim.Ix) prim.Ix {
		x := g.B.Add(g.B.Mul(g.Value(i), g.Value(a)), g.Value(b))
		return g.IxTable.Value(bounded(g, x, g.B.Int(dtype.I64, 0)))
	}
}

// mapLength is the length of the arrays that the index maps read.
const mapLength = 70

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// mapped has Ints[0] elements. Element i is the operand's element at the position
// that index map Ints[1] gives with the integers Ints[2] and Ints[3]. The access
// is At if Ints[4] is 0, Checked if it is 1.
var mapped = op.DefineView("mapped", 1,
	func(n *tree.Node) (shape.Shape, error) { return shape.New(n.Ints[0]) },
	func(g *tree.Gather) op.V {
		v := g.Node.Ints
		at := []prim.Ix{indexMaps[v[1]].ix(g, g.Out[0], g.Int(v[2]), g.Int(v[3]))}
		if v[4] == 1 {
			return g.Checked(0, at)
		}
		return g.At(0, at)
	})

func init() {
	userViews[mapped] = func(n *tree.Node, args []*value) *value {
		out := newValue(n.DType(), n.Shape())
		for i := range out.bits {
			k := indexMaps[n.Ints[1]].at(i, n.Ints[2], n.Ints[3])
			if k < 0 || k >= len(args[0].bits) {
				out.addFault(i, indexFault)
				continue
			}
			out.bits[i] = args[0].bits[k]
			out.addFault(i, args[0].faultAt(k))
		}
		return out
	}
}

// wildMaps tests index maps of users: some stay within their operand, others
// leave it by little or by much. The values must be right, or the error must be
// ErrIndex and the target must not change.
func wildMaps(s suite) {
	const n = mapLength
	types := []dtype.Type{dtype.F32, dtype.U8, dtype.F64}
	if testing.Short() || s.o.Device != nil {
		types = types[:1]
	}
	for k, t := range types {
		r := newRand(uint64(t))
		x := place(r, t, layout(int(t)%3), wild, n).Named("x").Node()
		for kind := range indexMaps {
			for i, c := range [][3]int{
				{n, 1, 0},
				{n, 1, 1},
				{n, 1, -1},
				{n / 2, 2, 0},
				{n / 2, 2, 1},
				{n / 2, 2, 3},
				{n, 2, 0},
				{n + 1, 1, 0},
				{n, 3, n - 3},
				{n, 3, 4},
				{n, 9, 1 << 20},
				{n, 5, -1 << 30},
				{n, math.MaxInt / 2, 0},
				{1, 1, n - 1},
				{1, 1, n},
				{n, -1, n - 1},
				{n, -1, n},
				{n, -1, n - 2},
			} {
				if c[1] < 0 && indexMaps[kind].divides {
					continue
				}
				if len(types) > 1 && (i+kind+k)%testlevel.Every(1, 2) != 0 {
					continue // the first and the last type run half of the cases, the other type the rest
				}
				for checked := range 2 {
					ints := []int{c[0], kind, c[1], c[2], checked}
					v := userView(mapped, ints, x)
					out := blank(r, t, c[0]).Named("out").Node()
					s.check(set(out, v))
					s.check(set(out, userView(mapped, ints, apply("square", x))))
					s.check(set(out, apply("where", apply("less", untyped.Iota(c[0]), tree.ConstInt(dtype.I64, 3)), v, tree.ConstInt(t, 1))))
					s.check(set(blank(r, t).Named("sum").Node(), untyped.Reduce("max", apply("add", v, v), untyped.Options{})))
					if c[0] == n {
						s.check(set(x, v))
						s.check(set(out, untyped.Compose("flip", untyped.Options{}, userView(mapped, ints, untyped.Compose("flip", untyped.Options{}, x)))))
					}
				}
			}
		}
	}
	s.each(wrongMaps)
}

// wrongMaps tests index maps that are wrong for all extents.
func wrongMaps(b backend) {
	x, out := engine.MustFromSlice([]float32{1, 2, 3}), engine.Zeros[float32](3)
	var kept prim.Ix
	var keptV op.V
	for name, f := range map[string]func(g *tree.Gather) op.V{
		"no coordinates":    func(g *tree.Gather) op.V { return g.At(0, nil) },
		"two coordinates":   func(g *tree.Gather) op.V { return g.At(0, []prim.Ix{g.Out[0], g.Out[0]}) },
		"operand 1":         func(g *tree.Gather) op.V { return g.At(1, g.Out) },
		"operand -1":        func(g *tree.Gather) op.V { return g.Guarded(-1, g.Out, g.B.Const(dtype.F32, 0)) },
		"an unknown index":  func(g *tree.Gather) op.V { return g.At(0, []prim.Ix{1000}) },
		"a negative index":  func(g *tree.Gather) op.V { return g.Checked(0, []prim.Ix{-1}) },
		"an unknown axis":   func(g *tree.Gather) op.V { return g.At(0, []prim.Ix{g.Axis(5)}) },
		"an unknown number": func(g *tree.Gather) op.V { return g.At(0, []prim.Ix{g.Param(9)}) },
		"an unknown value":  func(g *tree.Gather) op.V { return g.At(0, []prim.Ix{g.IxTable.Value(op.V{ID: 99})}) },
		"another's value":   func(g *tree.Gather) op.V { return g.B.Add(op.V{ID: 77, Type: dtype.F32}, g.At(0, g.Out)) },
		"int64 for float32": func(g *tree.Gather) op.V { return g.Value(g.Out[0]) },
		"the zero value":    func(g *tree.Gather) op.V { return op.V{} },
		"fill of int64":     func(g *tree.Gather) op.V { return g.Guarded(0, g.Out, g.Value(g.Out[0])) },
		"division by zero":  func(g *tree.Gather) op.V { return g.At(0, []prim.Ix{g.Div(g.Out[0], g.Const(0))}) },
		"modulo by -1":      func(g *tree.Gather) op.V { return g.At(0, []prim.Ix{g.Mod(g.Out[0], g.Int(-1))}) },
		"a product of axes": func(g *tree.Gather) op.V { return g.At(0, []prim.Ix{g.Mul(g.Out[0], g.Out[0])}) },
		"overflow":          func(g *tree.Gather) op.V { return g.At(0, []prim.Ix{g.Mod(g.Mul(g.Out[0], g.Const(1<<62)), g.Int(3))}) },
		"a panic":           func(g *tree.Gather) op.V { return g.At(0, []prim.Ix{g.Out[7]}) },
		"a large index": func(g *tree.Gather) op.V {
			i := g.Out[0]
			for range 60 {
				i = g.Add(i, i)
			}
			return g.At(0, []prim.Ix{g.Mod(i, g.Const(3))})
		},
		"itself": func(g *tree.Gather) op.V {
			i := g.Add(g.Out[0], g.Int(7))
			g.IxTable.Nodes[i].A = i
			return g.At(0, []prim.Ix{i})
		},
		"kept": func(g *tree.Gather) op.V {
			if kept == 0 {
				for range 5 {
					kept = g.Add(g.Out[0], g.Int(int(kept)+5))
				}
				keptV = g.Value(kept)
				return g.At(0, g.Out)
			}
			return g.B.Add(g.At(0, []prim.Ix{kept}), g.B.Cvt(dtype.F32, keptV))
		},
	} {
		for i := range 2 {
			o := op.DefineView("wrong", 1, func(n *tree.Node) (shape.Shape, error) { return n.Args[0].Shape(), nil }, f)
			err := b.run(expr.Let(out, op.Exp(op.View(o, nil, expr.Exp[float32](x)))))
			var e *tree.Error
			if first := name == "kept" && i == 0; errors.As(err, &e) == first { // the first map keeps, the second one uses
				b.Errorf("%s: got %v, want an error", name, err)
			}
		}
	}
	empty := engine.Zeros[float32](0)
	first := op.DefineView("first", 1, func(*tree.Node) (shape.Shape, error) { return shape.Shape{3}, nil },
		func(g *tree.Gather) op.V { return g.At(0, g.Out) })
	if err := b.run(expr.Let(out, op.View(first, nil, expr.Exp[float32](empty)))); !errors.Is(err, tree.ErrIndex) {
		b.Errorf("reading an empty array: %v", err)
	}
}
