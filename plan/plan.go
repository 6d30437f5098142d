// Package plan turns assignments into stages: fused loops in the IR of package
// ir, matrix products, calls of Go functions, and chains of products and loops.
// It also places the temporaries that the stages need.
//
// [Compile] runs a list of passes, which this file declares. Each pass takes
// the result of the pass before it. [After] returns the result of one pass as
// text.
package plan

import (
	"context"
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan/fuse"
	"github.com/oneloop/oneloop/plan/graph"
)

// passes lists the passes of Compile, in order. All statements are checked and
// grouped first. Then each group is joined, fused and emitted before the next
// one, because a group reads what earlier groups store.
var passes = []string{
	"check",  // verifies the trees, and finds what each statement reads
	"group",  // puts neighbours that can share a loop together
	"join",   // makes one graph of the trees of a group: equal nodes once, constants folded, reshapes moved to arrays, what is too large for one kernel stored
	"fuse",   // decides the steps that store the roots: the loops, products and calls, what each loop computes, and what is stored between them
	"emit",   // writes each step as a stage
	"chain",  // joins products, and the loops before and after them, to run block of rows by block of rows
	"memory", // places the temporaries in one arena by their lifetimes
}

// An Option says what the stages of a plan may do.
type Option uint8

// The options. The CPU allows all of them but ScaleProducts and ProductsInOrder, with its built-in
// products.
const (
	// CombineProducts lets products scale their sums, combine them with their result,
	// and read operands of any strides.
	CombineProducts Option = iota + 1
	// ScaleProducts lets products of float32 and float64 be what BLAS computes:
	// C = beta*C + alpha*(A @ B), and = and -=, where C is row-major.
	ScaleProducts
	// ProductsInOrder asks for products with the sums of the interpreter, in its order,
	// from a back end that has others by default: [Plan.ProductsInOrder].
	ProductsInOrder
	// ChainProducts joins products and loops that have the same rows to chains where
	// that pays.
	ChainProducts
	// ChainAlways is ChainProducts, also where chains do not pay.
	ChainAlways
	// SplitLoops lets a loop become several, each over a part of the target without
	// the borders of concatenations and paddings. It is faster where a stage costs
	// little.
	SplitLoops
	// RecordOrigins makes the plan record which node of the statements each value of a kernel,
	// each product and each call is from: [Plan.Origins], [ir.Kernel.Origins]. It changes nothing else.
	RecordOrigins
)

// Compile returns the plan of statements. The plan has the effect of the
// statements in their order. If ctx is cancelled, Compile returns an error that
// wraps ctx.Err().
func Compile(ctx context.Context, stmts []expr.Statement, options ...Option) (*Plan, error) {
	return compile(ctx, stmts, options, nil)
}

// made passes the result of a pass to show, if show is not nil.
func made[T any](show func(pass string, made any), pass string, x T) {
	if show != nil {
		show(pass, x)
	}
}

// compile is Compile. It passes the result of each pass to show.
func compile(ctx context.Context, stmts []expr.Statement, options []Option, show func(pass string, made any)) (*Plan, error) {
	var origins *graph.Origins
	if slices.Contains(options, RecordOrigins) {
		origins = &graph.Origins{}
	}
	checked, err := check(ctx, stmts, origins)
	if err != nil {
		return nil, err
	}
	made(show, "check", checked)
	groups := group(checked, slices.Contains(options, SplitLoops))
	made(show, "group", groups)
	p, g, e := &Plan{ProductsInOrder: slices.Contains(options, ProductsInOrder)}, graph.New(), &emitter{origins: origins}
	g.Origins, g.Separates = origins, slices.Contains(options, SplitLoops)
	f := fuse.New(ctx, g, fuse.May{
		Combine: slices.Contains(options, CombineProducts), Scale: slices.Contains(options, ScaleProducts), Split: slices.Contains(options, SplitLoops),
	})
	for i, list := range groups {
		roots, err := join(ctx, g, list)
		if err != nil {
			return nil, err
		}
		made(show, "join", roots)
		steps, err := f.Steps(roots)
		if err != nil {
			return nil, err
		}
		made(show, "fuse", steps)
		stages, err := e.emit(steps)
		if err != nil {
			return nil, err
		}
		made(show, "emit", stages)
		p.Stages = appended(p.Stages, stages)
		if i == len(groups)-1 { // nothing reads what the roots store
			break
		}
		for _, r := range roots {
			g.Stored(r.Target)
		}
		for _, r := range roots {
			g.Hold(r)
		}
	}
	if always := slices.Contains(options, ChainAlways); always || slices.Contains(options, ChainProducts) {
		inPlace(p.Stages)
		p.Stages = tile(chain(p.Stages, always), always)
	}
	made(show, "chain", joined(p.Stages))
	p.placeTemps(g.Temps)
	made(show, "memory", p)
	if origins != nil {
		p.Origins = origins.Nodes
	}
	f.Free()
	g.Free()
	return p, nil
}

// appended returns the elements of two lists. It may use the memory of both.
func appended[T any](before, more []T) []T {
	if len(before) == 0 {
		return more
	}
	return append(before, more...)
}
