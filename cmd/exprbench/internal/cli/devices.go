package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/machine"
	"github.com/oneloop/oneloop/engine"
)

// planned are the backends that no version has yet.
var planned = []string{"neon", "cuda"}

func newDevices() *cobra.Command {
	return &cobra.Command{
		Use:   "devices",
		Short: "List what was found here: CPU, backends, BLAS",
		Args:  between(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			m := machine.Read()
			var b strings.Builder
			fmt.Fprintf(&b, "cpu        %s\n", m.CPU)
			fmt.Fprintf(&b, "features   %s\n", orNone(strings.Join(m.Features, " ")))
			fmt.Fprintf(&b, "cores      %d\n", m.Cores)
			if l1, l2, l3 := engine.Caches(); l1 > 0 {
				fmt.Fprintf(&b, "caches     L1 %s, L2 %s, L3 %s\n", machine.Size(l1), machine.Size(l2), machine.Size(l3))
			}
			if m.Memory > 0 {
				fmt.Fprintf(&b, "memory     %s free\n", machine.Size(m.Memory))
			}
			fmt.Fprintf(&b, "platform   %s/%s, %s\n", m.OS, m.Arch, m.Go)
			for i, name := range engine.Backends() {
				note := "available"
				if i == 0 {
					note += ", the default"
				}
				fmt.Fprintf(&b, "backend    %-8s %s\n", name, note)
			}
			for _, x := range engine.MissingBackends() {
				fmt.Fprintf(&b, "backend    %-8s not available: %s\n", x.Name, x.Why)
			}
			for _, name := range planned {
				fmt.Fprintf(&b, "backend    %-8s not available: not written yet\n", name)
			}
			b.WriteString("blas       gonum (pure Go), for matrix products of float32 and float64\n")
			_, err := fmt.Fprint(cmd.OutOrStdout(), b.String())
			return err
		},
	}
}

func orNone(s string) string {
	if s == "" {
		return "none known"
	}
	return s
}
