package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/page"
	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda"
	"github.com/oneloop/oneloop/engine/inspect"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
)

// A pageWriter has what the page shows.
type pageWriter struct {
	stmts        []expr.Statement
	pl, onDevice *plan.Plan
	kernels      []*inspect.Kernel // of pl, in order
	sources      []cuda.Listing    // of onDevice
	arrays       []string          // names
	library      string            // computes products; or empty
}

// page writes the statements, their plan and the code of each stage as HTML.
func (f *inspectFlags) page(ctx context.Context, w io.Writer, stmts []expr.Statement, options engine.Options) (err error) {
	p := &pageWriter{stmts: stmts, library: f.engine.library}
	if p.pl, err = plan.Compile(ctx, stmts, append(f.engine.planOptions(), plan.RecordOrigins)...); err != nil {
		return err
	}
	if p.kernels, err = inspect.Listings(options.Backend, p.pl); err != nil {
		return err
	}
	if p.onDevice, err = plan.Compile(ctx, stmts, append(cuda.PlanOptions(), plan.RecordOrigins)...); err != nil {
		return err
	}
	p.onDevice = cuda.Plan(p.onDevice)
	if p.sources, _, err = cuda.List(p.onDevice, f.arch); err != nil {
		return err
	}
	return page.Write(w, p.page())
}

func (p *pageWriter) page() page.Page {
	var title []string
	for _, s := range p.stmts {
		for _, root := range []*tree.Node{s.Target, s.Value} {
			tree.Walk(root, func(n *tree.Node) {
				if n.Leaf != nil && n.Leaf.Name != "" {
					p.arrays = append(p.arrays, n.Leaf.Name)
				}
			})
		}
		title = append(title, s.String())
	}
	head := []page.Pane{page.Names("trees", p.trees(), p.arrays), page.Names("plan", page.Lines(p.pl.Explain()), p.arrays)}
	out := page.Page{Title: strings.Join(title, "\n"), Head: head}
	loops := p.kernels
	for i, s := range p.pl.Stages {
		stage := page.Stage{Number: i, Kind: s.Why}
		var texts, codes page.Pane
		for n, part := range partsOf(s) {
			at := partName(s, i, n)
			if s.Kind == plan.Chain {
				texts = texts.And(page.Names("", page.Lines(fmt.Sprintf("part %d\n", n)), nil))
			}
			if part.Kernel == nil {
				texts = texts.And(page.Names("", page.Lines(stageText(part, p.library), page.Step(at)), p.arrays))
				continue
			}
			texts = texts.And(page.Loop("loop IR", stageText(part, p.library), at, buffersOf(part), p.arrays))
			codes = codes.And(page.Loop(page.Code, loops[0].String(), at, buffersOf(part), p.arrays))
			loops = loops[1:]
		}
		texts.Name, codes.Name = "loop IR", page.Code
		if stage.Panes = append(stage.Panes, texts); codes.Lines != "" {
			stage.Panes = append(stage.Panes, codes)
		}
		for _, l := range p.sources {
			if l.Stage == i {
				stage.Panes = append(stage.Panes, page.Loop(page.CUDA, l.Source, p.onDeviceName(i), buffersOf(p.onDevice.Stages[i]), nil))
			}
		}
		out.Stages = append(out.Stages, stage)
	}
	return out
}

// trees returns the lines of the trees, with the keys of what computes their nodes.
func (p *pageWriter) trees() (lines []page.Line) {
	keys := map[*tree.Node][]string{}
	add := func(pl *plan.Plan, name func(s *plan.Stage, i, n int) string) {
		for i, s := range pl.Stages {
			for n, part := range partsOf(s) {
				at := name(s, i, n)
				for _, o := range part.Origins {
					keys[pl.Origins[o]] = append(keys[pl.Origins[o]], page.Step(at))
				}
				if part.Kernel == nil {
					continue
				}
				for v, origins := range part.Kernel.Origins {
					for _, o := range origins {
						keys[pl.Origins[o]] = append(keys[pl.Origins[o]], page.Value(at, v))
					}
				}
			}
		}
	}
	add(p.pl, partName)
	add(p.onDevice, func(_ *plan.Stage, i, _ int) string { return p.onDeviceName(i) })
	for _, s := range p.stmts {
		lines = append(lines, page.Line{Text: fmt.Sprintf("%s %s\n", s.Target, s.Saver)})
		for text, n := range s.Value.Lines() {
			slices.Sort(keys[n])
			lines = append(lines, page.Line{Text: "  " + text, Keys: slices.Compact(keys[n])})
		}
		lines = append(lines, page.Line{Text: "\n"})
	}
	return lines
}

// partsOf returns the parts of a chain, or else the stage.
func partsOf(s *plan.Stage) []*plan.Stage {
	if s.Kind == plan.Chain {
		return s.Parts
	}
	return []*plan.Stage{s}
}

// partName names part n of stage i on the page. A value of another part has another name.
func partName(s *plan.Stage, i, n int) string {
	if s.Kind == plan.Chain {
		return fmt.Sprintf("%d.%d", i, n)
	}
	return strconv.Itoa(i)
}

// onDeviceName returns the name on the page of stage i of the device's plan. If the CPU runs the same loop, it is the
// name of the CPU's stage, because their values are the same.
func (p *pageWriter) onDeviceName(i int) string {
	if i < len(p.pl.Stages) && sameKernel(p.pl.Stages[i], p.onDevice.Stages[i]) {
		return strconv.Itoa(i)
	}
	return "d" + strconv.Itoa(i)
}

// buffersOf returns the names of the arrays of the buffers of a loop, or "".
func buffersOf(s *plan.Stage) []string {
	buffers := make([]string, len(s.Bufs))
	for k, b := range s.Bufs {
		if b.Array != nil {
			buffers[k] = b.Array.Name
		}
	}
	return buffers
}

// sameKernel reports whether two stages are one loop.
func sameKernel(a, b *plan.Stage) bool {
	return a.Kernel != nil && b.Kernel != nil && a.Kernel.String() == b.Kernel.String()
}
