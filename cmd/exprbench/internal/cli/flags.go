package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/bench"
	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/blas/system"
	"github.com/oneloop/oneloop/engine/cuda"
	"github.com/oneloop/oneloop/engine/inspect"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan"
)

// A setting is one name=value of a flag that may be repeated.
type setting struct{ name, value string }

var identifier = regexp.MustCompile(`^[\pL_][\pL\pN_]*$`)

// settings splits the values of a flag.
func settings(flag string, values []string) ([]setting, error) {
	out := make([]setting, 0, len(values))
	for _, v := range values {
		name, value, ok := strings.Cut(v, "=")
		file := setting{value: v}.extension() != ""
		switch {
		case ok || flag != "i" && flag != "o":
		case flag == "o" && (file || v == standard): // its formula says more
			out = append(out, setting{"", v})
			continue
		case file:
			name, value, ok = inferName(v), v, true
			if !identifier.MatchString(name) {
				return nil, usagef("-i %s: %q is no name; write name=%s", v, name, v)
			}
		case v != "":
			return nil, usagef("-%s %s: the name is missing; write name=%s", flag, v, v)
		}
		if !ok || value == "" || !identifier.MatchString(name) {
			return nil, usagef("-%s %q is not of the form name=value", flag, v)
		}
		out = append(out, setting{name, value})
	}
	return out, nil
}

// unique reports a name that is given twice, in one list or in two.
func unique(lists map[string][]setting) error {
	by := map[string]string{}
	for _, flag := range slices.Sorted(maps.Keys(lists)) {
		for _, s := range lists[flag] {
			if other, ok := by[s.name]; ok {
				if other == flag {
					return usagef("the name %s is given twice with -%s", s.name, flag)
				}
				return usagef("the name %s is given twice, with -%s and with -%s", s.name, other, flag)
			}
			by[s.name] = flag
		}
	}
	return nil
}

// number reads the value of -D: a Python integer, float, complex number or bool.
func number(s setting) (*tree.Node, error) {
	switch s.value {
	case "True":
		return tree.ConstInt(dtype.Bool, 1), nil
	case "False":
		return tree.ConstInt(dtype.Bool, 0), nil
	}
	i, err := strconv.ParseInt(s.value, 0, 64)
	switch {
	case err == nil:
		return tree.ConstInt(dtype.I64, i), nil
	case errors.Is(err, strconv.ErrRange):
		return nil, usagef("-D %s=%s: the integer is beyond int64", s.name, s.value)
	}
	if text, ok := strings.CutSuffix(s.value, "j"); ok {
		if z, err := strconv.ParseComplex(text+"i", 128); err == nil || errors.Is(err, strconv.ErrRange) {
			return tree.ConstComplex(dtype.C128, z), nil
		}
	}
	f, err := strconv.ParseFloat(s.value, 64)
	if err != nil && !math.IsInf(f, 0) {
		return nil, usagef("-D %s=%s: not a number", s.name, s.value)
	}
	return tree.ConstFloat(dtype.F64, f), nil
}

// arraySpec reads name=shape[:dtype]: 1000x1000, scalar, 5:int64.
func arraySpec(s setting) (bench.Spec, error) {
	dims, typ, typed := strings.Cut(s.value, ":")
	out := bench.Spec{Name: s.name, Type: dtype.F32}
	if typed {
		var err error
		if out.Type, err = dtype.Parse(typ); err != nil {
			return out, usagef("-s %s: unknown element type %q; there are %s", s.name, typ, strings.Join(lists.Map(dtype.All(), dtype.Type.String), ", "))
		}
	}
	if dims == "scalar" {
		return out, nil
	}
	for _, d := range strings.Split(dims, "x") {
		n, err := strconv.Atoi(d)
		if err != nil || n < 0 {
			return out, usagef("-s %s: %q is no shape; write 1000, 1000x1000 or scalar", s.name, dims)
		}
		out.Shape = append(out.Shape, n)
	}
	if err := out.Shape.Check(); err != nil {
		return out, usagef("-s %s: %s", s.name, err)
	}
	return out, nil
}

// numbers reads all -D flags.
func numbers(list []setting) (map[string]*tree.Node, error) {
	env := map[string]*tree.Node{}
	for _, s := range list {
		n, err := number(s)
		if err != nil {
			return nil, err
		}
		env[s.name] = n
	}
	return env, nil
}

// An engineFlags is the choice of backend, threads and library for products.
type engineFlags struct {
	backend string
	threads int
	blas    string
	library string // what blas means, for texts; empty: the kernels of the engine; set by options
}

func (f *engineFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.backend, "backend", "", "`name` of the backend: "+strings.Join(engine.Backends(), ", ")+", or cuda (default: what ONELOOP_CPU says, or the first)")
	choices(cmd, "backend", append(engine.Backends(), "cuda")...)
	cmd.Flags().IntVar(&f.threads, "threads", 0, "at most `N` threads (default: one for each CPU)")
	numbersOf(cmd, "threads")
	addBLAS(cmd, &f.blas)
}

// addBLAS adds --blas.
func addBLAS(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVar(name, "blas", "", "`name` or file of a library for matrix products: "+strings.Join(system.Names(), ", ")+" (default: what ONELOOP_BLAS says, or kernels of the engine)")
	choices(cmd, "blas", append(system.Names(), engine.ProductsByEngine)...)
}

// An arrayFlags is the arrays and the scalars of statements that no file gives.
type arrayFlags struct{ shapes, def []string }

func (f *arrayFlags) add(cmd *cobra.Command, preset string) {
	cmd.Flags().StringArrayVarP(&f.shapes, "shape", "s", nil, "`name=shape[:dtype]`: an array of the statements, 1000x1000 or scalar (repeatable; default "+preset+")")
	named(cmd, "shape", (*formula.Source).Inputs, typesAfterColon)
	addDefine(cmd, &f.def)
}

// read returns the arrays and the numbers that statements have, and parses the statements.
func (f *arrayFlags) read(text string) (specs []bench.Spec, env map[string]*tree.Node, src *formula.Source, err error) {
	shapes, err := settings("s", f.shapes)
	if err != nil {
		return nil, nil, nil, err
	}
	def, err := settings("D", f.def)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, s := range shapes {
		x, err := arraySpec(s)
		if err != nil {
			return nil, nil, nil, err
		}
		specs = append(specs, x)
	}
	if env, err = numbers(def); err != nil {
		return nil, nil, nil, err
	}
	if err := unique(map[string][]setting{"s": shapes, "D": def}); err != nil {
		return nil, nil, nil, err
	}
	src, err = formula.Parse(text)
	return specs, env, src, err
}

// addDefine adds -D.
func addDefine(cmd *cobra.Command, def *[]string) {
	cmd.Flags().StringArrayVarP(def, "define", "D", nil, "`name=number`: a scalar of the statements (repeatable)")
	named(cmd, "define", (*formula.Source).Inputs, cobra.NoFileCompletions)
}

// planOptions returns the options with which the engine plans statements for the
// backend.
func (f *engineFlags) planOptions() []plan.Option {
	switch {
	case onGPU(f.backend):
		return cuda.PlanOptions()
	case f.library != "":
		return []plan.Option{plan.SplitLoops}
	}
	return []plan.Option{plan.CombineProducts, plan.SplitLoops, plan.ChainProducts}
}

func (f *engineFlags) options() (engine.Options, error) {
	if f.backend != "" && !onGPU(f.backend) && !slices.Contains(engine.Backends(), f.backend) {
		return engine.Options{}, usagef("there is no backend %q here; there are: %s", f.backend, strings.Join(engine.Backends(), ", "))
	}
	if f.threads < 0 || f.threads > 1024 {
		return engine.Options{}, usagef("--threads %d is not within 0..1024", f.threads)
	}
	if onGPU(f.backend) {
		if f.blas != "" {
			return engine.Options{}, usagef("--blas %s: products on a GPU are those of cuBLAS", f.blas)
		}
		return engine.Options{Threads: f.threads}, nil
	}
	var err error
	if f.library, err = inspect.Products(f.blas); err != nil {
		return engine.Options{}, err
	}
	name := f.backend
	if name == "" {
		if name, err = engine.DefaultBackend(); err != nil {
			return engine.Options{}, err
		}
	}
	return engine.Options{Backend: name, Threads: f.threads, Products: f.blas}, nil
}

// maxFormula bounds a formula from standard input.
const maxFormula = 16 << 20

// formulaText is the argument, or standard input where that is "-".
func formulaText(cmd *cobra.Command, arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	b, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxFormula+1))
	if err != nil {
		return "", fmt.Errorf("standard input: %w", err)
	}
	if len(b) > maxFormula {
		return "", fmt.Errorf("standard input: the formula is longer than %d bytes", maxFormula)
	}
	return string(b), nil
}
