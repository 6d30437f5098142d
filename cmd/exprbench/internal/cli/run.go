package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/bench"
	"github.com/oneloop/oneloop/cmd/exprbench/internal/machine"
	"github.com/oneloop/oneloop/cmd/exprbench/internal/report"
	"github.com/oneloop/oneloop/cmd/exprbench/internal/roof"
	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/progress"
)

type runFlags struct {
	quick, full bool
	format, out string
	rounds      int
	only        []string
	sizes       []int
	arrays      arrayFlags
	engine      engineFlags
}

func newRun() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "run [flags] ['statements']",
		Short: "Measure fused against unfused evaluation",
		Long: `Measure workloads, or the statements given, fused into one program, as one
program for each operator, and (workloads) as loops written by hand. The results
are checked against each other first; a mismatch is a failure.`,
		Example: `  exprbench run --quick
  exprbench run --only Adam,Softmax --format bench | benchstat -col /impl -
  exprbench run 'y = exp(-x*x)' -s x=1000x1000:float64
  exprbench run --format html -o page.html`,
		Args: between(0, 1, "statements"),
		RunE: f.run,
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.quick, "quick", false, "small sizes and few rounds: some seconds")
	fl.BoolVar(&f.full, "full", false, "large sizes too: many minutes")
	fl.StringVar(&f.format, "format", "text", "`FORMAT` of the results: "+strings.Join(report.Formats, ", "))
	fl.StringVarP(&f.out, "output", "o", "-", "`file` of the results; - is standard output")
	fl.IntVar(&f.rounds, "rounds", 0, "exactly `N` rounds for each case (default: 10 or more, as time allows)")
	fl.StringSliceVar(&f.only, "only", nil, "`workloads` to measure, with commas between: "+strings.Join(workloadNames(), ", "))
	fl.IntSliceVar(&f.sizes, "size", nil, "`elements`, with commas between, instead of the sizes of each workload")
	choices(cmd, "format", report.Formats...)
	listed(cmd, "only", workloadNames())
	numbersOf(cmd, "rounds", "size")
	f.arrays.add(cmd, "1000000:float32")
	f.engine.add(cmd)
	return cmd
}

func workloadNames() []string {
	return lists.Map(bench.Workloads(), func(w *bench.Workload) string { return w.Name })
}

// A job prepares a case just before its measurement, so that memory holds the
// arrays of one case at a time.
type job struct {
	name    string
	prepare func(ctx context.Context, o engine.Options) (*bench.Case, error)
}

func (f *runFlags) run(cmd *cobra.Command, args []string) error {
	options, err := f.engine.options()
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	options.Threads = cmp.Or(options.Threads, runtime.GOMAXPROCS(0))
	gpu, err := f.engine.gpu()
	if err != nil {
		return err
	}
	backend := options.Backend
	if gpu != nil {
		backend = fmt.Sprintf("%s (%v)", gpu.Name(), gpu)
	}
	var jobs []job
	if len(args) > 0 {
		jobs, err = f.formulaJobs(cmd, args[0])
	} else {
		jobs, err = f.workloadJobs()
	}
	if err != nil {
		return err
	}
	r := &report.Report{Machine: machine.Read(), Backend: backend, Threads: options.Threads}
	bar := progress.New(cmd.ErrOrStderr(), len(jobs))
	defer bar.Clear()
	var top *roof.Roof
	if gpu == nil { // the limits are of the CPU
		bar.Show(0, "limits")
		size := roof.Large
		if f.quick {
			size = roof.Small
		}
		if top, err = roof.New(options.Threads, size); err != nil {
			return err
		}
		defer top.Close()
		r.Limits = top.Table()
	}
	for i, j := range jobs {
		bar.Show(i, j.name)
		c, err := j.prepare(cmd.Context(), options)
		if err != nil {
			return err
		}
		if gpu != nil {
			if err := c.OnDevice(cmd.Context(), options, gpu); err != nil {
				return err
			}
		}
		x, err := c.Measure(cmd.Context(), f.limits(), top)
		if err != nil {
			return err
		}
		r.Results = append(r.Results, x)
	}
	bar.Clear()
	if f.out != standard || f.format != "text" {
		return writeTo(cmd, f.out, func(w io.Writer) error { return report.Write(w, f.format, r, 0) })
	}
	var b strings.Builder
	if err := report.Write(&b, f.format, r, columns(cmd.OutOrStdout())); err != nil {
		return err
	}
	return print(cmd, b.String())
}

func (f *runFlags) check() error {
	switch {
	case !slices.Contains(report.Formats, f.format):
		return usagef("unknown format %q; there are %s", f.format, strings.Join(report.Formats, ", "))
	case f.quick && f.full:
		return usagef("--quick and --full exclude each other")
	case f.rounds < 0 || f.rounds > 100_000:
		return usagef("--rounds %d is not within 1..100000", f.rounds)
	}
	for _, n := range f.sizes {
		if n < 1 || uint64(n) > 1<<32 {
			return usagef("--size %d is not within 1..2^32", n)
		}
	}
	for _, name := range f.only {
		if !slices.ContainsFunc(workloadNames(), func(w string) bool { return strings.EqualFold(w, name) }) {
			return usagef("there is no workload %q; there are %s", name, strings.Join(workloadNames(), ", "))
		}
	}
	return nil
}

func (f *runFlags) limits() bench.Limits {
	l := bench.Limits{MinRounds: 10, MaxRounds: 30, Budget: 250 * time.Millisecond, Sample: time.Millisecond}
	if f.quick {
		l = bench.Limits{MinRounds: 6, MaxRounds: 6, Sample: 200 * time.Microsecond}
	}
	if f.full {
		l.Budget = 2 * time.Second
	}
	if f.rounds > 0 {
		l.MinRounds, l.MaxRounds = f.rounds, f.rounds
	}
	return l
}

func (f *runFlags) workloadJobs() ([]job, error) {
	if len(f.arrays.shapes)+len(f.arrays.def) > 0 {
		return nil, usagef("-s and -D are for statements, and none are given")
	}
	scale := bench.Normal
	if f.quick {
		scale = bench.Quick
	}
	if f.full {
		scale = bench.Full
	}
	var jobs []job
	for _, w := range bench.Workloads() {
		if len(f.only) > 0 && !slices.ContainsFunc(f.only, func(name string) bool { return strings.EqualFold(w.Name, name) }) {
			continue
		}
		sizes := w.Sizes(scale)
		if len(f.sizes) > 0 {
			sizes = f.sizes
		}
		for _, t := range []dtype.Type{dtype.F32, dtype.F64} {
			for _, n := range sizes {
				if err := machine.Room(w.Memory(t, n)); err != nil {
					return nil, fmt.Errorf("%s of %d elements: %w", w.Name, n, err)
				}
				jobs = append(jobs, job{fmt.Sprintf("%s %s %d", w.Name, t.Short(), n), func(ctx context.Context, o engine.Options) (*bench.Case, error) {
					return bench.NewCase(ctx, o, w, t, n)
				}})
			}
		}
	}
	return jobs, nil
}

func (f *runFlags) formulaJobs(cmd *cobra.Command, arg string) ([]job, error) {
	if len(f.only)+len(f.sizes) > 0 {
		return nil, usagef("--only and --size are for the workloads; give shapes with -s")
	}
	prepare, err := formulaCase(cmd, arg, f.arrays)
	return []job{{"formula", prepare}}, err
}

// formulaCase returns a function that prepares the case of the statements of
// arg. Arrays without a shape have 1e6 elements of float32.
func formulaCase(cmd *cobra.Command, arg string, arrays arrayFlags) (func(context.Context, engine.Options) (*bench.Case, error), error) {
	text, err := formulaText(cmd, arg)
	if err != nil {
		return nil, err
	}
	specs, env, src, err := arrays.read(text)
	if err != nil {
		return nil, err
	}
	given := append(lists.Map(specs, func(s bench.Spec) string { return s.Name }), slices.Collect(maps.Keys(env))...)
	slices.Sort(given)
	for _, name := range given {
		if !slices.Contains(src.Inputs(), name) {
			return nil, usagef("%s is given a value, and the statements read %s", name, cmp.Or(strings.Join(src.Inputs(), ", "), "no name"))
		}
	}
	for _, name := range src.Inputs() {
		if !slices.Contains(given, name) {
			specs = append(specs, bench.Spec{Name: name, Type: dtype.F32, Shape: []int{1_000_000}})
		}
	}
	return func(ctx context.Context, o engine.Options) (*bench.Case, error) {
		return bench.NewFormula(ctx, o, text, specs, env)
	}, nil
}
