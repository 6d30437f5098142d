package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/inspect/timeline"
	"github.com/oneloop/oneloop/engine/net"
	"github.com/oneloop/oneloop/plan"
)

type traceFlags struct {
	arrays    arrayFlags
	net, init string
	out       string
	runs      int
	engine    engineFlags
}

func newTrace() *cobra.Command {
	f := &traceFlags{}
	cmd := &cobra.Command{
		Use:   "trace [flags] {'statements' | --net net.pbtxt}",
		Short: "Record when the stages of a program or the operators of a net run",
		Long: `Run statements, or a net of Caffe2 in text form, and write when each stage or
operator began and how long it took, as JSON that ui.perfetto.dev and
chrome://tracing open. The first run is not recorded.`,
		Example: `  exprbench trace 'y = softmax(x); s = sum(y @ x.T)' -s x=512x512 -o trace.json
  exprbench trace --net net.pbtxt --init init.pbtxt -o trace.json`,
		Args: between(0, 1, "statements"),
		RunE: f.run,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.net, "net", "", "`file` of a net to run instead of statements")
	fl.StringVar(&f.init, "init", "", "`file` of a net that runs once before, to fill blobs")
	fl.StringVarP(&f.out, "output", "o", "-", "`file` of the trace; - is standard output")
	fl.IntVar(&f.runs, "runs", 3, "number of recorded `runs`")
	filesOf(cmd, "net", "pbtxt", "prototxt", "txt")
	filesOf(cmd, "init", "pbtxt", "prototxt", "txt")
	filesOf(cmd, "output", "json")
	numbersOf(cmd, "runs")
	f.arrays.add(cmd, "1000000:float32")
	f.engine.add(cmd)
	return cmd
}

func (f *traceFlags) run(cmd *cobra.Command, args []string) error {
	switch {
	case f.runs < 1 || f.runs > 100_000:
		return usagef("--runs %d is not within 1..100000", f.runs)
	case (f.net == "") == (len(args) == 0):
		return usagef("give either statements or --net")
	case f.net == "" && f.init != "":
		return usagef("--init is for --net")
	case f.net != "" && (len(f.arrays.shapes)+len(f.arrays.def) > 0 || f.engine != engineFlags{}):
		return usagef("-s, -D, --backend, --threads and --blas are for statements; a net has devices and engines of its own")
	}
	record := f.nets
	if f.net == "" {
		options, err := f.engine.onHost()
		if err != nil {
			return err
		}
		prepare, err := formulaCase(cmd, args[0], f.arrays)
		if err != nil {
			return err
		}
		record = func(ctx context.Context) (io.WriterTo, error) {
			c, err := prepare(ctx, options)
			if err != nil {
				return nil, err
			}
			return f.stages(ctx, c.Program())
		}
	}
	t, err := record(cmd.Context())
	if err != nil {
		return err
	}
	return writeTo(cmd, f.out, func(w io.Writer) error {
		_, err := t.WriteTo(w)
		return err
	})
}

// stages returns the timeline of runs of a program.
func (f *traceFlags) stages(ctx context.Context, p *engine.Program) (io.WriterTo, error) {
	if err := p.Run(ctx); err != nil {
		return nil, err
	}
	t := &timeline.Timeline{}
	err := p.Observe(func(r engine.StageRun) { t.Add(span(p.Plan().Stages[r.Stage], r)) })
	for i := 0; i < f.runs && err == nil; i++ {
		err = p.Run(ctx)
	}
	return t, err
}

// span returns a run of a stage as a span: its kernel, what it stores, and why it
// is a stage of its own.
func span(s *plan.Stage, r engine.StageRun) timeline.Span {
	return timeline.Span{
		Name: s.Name(), Category: "stage", Lane: 1, Began: r.Began, Took: r.Took,
		Args: map[string]string{
			"stage": strconv.Itoa(r.Stage), "why": s.Why, "bytes": strconv.Itoa(s.Bytes()),
			"reads": fmt.Sprint(s.Reads), "writes": fmt.Sprint(s.Writes),
		},
	}
}

// nets returns the timeline of runs of a net.
func (f *traceFlags) nets(ctx context.Context) (io.WriterTo, error) {
	w := net.NewWorkspace()
	if f.init != "" {
		d, err := readNet(f.init)
		if err != nil {
			return nil, err
		}
		if err := w.RunOnce(ctx, d); err != nil {
			return nil, err
		}
	}
	d, err := readNet(f.net)
	if err != nil {
		return nil, err
	}
	d.Name = cmp.Or(d.Name, f.net)
	n, err := w.CreateNet(d)
	if err != nil {
		return nil, err
	}
	if err := n.Run(ctx); err != nil {
		return nil, err
	}
	t := &net.Trace{}
	n.AttachAll(t)
	for i := 0; i < f.runs && err == nil; i++ {
		err = n.Run(ctx)
	}
	return t, err
}

func readNet(path string) (*net.NetDef, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := &net.NetDef{}
	if err := d.UnmarshalText(text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}
