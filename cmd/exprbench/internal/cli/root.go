// Package cli is the command line of exprbench: its commands, flags, errors and
// exit codes.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/oneloop/oneloop/internal/lists"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
on success, 1 on failure, 2 on wrong usage, 130 after an interrupt.

The environment variable ONELOOP_CPU chooses the backend where --backend does
not, and ONELOOP_BLAS the library for matrix products where --blas does not.
ONELOOP_DEBUG prints what programs are compiled to, on standard error: a
list with commas of tree, plan, ir and asm. With perf in the list, kernels have
names in /tmp/perf-PID.map and labels in CPU profiles. If it is set to anything,
an internal error shows its stack.`

// Main runs the tool with the arguments after its name and returns its exit
// code. A signal to end cancels what is running.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetIn(stdin)
	root.SetOut(stdout)
	return execute(root, args, stderr)
}

// grace is how long a command may take to stop after a signal. What does not
// look at its context, such as planning, is left behind.
const grace = 300 * time.Millisecond

// writing is held while a command replaces files, which no signal cuts short.
var writing sync.Mutex

func execute(root *cobra.Command, args []string, stderr io.Writer) int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out := &checkedWriter{w: root.OutOrStdout()}
	root.SetOut(out)
	root.SetErr(stderr)
	root.SetArgs(args)
	fitHelp(root, columns(out))
	done := make(chan error, 1)
	go func() { done <- guarded(ctx, root) }()
	var err error
	select {
	case err = <-done:
	case s := <-signals:
		signal.Stop(signals) // a second one ends the process at once
		cancel()
		err = &interruptedError{s}
		select {
		case <-done:
		case <-time.After(grace):
			writing.Lock()
		}
	}
	if err = cmp.Or(err, out.failure()); err == nil {
		return exitOK
	}
	fmt.Fprint(stderr, describe(err))
	return codeOf(err)
}

// guarded runs a command. A panic becomes an error.
func guarded(ctx context.Context, root *cobra.Command) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if os.Getenv("ONELOOP_DEBUG") != "" {
				_, _ = root.ErrOrStderr().Write(debug.Stack())
			}
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	return root.ExecuteContext(ctx)
}

// A checkedWriter keeps the first error: package cobra ignores the errors of
// writing its help.
type checkedWriter struct {
	w   io.Writer
	mu  sync.Mutex
	err error
}

func (c *checkedWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = cmp.Or(c.err, err)
	return n, err
}

func (c *checkedWriter) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "exprbench",
		Short:         "Evaluate, inspect and measure fused array expressions",
		Long:          about,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		Version:       version(),
		RunE:          noCommand,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		var invalid *pflag.InvalidValueError
		switch {
		case errors.As(err, &invalid):
			return usagef("--%s %s: not %s", invalid.GetFlag().Name, invalid.GetValue(), kindOf(invalid.GetFlag()))
		case !errors.As(err, &unknown):
			return &usageError{err.Error()}
		case unknown.GetSpecifiedShortnames() == "i", unknown.GetSpecifiedName() == "input":
			return usagef("%s takes shapes, such as -s x=1000x1000:float64, and no files; eval reads files with -i", cmd.Name())
		case unknown.GetSpecifiedShortnames() != "":
			return usagef("%s; put -- before statements that begin with -", err)
		}
		return &usageError{err.Error()}
	})
	root.SetHelpCommand(newHelp())
	root.SetVersionTemplate("exprbench {{.Version}}\n")
	root.AddCommand(newRun(), newInspect(), newEval(), newTrace(), newOps(), newDevices(), newMan())
	root.InitDefaultCompletionCmd()
	shells, _, _ := root.Find([]string{"completion"})
	shells.Args, shells.RunE = cobra.ArbitraryArgs, noCommand
	return root
}

// noCommand runs a command that has only commands of its own: it prints help, or refuses a name.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("unknown command %q; there are %s", args[0], strings.Join(commandNames(cmd), ", "))
	}
	return cmd.Help()
}

// version returns the version of the module, or the commit of the build.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (v == "" || v == "(devel)") {
			v = s.Value
		}
	}
	return fmt.Sprintf("%s, %s %s/%s", cmp.Or(v, "(devel)"), info.GoVersion, runtime.GOOS, runtime.GOARCH)
}

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:               "help [command]",
		Short:             "Help about a command",
		ValidArgsFunction: completeCommands,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, err := find(cmd.Root(), args)
			if err != nil {
				return err
			}
			return about.Help()
		},
	}
}

// kindOf says what the values of a flag are.
func kindOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		return "a whole number"
	case "intSlice":
		return "whole numbers with commas between"
	case "bool":
		return "true or false"
	}
	return "a value of type " + f.Value.Type()
}

// find returns the command that arguments name.
func find(root *cobra.Command, args []string) (*cobra.Command, error) {
	found, rest, err := root.Find(args)
	if err != nil || len(rest) > 0 {
		return nil, usagef("unknown command %q; there are %s", strings.Join(args, " "), strings.Join(commandNames(root), ", "))
	}
	return found, nil
}

// commands returns the commands of a command that do something for users.
func commands(cmd *cobra.Command) []*cobra.Command {
	return lists.Where(cmd.Commands(), func(c *cobra.Command) bool { return !c.Hidden && c.Name() != "help" && c.Name() != "completion" })
}

func commandNames(cmd *cobra.Command) []string {
	return lists.Map(commands(cmd), (*cobra.Command).Name)
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
