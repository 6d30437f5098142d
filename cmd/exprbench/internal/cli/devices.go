package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/machine"
	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/inspect"
)

func newDevices() *cobra.Command {
	probe, blas := false, ""
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "List what was found here: processor, caches, backends, memory for code",
		Args:  between(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			m := machine.Read()
			var b strings.Builder
			fmt.Fprintf(&b, "cpu        %s\n", m.CPU)
			fmt.Fprintf(&b, "features   %s\n", orNone(strings.Join(m.Features, " ")))
			fmt.Fprintf(&b, "cores      %d\n", m.Cores)
			if m.Memory > 0 {
				fmt.Fprintf(&b, "memory     %s free\n", machine.Size(m.Memory))
			}
			fmt.Fprintf(&b, "caches     %s\n", cacheText(inspect.Caches()))
			if err := machineText(&b, probe); err != nil {
				return err
			}
			fmt.Fprintf(&b, "platform   %s/%s, %s\n", m.OS, m.Arch, m.Go)
			standard, err := engine.DefaultBackend()
			if err != nil {
				fmt.Fprintf(&b, "backend    none by default: %s\n", plain(err))
			}
			for _, name := range engine.Backends() {
				note := "available"
				if name == standard {
					note += ", the default"
				}
				fmt.Fprintf(&b, "backend    %-8s %s\n", name, note)
			}
			for _, x := range inspect.MissingBackends() {
				fmt.Fprintf(&b, "backend    %-8s not available: %s\n", x.Name, x.Why)
			}
			method, failed := inspect.ExecutableMemory()
			fmt.Fprintf(&b, "executable memory  %s\n", method)
			for _, err := range failed {
				fmt.Fprintf(&b, "executable memory  not %s\n", oneLine(err.Error()))
			}
			if err := productsText(&b, blas); err != nil {
				return err
			}
			b.WriteString(cudaText())
			return print(cmd, b.String())
		},
	}
	cmd.Flags().BoolVar(&probe, "probe", false, "measure the numbers by which loops are chosen, and store them for later runs")
	addBLAS(cmd, &blas)
	return cmd
}

// productsText writes what computes matrix products. A missing library is an error if
// --blas names it, and a line of the text if ONELOOP_BLAS does.
func productsText(b *strings.Builder, name string) error {
	library, err := inspect.Products(name)
	switch {
	case err != nil && name != "":
		return err
	case err != nil:
		library = "none by default: " + oneLine(plain(err))
	case library == "":
		library = "kernels of the engine"
	}
	fmt.Fprintf(b, "products   %s\n", library)
	return nil
}

// machineText writes the model of the machine, after it measured it if probe is set.
func machineText(b *strings.Builder, probe bool) error {
	if probe {
		lines, err := inspect.ProbeMachine()
		for _, l := range lines {
			fmt.Fprintf(b, "probe      %s\n", l)
		}
		switch {
		case lines == nil:
			return err
		case err != nil:
			fmt.Fprintf(b, "probe      not stored: %s\n", oneLine(err.Error()))
		}
	}
	numbers, source, err := inspect.MachineModel()
	fmt.Fprintf(b, "loops      %s (%s)\n", numbers, source)
	if err != nil {
		fmt.Fprintf(b, "loops      %s\n", oneLine(plain(err)))
	}
	return nil
}

func orNone(s string) string { return cmp.Or(s, "none known") }

func cacheText(l1, l2, l3 int) string {
	var list []string
	for i, n := range []int{l1, l2, l3} {
		if n > 0 {
			list = append(list, fmt.Sprintf("L%d %s", i+1, machine.Size(n)))
		}
	}
	return orNone(strings.Join(list, ", "))
}
