package cli

import (
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/oneloop/oneloop/expr/formula"
)

func newOps() *cobra.Command {
	return &cobra.Command{
		Use:   "ops [name...]",
		Short: "List the functions that formulas have",
		Long: `List the functions that formulas have, with their arguments, other names
and, unless it is exact, the bound of the error for floats in units in the last
place (ULP), or that there is none, as for sums. Given names, parts of them, or
patterns such as 'cum*', list those functions only.`,
		ValidArgsFunction: completeFunctions,
		RunE: func(cmd *cobra.Command, args []string) error {
			width := columns(cmd.OutOrStdout())
			var b strings.Builder
			var rows [][2]string
			section := ""
			end := func() {
				aligned(&b, rows, width)
				rows = nil
			}
			for _, f := range formula.Functions() {
				if !matches(f, args) {
					continue
				}
				if f.Group != section {
					if end(); section != "" {
						b.WriteByte('\n')
					}
					section = f.Group
					b.WriteString(section + "\n")
				}
				rows = append(rows, [2]string{fmt.Sprintf("  %s(%s)", f.Name, f.Arguments), meaning(f)})
			}
			if end(); section == "" {
				return fmt.Errorf("no function is named %s", strings.Join(args, " "))
			}
			_, err := fmt.Fprint(cmd.OutOrStdout(), b.String())
			return err
		},
	}
}

// meaning returns what a function does, the bound of its error and its other names.
func meaning(f formula.Function) string {
	text := f.Doc
	if f.Bound != "" && f.Bound != "exact" {
		text += "; " + f.Bound
	}
	if len(f.Aliases) > 0 {
		text += "; also " + strings.Join(f.Aliases, ", ")
	}
	return text
}

func matches(f formula.Function, parts []string) bool {
	for _, name := range append([]string{f.Name}, f.Aliases...) {
		for _, p := range parts {
			p = p[strings.LastIndexByte(p, '.')+1:] // of np.exp
			if ok, _ := path.Match(p, name); ok || strings.Contains(name, p) {
				return true
			}
		}
	}
	return len(parts) == 0
}
