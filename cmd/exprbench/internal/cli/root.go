// Package cli is the command line of exprbench: its commands, flags, errors and
// exit codes.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

const about = `exprbench evaluates formulas on arrays, shows how they are compiled, and
measures what fusing them gains.

Formulas are a subset of NumPy: arithmetic, comparisons, calls such as exp(x) or
sum(x, axis=-1, keepdims=True), slices, .T, @, and statements separated by ; or
new lines. A formula given as - is read from standard input.

Results go to standard output, messages to standard error. The exit code is 0
on success, 1 on failure, 2 on wrong usage.

The environment variable ONELOOP_CPU chooses the backend where --backend does
not. ONELOOP_DEBUG prints what programs are compiled to, on standard error: a
list with commas of tree, plan, ir and asm. With perf in the list, kernels have
names in /tmp/perf-PID.map and labels in CPU profiles. If it is set to anything,
an internal error shows its stack.`

// Main runs the tool with the arguments after its name and returns its exit
// code. An interrupt cancels what is running.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetIn(stdin)
	root.SetOut(stdout)
	return execute(root, args, stderr)
}

func execute(root *cobra.Command, args []string, stderr io.Writer) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintln(stderr, "exprbench: internal error: "+oneLine(fmt.Sprint(r)))
			if os.Getenv("ONELOOP_DEBUG") != "" {
				_, _ = stderr.Write(debug.Stack())
			}
			code = exitFailure
		}
	}()
	root.SetArgs(args)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil {
		err = errInterrupted
	}
	fmt.Fprint(stderr, describe(err))
	return codeOf(err)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "exprbench",
		Short:         "Evaluate, inspect and measure fused array expressions",
		Long:          about,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q; there are %s", args[0], strings.Join(commandNames(cmd), ", "))
			}
			return cmd.Help()
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		if strings.HasPrefix(err.Error(), "unknown shorthand flag") {
			return usagef("%s; put -- before statements that begin with -", err)
		}
		return &usageError{err.Error()}
	})
	root.SetHelpCommand(newHelp())
	root.AddCommand(newRun(), newInspect(), newEval(), newDevices())
	return root
}

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("unknown command %q; there are %s", strings.Join(args, " "), strings.Join(commandNames(cmd.Root()), ", "))
			}
			return about.Help()
		},
	}
}

func commandNames(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if !c.Hidden && c.Name() != "help" && c.Name() != "completion" {
			names = append(names, c.Name())
		}
	}
	return names
}

// between checks the number of arguments, as a mistake of usage.
func between(lo, hi int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < lo:
			return usagef("no %s given", what)
		case len(args) > hi && hi == 0:
			return usagef("unexpected argument %q", args[0])
		case len(args) > hi:
			return usagef("unexpected argument %q; quote the %s as one argument", args[hi], what)
		}
		return nil
	}
}
