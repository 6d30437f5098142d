package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/internal/lists"
)

// A completion returns the values that a flag or an argument may have, for the shell.
type completion = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective)

// complete lets the shell complete the values of a flag.
func complete(cmd *cobra.Command, flag string, f completion) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err)
	}
}

// choices completes one of some values.
func choices(cmd *cobra.Command, flag string, values ...string) {
	complete(cmd, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// listed completes the last of some values with commas between.
func listed(cmd *cobra.Command, flag string, values []string) {
	complete(cmd, flag, func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		before := begun[:strings.LastIndexByte(begun, ',')+1]
		return prefixed(before, values), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// numbersOf completes nothing: the value is a number, and no file.
func numbersOf(cmd *cobra.Command, flags ...string) {
	for _, f := range flags {
		complete(cmd, f, cobra.NoFileCompletions)
	}
}

// filesOf completes the files with some extensions, without their dots.
func filesOf(cmd *cobra.Command, flag string, extensions ...string) {
	complete(cmd, flag, cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt))
}

// named completes values of the form name=value: the names that the statements have,
// and after the = what after returns.
func named(cmd *cobra.Command, flag string, names func(*formula.Source) []string, after completion) {
	complete(cmd, flag, func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if name, value, ok := strings.Cut(begun, "="); ok {
			list, how := after(cmd, args, value)
			return prefixed(name+"=", list), how
		}
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		src, err := formula.Parse(args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return lists.Map(names(src), func(n string) string { return n + "=" }), cobra.ShellCompDirectiveNoSpace
	})
}

func prefixed(before string, values []string) []string {
	return lists.Map(values, func(v string) string { return before + v })
}

// typesAfterColon completes the element type of name=shape:type.
func typesAfterColon(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	dims, _, ok := strings.Cut(begun, ":")
	if !ok {
		return nil, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	list := lists.Map(dtype.All(), func(t dtype.Type) string { return dims + ":" + t.String() })
	return list, cobra.ShellCompDirectiveNoFileComp
}

// anyFile lets the shell complete files.
func anyFile(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// completeCommands completes the names of commands.
func completeCommands(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list := lists.Map(commands(cmd.Root()), func(c *cobra.Command) string { return c.Name() + "\t" + c.Short })
	return list, cobra.ShellCompDirectiveNoFileComp
}

// completeFunctions completes the names of functions of formulas.
func completeFunctions(_ *cobra.Command, args []string, begun string) (list []string, how cobra.ShellCompDirective) {
	for _, f := range formula.Functions() {
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			if strings.HasPrefix(name, begun) && !slices.Contains(args, name) {
				list = append(list, name+"\t"+f.Doc)
			}
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}
