package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

// debugWords returns the words of the environment variable ONELOOP_DEBUG, which
// commas separate. For every program compiled, tree, plan, ir and asm print the
// respective text on stderr, and ir also checks every kernel. plan=PASS prints
// the statements after that pass of package plan. perf sets Options.Profile for
// all programs.
func debugWords() map[string]bool {
	on := map[string]bool{}
	for _, word := range strings.Split(os.Getenv("ONELOOP_DEBUG"), ",") {
		if word != "" {
			on[word] = true
		}
	}
	return on
}

func debug(ctx context.Context, w io.Writer, on map[string]bool, stmts []expr.Statement, p *plan.Plan) error {
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
		text, err := plan.After(ctx, pass, stmts)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "oneloop: after %s\n%s", pass, text)
	}
	if !on["ir"] {
		return nil
	}
	for i, s := range p.Stages {
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

// debugCode prints the machine code of the loops of a program.
func debugCode(w io.Writer, p *Program) error {
	for i, st := range p.steps {
		l, ok := st.(*loopStep)
		if !ok {
			continue
		}
		k, err := host.Listing(p.backend, i, l.s, l.code, l.inst)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "oneloop: stage %d: %s", i, k)
	}
	return nil
}
