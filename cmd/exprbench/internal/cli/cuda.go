package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/plan"
)

// onGPU reports whether a backend's name means a GPU, as cuda and cuda:1 do.
func onGPU(backend string) bool {
	kind, _, _ := strings.Cut(backend, ":")
	return kind == "cuda"
}

// gpu is the GPU that --backend names, or nil for the host.
func (f *engineFlags) gpu() (driver.Device, error) {
	if !onGPU(f.backend) {
		return nil, nil
	}
	if _, number, numbered := strings.Cut(f.backend, ":"); numbered {
		if _, err := strconv.Atoi(number); err != nil {
			return nil, usagef("--backend %s: %q is not the number of a GPU", f.backend, number)
		}
	}
	return engine.OpenDevice(f.backend)
}

// onHost are options for a command that no GPU runs.
func (f *engineFlags) onHost() (engine.Options, error) {
	if onGPU(f.backend) {
		return engine.Options{}, usagef("--backend %s: formulas on files run on the CPU only", f.backend)
	}
	return f.options()
}

// cudaText says which GPUs and libraries of CUDA were found, and where the
// missing ones were looked for.
func cudaText() string {
	var b strings.Builder
	n, err := engine.CountDevices("cuda")
	if err != nil {
		fmt.Fprintf(&b, "backend    %-8s not available: %s\n", "cuda", firstLine(err))
	}
	for i := range n {
		d, err := engine.OpenDevice(fmt.Sprintf("cuda:%d", i))
		if err != nil {
			fmt.Fprintf(&b, "backend    %-8s not available: %s\n", fmt.Sprintf("cuda:%d", i), firstLine(err))
			continue
		}
		fmt.Fprintf(&b, "backend    %-8s %v\n", d.Name(), d)
	}
	for _, l := range cu.Libraries() {
		if l.Err == nil {
			fmt.Fprintf(&b, "library    %-11s %s, version %s\n", l.Name, l.Path, orNone(l.Version))
		} else {
			fmt.Fprintf(&b, "library    %-11s not found\n", l.Name)
		}
		for _, r := range l.Refused {
			fmt.Fprintf(&b, "             refused: %s: %s\n", r.Path, firstLine(r.Why))
		}
		var missing *cu.NotFound
		if errors.As(l.Err, &missing) && len(missing.Looked) > 0 {
			fmt.Fprintf(&b, "             no file of that name in: %s\n", strings.Join(missing.Looked, ", "))
		}
	}
	return b.String()
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimPrefix(line, "oneloop: ")
}

// cudaListing is what the loops of a plan become on a GPU.
func cudaListing(pl *plan.Plan, arch string) (string, error) {
	list, missing, err := cuda.List(pl, arch)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, l := range list {
		fmt.Fprintf(&b, "\nCUDA C of stage %d\n%s", l.Stage, indent(l.Source))
		if missing == nil {
			fmt.Fprintf(&b, "\nPTX of stage %d for %s\n%s", l.Stage, arch, indent(l.PTX))
			fmt.Fprintf(&b, "\nmachine code of stage %d for %s\n", l.Stage, arch)
		}
		for _, u := range l.Usage {
			fmt.Fprintf(&b, "  %s: %d registers, %d bytes of stack, spills %d bytes stored and %d loaded, %d bytes of shared memory, %d bytes of code\n",
				u.Kernel, u.Registers, u.Stack, u.SpillStores, u.SpillLoads, u.Shared, u.SASS)
		}
	}
	if missing != nil && len(list) > 0 {
		fmt.Fprintf(&b, "\nPTX and machine code\n  none: %s; exprbench devices says more\n", firstLine(missing))
	}
	return b.String(), nil
}
