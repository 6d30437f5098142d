package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan/fuse"
	"github.com/oneloop/oneloop/plan/graph"
)

// Passes returns the names of the passes of Compile, in order.
func Passes() []string { return slices.Clone(passes) }

// After returns the result of a pass on statements as text. It returns an error
// if there is no pass of that name, and any error of Compile.
func After(ctx context.Context, pass string, stmts []expr.Statement, options ...Option) (string, error) {
	if !slices.Contains(Passes(), pass) {
		return "", tree.NewError(tree.ErrValue, "", "there is no pass %q; the passes are %s", pass, strings.Join(Passes(), ", "))
	}
	var b strings.Builder
	_, err := compile(ctx, stmts, options, func(p string, made any) {
		if p == pass {
			dump(&b, made)
		}
	})
	return b.String(), err
}

// dump writes the result of a pass.
func dump(b *strings.Builder, made any) {
	switch x := made.(type) {
	case []statement:
		for _, s := range x {
			fmt.Fprintln(b, s.Statement)
			for _, r := range s.reads {
				how := "at other positions"
				if r.direct {
					how = "element by element"
				}
				fmt.Fprintf(b, "  reads %v %s\n", r.array, how)
			}
		}
	case [][]statement:
		for i, g := range x {
			fmt.Fprintf(b, "group %d\n", i)
			for _, s := range g {
				fmt.Fprintln(b, " ", s.Statement)
			}
		}
	case []graph.Root:
		dumpGraph(b, x)
	case []*fuse.Step:
		for _, s := range x {
			dumpStep(b, s)
		}
	case []*Stage:
		for _, s := range x {
			fmt.Fprintf(b, "%s: %s\n  reads %s; writes %s\n", s.what(), s.Why, list(s.Reads), list(s.Writes))
			s.dumpKernel(b)
		}
	case joined:
		for _, s := range x {
			fmt.Fprintf(b, "%s of %s\n", s.what(), list(s.Writes))
			for _, part := range s.Parts {
				fmt.Fprintf(b, "  %s of %s\n", part.what(), list(part.Writes))
				part.dumpKernel(b)
			}
		}
	case *Plan:
		for i, t := range x.Temps {
			if t.first >= 0 {
				fmt.Fprintf(b, "t%d %v%v at %d, %d bytes, of stages %d to %d\n", i, t.Array.Type, []int(t.Array.Shape), t.Offset, t.Array.Bytes(), t.first, t.last)
			}
		}
		fmt.Fprintf(b, "%d bytes\n", x.Arena)
	}
}

// dumpKernel writes the kernel of a stage, if it has one.
func (s *Stage) dumpKernel(b *strings.Builder) {
	if s.Kernel != nil {
		fmt.Fprintf(b, "extents %v, integers %v\n%s", s.Extents, s.Params, s.Kernel)
	}
}

// dumpGraph writes the nodes below roots, operands first.
func dumpGraph(b *strings.Builder, roots []graph.Root) {
	seen := map[*graph.Node]bool{}
	var visit func(n *graph.Node)
	visit = func(n *graph.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if n.Array == nil || n.Pending {
			for _, a := range n.Args {
				visit(a)
			}
		}
		fmt.Fprintf(b, "#%d %v%v = ", n.ID, n.Type, []int(n.Shape))
		switch {
		case n.Src.Op.Class() == tree.Storage:
			fmt.Fprintf(b, "%v strides %v", n.Array.Label(), []int(n.Array.Strides))
		case n.Array != nil && !n.Pending:
			b.WriteString(n.Array.Label())
		case len(n.Args) == 0:
			b.WriteString(n.Src.String())
		default:
			b.WriteString(n.Src.Op.Name())
			for _, a := range n.Args {
				fmt.Fprintf(b, " #%d", a.ID)
			}
			if len(n.Src.Axes)+len(n.Src.Ints) > 0 {
				fmt.Fprintf(b, " %v%v", n.Src.Axes, n.Src.Ints)
			}
			fmt.Fprintf(b, " cost %d", n.Cost)
		}
		if n.Pending {
			fmt.Fprintf(b, " stored in %s: %s", n.Array.Label(), n.Why)
		}
		b.WriteByte('\n')
	}
	for _, r := range roots {
		visit(r.Value)
		fmt.Fprintf(b, "%s = #%d\n", r.Target.Label(), r.Value.ID)
	}
}

// dumpStep writes what was decided about a step.
func dumpStep(b *strings.Builder, s *fuse.Step) {
	word := [...]string{fuse.Store: "store", fuse.Scan: "scan", fuse.Trust: "store, scanned", fuse.Product: "product", fuse.Call: "call"}[s.Task]
	fmt.Fprintf(b, "%s: %s\n", word, s.Why)
	if s.Loop == nil {
		fmt.Fprintf(b, "  %s = #%d of %s%s\n", s.Out.Label(), s.Node.ID, list(s.Args), combined(s.Saver, s.Alpha != nil || s.Beta != nil))
		return
	}
	for _, l := range append([]*fuse.Loop{s.Loop}, s.Beside...) {
		dumpLoop(b, l)
	}
}

// dumpLoop writes what was decided about a loop.
func dumpLoop(b *strings.Builder, l *fuse.Loop) {
	for _, r := range l.Roots {
		fmt.Fprintf(b, "  %s = #%d\n", r.Target.Label(), r.Value.ID)
	}
	kind := [...]string{fuse.Map: "map", fuse.Rows: "rows", fuse.Columns: "columns"}[l.Nest.Kind]
	fmt.Fprintf(b, "  %s over %v", kind, l.Nest.Outer)
	if l.Nest.Kind != fuse.Map {
		fmt.Fprintf(b, ", inside %v", l.Nest.Inner)
	}
	b.WriteByte('\n')
	for i, reductions := range l.Phases {
		for _, v := range reductions {
			fmt.Fprintf(b, "  phase %d: #%d %s\n", i+1, v.Node.ID, v.Node.Src.Op.Name())
		}
	}
	for v := range l.All() {
		if v.Kept {
			fmt.Fprintf(b, "  row buffer: #%d\n", v.Node.ID)
		}
		if v.Side {
			fmt.Fprintf(b, "  also stores %s = #%d\n", v.Node.Array.Label(), v.Node.ID)
		}
	}
	if l.Faults != nil {
		fmt.Fprintf(b, "  faults in %s\n", l.Faults.Label())
	}
}
