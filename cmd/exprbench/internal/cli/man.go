package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newMan() *cobra.Command {
	dir := ""
	cmd := &cobra.Command{
		Use:   "man [command]",
		Short: "Write manual pages",
		Long: `Write the manual page of this tool, or of one of its commands, to standard
output, or write the pages of all of them into a folder, which is made if it is
missing.`,
		Example: `  exprbench man eval | man -l -
  exprbench man --dir ~/.local/share/man/man1`,
		Args:              between(0, 1, "command"),
		ValidArgsFunction: completeCommands,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if dir == "" {
				of, err := find(root, args)
				if err == nil {
					_, err = io.WriteString(cmd.OutOrStdout(), manual(of))
				}
				return err
			}
			if len(args) > 0 {
				return usagef("--dir is for all pages, not for one command, %s", args[0])
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			for _, c := range append(commands(root), root) {
				if err := writeFile(filepath.Join(dir, pageName(c)+".1"), manual(c)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`folder` for a page of each command")
	complete(cmd, "dir", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
	return cmd
}

// pageName returns the name of the page of a command.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manual returns the page of a command in the language of man, from the texts and the
// flags that its help has too.
func manual(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s\n", roff(strings.ToUpper(pageName(c))), `"`+strings.ReplaceAll(roff(c.Root().Name()+" "+c.Root().Version), `"`, `\(dq`)+`"`)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(pageName(c)), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n", roff(c.UseLine()))
	b.WriteString(".SH DESCRIPTION\n")
	for i, paragraph := range strings.Split(cmp.Or(c.Long, c.Short+"."), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		b.WriteString(roff(paragraph) + "\n")
	}
	if list := commands(c); len(list) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range list {
			fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roff(pageName(sub)), roff(sub.Short))
		}
	}
	b.WriteString(".SH OPTIONS\n")
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { b.WriteString(manualFlag(f)) })
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	}
	if p := c.Parent(); p != nil {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(pageName(p)))
	}
	return b.String()
}

// manualFlag returns the paragraph of a flag.
func manualFlag(f *pflag.Flag) string {
	value, usage := pflag.UnquoteUsage(f)
	names := `\fB` + roff("--"+f.Name) + `\fR`
	if f.Shorthand != "" {
		names = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + names
	}
	if value != "" {
		names += ` \fI` + roff(value) + `\fR`
	}
	if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" && f.DefValue != "0" {
		usage += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	return fmt.Sprintf(".TP\n%s\n%s\n", names, roff(usage))
}

// roff returns a text as man prints it as it is. A line that begins with a dot or a
// quote would be a request.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
