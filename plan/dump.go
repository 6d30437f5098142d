package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr"
)

// Passes returns the names of the passes of Compile, in order.
func Passes() []string {
	names := make([]string, len(passes))
	for i, p := range passes {
		names[i] = p.name
	}
	return names
}

// After returns the result of a pass on statements as text. It returns an error
// if there is no pass of that name, and any error of Compile.
func After(ctx context.Context, pass string, stmts []expr.Statement) (string, error) {
	if !slices.Contains(Passes(), pass) {
		return "", expr.NewError(expr.ErrValue, "", "there is no pass %q; the passes are %s", pass, strings.Join(Passes(), ", "))
	}
	var b strings.Builder
	_, err := compile(ctx, stmts, func(p string, made any) {
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
	case []root:
		dumpGraph(b, x)
	case *fusion:
		dumpFusion(b, x)
	case []*Stage:
		for _, s := range x {
			fmt.Fprintf(b, "%s: %s\n  reads %s; writes %s\n", s.what(), s.Why, list(s.Reads), list(s.Writes))
			if s.Kernel != nil {
				fmt.Fprintf(b, "extents %v, integers %v\n%s", s.Extents, s.Params, s.Kernel)
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

// dumpGraph writes the nodes below roots, operands first.
func dumpGraph(b *strings.Builder, roots []root) {
	seen := map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if n.array == nil || n.pending {
			for _, a := range n.args {
				visit(a)
			}
		}
		fmt.Fprintf(b, "#%d %v%v = ", n.id, n.typ, []int(n.shape))
		switch {
		case n.src.Op.Class == expr.Storage:
			fmt.Fprintf(b, "%v strides %v", n.array.name(), []int(n.array.Strides))
		case n.array != nil && !n.pending:
			b.WriteString(n.array.name())
		case len(n.args) == 0:
			b.WriteString(n.src.String())
		default:
			b.WriteString(n.src.Op.Name)
			for _, a := range n.args {
				fmt.Fprintf(b, " #%d", a.id)
			}
			if len(n.src.Axes)+len(n.src.Ints) > 0 {
				fmt.Fprintf(b, " %v%v", n.src.Axes, n.src.Ints)
			}
			fmt.Fprintf(b, " cost %d", n.cost)
		}
		if n.pending {
			fmt.Fprintf(b, " stored in %s: %s", n.array.name(), n.reason)
		}
		b.WriteByte('\n')
	}
	for _, r := range roots {
		visit(r.value)
		fmt.Fprintf(b, "%s = #%d\n", r.target.name(), r.value.id)
	}
}

// A fusion is the result of the fuse pass for one kernel.
type fusion struct {
	roots []root
	nest  nest
	rows  rows
}

func dumpFusion(b *strings.Builder, f *fusion) {
	for _, r := range f.roots {
		fmt.Fprintf(b, "%s = #%d\n", r.target.name(), r.value.id)
	}
	kind := [...]string{mapNest: "map", rowNest: "rows", colNest: "columns"}[f.nest.kind]
	fmt.Fprintf(b, "  %s over %v", kind, f.nest.outer)
	if f.nest.kind != mapNest {
		fmt.Fprintf(b, ", inside %v", f.nest.inner)
	}
	b.WriteByte('\n')
	for _, r := range f.rows.reductions {
		fmt.Fprintf(b, "  phase %d: #%d %s\n", r.phase, r.node.id, r.node.src.Op.Name)
	}
	var kept []int32
	for n := range f.rows.keep {
		kept = append(kept, n.id)
	}
	slices.Sort(kept)
	for _, id := range kept {
		fmt.Fprintf(b, "  row buffer: #%d\n", id)
	}
}
