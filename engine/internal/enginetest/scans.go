package enginetest

import (
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// scanShapes are shapes around the sizes at which loops over lanes and along the axis change.
var scanShapes = lists.Map(strings.Fields(
	"1 2 65 1000 0 3,0 0,3 5,1 1,5 2,17 65,33 130,3 3,130 64,513 7,2100 4,1,3 3,20,5",
), numbersIn)

// Scans tests loops that carry values: the compositions for every type, shape and
// axis, and steps of several states and types.
func Scans(t *testing.T, o Options) {
	s := suite{t, o}
	r := newRand(12)
	n := 0
	for _, name := range []string{"cumsum", "cumprod", "cummax", "cummin"} {
		for _, typ := range dtype.Real() {
			if typ == dtype.Bool {
				continue
			}
			for i, dims := range scanShapes {
				for axis := range dims {
					if n++; n%testlevel.Every(1, 29) != 0 {
						continue
					}
					x := place(r, typ, layout(n%int(numLayouts)), data(n%3), dims...)
					y := place(r, typ, layout(n%int(repeated)), tame, dims...)
					v := untyped.Compose(name, untyped.Options{Axes: []int{axis}}, x.Node())
					if i%2 == 1 { // producers and consumers in the loop
						one := tree.ConstInt(typ, 1)
						v = apply("mul", untyped.Compose(name, untyped.Options{Axes: []int{axis}}, apply("add", x.Node(), one)), one)
					}
					if !s.checkFused(expr.Statement{Target: y.Node(), Value: v}) {
						t.Fatalf("%s of %v%v along %d", name, typ, dims, axis)
					}
					along := untyped.Options{Axes: []int{axis}}
					for _, a := range []*tree.Node{x.Node(), y.Node()} { // in reverse, the second one in place
						if !s.check(set(y.Node(), untyped.Compose("flip", along, untyped.Compose(name, along, untyped.Compose("flip", along, a))))) {
							t.Fatalf("%s of %v%v along %d in reverse", name, typ, dims, axis)
						}
					}
				}
			}
		}
	}
	for name, make := range testlevel.InOrder(scanTrees) {
		t.Run(name, func(t *testing.T) {
			s := suite{t, o}
			for _, dims := range [][]int{{2, 3}, {65, 33}, {100, 1}, {7, 600}} {
				for axis := range dims {
					for _, reverse := range []bool{false, true} {
						if n++; n%testlevel.Every(1, 5) != 0 {
							continue
						}
						v := make(op.ScanOptions{Axis: axis, Reverse: reverse}, place(r, dtype.F32, packed, tame, dims...).Node())
						if y := blank(r, dtype.F32, v.Shape()...); !s.checkFused(expr.Statement{Target: y.Node(), Value: v}) {
							t.Fatalf("%v along %d, reverse %v", dims, axis, reverse)
						}
					}
				}
			}
		})
	}
}

// scanTrees are uses of scans on an array of floats.
var scanTrees = map[string]func(o op.ScanOptions, x *tree.Node) *tree.Node{
	"recurrence of two steps": func(o op.ScanOptions, x *tree.Node) *tree.Node {
		zero := tree.ConstFloat(dtype.F32, 0)
		return untyped.Scan([]*tree.Node{zero, zero}, []*tree.Node{x}, o, func(_ *tree.Node, s, x []*tree.Node) (next, out []*tree.Node) {
			y := apply("add", apply("sub", x[0], apply("mul", s[0], tree.ConstFloat(dtype.F32, .5))), apply("mul", s[1], tree.ConstFloat(dtype.F32, .25)))
			return []*tree.Node{y, s[0]}, []*tree.Node{y}
		}).Out(0)
	},
	"exchanged states": func(o op.ScanOptions, x *tree.Node) *tree.Node {
		r := untyped.Scan([]*tree.Node{tree.ConstFloat(dtype.F32, 1), tree.ConstFloat(dtype.F32, 2)}, []*tree.Node{x}, o, func(i *tree.Node, s, x []*tree.Node) (next, out []*tree.Node) {
			return []*tree.Node{s[1], s[0]}, []*tree.Node{apply("mul", apply("sub", s[0], x[0]), untyped.Cast(i, dtype.F32))}
		})
		return r.Out(0)
	},
	"position of the maximum": func(o op.ScanOptions, x *tree.Node) *tree.Node {
		at, low := tree.ConstInt(dtype.I64, -1), tree.ConstFloat(dtype.F32, -1e30)
		r := untyped.Scan([]*tree.Node{at, low, tree.NewConst(dtype.Bool, 0)}, []*tree.Node{x}, o, func(i *tree.Node, s, x []*tree.Node) (next, out []*tree.Node) {
			better := apply("less", s[1], x[0])
			return []*tree.Node{apply("where", better, i, s[0]), apply("where", better, x[0], s[1]), better}, []*tree.Node{apply("where", s[2], s[1], x[0])}
		})
		return apply("add", untyped.Cast(r.Last(0), dtype.F32), apply("add", r.Last(1), untyped.Cast(r.Last(2), dtype.F32)))
	},
	"scan of a scan": func(o op.ScanOptions, x *tree.Node) *tree.Node {
		a := untyped.Options{Axes: []int{o.Axis}}
		return untyped.Compose("cummax", a, apply("sub", untyped.Compose("cumsum", a, x), x))
	},
	"other axis, then a reduction": func(o op.ScanOptions, x *tree.Node) *tree.Node {
		a := untyped.Compose("cumsum", untyped.Options{Axes: []int{o.Axis}}, x)
		b := untyped.Compose("cumsum", untyped.Options{Axes: []int{1 - o.Axis}}, a)
		return apply("div", a, apply("add", untyped.Reduce("sum", b, untyped.Options{Axes: []int{o.Axis}, Keep: true}), b))
	},
	"what is the same in each step": func(o op.ScanOptions, x *tree.Node) *tree.Node {
		mean := untyped.Compose("mean", untyped.Options{Axes: []int{o.Axis}}, x)
		r := untyped.Scan([]*tree.Node{mean}, []*tree.Node{x}, o, func(_ *tree.Node, s, x []*tree.Node) (next, out []*tree.Node) {
			y := apply("add", s[0], apply("mul", apply("sub", x[0], s[0]), apply("exp", apply("neg", apply("abs", mean)))))
			return []*tree.Node{y}, []*tree.Node{apply("sub", y, s[0])}
		})
		return r.Out(0)
	},
}
