package engine

import (
	"context"
	"fmt"
	"io"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

// debug prints what the words in on list.
func debug(ctx context.Context, w io.Writer, on map[string]bool, stmts []expr.Statement, p *plan.Plan, options []plan.Option) error {
	if on["tree"] {
		for _, s := range stmts {
			fmt.Fprintf(w, "oneloop: %v\n%s", s, s.Value.Tree())
		}
	}
	if on["plan"] {
		fmt.Fprintf(w, "oneloop: %s", p.Explain())
	}
	for _, pass := range plan.Passes() {
		if !on["plan="+pass] {
			continue
		}
		text, err := plan.After(ctx, pass, stmts, options...)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "oneloop: after %s\n%s", pass, text)
	}
	if !on["ir"] {
		return nil
	}
	for i, s := range p.All() {
		if s.Kernel == nil {
			continue
		}
		fmt.Fprintf(w, "oneloop: stage %d, extents %v, integers %v\n%s", i, s.Extents, s.Params, s.Kernel)
		if err := ir.Check(s.Kernel); err != nil {
			return err
		}
	}
	return nil
}
