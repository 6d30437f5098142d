package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/bench"
	"github.com/oneloop/oneloop/cmd/exprbench/internal/machine"
	"github.com/oneloop/oneloop/cmd/exprbench/internal/roof"
	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda"
	"github.com/oneloop/oneloop/engine/inspect"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/shape"
)

type inspectFlags struct {
	arrays    arrayFlags
	arch      string
	out, pass string
	format    string
	engine    engineFlags
}

func newInspect() *cobra.Command {
	f := &inspectFlags{}
	cmd := &cobra.Command{
		Use:   "inspect [flags] 'statements'",
		Short: "Show trees, plan, loops and machine code of statements",
		Long: `Show what statements become: their trees with kinds, element types and
shapes, the plan with the reason for every stage and the bytes it moves, the
loops in the intermediate representation, and their machine code: which value
each instruction computes, the registers, and what is moved and calculated for
each element. Code is made for the shapes and layouts given. The bound of a
stage is the least time that its bytes and its floating-point operations (a
fused multiply-add counts as two) can take at the rates measured here, as in
"exprbench run". Statements are not run, and their arrays take no memory.`,
		Example: `  exprbench inspect 'w -= eta*(g + lam*w)' -s w=9 -s g=9 -D eta=0.1 -D lam=1e-4
  exprbench inspect 'sum(x.T, axis=0)' -s x=3x5:float64
  exprbench inspect 'y = exp(x)' -s x=1000 --backend avx2 -o exp.s
  exprbench inspect 'y = softmax(x)' -s x=64x64 --format html -o page.html`,
		Args: between(1, 1, "statements"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := formulaText(cmd, args[0])
			if err != nil {
				return err
			}
			var b strings.Builder
			if err := f.run(cmd.Context(), text, &b); err != nil {
				return err
			}
			if f.format == "text" {
				return print(cmd, b.String())
			}
			_, err = io.WriteString(cmd.OutOrStdout(), b.String())
			return err
		},
	}
	f.arrays.add(cmd, "type float32")
	cmd.Flags().StringVar(&f.arch, "arch", "sm_90", "`architecture` that --backend cuda compiles for: sm_90, compute_75")
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "`file`: write the machine code there too, for GNU as; a .html file is the page")
	cmd.Flags().StringVar(&f.pass, "pass", "", "print only what the statements are after this `pass`: "+strings.Join(plan.Passes(), ", "))
	cmd.Flags().StringVar(&f.format, "format", "text", "`FORMAT`: "+strings.Join(inspectFormats, ", "))
	choices(cmd, "format", inspectFormats...)
	choices(cmd, "pass", plan.Passes()...)
	choices(cmd, "arch", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
	filesOf(cmd, "output", "s", "html")
	f.engine.add(cmd)
	return cmd
}

var inspectFormats = []string{"text", "html"}

// A phantom is memory that is only planned with.
type phantom struct{ size int }

func (phantom) Device() string { return "cpu" }

func (m *phantom) Size() int { return m.size }

func phantomArray(s bench.Spec) *tree.Node {
	mem := &phantom{s.Shape.Size() * s.Type.Size()}
	return tree.NewLeaf(s.Type, s.Shape, &tree.Leaf{Mem: mem, Strides: s.Shape.Strides(), Name: s.Name})
}

func (f *inspectFlags) run(ctx context.Context, text string, b *strings.Builder) error {
	if !slices.Contains(inspectFormats, f.format) {
		return usagef("--format %s: there are %s", f.format, strings.Join(inspectFormats, ", "))
	}
	if err := f.checkOutput(); err != nil {
		return err
	}
	if f.pass != "" && !slices.Contains(plan.Passes(), f.pass) {
		return usagef("--pass %s: there are %s", f.pass, strings.Join(plan.Passes(), ", "))
	}
	if f.pass != "" && (f.out != "" || f.format != "text") {
		return usagef("--pass prints statements; -o and --format are for what they become")
	}
	if onGPU(f.engine.backend) && f.out != "" && f.format != "html" {
		return usagef("-o %s: the code for a GPU is printed, or on a page: -o x.html", f.out)
	}
	options, err := f.engine.options()
	if err != nil {
		return err
	}
	specs, env, src, err := f.arrays.read(text)
	if err != nil {
		return err
	}
	for _, s := range specs {
		env[s.Name] = phantomArray(s)
	}
	if err := bound(src, env); err != nil {
		return err
	}
	unit, err := src.Build(env)
	if err != nil {
		return err
	}
	return f.inspect(ctx, b, assignments(unit, src.Assigned(), env), options)
}

// bound reports the names that need a shape.
func bound(src *formula.Source, env map[string]*tree.Node) error {
	if free := lists.Where(src.Inputs(), func(name string) bool { return env[name] == nil }); len(free) > 0 {
		return fmt.Errorf("no shape is given for %s; add -s %s=1000, or -D for a number", strings.Join(free, ", "), free[0])
	}
	return nil
}

// assignments returns the statements of a unit, and those that store the values of
// its names in arrays.
func assignments(unit *formula.Unit, assigned []string, env map[string]*tree.Node) []expr.Statement {
	stmts := slices.Clone(unit.Statements)
	for _, name := range unit.Names(assigned) {
		n := unit.Values[name]
		if n.Leaf != nil && !bench.IsCopy(name, n, env) {
			continue
		}
		target := phantomArray(bench.Spec{Name: name, Type: n.DType(), Shape: n.Shape()})
		stmts = append(stmts, expr.Statement{Target: target, Value: n})
	}
	return stmts
}

func (f *inspectFlags) inspect(ctx context.Context, b *strings.Builder, stmts []expr.Statement, options engine.Options) error {
	if f.pass != "" {
		text, err := plan.After(ctx, f.pass, stmts, f.engine.planOptions()...)
		b.WriteString(text)
		return err
	}
	if f.format == "html" {
		if err := f.page(ctx, b, stmts, options); err != nil || f.out == "" {
			return err
		}
		page := b.String()
		b.Reset() // the page is in the file alone
		return writeFile(f.out, page)
	}
	pl, err := plan.Compile(ctx, stmts, f.engine.planOptions()...)
	if err != nil {
		return err
	}
	if onGPU(f.engine.backend) {
		pl = cuda.Plan(pl)
	}
	writePlan(b, stmts, pl)
	if onGPU(f.engine.backend) {
		for i, s := range pl.Stages {
			fmt.Fprintf(b, "\nstage %d\n%s", i, indent(stageText(s, f.engine.library)))
		}
		text, err := cudaListing(pl, f.arch)
		b.WriteString(text)
		return err
	}
	kernels, err := inspect.Listings(options.Backend, pl)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := writeCode(f.out, kernels); err != nil {
			return err
		}
	}
	top, err := roof.New(cmp.Or(options.Threads, runtime.GOMAXPROCS(0)), roof.Large)
	if err != nil {
		return err
	}
	defer top.Close()
	footprint := pl.Footprint()
	for i, s := range pl.Stages {
		fmt.Fprintf(b, "\nstage %d\n%s", i, indent(stageText(s, f.engine.library)))
		b.WriteString(indent(boundText(s, top.Stage(s, footprint))))
		for _, k := range kernels {
			if k.Stage == i {
				fmt.Fprintf(b, "\nmachine code of stage %d\n%s", i, indent(k.String()))
			}
		}
	}
	return nil
}

// writePlan writes statements, their trees and their plan.
func writePlan(b *strings.Builder, stmts []expr.Statement, pl *plan.Plan) {
	b.WriteString("statements\n")
	for _, s := range stmts {
		fmt.Fprintf(b, "  %s %v%s\n", s, s.Target.DType(), s.Target.Shape())
	}
	for _, s := range stmts {
		fmt.Fprintf(b, "\ntree of %s %s (%v)\n%s", s.Target, s.Saver, s.Value.Kind(), indent(s.Value.Tree()))
	}
	fmt.Fprintf(b, "\nplan\n%s", indent(pl.Explain()))
	fmt.Fprintf(b, "  in all %s moved, %s of scratch\n", machine.Size(lists.Sum(pl.Stages, (*plan.Stage).Bytes)), machine.Size(pl.Arena))
}

// checkOutput refuses extensions of other formats than the one that is written. A page needs no
// --format.
func (f *inspectFlags) checkOutput() error {
	switch ext := strings.ToLower(filepath.Ext(f.out)); {
	case ext == ".html":
		f.format = "html"
	case f.format == "html" && f.out != "" && ext != "":
		return usagef("-o %s: a page is a .html file, not %s", f.out, ext)
	case f.format != "html" && ext != "" && ext != ".s" && ext != ".asm":
		return usagef("-o %s: outputs are .s files for GNU as, and .html files, not %s", f.out, ext)
	}
	return nil
}

// writeCode writes the machine code as source for an assembler.
func writeCode(path string, kernels []*inspect.Kernel) error {
	for _, k := range kernels {
		if len(k.Functions) > 0 {
			return writeFile(path, inspect.GNU(kernels))
		}
	}
	return fmt.Errorf("-o %s: there is no machine code to write", path)
}

// boundText is the least time of a stage.
func boundText(s *plan.Stage, x roof.Bound) string {
	n := 1
	for _, a := range append(s.Reads, s.Writes...) {
		n = max(n, a.Shape.Size())
	}
	each := float64(n)
	binds := "floating-point arithmetic"
	if x.ByMemory() {
		binds = "memory"
	}
	return fmt.Sprintf("bound: %d bytes, %.3f ns/element; %d flops, %.3f ns/element; %.3g flops/byte: %s binds\n",
		x.Bytes, x.Memory/each, x.Flops, x.Compute/each, float64(x.Flops)/float64(max(x.Bytes, 1)), binds)
}

// stageText is what a stage does. library computes products of floats on the CPU; if it is
// empty, kernels of the engine do.
func stageText(s *plan.Stage, library string) string {
	switch s.Kind {
	case plan.Product:
		if s.Bias != nil {
			return fmt.Sprintf("%v = %v @ %v + %v, by cuBLASLt with the epilogue BIAS, or by cuBLAS and a loop where it has no such product\n", s.Out, s.A, s.B, s.Bias)
		}
		by := ""
		if t := s.Out.Type; library != "" && (t == dtype.F32 || t == dtype.F64) {
			by = ", by " + library
		}
		return fmt.Sprintf("%v = %v @ %v, a matrix product%s\n", s.Out, s.A, s.B, by)
	case plan.Chain:
		var b strings.Builder
		for i, p := range s.Parts {
			fmt.Fprintf(&b, "part %d\n%s", i, indent(stageText(p, library)))
		}
		return b.String()
	case plan.Call:
		return fmt.Sprintf("%v = %s(...), a Go function\n", s.Out, s.Node.Op.Name())
	}
	var b strings.Builder
	b.WriteString(strings.TrimRight(s.Kernel.String(), "\n") + "\n")
	fmt.Fprintf(&b, "with extents %s, parameters %s\n", shape.Shape(s.Extents), shape.Shape(s.Params))
	for i, o := range s.Bufs {
		if o.Array != nil {
			fmt.Fprintf(&b, "     buffer %d: %v, strides %v, offset %d\n", i, o.Array, o.Strides, o.Array.Offset)
		}
	}
	return b.String()
}

func indent(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = "  " + l
		}
	}
	return strings.Join(lines, "\n") + "\n"
}
