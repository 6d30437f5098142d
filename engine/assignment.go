package engine

import (
	"context"

	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/engine/internal/reuse"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
)

// Run compiles statements and runs them once. It keeps the program for later
// statements of the same structure, which it then does not compile. Their arrays,
// parameters and constants may differ.
func Run(ctx context.Context, stmts ...expr.Statement) error {
	return RunWith(ctx, Options{}, stmts...)
}

// RunWith is Run with options.
func RunWith(ctx context.Context, o Options, stmts ...expr.Statement) error {
	if err := checkContext(ctx, "engine.Run"); err != nil {
		return err
	}
	if a := assignmentOf(ctx, o, stmts); a != nil {
		return runAssignment(ctx, a, stmts)
	}
	p, err := CompileWith(ctx, o, stmts...)
	if err != nil {
		return err
	}
	return p.Run(ctx)
}

// An assignment is a program in the cache, with arrays and cells of its own.
type assignment = reuse.Entry[Options, *host.Program]

// assignmentOf returns an assignment bound to the operands of stmts, from the
// cache if the cache has one. It returns nil if the statements have no key or do
// not compile. Then the caller compiles the statements themselves, which gives
// the error its place.
func assignmentOf(ctx context.Context, o Options, stmts []expr.Statement) *assignment {
	if on := process.debug(); len(on) > 1 || len(on) == 1 && !on["perf"] {
		return nil // the listings must show every program
	}
	o, be, err := o.resolve()
	if err != nil {
		return nil
	}
	k := process.assignments.Key(stmts)
	if k == nil {
		return nil
	}
	defer process.assignments.Free(k)
	a := process.assignments.Take(k, o)
	if a != nil {
		return a
	}
	a = process.assignments.New(k, o, stmts)
	pl, err := plan.Compile(ctx, a.Statements, planOptions(o, a.Statements)...)
	if err != nil {
		return nil
	}
	if a.Program, err = hostProgram(ctx, o, be, pl); err != nil {
		return nil
	}
	a.Bytes += a.Program.Footprint()
	return a
}

// runAssignment carries out stmts, to whose operands a is bound, and puts a into
// the cache. An error has the place of the original node in stmts.
func runAssignment(ctx context.Context, a *assignment, stmts []expr.Statement) error {
	defer func() {
		a.Program.Forget()
		process.assignments.Put(a)
	}()
	err := a.Program.Run(ctx)
	if err == nil {
		return nil
	}
	return located(err, func(n *tree.Node) *tree.Node { return process.assignments.Original(a, n, stmts) }, evaluator(ctx))
}
