package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/machine"
	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
)

type evalFlags struct {
	in, out, def []string
	precision    int
	engine       engineFlags
}

func newEval() *cobra.Command {
	f := &evalFlags{}
	cmd := &cobra.Command{
		Use:   "eval [flags] 'statements'",
		Short: "Evaluate statements on files of arrays, tables and images",
		Long: `Evaluate statements on arrays from .npy and .npz files, columns of .csv files,
and images. The extension of a file is its format.

Inputs are read whole; the files are never changed unless they are named as
outputs too. Outputs are written after everything has succeeded, all or none.
Without -o the assigned values are printed. The value of a last bare expression
is called _. A file named - is standard input or output.

a.npz:x is the array x of an archive; a.npz alone is the array called as the
name is. An archive that is written has only the arrays that -o names.
a.csv:x is the column x of a table with a header, as float64; columns of one
table that is written have equal lengths. An image is read as uint8 of shape
(height, width, channels), and one of 16 bits as uint16. It is written from
these or from floats from 0 to 1; uint16 and floats give a PNG file of 16 bits.
Without a name, -i x.npy is x, and -o y.npy is y, or the only value that the
statements assign.`,
		Example: `  exprbench eval -i x=x.npy -o y=y.npy 'y = exp(x - max(x, axis=0))'
  exprbench eval -i a.npy -D k=0.5 'a*k + 1'
  exprbench eval -i photo.png -o gray.png 'max(photo[...,:3], 2, keepdims=True)'
  exprbench eval -i w=model.npz:w -i b=model.npz:b -o y=out.npz:y 'y = w @ b'`,
		Args: between(1, 1, "statements"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	cmd.Flags().StringArrayVarP(&f.in, "input", "i", nil, "`name=file`: an array to read: a.npy, a.npz:x, a.csv:x or a.png (repeatable)")
	cmd.Flags().StringArrayVarP(&f.out, "output", "o", nil, "`name=file`: an assigned name to write: y.npy, y.npz:y, y.csv:y or y.png (repeatable)")
	addDefine(cmd, &f.def)
	cmd.Flags().IntVar(&f.precision, "precision", -1, "print floats with at most `N` significant digits; -1: as many as tell them apart")
	named(cmd, "input", (*formula.Source).Inputs, anyFile)
	named(cmd, "output", (*formula.Source).Assigned, anyFile)
	numbersOf(cmd, "precision")
	f.engine.add(cmd)
	return cmd
}

func (f *evalFlags) run(cmd *cobra.Command, arg string) error {
	in, err := settings("i", f.in)
	if err != nil {
		return err
	}
	out, err := settings("o", f.out)
	if err != nil {
		return err
	}
	def, err := settings("D", f.def)
	if err != nil {
		return err
	}
	if f.precision < -1 {
		return usagef("--precision %d is negative", f.precision)
	}
	if f.precision > 17 {
		return usagef("--precision %d is above 17, which tells all numbers apart", f.precision)
	}
	options, err := f.engine.onHost()
	if err != nil {
		return err
	}
	env, err := numbers(def)
	if err != nil {
		return err
	}
	if err := cmp.Or(unique(map[string][]setting{"i": in, "D": def}), writable(out), oneReader(arg, in)); err != nil {
		return err
	}
	text, err := formulaText(cmd, arg)
	if err != nil {
		return err
	}
	src, err := formula.Parse(text)
	if err != nil {
		return err
	}
	if err := nameOutputs(src, out); err != nil {
		return err
	}
	if err := cmp.Or(unique(map[string][]setting{"o": out}), distinctFiles(out)); err != nil {
		return err
	}
	want, err := wanted(src, out)
	if err != nil {
		return err
	}
	if err := readInputs(in, cmd.InOrStdin(), env); err != nil {
		return err
	}
	names, values, err := f.evaluate(cmd.Context(), options, src, env, want)
	if err != nil {
		return err
	}
	for _, name := range want {
		if len(out) > 0 && values[name] == nil {
			return fmt.Errorf("-o %s: %s is a tuple of arrays of several shapes; write one, such as %s[0], to a name of its own", name, name, name)
		}
	}
	if len(out) > 0 {
		return writeOutputs(cmd.Context(), out, values, cmd.OutOrStdout())
	}
	for _, name := range names {
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", name, f.text(values[name])); err != nil {
			return err
		}
	}
	return nil
}

// unsigned removes the plus signs of infinite elements. Those of imaginary parts stay.
var unsigned = strings.NewReplacer("\n+inf", "\ninf", " +inf", "  inf", "[+inf", "[ inf")

// text returns an array as it is printed, with its type and its shape.
func (f *evalFlags) text(a *engine.Array) string {
	text := fmt.Sprintf("%+#v", a)
	if head, _, ok := strings.Cut(text, "\n"); ok && f.precision >= 0 && a.DType().Part().IsFloat() {
		text = head + unsigned.Replace(strings.ToLower(fmt.Sprintf("\n%.*g", f.precision, a))) // as in NumPy: nan, inf
	}
	return text
}

// wanted are the names to evaluate: those to be written, or all.
func wanted(src *formula.Source, out []setting) ([]string, error) {
	assigned := src.Assigned()
	if len(out) == 0 {
		return assigned, nil
	}
	names := make([]string, len(out))
	for i, o := range out {
		if !slices.Contains(assigned, o.name) {
			return nil, usagef("-o %s: the statements assign no %s, only %s", o.name, o.name, strings.Join(assigned, ", "))
		}
		names[i] = o.name
	}
	return names, nil
}

// evaluate runs a formula and returns the values of the names wanted, or of the parts of the
// tuples among them, with their names in order.
func (f *evalFlags) evaluate(ctx context.Context, o engine.Options, src *formula.Source, env map[string]*tree.Node, want []string) ([]string, map[string]*engine.Array, error) {
	unit, err := src.BuildFor(env, want)
	if err != nil {
		return nil, nil, err
	}
	names := unit.Names(want)
	stmts, values, err := collect(unit, names, env)
	if err != nil {
		return nil, nil, err
	}
	pl, err := plan.Compile(ctx, stmts, f.engine.planOptions()...)
	if err != nil {
		return nil, nil, err
	}
	if err := machine.Room(pl.Arena); err != nil {
		return nil, nil, fmt.Errorf("temporaries: %w", err)
	}
	p, err := engine.CompileWith(ctx, o, stmts...)
	if err != nil {
		return nil, nil, err
	}
	return names, values, src.Locate(unit, p.Run(ctx))
}

// collect allocates an array for each value without one, and adds the statement
// that fills it to the statements of the unit.
func collect(unit *formula.Unit, want []string, env map[string]*tree.Node) ([]expr.Statement, map[string]*engine.Array, error) {
	stmts, values := unit.Statements, map[string]*engine.Array{}
	for _, name := range want {
		n := unit.Values[name]
		if err := n.Err(); err != nil {
			return nil, nil, err
		}
		if n.Leaf != nil {
			a, err := engine.ArrayOf(n.Leaf.Mem.(*engine.Memory), n.DType(), n.Shape(), n.Leaf.Strides, n.Leaf.Offset)
			if err != nil {
				return nil, nil, err
			}
			values[name] = a
			continue
		}
		if err := machine.Room(n.Shape().Size() * n.DType().Size()); err != nil {
			return nil, nil, fmt.Errorf("%s %v%v: %w", name, n.DType(), n.Shape(), err)
		}
		a, err := formula.NewArray(n, env)
		if err != nil {
			return nil, nil, err
		}
		values[name] = a
		stmts = append(stmts, expr.Statement{Target: a.Named(name).Node(), Value: n})
	}
	return stmts, values, nil
}
