package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/bench"
)

const legend = `
fused      time of one run of the program compiled from all statements (median);
           ns/el and GB/s: that time per element, and the bytes that the fused
           loops must move at least, divided by it
limit      the least time that the bytes (mem) or the floating-point operations
           (fp) can take at the measured rates, whichever is more, in percent of
           the fused time. The bandwidth is that of a probe with as many arrays,
           read, written and updated, of the same size in all, on all threads
naive/f    time of one compiled program for each operator, with temporaries that
           are kept and reused, divided by the fused time: the median over the
           rounds and its 95% confidence interval
alloc/f    the same with temporaries allocated anew for each run
goloop/f   the time of a loop written by hand in Go, on one thread, divided by
           the fused time
passes     over memory, fused and naive; temps: temporaries, fused and naive
compile    planning and compiling the fused program; first: its first run
All ways were checked against each other: fused and naive give the same bits.
`

// writeText writes a table with a line for each case.
func writeText(w io.Writer, r *Report, width int) error {
	m := r.Machine
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d cores, %s/%s, %s; backend %s, %d threads\n\n", m.CPU, m.Cores, m.OS, m.Arch, m.Go, r.Backend, r.Threads)
	if r.Limits != nil {
		b.WriteString(limitsText(r.Limits, width))
	}
	t := newTable(3, "workload", "type", "n", "fused", "ns/el", "GB/s", "limit", "naive/f", "95% interval", "alloc/f", "goloop/f", "passes", "temps", "compile", "first")
	noise := 0
	for i, x := range r.Results {
		if i > 0 && r.Results[i-1].Name != x.Name {
			t.gap()
		}
		mark := ""
		if x.Noisy() {
			mark = "~"
			noise++
		}
		t.row(x.Name, x.Type, fmt.Sprint(x.N), mark+Duration(x.Warm), fmt.Sprintf("%.3f", x.Warm/float64(max(x.Elements, 1))), fmt.Sprintf("%.2f", float64(x.Bytes)/x.Warm), limit(x),
			ratio(x, bench.Naive), interval(x, bench.Naive), ratio(x, bench.Alloc), ratio(x, bench.Loop),
			fmt.Sprintf("%d/%d", x.FusedPasses, x.NaivePasses), fmt.Sprintf("%d/%d", x.FusedTemps, x.NaiveTemps),
			Duration(x.Compile), Duration(x.First))
	}
	b.WriteString(t.String(width))
	b.WriteString(legend)
	if few(r) {
		b.WriteString("With fewer than 6 rounds the interval is their whole range: less than 95% sure.\n")
	}
	if noise > 0 {
		fmt.Fprintf(&b, "~ This machine is noisy: in %d of %d cases (marked ~) the middle half of\n  the fused times spans more than 10%% of their median.\n", noise, len(r.Results))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// few reports whether some case has too few rounds for the interval.
func few(r *Report) bool {
	return slices.ContainsFunc(r.Results, func(x *bench.Result) bool {
		n := len(x.Times[bench.Fused.String()])
		return n > 0 && n < 6
	})
}

func ratio(x *bench.Result, i bench.Impl) string {
	r, ok := x.Ratios[i.String()]
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.2f", r.Median)
}

func interval(x *bench.Result, i bench.Impl) string {
	r, ok := x.Ratios[i.String()]
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.2f..%.2f", r.Lo, r.Hi)
}

// Duration is a time in nanoseconds for people, with three digits.
func Duration(ns float64) string {
	for _, u := range []struct {
		unit string
		ns   float64
	}{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}} {
		if ns < 999.5*u.ns {
			return digits(ns/u.ns) + " " + u.unit
		}
	}
	return digits(ns/1e9) + " s"
}

func digits(x float64) string {
	switch {
	case x < 9.995:
		return fmt.Sprintf("%.2f", x)
	case x < 99.95:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
