package op_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/shape"
)

// misuses are calls without a correct result. Each must give a typed error.
var misuses = map[string]func() error{
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
	"SelectSorted":                           func() error { return err(op.SelectSorted(vec, 0, 99).Node()) },
	"Partition":                              func() error { return err(op.Partition(vec, 0, 99).Node()) },
	"ArgPartition":                           func() error { return err(op.ArgPartition(vec, 7, 0).Node()) },
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

	// The typed constructors.
	"untyped.Reduce":  func() error { return err(untyped.Reduce("cumsum", vec.Node(), untyped.Options{})) },
	"WhereScalar":     func() error { return err(op.WhereScalar[float64](nil, nil, 0).Node()) },
	"untyped.PadMode": func() error { return err(untyped.PadMode(nil, nil, "edge")) },
	"PadMode":         func() error { return err(op.PadMode(vec, [][2]int{{1, 1}}, "mirror").Node()) },
	"PadMode, bomb":   func() error { return err(op.PadMode(vec, [][2]int{{math.MaxInt, 1}}, "edge").Node()) },
	"CumSum":          func() error { return err(op.CumSum(vec, 1).Node()) },
	"NaNCumSum":       func() error { return err(op.NaNCumSum(vec, 1).Node()) },
	"NaNCumProd":      func() error { return err(op.NaNCumProd(vec, -2).Node()) },
	"CumProd":         func() error { return err(op.CumProd(vec, -2).Node()) },
	"CumMax":          func() error { return err(op.CumMax(vec, 1).Node()) },
	"CumMin":          func() error { return err(op.CumMin[float32](nil, 0).Node()) },
	"Scan":            func() error { return err(op.Scan[float32](nil, nil, op.ScanOptions{}, nil).Out(0).Node()) },
	"untyped.ReduceStates": func() error {
		return err(untyped.ReduceStates(op.Reducer{}, vec.Node(), untyped.Options{}))
	},
	"ReduceStates": func() error { return err(op.ReduceStates[float64](op.Reducer{}, vec, nil).Node()) },
	"untyped.Scan": func() error { return err(untyped.Scan([]*tree.Node{nil}, nil, op.ScanOptions{}, nil).Last(0)) },
	"NewState":     func() error { return err(untyped.NewState(vec.Node(), vec.Node())) },
	"Diff":         func() error { return err(op.Diff(vec, 1).Node()) },
	"Tile":         func() error { return err(op.Tile(vec, math.MaxInt).Node()) },
	"Repeat":       func() error { return err(op.Repeat(vec, -1, 0).Node()) },
	"Tri":          func() error { return err(op.Tri[float32](-1, 2, 0).Node()) },
	"TriL":         func() error { return err(op.TriL(vec, 0).Node()) },
	"TriU":         func() error { return err(op.TriU(vec, 0).Node()) },
	"NaNMean":      func() error { return err(op.NaNMean[float32](nil).Node()) },
	"NaNVar":       func() error { return err(op.NaNVar(vec, op.Axis(7)).Node()) },
	"NaNStd":       func() error { return err(op.NaNStd[float32](nil).Node()) },
	"Round":        func() error { return err(op.Round(iota[int32](2), -1).Node()) },
	"IsClose":      func() error { return err(op.IsClose(vec, nil, 0, 0).Node()) },
	// Compositions with NumPy's names.
	"Deg2Rad":        func() error { return err(op.Deg2Rad(null).Node()) },
	"Rad2Deg":        func() error { return err(op.Rad2Deg(null).Node()) },
	"LogAddExp":      func() error { return err(op.LogAddExp(vec, iota[float32](2)).Node()) },
	"LogAddExp2":     func() error { return err(op.LogAddExp2(vec, null).Node()) },
	"Sinc":           func() error { return err(op.Sinc(null).Node()) },
	"Softplus":       func() error { return err(op.Softplus(null).Node()) },
	"SiLU":           func() error { return err(op.SiLU(null).Node()) },
	"ELU":            func() error { return err(op.ELU(null, 1).Node()) },
	"LeakyReLU":      func() error { return err(op.LeakyReLU(null, .01).Node()) },
	"LogSoftmax":     func() error { return err(op.LogSoftmax(vec, 1).Node()) },
	"Heaviside":      func() error { return err(op.Heaviside(null, vec).Node()) },
	"IsPosInf":       func() error { return err(op.IsPosInf(null).Node()) },
	"IsNegInf":       func() error { return err(op.IsNegInf(null).Node()) },
	"BitCount":       func() error { return err(op.BitCount[int8](nil).Node()) },
	"NaNProd":        func() error { return err(op.NaNProd(vec, op.Axis(3)).Node()) },
	"Average":        func() error { return err(op.Average(mat, vec).Node()) },
	"Average, w":     func() error { return err(op.Average(mat, iota[float32](2, 2)).Node()) },
	"Cov":            func() error { return err(op.Cov(iota[float32](2, 2, 2), 1).Node()) },
	"CorrCoef":       func() error { return err(op.CorrCoef(iota[float32](2, 2, 2)).Node()) },
	"Trapezoid":      func() error { return err(op.Trapezoid(vec, 1, 1).Node()) },
	"Gradient":       func() error { return err(op.Gradient(iota[float32](1), 1, 0).Node()) },
	"GradientAt":     func() error { return err(op.GradientAt(vec, iota[float32](2), 0).Node()) },
	"CovWeights":     func() error { return err(op.CovWeights(vec, nil, iota[float32](2), 1).Node()) },
	"InterpPeriodic": func() error { return err(op.InterpPeriodic(vec, vec, vec, 0).Node()) },
	"Interp":         func() error { return err(op.Interp(vec, vec, iota[float32](2)).Node()) },
	"Interp, none":   func() error { return err(op.Interp(vec, iota[float32](0), iota[float32](0)).Node()) },
	"AllClose":       func() error { return err(op.AllClose(vec, iota[float32](2), 0, 0).Node()) },
	"ArrayEqual":     func() error { return err(op.ArrayEqual(vec, null).Node()) },
	"ArrayEquiv":     func() error { return err(op.ArrayEquiv(vec, null).Node()) },
	"Rot90":          func() error { return err(op.Rot90(vec, 1).Node()) },
	"FlipUD":         func() error { return err(op.FlipUD(iota[float32]()).Node()) },
	"FlipLR":         func() error { return err(op.FlipLR(vec).Node()) },
	"AtLeast1D":      func() error { return err(op.AtLeast1D(null).Node()) },
	"AtLeast2D":      func() error { return err(op.AtLeast2D(null).Node()) },
	"AtLeast3D":      func() error { return err(op.AtLeast3D(null).Node()) },
	"HStack":         func() error { return err(op.HStack[float32](vec, mat).Node()) },
	"VStack":         func() error { return err(op.VStack[float32](mat, iota[float32](2)).Node()) },
	"DStack":         func() error { return err(op.DStack[float32]().Node()) },
	"ColumnStack":    func() error { return err(op.ColumnStack[float32](mat, vec).Node()) },
	"Append":         func() error { return err(op.Append(mat, vec, 0).Node()) },
	"DeleteAll":      func() error { return err(op.DeleteAll(vec, 0, 1, 3).Node()) },
	"Insert":         func() error { return err(op.Insert(vec, 4, vec, 0).Node()) },
	"Insert, wide":   func() error { return err(op.Insert(vec, 0, iota[float32](2, 2), 0).Node()) },
	"RepeatEach":     func() error { return err(op.RepeatEach(vec, 0, 1, 2).Node()) },
	"Unwrap":         func() error { return err(op.Unwrap(vec, 0, 0).Node()) },
	"Delete":         func() error { return err(op.Delete(vec, 3, 0).Node()) },
	"Delete, min":    func() error { return err(op.Delete(vec, math.MinInt, 0).Node()) },
	"Resize":         func() error { return err(op.Resize(vec, -1).Node()) },
	"EDiff1D":        func() error { return err(op.EDiff1D(null).Node()) },
	"Diagonal":       func() error { return err(op.Diagonal(vec, 0).Node()) },
	"Trace":          func() error { return err(op.Trace(vec, 0).Node()) },
	"Diag":           func() error { return err(op.Diag(iota[float32](2, 2, 2), 0).Node()) },
	"Diag, far":      func() error { return err(op.Diag(vec, math.MinInt).Node()) },
	"Kron":           func() error { return err(op.Kron(vec, null).Node()) },
	"Cross":          func() error { return err(op.Cross(vec, iota[float32](2)).Node()) },
	"Convolve":       func() error { return err(op.Convolve(vec, vec, "half").Node()) },
	"Convolve, 2d":   func() error { return err(op.Convolve(vec, mat, "full").Node()) },
	"Correlate":      func() error { return err(op.Correlate(vec, iota[float32](0), "full").Node()) },
	"Meshgrid":       func() error { return err(op.Meshgrid[float32](vec, mat)[1].Node()) },

	"Einsum":          func() error { return err(op.Einsum("ij,jk", vec, nil).Node()) },
	"Einsum, nil":     func() error { return err(op.Einsum[float32]("i", nil).Node()) },
	"TensorDot":       func() error { return err(op.TensorDot(mat, mat, []int{0}, []int{math.MinInt}).Node()) },
	"TensorDot sizes": func() error { return err(op.TensorDot(mat, mat, []int{0}, []int{1}).Node()) },
	"Inner":           func() error { return err(op.Inner(mat, iota[float32](2)).Node()) },
	"VecDot":          func() error { return err(op.VecDot(mat, vec, 0).Node()) },
	"VDot":            func() error { return err(op.VDot(mat, vec).Node()) },
	"MatVec":          func() error { return err(op.MatVec(vec, vec).Node()) },
	"VecMat":          func() error { return err(op.VecMat(vec, mat).Node()) },
	"Conv":            func() error { return err(op.Conv(mat, mat, op.Sliding{}).Node()) },
	"Conv, groups": func() error {
		return err(op.Conv(iota[float32](1, 3, 4), iota[float32](2, 1, 2), op.Sliding{Groups: 2}).Node())
	},
	"Conv, kernel": func() error {
		return err(op.Conv(iota[float32](1, 1, 4), iota[float32](2, 1, 2), op.Sliding{Kernel: []int{2}}).Node())
	},
	"Conv, wild": func() error {
		return err(op.Conv(iota[float32](1, 1, 4), iota[float32](2, 1, 2), op.Sliding{Padding: []int{math.MaxInt}, Dilation: []int{math.MaxInt}, Groups: math.MinInt}).Node())
	},
	"Conv, large":   func() error { return err(op.Conv(iota[float32](1, 1, 4), iota[float32](2, 1, 5), op.Sliding{}).Node()) },
	"Pool":          func() error { return err(op.Pool("median", vec, op.Sliding{Kernel: []int{2}}).Node()) },
	"MaxPool":       func() error { return err(op.MaxPool(vec, op.Sliding{}).Node()) },
	"MaxPool, axes": func() error { return err(op.MaxPool(vec, op.Sliding{Kernel: []int{2}}, op.Axis(0)).Node()) },
	"MinPool":       func() error { return err(op.MinPool(vec, op.Sliding{Kernel: []int{2, 2}}).Node()) },
	"SumPool":       func() error { return err(op.SumPool(vec, op.Sliding{Kernel: []int{4}}).Node()) },
	"AvgPool":       func() error { return err(op.AvgPool(vec, op.Sliding{Kernel: []int{2}, Stride: []int{0}}).Node()) },
	"Unpool, bare":  func() error { return err(op.Unpool(mat, vec, mat, op.Sliding{}).Node()) },
	"Unpool":        func() error { return err(op.Unpool(vec, vec, vec, op.Sliding{Kernel: []int{2}}).Node()) },
	"Im2Col":        func() error { return err(op.Im2Col(mat, op.Sliding{Kernel: []int{2, 2}}).Node()) },
	"Col2Im":        func() error { return err(op.Col2Im(mat, []int{1, 1, -4}, op.Sliding{Kernel: []int{2}}).Node()) },
	"Col2Im, wild": func() error {
		return err(op.Col2Im(mat, []int{1, 1, math.MaxInt}, op.Sliding{Kernel: []int{2}, Padding: []int{math.MaxInt}}).Node())
	},
	"Upsample":        func() error { return err(op.Upsample(mat, math.MaxInt, "nearest").Node()) },
	"Upsample, mode":  func() error { return err(op.Upsample(mat, 2, "cubic").Node()) },
	"Upsample, bomb":  func() error { return err(op.Upsample(mat, math.MaxInt/2, "bilinear").Node()) },
	"Crop":            func() error { return err(op.Crop(mat, []int{3}, -1).Node()) },
	"Crop, wild":      func() error { return err(op.Crop(mat, []int{math.MinInt}, math.MaxInt).Node()) },
	"Layout":          func() error { return err(op.Layout(mat, "NN", "NN").Node()) },
	"Layout, letters": func() error { return err(op.Layout(mat, "NC", "NX").Node()) },
	"Pick":            func() error { return err(op.Pick(mat, expr.Exp[int32](iota[int32](3))).Node()) },
	"FillAt":          func() error { return err(op.FillAt(mat, expr.Exp[int32](iota[int32](2)), vec).Node()) },
	"SoftmaxGrad":     func() error { return err(op.SoftmaxGrad(vec, expr.Exp[int32](iota[int32](3))).Node()) },
	"SmoothSoftmaxGrad": func() error {
		return err(op.SmoothSoftmaxGrad(mat, expr.Exp[int32](iota[int32](2)), math.NaN()).Node())
	},
	"WholeTies":           func() error { return err(op.Sum(vec, op.WholeTies()).Node()) },
	"Outer":               func() error { return err(op.Outer(vec, nil).Node()) },
	"untyped.Reduce, exp": func() error { return err(untyped.Reduce("exp", vec.Node(), untyped.Options{})) },
	"untyped.Reduce, nil": func() error { return err(untyped.Reduce("sum", nil, untyped.Options{})) },
	"Sum":                 func() error { return err(op.Sum(vec, op.Axis(1)).Node()) },
	"Max":                 func() error { return err(op.Max(vec, op.AccumFloat64()).Node()) },
	"DDof of a sum":       func() error { return err(untyped.Reduce("sum", vec.Node(), untyped.Options{DDof: 1})) },
	"untyped.Mean":        func() error { return err(untyped.Compose("mean", untyped.Options{DDof: 2}, vec.Node())) },
	"Mean":                func() error { return err(op.Mean(vec, op.Axis(math.MinInt)).Node()) },
	"untyped.Var":         func() error { return err(untyped.Compose("var", untyped.Options{}, iota[int32](2).Node())) },
	"Var":                 func() error { return err(op.Var(vec, op.Axis(0, 0)).Node()) },
	"untyped.Std":         func() error { return err(untyped.Compose("std", untyped.Options{}, nil)) },
	"Std":                 func() error { return err(op.Std(vec, op.Axis(9), op.DDof(1)).Node()) },
	"untyped.Softmax":     func() error { return err(untyped.Compose("softmax", untyped.Options{Axes: []int{0}}, nil)) },
	"Softmax":             func() error { return err(op.Softmax(vec, 5).Node()) },
	"untyped.LogSumExp":   func() error { return err(untyped.Compose("logsumexp", untyped.Options{}, nil)) },
	"LogSumExp":           func() error { return err(op.LogSumExp(vec, op.Axis(5), op.KeepDims()).Node()) },
	"untyped.LayerNorm": func() error {
		return err(untyped.Compose("layernorm", untyped.Options{Numbers: []float64{0}}, nil, nil, nil))
	},
	"LayerNorm": func() error { return err(op.LayerNorm(vec, mat, iota[float32](9), 1e-5).Node()) },
	"SumInt":    func() error { return err(op.SumInt(iota[int8](3), op.Axis(7)).Node()) },
	"SumUint":   func() error { return err(op.SumUint(engine.Zeros[uint8](3), op.Axis(7)).Node()) },
	"Count":     func() error { return err(op.Count(op.Less(vec, vec), op.Axis(7)).Node()) },
	"Scale":     func() error { return err(op.Scale(2.5, iota[int32](3)).Node()) },
	"AddScalar": func() error { return err(op.AddScalar(iota[int8](3), 300).Node()) },
	"Full":      func() error { return err(op.Full[int8](300).Node()) },
	"FFT":       func() error { return err(op.FFT(engine.Zeros[complex128](2), 3).Node()) },
	"IFFT":      func() error { return err(op.IFFT(expr.Exp[complex64](nil), 0).Node()) },
	"RFFT":      func() error { return err(op.RFFT[complex128](vec, 0).Node()) },
	"IRFFT":     func() error { return err(op.IRFFT[float64](engine.Zeros[complex128](1), 0, nil).Node()) },
	"HFFT":      func() error { return err(op.HFFT[float64](engine.Zeros[complex128](1), 0).Node()) },
	"IHFFT":     func() error { return err(op.IHFFT[complex128](vec, 0).Node()) },
	"FFTN":      func() error { return err(op.FFTN(engine.Zeros[complex128](2), []int{0, 1}).Node()) },
	"IFFTN":     func() error { return err(op.IFFTN(expr.Exp[complex128](nil), nil).Node()) },
	"RFFTN":     func() error { return err(op.RFFTN[complex128](iota[float64](2), []int{}).Node()) },
	"IRFFTN": func() error {
		return err(op.IRFFTN[float64](engine.Zeros[complex128](2), nil, op.FourierPoints(1, 2)).Node())
	},
	"FFTShift":        func() error { return err(op.FFTShift(mat, 2).Node()) },
	"IFFTShift":       func() error { return err(op.IFFTShift(mat, math.MinInt).Node()) },
	"untyped.Fourier": func() error { return err(untyped.Fourier("fft", nil, nil, untyped.FourierOptions{})) },
	"FourierPoints":   func() error { return err(op.FFT(engine.Zeros[complex128](2), 0, op.FourierPoints(-1)).Node()) },
	"FourierNorm":     func() error { return err(op.FFT(engine.Zeros[complex128](2), 0, op.FourierNorm("?")).Node()) },
	"FFTFreq":         func() error { return err(op.FFTFreq[float32](-1, 1).Node()) },
	"RFFTFreq":        func() error { return err(op.RFFTFreq[float32](math.MinInt, 1).Node()) },
	"Frexp": func() error {
		m, _ := op.Frexp(expr.Exp[float32](nil))
		return err(m.Node())
	},
	"Spacing":           func() error { return err(op.Spacing(expr.Exp[float64](nil)).Node()) },
	"NextAfter":         func() error { return err(op.NextAfter(iota[float32](2), vec).Node()) },
	"GCD":               func() error { return err(op.GCD(iota[int8](2), iota[int8](3)).Node()) },
	"LCM":               func() error { return err(op.LCM[int64](nil, nil).Node()) },
	"untyped.Call":      func() error { return err(untyped.Call("add", vec.Node(), nil)) },
	"untyped.With":      func() error { return err(untyped.With("sort", []int{math.MinInt}, nil, vec.Node())) },
	"untyped.Given":     func() error { return err(untyped.Given(nil, "Sort")) },
	"untyped.Bins":      func() error { return err(untyped.Bins("Bincount", vec.Node(), vec.Node(), -1)) },
	"untyped.Partition": func() error { return err(untyped.Partition("partition", vec.Node(), 3, []int{0})) },
	"untyped.NormalOf":  func() error { return err(untyped.NormalOf(dtype.I8, vec.Node(), vec.Node(), vec.Node())) },
	"untyped.AxisOf": func() error {
		_, bad := untyped.AxisOf("Sort", vec.Node(), math.MaxInt)
		return err(bad)
	},
	"untyped.PairOf": func() error {
		sum, _ := untyped.Lookup("sum")
		return err(tree.Apply(untyped.PairOf(sum.Reduce()), vec.Node()))
	},
	"untyped.Frequency": func() error { return err(untyped.Frequency(dtype.I32, 5, 1, false)) },
	"Gamma":             func() error { return err(op.Gamma[float32](expr.Const[uint64](1), -1, 3).Node()) },
	"Beta":              func() error { return err(op.Beta[float64](nil, 1, 1, 3).Node()) },
	"untyped.Complex":   func() error { return err(untyped.Complex(nil, vec.Node())) },
	"Complex":           func() error { return err(op.Complex[complex128](vec, vec).Node()) },
	"RealPart":          func() error { return err(op.RealPart[float32](engine.Zeros[complex128](2)).Node()) },
	"ImagPart":          func() error { return err(op.ImagPart[float64](expr.Exp[complex64](nil)).Node()) },
	"Angle":             func() error { return err(op.Angle[float32](engine.Zeros[complex128](2)).Node()) },
	"Modulus":           func() error { return err(op.Modulus[float32](engine.Zeros[complex128](2)).Node()) },
	"Where":             func() error { return err(op.Where(op.Less(mat, mat), mat, iota[float32](7)).Node()) },
	"Cast":              func() error { return err(op.Cast[int8](expr.Exp[float32](nil)).Node()) },
	"MatMul":            func() error { return err(op.MatMul(mat, mat).Node()) },
	"untyped.MatMul":    func() error { return err(untyped.MatMul(nil, nil)) },
	"Dot":               func() error { return err(op.Dot(iota[float32](2, 2, 2), vec).Node()) },
	"Flatten":           func() error { return err(op.Flatten(null).Node()) },
	"NaNSum":            func() error { return err(op.NaNSum(vec, op.AccumFloat64(), op.Axis(7)).Node()) },
	"CountNonzero":      func() error { return err(op.CountNonzero(vec, op.Axis(7)).Node()) },
	"PeakToPeak":        func() error { return err(op.PeakToPeak(iota[float32](0)).Node()) },
	"NaNToNum":          func() error { return err(op.NaNToNum(null, 0).Node()) },
	"MoveAxis":          func() error { return err(op.MoveAxis(mat, 0, 2).Node()) },
	"Roll":              func() error { return err(op.Roll(mat, math.MinInt, 2).Node()) },
	"Stack":             func() error { return err(op.Stack(0, mat, expr.Exp[float32](vec)).Node()) },
	"Stack nothing":     func() error { return err(op.Stack[float32](0).Node()) },
	"Eye":               func() error { return err(op.Eye[int8](-1, math.MaxInt, math.MinInt).Node()) },
	"Linspace":          func() error { return err(op.Linspace[int32](0, 1, -1).Node()) },
	"Fold":              func() error { return err(op.Fold(op.RandomBits(expr.Const[uint64](1), 2), 1).Node()) },
	"RandomBits":        func() error { return err(op.RandomBits(expr.Const[uint64](1), -2).Node()) },
	"Uniform":           func() error { return err(op.Uniform[float32](nil, 2).Node()) },
	"Exponential":       func() error { return err(op.Exponential[float32](nil, 2).Node()) },
	"Normal":            func() error { return err(op.Normal[float64](expr.Const[uint64](1), math.MaxInt, math.MaxInt).Node()) },
	"Bernoulli":         func() error { return err(op.Bernoulli(expr.Const[uint64](1), math.NaN(), 2).Node()) },
	"Integers":          func() error { return err(op.Integers[int8](expr.Const[uint64](1), 200, 2).Node()) },
	"Compose":           func() error { return err(untyped.Compose("nothing", untyped.Options{})) },
	"Transpose":         func() error { return err(op.Transpose(mat, 0).Node()) },
	"untyped.Permute":   func() error { return err(untyped.Permute(nil, nil)) },
	"T":                 func() error { return err(op.T(null).Node()) },
	"untyped.SwapAxes":  func() error { return err(untyped.Compose("swapaxes", untyped.Options{Axes: []int{0, 1}}, nil)) },
	"SwapAxes":          func() error { return err(op.SwapAxes(mat, 0, 2).Node()) },
	"untyped.NewAxis":   func() error { return err(untyped.Compose("expand_dims", untyped.Options{Axes: []int{0}}, nil)) },
	"NewAxis":           func() error { return err(op.NewAxis(mat, 5).Node()) },
	"untyped.Squeeze":   func() error { return err(untyped.Compose("squeeze", untyped.Options{}, nil)) },
	"Squeeze":           func() error { return err(op.Squeeze(mat, 0).Node()) },
	"BroadcastTo":       func() error { return err(op.BroadcastTo(mat, 3).Node()) },
	"untyped.Slice":     func() error { return err(untyped.Slice(nil, nil)) },
	"Slice, step 0":     func() error { return err(op.Slice(vec, op.By(op.Span{}, 0)).Node()) },
	"Slice, Range":      func() error { return err(op.Slice(vec, op.Range(0, 1), op.From(0), op.Until(1)).Node()) },
	"untyped.Index":     func() error { return err(untyped.Index(nil, 0, 0)) },
	"Index":             func() error { return err(op.Index(vec, 0, 3).Node()) },
	"untyped.Flip":      func() error { return err(untyped.Compose("flip", untyped.Options{}, nil)) },
	"Flip":              func() error { return err(op.Flip(vec, 1).Node()) },
	"untyped.Concat":    func() error { return err(untyped.Concat(0, []*tree.Node{nil})) },
	"Concat":            func() error { return err(op.Concat[float32](0).Node()) },
	"IntoView":          func() error { return err(op.IntoView(op.Add[float32](vec, vec)).Node()) },
	"Into":              func() error { return err(op.Into[float32](0, nil, vec).Node()) },
	"Pad":               func() error { return err(op.Pad(vec, [][2]int{{math.MaxInt, math.MaxInt}}, 0).Node()) },
	"Windows":           func() error { return err(op.Windows(vec, op.Window{Size: math.MaxInt, Dilation: math.MaxInt}).Node()) },
	"untyped.Take":      func() error { return err(untyped.Take(nil, nil, 0)) },
	"Take":              func() error { return err(op.Take(vec, iota[int32](1), 9).Node()) },
	"Take, index":       func() error { return err(op.Take(vec, op.Full[int64](int64(1<<40)), 0).Node()) },
	"untyped.OneHot": func() error {
		return err(untyped.Compose("one_hot", untyped.Options{Ints: []int{0}, To: dtype.Bool}, nil))
	},
	"OneHot":          func() error { return err(op.OneHot[float32](iota[int32](1), -1).Node()) },
	"untyped.Arange":  func() error { return err(untyped.Arange(0, 0, 1, 1)) },
	"Arange":          func() error { return err(op.Arange[float32](0, math.Inf(1), 1).Node()) },
	"Arange, int8":    func() error { return err(op.Arange[int8](0, 300, 1).Node()) },
	"Arange, uint8":   func() error { return err(op.Arange[uint8](3, -3, -1).Node()) },
	"untyped.Unslice": func() error { return err(untyped.Unslice(nil, nil, nil)) },
	"Unslice":         func() error { return err(op.Unslice(vec, []int{7}, op.By(op.Span{}, 0)).Node()) },
	"WindowScatter":   func() error { return err(op.WindowScatter(vec, nil).Node()) },
	"WindowGather":    func() error { return err(op.WindowGather(mat, nil).Node()) },
	"Unwindows":       func() error { return err(op.Unwindows(vec, []int{5}, op.Window{Size: 2}).Node()) },

	// Operators and views of users.
	"Define, nil": func() error { return err(op.Map1(op.Define("mine", 1, nil), expr.Exp[float32](vec)).Node()) },
	"DefineReduction, nil": func() error {
		return err(op.Reduce(op.DefineReduction("mine", nil, nil, op.Finish(nil), nil), vec, nil).Node())
	},
	"ReduceBy nil": func() error { return err(untyped.ReduceBy(nil, vec.Node(), untyped.Options{})) },
	"Define, arity": func() error {
		return err(op.Map1(op.Define("mine", -7, func(b *op.B, x ...op.V) op.V { return x[0] }), expr.Exp[float32](vec)).Node())
	},
	"Define, arity 0": func() error {
		return err(untyped.Apply(op.Define("mine", 0, func(b *op.B, x ...op.V) op.V { return b.Const(dtype.F32, 1) })))
	},
	"Define, nil value": func() error { return err(lowered(func(b *op.B, x ...op.V) op.V { return op.V{} })) },
	"Define, type":      func() error { return err(lowered(func(b *op.B, x ...op.V) op.V { return b.Cvt(dtype.F64, x[0]) })) },
	"Define, id": func() error {
		return err(lowered(func(b *op.B, x ...op.V) op.V { return op.V{ID: 99, Type: dtype.F32} }))
	},
	"Define, operand": func() error {
		return err(lowered(func(b *op.B, x ...op.V) op.V { return b.Add(x[0], op.V{ID: -1, Type: dtype.F32}) }))
	},
	"Define, x[5]": func() error { return err(lowered(func(b *op.B, x ...op.V) op.V { return x[5] })) },
	"Define, cold": func() error {
		return err(lowered(func(b *op.B, x ...op.V) op.V {
			var inside op.V
			b.Cold(b.Lt(x[0], x[0]), x[0], func() op.V { inside = b.Sqrt(x[0]); return inside })
			return b.Add(inside, inside)
		}))
	},
	"Define, cold type": func() error {
		return err(lowered(func(b *op.B, x ...op.V) op.V {
			return b.Cold(b.Lt(x[0], x[0]), x[0], func() op.V { return b.Int(dtype.I64, 1) })
		}))
	},
	"DefineView, nil":    func() error { return err(viewed(nil, nil)) },
	"DefineView, shape":  func() error { return err(viewed(nil, itself)) },
	"DefineView, gather": func() error { return err(viewed(same, nil)) },
	"DefineView, wild": func() error {
		return err(viewed(func(*tree.Node) (shape.Shape, error) { return shape.Shape{-4}, nil }, itself))
	},
	"DefineView, panic": func() error {
		return err(viewed(func(n *tree.Node) (shape.Shape, error) { return shape.Shape{n.Ints[3]}, nil }, itself))
	},
	"DefineView, larger": func() error {
		return err(viewed(func(*tree.Node) (shape.Shape, error) { return shape.Shape{9}, nil }, itself))
	},
	"DefineView, changes": func() error {
		return err(viewed(func() func(*tree.Node) (shape.Shape, error) {
			n := 2
			return func(*tree.Node) (shape.Shape, error) { n++; return shape.Shape{n}, nil }
		}(), itself))
	},
	"an operator without Types": func() error {
		return err(tree.Apply(tree.NewOperator(tree.Row{Name: "mine", Class: tree.Elementwise, Arity: 1, Lower: func(b *op.B, x ...op.V) op.V { return b.Sqrt(x[0]) }}), iota[int32](3).Node()))
	},
	"a condition alone": func() error {
		return err(tree.Apply(tree.NewOperator(tree.Row{Name: "mine", Class: tree.Elementwise, Arity: 1, Cond: true, Lower: func(b *op.B, x ...op.V) op.V { return x[0] }}), op.Less(vec, vec).Node()))
	},

	// Derivatives.
	"rule, no operand": func() error { return ruled(func(g *tree.Adjoint, arg int) *tree.Node { return g.Arg(7) }) },
	"rule, panic":      func() error { return ruled(func(g *tree.Adjoint, arg int) *tree.Node { return g.Node.Args[7] }) },
	"rule, no row": func() error {
		return ruled(func(g *tree.Adjoint, arg int) *tree.Node { return g.Op("nothing", g.Out) })
	},
	"rule, nil": func() error { return ruled(func(g *tree.Adjoint, arg int) *tree.Node { return g.Mul(nil, g.Out) }) },
	"rule, no cast": func() error {
		return ruled(func(g *tree.Adjoint, arg int) *tree.Node { return g.Cast(nil, dtype.F64) })
	},
	"rule, shape": func() error {
		return ruled(func(g *tree.Adjoint, arg int) *tree.Node { return iota[float32](2, 2, 7).Node() })
	},
	"rule, type": func() error { return ruled(func(g *tree.Adjoint, arg int) *tree.Node { return iota[int32](3).Node() }) },
	"rule, reduction": func() error {
		return ruled(func(g *tree.Adjoint, arg int) *tree.Node { return g.Reduce("median", g.Out, nil) })
	},
	"grad of nil":      func() error { _, err := grad.Of[float32](nil, vec); return err },
	"grad by nil":      func() error { _, err := grad.Of[float32](op.Sum(vec), nil); return err },
	"grad by a tree":   func() error { _, err := grad.OfNodes(op.Sum(vec).Node(), &tree.Node{}); return err },
	"grad of a vector": func() error { _, err := grad.OfNodes(vec.Node(), vec.Node()); return err },
	"grad of a cycle": func() error {
		n := changed(func(n *tree.Node) { n.Args[0] = n })
		_, err := grad.OfNodes(untyped.Reduce("sum", n, untyped.Options{}), vec.Node())
		return err
	},

	// Statements.
	"zero statement": func() error { return engine.Run(context.Background(), expr.Statement{}) },
	"a saver": func() error {
		return engine.Run(context.Background(), expr.Statement{Saver: 99, Target: vec.Node(), Value: vec.Node()})
	},
	"a target": func() error {
		return engine.Run(context.Background(), expr.Statement{Target: grown.Node(), Value: vec.Node()})
	},
	"nil leaves": func() error {
		return engine.Run(context.Background(), plan.MapLeaves([]expr.Statement{expr.Let(vec, grown)}, func(*tree.Node) *tree.Node { return nil })...)
	},
	"nil statement": func() error {
		return engine.Run(context.Background(), plan.MapLeaves([]expr.Statement{{}}, func(n *tree.Node) *tree.Node { return n })...)
	},
}

func TestMisuse(t *testing.T) {
	for name, f := range misuses {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if r := recover(); r != nil {
					t.Fatalf("panics: %v", r)
				}
			}()
			err := f()
			for _, kind := range typedErrors {
				if errors.Is(err, kind) {
					return
				}
			}
			t.Errorf("gives %v, want a typed error", err)
		})
	}
}

// TestMisuseOfRows applies every row to operands and attributes that it must
// reject.
func TestMisuseOfRows(t *testing.T) {
	wild := []tree.Attributes{{}, {Ints: []int{math.MinInt, math.MaxInt, -1}}, {Axes: []int{math.MaxInt}, Ints: []int{0, 0, 0}}, {To: 200, Axes: []int{-5, 7}}}
	for _, o := range untyped.Table() {
		for i, at := range wild {
			for n := range 5 {
				args := make([]*tree.Node, n)
				for k := range args {
					args[k] = []*tree.Node{vec.Node(), iota[int8](2, 2).Node(), nil, {}}[(i+k)%4]
				}
				func() {
					defer func() {
						if r := recover(); r != nil {
							t.Errorf("%s of %d operands, attributes %d: panics: %v", o.Name(), n, i, r)
						}
					}()
					if e := tree.ApplyWith(o, at, args...); e.Err() == nil {
						_ = err(e)
					}
				}()
			}
		}
	}
}

// TestMisuseOfCompositions applies every composition to operands and options
// that do not fit it.
func TestMisuseOfCompositions(t *testing.T) {
	wild := []untyped.Options{{}, {Axes: []int{math.MinInt, 0}, Ints: []int{math.MinInt, -1}}, {Axes: []int{0, 0}, Ints: []int{math.MaxInt}}, {Axes: []int{}, To: 200, Acc: 99, DDof: -1}}
	for _, c := range untyped.Compositions() {
		for i, o := range wild {
			for n := range 5 {
				args := make([]*tree.Node, n)
				for k := range args {
					args[k] = []*tree.Node{mat.Node(), iota[int8](2, 2).Node(), nil, {}}[(i+k)%4]
				}
				func() {
					defer func() {
						if r := recover(); r != nil {
							t.Errorf("%s of %d operands, options %d: panics: %v", c.Name, n, i, r)
						}
					}()
					if n := c.Apply(o, args...); n.Err() == nil {
						_ = err(n)
					}
				}()
			}
		}
		if c.Operands != 0 && c.Apply(untyped.Options{}).Err() == nil {
			t.Errorf("%s needs no operand", c.Name)
		}
	}
}

// TestNilMethods calls the methods of nil and zero values.
func TestNilMethods(t *testing.T) {
	for _, n := range []*tree.Node{nil, {}, {Op: &tree.Operator{}}} {
		if n.Err() == nil && n != nil && n.Op != nil {
			continue
		}
		_, _, _, _, _ = n.Shape(), n.DType(), n.Kind(), n.String(), n.Tree()
		if n.Verify() == nil {
			t.Errorf("%v is accepted", n)
		}
	}
	tree.Walk(nil, func(*tree.Node) {})
	_ = expr.Statement{Saver: 9}.String()
	_ = (shape.Shape{2, 3}).Count(3, 1) + (shape.Shape{2, 3}).Count(-1, 9)
	_, _ = prim.NewProgram(nil, nil)
}

// TestMisuseNamesEveryFunction fails if no misuse calls some exported function
// that is written by hand.
func TestMisuseNamesEveryFunction(t *testing.T) {
	var text []byte
	for _, name := range []string{"misuse_test.go", "misuse_helpers_test.go"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, b...)
	}
	harmless := map[string]bool{"Lookup": true, "Table": true, "Lowerings": true, "Row": true, "Compositions": true, "ULP": true, "Doc": true}
	typed, _ := filepath.Glob("*.go")
	untyped, err := filepath.Glob("untyped/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(typed, untyped...) {
		if strings.HasSuffix(name, "_test.go") || name == "zops.go" || name == "zscalars.go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() && !harmless[fn.Name.Name] &&
				!strings.Contains(string(text), f.Name.Name+"."+fn.Name.Name+"(") && !strings.Contains(string(text), f.Name.Name+"."+fn.Name.Name+"[") {
				t.Errorf("%s.%s has no misuse", f.Name.Name, fn.Name.Name)
			}
		}
	}
}
