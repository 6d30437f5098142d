package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/page"
	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda"
	"github.com/oneloop/oneloop/engine/inspect"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan"
)

// page writes the statements, their plan and the code of each stage as HTML.
func (f *inspectFlags) page(ctx context.Context, w io.Writer, stmts []expr.Statement, options engine.Options) error {
	pl, err := plan.Compile(ctx, stmts, f.engine.planOptions()...)
	if err != nil {
		return err
	}
	kernels, err := inspect.Listings(options.Backend, pl)
	if err != nil {
		return err
	}
	onDevice, err := plan.Compile(ctx, stmts)
	if err != nil {
		return err
	}
	onDevice = cuda.Plan(onDevice)
	sources, _, err := cuda.List(onDevice, f.arch)
	if err != nil {
		return err
	}
	var arrays, title []string
	var trees strings.Builder
	for _, s := range stmts {
		for _, root := range []*expr.Node{s.Target, s.Value} {
			expr.Walk(root, func(n *expr.Node) {
				if n.Leaf != nil && n.Leaf.Name != "" {
					arrays = append(arrays, n.Leaf.Name)
				}
			})
		}
		title = append(title, s.String())
		fmt.Fprintf(&trees, "%s %s\n%s\n", s.Target, s.Saver, indent(s.Value.Tree()))
	}
	out := page.Page{
		Title: strings.Join(title, "\n"),
		Head:  []page.Pane{page.Trees("trees", trees.String(), arrays), page.Trees("plan", pl.Explain(), arrays)},
	}
	for i, s := range pl.Stages {
		stage := page.Stage{Number: i, Kind: s.Why}
		buffers := make([]string, len(s.Bufs))
		for k, b := range s.Bufs {
			if b.Array != nil {
				buffers[k] = b.Array.Name
			}
		}
		stage.Panes = append(stage.Panes, page.Loop("loop IR", stageText(s), i, buffers, arrays))
		for _, k := range kernels {
			if k.Stage == i {
				stage.Panes = append(stage.Panes, page.Loop(page.Code, k.String(), i, buffers, arrays))
			}
		}
		for _, l := range sources {
			if l.Stage == i {
				number := i
				if i >= len(onDevice.Stages) || !sameKernel(s, onDevice.Stages[i]) {
					number = -1 - i // its values have other numbers
				}
				stage.Panes = append(stage.Panes, page.Loop(page.CUDA, l.Source, number, nil, nil))
			}
		}
		out.Stages = append(out.Stages, stage)
	}
	return page.Write(w, out)
}

// sameKernel reports whether two stages are one loop.
func sameKernel(a, b *plan.Stage) bool {
	return a.Kernel != nil && b.Kernel != nil && a.Kernel.String() == b.Kernel.String()
}
