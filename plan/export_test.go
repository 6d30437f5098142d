package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan/ir"
)

// Trace compiles statements and checks the result of each pass. It returns the
// text of each result by the name of the pass.
func Trace(ctx context.Context, stmts []expr.Statement) (map[string]string, error) {
	out := map[string]string{}
	var wrong []string
	_, err := compile(ctx, stmts, func(pass string, made any) {
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
	case [][]statement:
		for i, g := range x {
			for _, s := range g {
				if len(g) > 1 && !slices.Equal(loopShape(s.target.Shape), loopShape(g[0].target.Shape)) {
					return fmt.Errorf("the targets of group %d have different loops", i)
				}
			}
		}
	case []root:
		seen := map[*node]bool{}
		for _, r := range x {
			if err := verifyNode(r.value, seen); err != nil {
				return err
			}
		}
	case *fusion:
		for p := 1; p <= x.rows.last; p++ {
			if !slices.ContainsFunc(x.rows.reductions, func(r *reduction) bool { return r.phase == p }) {
				return fmt.Errorf("phase %d has no reduction", p)
			}
		}
	case []*Stage:
		for _, s := range x {
			if err := verifyStage(s); err != nil {
				return err
			}
		}
	case *Plan:
		return verifyMemory(x)
	}
	return nil
}

func verifyNode(n *node, seen map[*node]bool) error {
	if seen[n] {
		return nil
	}
	seen[n] = true
	if n.array == nil && n.cost < 1 {
		return fmt.Errorf("#%d costs %d", n.id, n.cost)
	}
	if n.array != nil && !n.array.Shape.Equal(n.shape) {
		return fmt.Errorf("#%d of shape %v is stored in %v", n.id, n.shape, n.array)
	}
	for _, a := range n.args {
		if a.id >= n.id {
			return fmt.Errorf("operand #%d of #%d comes after it", a.id, n.id)
		}
		if err := verifyNode(a, seen); err != nil {
			return err
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
