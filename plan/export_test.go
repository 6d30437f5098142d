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
	"github.com/oneloop/oneloop/plan/ir"
)

// Trace compiles statements and checks the result of each pass. It returns the
// text of each result by the name of the pass.
func Trace(ctx context.Context, stmts []expr.Statement) (map[string]string, error) {
	out := map[string]string{}
	var wrong []string
	_, err := compile(ctx, stmts, []Option{CombineProducts, ChainAlways}, func(pass string, made any) {
		var b strings.Builder
		dump(&b, made)
		out[pass] += b.String()
		if err := verifyPass(made); err != nil {
			wrong = append(wrong, fmt.Sprintf("after %s: %v", pass, err))
		}
	})
	if err == nil && wrong != nil {
		err = fmt.Errorf("%s", strings.Join(wrong, "\n"))
	}
	return out, err
}

// verifyPass returns an error unless the result of a pass keeps its invariants.
func verifyPass(made any) error {
	switch x := made.(type) {
	case []statement:
		for i, s := range x {
			if s.target != nil && (s.target.SelfOverlaps() || s.target.Shape.Size() == 0) {
				return fmt.Errorf("statement %d stores to %v", i, s.target)
			}
		}
	case [][]statement:
		for i, g := range x {
			for _, s := range g {
				if len(g) > 1 && !slices.Equal(graph.LoopShape(s.target.Shape), graph.LoopShape(g[0].target.Shape)) {
					return fmt.Errorf("the targets of group %d have different loops", i)
				}
			}
		}
	case []graph.Root:
		seen := map[*graph.Node]bool{}
		for _, r := range x {
			if err := verifyNode(r.Value, seen); err != nil {
				return err
			}
		}
	case []*fuse.Step:
		for i, s := range x {
			if err := verifyStep(s); err != nil {
				return fmt.Errorf("step %d: %w", i, err)
			}
		}
	case []*Stage:
		for _, s := range x {
			if err := verifyStage(s); err != nil {
				return err
			}
		}
	case joined:
		for _, s := range x {
			for _, part := range s.all() {
				if err := verifyStage(part); err != nil {
					return err
				}
			}
		}
	case *Plan:
		return verifyMemory(x)
	}
	return nil
}

func verifyNode(n *graph.Node, seen map[*graph.Node]bool) error {
	if seen[n] {
		return nil
	}
	seen[n] = true
	if n.Array == nil && n.Cost < 1 {
		return fmt.Errorf("#%d costs %d", n.ID, n.Cost)
	}
	if n.Array != nil && !n.Array.Shape.Equal(n.Shape) {
		return fmt.Errorf("#%d of shape %v is stored in %v", n.ID, n.Shape, n.Array)
	}
	for _, a := range n.Args {
		if a.ID >= n.ID {
			return fmt.Errorf("operand #%d of #%d comes after it", a.ID, n.ID)
		}
		if err := verifyNode(a, seen); err != nil {
			return err
		}
	}
	return nil
}

// verifyStep returns an error unless the reductions of a loop fit its nest, and
// every node that the loop loads has been computed.
func verifyStep(s *fuse.Step) error {
	l := s.Loop
	if l == nil {
		return nil
	}
	fused := map[*graph.Node]bool{}
	for i, reductions := range l.Phases {
		if len(reductions) == 0 {
			return fmt.Errorf("phase %d has no reduction", i+1)
		}
		for _, v := range reductions {
			fused[v.Node] = true
		}
	}
	for v := range l.All() {
		n := v.Node
		switch c := n.Src.Op.Class(); {
		case v.Load != nil:
			if v.Of.Pending {
				return fmt.Errorf("#%d is loaded before it is stored", v.Of.ID)
			}
		case c == tree.Reduction && !fused[n]:
			return fmt.Errorf("reduction #%d is neither stored nor in a phase", n.ID)
		case c == tree.Contraction || c == tree.Opaque:
			return fmt.Errorf("#%d is in a loop", n.ID)
		case c == tree.Elementwise && len(v.Operands) != len(n.Args):
			return fmt.Errorf("#%d has %d operands", n.ID, len(v.Operands))
		}
	}
	return nil
}

func verifyStage(s *Stage) error {
	if s.Kind != Loop {
		return nil
	}
	if len(s.Bufs) != len(s.Kernel.Bufs) || len(s.Extents) != len(s.Kernel.Axes) || len(s.Params) != s.Kernel.Params || len(s.Scalars) != len(s.Kernel.Scalars) {
		return fmt.Errorf("the stage binds another kernel")
	}
	for i, o := range s.Bufs {
		if b := s.Kernel.Bufs[i]; b.Mode != ir.Row && (len(o.Strides) != b.Rank || len(o.Extents) != b.Rank || o.Array.Type != b.Type) {
			return fmt.Errorf("buffer %s is bound to %v", b.Name, o.Array)
		}
	}
	return ir.Check(s.Kernel)
}

// verifyMemory returns an error unless temporaries are written before they are
// read, and temporaries that live at the same time do not overlap.
func verifyMemory(p *Plan) error {
	written := map[int]bool{}
	for i, s := range p.Stages {
		for _, a := range s.Reads {
			if a.Mem == nil && !written[a.Temp] {
				return fmt.Errorf("stage %d reads t%d before it is written", i, a.Temp)
			}
		}
		for _, a := range s.Writes {
			if a.Mem == nil {
				written[a.Temp] = true
			}
		}
	}
	for i, t := range p.Temps {
		if t.first >= 0 && (t.Offset < 0 || t.Offset+t.Array.Bytes() > p.Arena) {
			return fmt.Errorf("t%d lies outside of the arena", i)
		}
		for j, o := range p.Temps[:i] {
			if t.first >= 0 && o.first >= 0 && t.first <= o.last && o.first <= t.last &&
				t.Offset < o.Offset+o.Array.Bytes() && o.Offset < t.Offset+t.Array.Bytes() {
				return fmt.Errorf("t%d and t%d share memory while both live", j, i)
			}
		}
	}
	return nil
}
