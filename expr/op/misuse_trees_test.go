package op_test

import (
	"context"
	"math"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// treeMisuses are wrong trees: missing ones, leaves, nodes and attributes.
var treeMisuses = map[string]func() error{
	// Missing trees.
	"Map1 of nil":        func() error { return err(op.Map1[float32](nil, vec).Node()) },
	"Map2 of nil":        func() error { return err(op.Map2[float32](nil, vec, nil).Node()) },
	"Map3 of nil":        func() error { return err(op.Map3[float32](nil, nil, nil, nil).Node()) },
	"View of nil":        func() error { return err(op.View[float32](nil, nil, vec).Node()) },
	"View of no view":    func() error { o, _ := untyped.Lookup("exp"); return err(op.View[float32](o, nil, vec).Node()) },
	"Apply nil":          func() error { return err(untyped.Apply(nil, vec.Node())) },
	"Apply a view":       func() error { o, _ := untyped.Lookup("reshape"); return err(untyped.Apply(o, vec.Node())) },
	"tree.Apply nil":     func() error { return err(tree.Apply(nil)) },
	"zero operator":      func() error { return err(tree.Apply(&tree.Operator{}, vec.Node())) },
	"storage applied":    func() error { return err(tree.Apply(vec.Node().Op)) },
	"constant applied":   func() error { return err(tree.Apply(expr.Const(1.).Node().Op)) },
	"zero node":          func() error { return err(untyped.MatMul(&tree.Node{}, vec.Node())) },
	"zero node, unary":   func() error { return err(untyped.Reshape(&tree.Node{}, nil)) },
	"nil of a tensor":    func() error { return err(op.Exp(null).Node()) },
	"nil of a parameter": func() error { return err(op.Exp((*expr.Param[float32])(nil)).Node()) },
	"zero parameter":     func() error { return err(op.Exp(&expr.Param[float32]{}).Node()) },
	"Of nil":             func() error { return err(expr.Of[float32](nil).Node()) },
	"TargetOf nil":       func() error { return err(expr.TargetOf[float32](nil).Node()) },
	"TargetOf a tree": func() error {
		return engine.Run(context.Background(), expr.Let(expr.TargetOf[float32](grown.Node()), grown))
	},
	"Of another type":     func() error { return err(expr.Of[int8](vec.Node()).Node()) },
	"Failed nil":          func() error { return err(tree.Failed(nil)) },
	"nil cell":            func() error { return err(tree.NewParamNode(dtype.F32, nil)) },
	"NewConst of no type": func() error { return err(tree.NewConst(dtype.Invalid, 0)) },
	"ConstFloat":          func() error { return err(tree.ConstFloat(dtype.Invalid, 0)) },
	"ConstInt":            func() error { return err(tree.ConstInt(77, 0)) },
	"ConstInt too large":  func() error { return err(tree.ConstInt(dtype.I8, 200)) },
	"NodeOf nil":          func() error { return err(expr.NodeOf[float32](nil)) },

	// Leaves outside of their memory.
	"nil leaf":           func() error { return err(tree.NewLeaf(dtype.F32, nil, nil)) },
	"leaf of no memory":  func() error { return err(tree.NewLeaf(dtype.F32, nil, &tree.Leaf{})) },
	"leaf of no type":    func() error { return err(tree.NewLeaf(0, nil, &tree.Leaf{Mem: vec.Array().Memory()})) },
	"leaf, short stride": func() error { return err(leaf(0, nil, 3)) },
	"leaf, offset":       func() error { return err(leaf(1, shape.Strides{1}, 3)) },
	"leaf, negative":     func() error { return err(leaf(-1, shape.Strides{1}, 3)) },
	"leaf, overflow":     func() error { return err(leaf(0, shape.Strides{math.MaxInt/2 + 1, math.MaxInt/2 + 1}, 3, 3)) },
	"leaf, MinInt":       func() error { return err(leaf(0, shape.Strides{math.MinInt, math.MinInt}, 2, 2)) },
	"leaf, wild offset":  func() error { return err(leaf(math.MinInt, shape.Strides{math.MaxInt, math.MaxInt}, 2, 2)) },
	"leaf, wild shape":   func() error { return err(leaf(0, shape.Strides{1}, -3)) },
	"leaf moved later": func() error {
		n := leaf(0, shape.Strides{1}, 3)
		n.Leaf.Offset = math.MaxInt / 2
		return err(untyped.Cast(n, dtype.F64))
	},
	"leaf stretched later": func() error {
		n := leaf(0, shape.Strides{1}, 3)
		n.Shape()[0] = math.MaxInt / 2
		return err(untyped.Cast(untyped.Reduce("sum", n, untyped.Options{}), dtype.F64))
	},

	// Nodes made or changed by hand.
	"WithArgs, fewer":  func() error { return err(changed(func(n *tree.Node) { *n = *n.WithArgs(vec.Node()) })) },
	"WithArgs, nil":    func() error { return err(changed(func(n *tree.Node) { *n = *n.WithArgs(nil, nil) })) },
	"WithArgs, shape":  func() error { return err(grown.Node().WithArgs(iota[float32](9).Node())) },
	"WithArgs, type":   func() error { return err(grown.Node().WithArgs(iota[float64](3).Node())) },
	"operand replaced": func() error { return err(changed(func(n *tree.Node) { n.Args[0] = iota[float32](9).Node() })) },
	"operand removed":  func() error { return err(changed(func(n *tree.Node) { n.Args = n.Args[:1] })) },
	"operand nil":      func() error { return err(changed(func(n *tree.Node) { n.Args[1] = nil })) },
	"operator nil":     func() error { return err(changed(func(n *tree.Node) { n.Op = nil })) },
	"attributes nil":   func() error { return err(changed(func(n *tree.Node) { n.Attributes = nil })) },
	"a cycle":          func() error { return err(changed(func(n *tree.Node) { n.Args[0] = n })) },
	"a cycle, twice": func() error {
		return err(untyped.Cast(changed(func(n *tree.Node) { n.Args[0], n.Args[1] = n, n }), dtype.F64))
	},
	"NewView in a tree": func() error {
		o, _ := untyped.Lookup("reshape")
		return err(tree.NewView(o, shape.Shape{3}, dtype.F32, []int{3}))
	},
	"Untyped in a tree": func() error { o, _ := untyped.Lookup("exp"); return err(tree.Untyped(o, shape.Shape{3}, dtype.F32)) },
	"a reduction of mine": func() error {
		return err(tree.ApplyWith(tree.NewOperator(tree.Row{Class: tree.Reduction, Arity: 1, Reduce: prim.NewReduction(prim.ReductionRow{Name: "median"})}), tree.Attributes{Axes: []int{0}}, vec.Node()))
	},
	"a reduction with a wrong program": func() error {
		row := prim.NewReduction(prim.ReductionRow{Name: "mine", Types: prim.Num, Identity: prim.Zero, Combine: func(b *prim.B, x ...prim.V) prim.V { return b.Lt(x[0], x[1]) }})
		o := tree.NewOperator(tree.Row{Class: tree.Reduction, Arity: 1, Reduce: row, Pair: &tree.Operator{}})
		return engine.Zeros[float32](1).Assign(expr.Of[float32](tree.ApplyWith(o, tree.Attributes{Axes: []int{0}}, vec.Node())))
	},
	"a contraction of mine": func() error {
		return err(tree.Apply(tree.NewOperator(tree.Row{Class: tree.Contraction, Arity: 2, Shape: same}), vec.Node(), vec.Node()))
	},
	"opaque without function": func() error {
		return err(tree.Apply(tree.NewOperator(tree.Row{Class: tree.Opaque, Arity: 1}), vec.Node()))
	},
	"untyped.Scatter":                     func() error { return err(untyped.Scatter("sort", vec.Node(), vec.Node(), nil, 0, []int{3})) },
	"untyped.Scatter of nil":              func() error { return err(untyped.Scatter("scatter_add", nil, vec.Node(), nil, 0, []int{3})) },
	"ScatterAdd":                          func() error { return err(op.ScatterAdd(iota[int32](3), vec, 0, -3).Node()) },
	"ScatterAdd of a size that overflows": func() error { return err(op.ScatterAdd(iota[int32](3), vec, 0, math.MaxInt, math.MaxInt).Node()) },
	"ScatterAdd of a wrong shape":         func() error { return err(op.ScatterAdd(iota[int32](2), vec, 0, 3).Node()) },
	"ScatterMax":                          func() error { return err(op.ScatterMax(iota[int32](3), vec, 1, 3).Node()) },
	"ScatterMin":                          func() error { return err(op.ScatterMin(iota[int32](3), vec, -2, 3).Node()) },
	"ScatterSet":                          func() error { return err(op.ScatterSet(iota[int32](3), vec, 0).Node()) },
	"AddAt":                               func() error { return err(op.AddAt(vec, iota[int32](3), mat, 0).Node()) },
	"AddAt of nil":                        func() error { return err(op.AddAt[float32, int32](nil, nil, nil, 0).Node()) },
	"SetAt":                               func() error { return err(op.SetAt(vec, iota[int32](3), mat, 0).Node()) },
	"an order":                            func() error { return err(op.Sort(vec, 0, op.Order(2)).Node()) },
	"two orders":                          func() error { return err(op.Sort(vec, 0, op.Descending, op.Ascending).Node()) },
	"Sort":                                func() error { return err(op.Sort[float32](nil, 0).Node()) },
	"sort, wild order":                    func() error { return err(node("sort", tree.Attributes{Axes: []int{0}, Ints: []int{2}}, vec.Node())) },
	"sort, no axis":                       func() error { return err(node("sort", tree.Attributes{}, vec.Node())) },
	"ArgSort":                             func() error { return err(op.ArgSort(vec, -2).Node()) },
	"Rank":                                func() error { return err(op.Rank(vec, 7).Node()) },
	"scatter, float indices": func() error {
		return err(node("scatter_add", tree.Attributes{Axes: []int{0}, Ints: []int{3}}, vec.Node(), vec.Node()))
	},
	"scatter, no updates": func() error {
		return err(node("scatter_add", tree.Attributes{Axes: []int{0}, Ints: []int{3}}, iota[int64](3).Node()))
	},
	"scatter, wrong base": func() error {
		return err(node("scatter_add", tree.Attributes{Axes: []int{0}, Ints: []int{3}}, iota[int64](3).Node(), vec.Node(), mat.Node()))
	},
	"TakeAlongAxis":         func() error { return err(op.TakeAlongAxis(mat, iota[int32](3), 0).Node()) },
	"untyped.Position":      func() error { return err(untyped.Position(tree.Failed(expr.ErrShape), 3, 0)) },
	"untyped.Meshgrid":      func() error { return err(untyped.Meshgrid([]*tree.Node{nil}, true, false)[0]) },
	"untyped.TakeAlongAxis": func() error { return err(untyped.TakeAlongAxis(vec.Node(), vec.Node(), 0)) },
	"Median":                func() error { return err(op.Median(vec, op.Axis(5)).Node()) },
	"Quantile":              func() error { return err(op.Quantile(vec, math.NaN()).Node()) },
	"SignBit":               func() error { return err(op.SignBit[float64](nil).Node()) },
	"NaNMedian":             func() error { return err(op.NaNMedian(vec, op.Axis(5)).Node()) },
	"Method":                func() error { return err(op.Quantile(vec, .5, op.Method("best")).Node()) },
	"NaNMethod":             func() error { return err(op.NaNQuantile(vec, .5, op.Method("best")).Node()) },
	"NaNQuantile":           func() error { return err(op.NaNQuantile(vec, math.NaN()).Node()) },
	"NaNPercentile":         func() error { return err(op.NaNPercentile(vec, 101).Node()) },
	"Percentile":            func() error { return err(op.Percentile(vec, 101).Node()) },
	"SearchSorted":          func() error { return err(op.SearchSorted(mat, vec, true).Node()) },
	"searchsorted, types":   func() error { return err(node("searchsorted", tree.Attributes{}, vec.Node(), iota[int8](3).Node())) },
	"searchsorted, wild side": func() error {
		return err(node("searchsorted", tree.Attributes{Ints: []int{-1}}, vec.Node(), vec.Node()))
	},
	"SelectSorted": func() error { return err(op.SelectSorted(vec, 0, 99).Node()) },
	"Partition":    func() error { return err(op.Partition(vec, 0, 99).Node()) },
	"ArgPartition": func() error { return err(op.ArgPartition(vec, 7, 0).Node()) },
	"partition, places that do not ascend": func() error {
		return err(node("partition", tree.Attributes{Axes: []int{0}, Ints: []int{0, 1, 1}}, vec.Node()))
	},
	"argpartition, no order":                 func() error { return err(node("argpartition", tree.Attributes{Axes: []int{0}}, vec.Node())) },
	"select, a negative place":               func() error { return err(node("select", tree.Attributes{Axes: []int{0}, Ints: []int{-1}}, vec.Node())) },
	"TopK":                                   func() error { v, _ := op.TopK(vec, 99, 0); return err(v.Node()) },
	"TopK of nil":                            func() error { _, i := op.TopK[float32](nil, 1, 0); return err(i.Node()) },
	"Bincount":                               func() error { return err(op.Bincount(iota[int32](3), -1).Node()) },
	"Bincount of a matrix":                   func() error { return err(op.Bincount(op.Reshape(iota[int32](4), 2, 2), 9).Node()) },
	"BincountWeights":                        func() error { return err(op.BincountWeights(iota[int32](3), mat, 9).Node()) },
	"SegmentSum":                             func() error { return err(op.SegmentSum(vec, iota[int32](2), 9).Node()) },
	"SegmentMax":                             func() error { return err(op.SegmentMax(op.Full[float32](1), iota[int32](2), 9).Node()) },
	"SegmentMin":                             func() error { return err(op.SegmentMin(vec, iota[int32](3), -9).Node()) },
	"Histogram":                              func() error { return err(op.Histogram(vec, 3, 1, 1).Node()) },
	"Histogram without bins":                 func() error { return err(op.Histogram(vec, 0, 0, 1).Node()) },
	"HistogramEdges":                         func() error { return err(op.HistogramEdges(-1, 0, 1).Node()) },
	"Poisson":                                func() error { return err(op.Poisson(expr.Const[uint64](1), -1, 3).Node()) },
	"Poisson of a huge mean":                 func() error { return err(op.Poisson(expr.Const[uint64](1), 1e30, 3).Node()) },
	"Poisson of infinity":                    func() error { return err(op.Poisson(expr.Const[uint64](1), math.Inf(1), 3).Node()) },
	"Binomial":                               func() error { return err(op.Binomial(expr.Const[uint64](1), 3, 1.5, 3).Node()) },
	"NegativeBinomial":                       func() error { return err(op.NegativeBinomial(expr.Const[uint64](1), 3, 0, 3).Node()) },
	"NegativeBinomial of a tiny probability": func() error { return err(op.NegativeBinomial(expr.Const[uint64](1), 3, 1e-300, 3).Node()) },
	"Permutation":                            func() error { return err(op.Permutation(expr.Const[uint64](1), -3).Node()) },
	"Choice":                                 func() error { return err(op.Choice(expr.Const[uint64](1), vec, 99, false).Node()) },
	"GoFunc of nil":                          func() error { return err(op.GoFunc[float32]("none", nil)(vec).Node()) },

	// Attributes that rows do not allow.
	"reshape, none":     func() error { return err(node("reshape", tree.Attributes{}, vec.Node())) },
	"untyped.Reshape":   func() error { return err(untyped.Reshape(vec.Node(), []int{-1, -1})) },
	"Reshape":           func() error { return err(op.Reshape(vec, 2).Node()) },
	"transpose, none":   func() error { return err(node("transpose", tree.Attributes{}, vec.Node())) },
	"transpose, wild":   func() error { return err(node("transpose", tree.Attributes{Axes: []int{7, -9}}, vec.Node())) },
	"untyped.Transpose": func() error { return err(untyped.Transpose(mat.Node(), []int{0, 0})) },
	"slice, none":       func() error { return err(node("slice", tree.Attributes{}, vec.Node())) },
	"slice, wild start": func() error { return err(node("slice", tree.Attributes{Ints: []int{99, 1, 3}}, vec.Node())) },
	"slice, wild step":  func() error { return err(node("slice", tree.Attributes{Ints: []int{0, math.MinInt, 3}}, vec.Node())) },
	"slice, wild count": func() error {
		return err(node("slice", tree.Attributes{Ints: []int{0, 1, math.MaxInt / 2}}, vec.Node()))
	},
	"slice, no step":      func() error { return err(node("slice", tree.Attributes{Ints: []int{0, 0, 5}}, vec.Node())) },
	"broadcast_to, none":  func() error { return err(node("broadcast_to", tree.Attributes{}, vec.Node())) },
	"untyped.BroadcastTo": func() error { return err(untyped.BroadcastTo(vec.Node(), []int{-3})) },
	"concat, none":        func() error { return err(node("concat", tree.Attributes{}, vec.Node(), vec.Node())) },
	"concat, wild":        func() error { return err(node("concat", tree.Attributes{Axes: []int{-9}}, vec.Node(), vec.Node())) },
	"pad, none":           func() error { return err(node("pad", tree.Attributes{}, vec.Node(), vec.Node())) },
	"untyped.Pad":         func() error { return err(untyped.Pad(vec.Node(), []int{1}, nil)) },
	"take, none":          func() error { return err(node("take", tree.Attributes{}, vec.Node(), iota[int32](3).Node())) },
	"windows, none":       func() error { return err(node("windows", tree.Attributes{}, vec.Node())) },
	"windows, wild":       func() error { return err(node("windows", tree.Attributes{Ints: []int{1, math.MinInt, 1}}, vec.Node())) },
	"iota, none":          func() error { return err(node("iota", tree.Attributes{})) },
	"untyped.Iota":        func() error { return err(untyped.Iota(-1)) },
	"unslice, none":       func() error { return err(node("unslice", tree.Attributes{}, vec.Node())) },
	"window_scatter":      func() error { return err(node("window_scatter", tree.Attributes{}, vec.Node())) },
	"window_gather":       func() error { return err(node("window_gather", tree.Attributes{}, mat.Node())) },
	"sum, none":           func() error { return err(node("sum", tree.Attributes{}, vec.Node())) },
	"sum, wild":           func() error { return err(node("sum", tree.Attributes{Axes: []int{5}}, vec.Node())) },
	"sum, negative":       func() error { return err(node("sum", tree.Attributes{Axes: []int{-1}}, vec.Node())) },
	"sum, twice":          func() error { return err(node("sum", tree.Attributes{Axes: []int{0, 0}}, vec.Node())) },
	"cast, none":          func() error { return err(node("cast", tree.Attributes{}, vec.Node())) },
	"untyped.Cast":        func() error { return err(untyped.Cast(vec.Node(), 99)) },
}
