// Command sass states what share of a copy's bandwidth the generated kernels can reach
// on an H100 and an H200. It needs no GPU. It compiles the rows of its table with NVRTC,
// disassembles the machine code, counts the instructions of the loops, and puts the
// counts into a model (model.go; docs/cuda.md explains it). Nothing is measured.
//
//	scripts/sass/run             compare the counts and shares with testdata/sass
//	scripts/sass/run -update     write them
//	scripts/sass/run -table      print the shares as a Markdown table
//	scripts/sass/run -only GELU  one row, with the times of each launch
//
// The script installs NVRTC and nvdisasm in the versions that the golden names.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/failure"
)

type options struct {
	nvdisasm, arch, golden, only string
	update, table                bool
}

func main() {
	defer failure.Exit()
	defer failure.In("sass")
	var o options
	flag.StringVar(&o.nvdisasm, "nvdisasm", "nvdisasm", "the disassembler")
	flag.StringVar(&o.arch, "arch", "sm_90", "the architecture")
	flag.StringVar(&o.golden, "golden", "testdata/sass/sm_90.txt", "the file to compare with")
	flag.StringVar(&o.only, "only", "", "print this row")
	flag.BoolVar(&o.update, "update", false, "write the golden")
	flag.BoolVar(&o.table, "table", false, "print the shares as a Markdown table")
	flag.Parse()
	o.run()
}

func (o *options) run() {
	major, minor, err := cu.NvrtcVersion()
	failure.Check(err)
	var all []*result
	for i := range rows {
		r := &rows[i]
		if o.only != "" && r.name != o.only {
			continue
		}
		for _, t := range r.types {
			all = append(all, o.evaluate(r, t))
		}
	}
	text := fmt.Sprintf("%s, NVRTC %d.%d, nvdisasm %s\n\n%s", o.arch, major, minor, version(o.nvdisasm), listing(all))
	switch {
	case o.table:
		fmt.Print(markdown(all))
	case o.only != "":
		fmt.Print(text, times(all))
	case o.update:
		failure.Check(os.WriteFile(o.golden, []byte(text), 0o644))
	default:
		if string(failure.Must(os.ReadFile(o.golden))) != text {
			fmt.Print(text)
			failure.Check(errors.New(o.golden + " differs (scripts/sass/run -update writes it)"))
		}
		fmt.Printf("%d rows as in %s\n", len(all), o.golden)
	}
}

// A result is a row for an element type.
type result struct {
	row      *row
	elem     dtype.Type
	launches []*launch
	share    []float64 // by GPU
}

// A launch is a kernel with its counts, and the model's times by GPU.
type launch struct {
	cudagen.Launch
	kernel *kernel
	use    use
	widths string
	times  []estimate
}

func (o *options) evaluate(r *row, t dtype.Type) *result {
	defer failure.In(r.name + ", " + t.String())
	x := &result{row: r, elem: t}
	copies, took := make([]float64, len(gpus)), make([]float64, len(gpus))
	for _, s := range r.stages(t, device) {
		kernels := compile(s.source.Code, s.source.Entries, o.arch, o.nvdisasm)
		source := strings.Split(s.source.Code, "\n")
		for i, l := range s.bound.Launches {
			k := &kernels[l.Entry]
			if l.Rows { // as engine/cuda does
				l.Grid[0] = min(l.Grid[0], uint32(resident(k, l)*device.SMs))
			}
			j := s.job(source, i)
			y := &launch{Launch: l, kernel: k, use: measure(k, source, t.Size(), j), widths: k.widths()}
			for n := range gpus {
				e := y.use.estimate(k, l, j, &gpus[n])
				if len(x.launches) > 0 {
					e.seconds += gap
				}
				took[n] += e.seconds
				y.times = append(y.times, e)
			}
			x.launches = append(x.launches, y)
		}
		for n := range gpus {
			copies[n] += float64(s.bytes) / gpus[n].copy
		}
	}
	for n := range gpus {
		x.share = append(x.share, copies[n]/took[n])
	}
	return x
}

// listing is the text of the golden.
func listing(all []*result) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "row\ttype\tH100\tH200\tgrid\tblock\tshared\tregs\tspills\tblocks/SM\tin flight\tinstr/el")
	for _, c := range classNames {
		fmt.Fprint(w, "\t", c)
	}
	fmt.Fprint(w, "\taccesses\n")
	for _, x := range all {
		name, elem := x.row.name, x.elem.String()
		shares := fmt.Sprintf("%.0f%%\t%.0f%%", 100*x.share[0], 100*x.share[1])
		for _, l := range x.launches {
			fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f", name, elem, shares, l.Grid[0], l.Block[0], l.Shared, l.kernel.registers, l.kernel.spills, resident(l.kernel, l.Launch), l.use.inFlight, l.use.perElement.total())
			for _, n := range l.use.perElement {
				fmt.Fprintf(w, "\t%.1f", n)
			}
			fmt.Fprintf(w, "\t%s\n", l.widths)
			name, elem, shares = "", "", "\t"
		}
	}
	w.Flush()
	return b.String()
}

// times is what the model says of each launch, in microseconds.
func times(all []*result) string {
	var b strings.Builder
	for _, x := range all {
		for _, l := range x.launches {
			for n, e := range l.times {
				fmt.Fprintf(&b, "%s %s: memory %.1f us, instructions %.1f us, waits %.1f us: %.1f us\n", gpus[n].name, l.kernel.name, 1e6*e.memory, 1e6*e.issue, 1e6*e.latency, 1e6*e.seconds)
			}
		}
	}
	return b.String()
}

// markdown is the table of docs/cuda.md.
func markdown(all []*result) string {
	var b strings.Builder
	b.WriteString("| row | type | instructions | H100 | H200 |\n|---|---|---|---|---|\n")
	for _, x := range all {
		fmt.Fprintf(&b, "| %s | %s | %.0f | %.0f %% | %.0f %% |\n", x.row.name, x.elem, x.launches[0].use.perElement.total(), 100*x.share[0], 100*x.share[1])
	}
	return b.String()
}
