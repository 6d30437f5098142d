package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/oneloop/oneloop/expr/formula"
)

func newOps() *cobra.Command {
	return &cobra.Command{
		Use:   "ops [name...]",
		Short: "List the functions that formulas have",
		Long: `List the functions that formulas have, with their arguments, other names
and, unless it is exact, the bound of the error for floats in units in the last
place (ULP). Given names, or parts of them, list those functions only.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			section, found := "", false
			for _, f := range formula.Functions() {
				if !matches(f, args) {
					continue
				}
				found = true
				if f.Group != section {
					if section != "" {
						fmt.Fprintln(w)
					}
					section = f.Group
					fmt.Fprintf(w, "%s\n", section)
				}
				also := ""
				if len(f.Aliases) > 0 {
					also = "; also " + strings.Join(f.Aliases, ", ")
				}
				bound := ""
				if f.Bound != "" && f.Bound != "exact" {
					bound = "; " + f.Bound
				}
				fmt.Fprintf(w, "  %s(%s)\t%s%s%s\n", f.Name, f.Arguments, f.Doc, bound, also)
			}
			if !found {
				return fmt.Errorf("no function is named %s", strings.Join(args, " "))
			}
			return w.Flush()
		},
	}
}

func matches(f formula.Function, parts []string) bool {
	for _, name := range append([]string{f.Name}, f.Aliases...) {
		for _, p := range parts {
			if strings.Contains(name, p) {
				return true
			}
		}
	}
	return len(parts) == 0
}
