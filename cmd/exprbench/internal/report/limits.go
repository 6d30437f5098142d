package report

import (
	"fmt"
	"strings"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/bench"
	"github.com/oneloop/oneloop/cmd/exprbench/internal/machine"
	"github.com/oneloop/oneloop/cmd/exprbench/internal/roof"
	"github.com/oneloop/oneloop/internal/lists"
)

// limitsText is the measured limits of the machine.
func limitsText(l *roof.Table, width int) string {
	var b strings.Builder
	threads := "1 thread"
	if len(l.Threads) > 1 {
		threads += fmt.Sprintf(" / %d threads", l.Threads[len(l.Threads)-1])
	}
	fmt.Fprintf(&b, "limits, measured by probes in %s; GB/s with %s\n", l.Probes, threads)
	t := newTable(1, "", "working set", "read", "copy", "triad")
	for _, x := range l.Levels {
		t.row(x.Name, machine.Size(x.Bytes), rates(x.Read), rates(x.Copy), rates(x.Triad))
	}
	b.WriteString(t.String(width))
	fmt.Fprintf(&b, "multiply-add  %s GFLOP/s float32, %s float64\n\n", rates(l.Flops32), rates(l.Flops64))
	return b.String()
}

func rates(list []roof.Rate) string {
	s := lists.Map(list, func(x roof.Rate) string { return digits(float64(x) / 1e9) })
	return strings.Join(s, " / ")
}

// limit is the part of the machine's limit that a case has reached.
func limit(x *bench.Result) string {
	if x.Bound == nil {
		return "-"
	}
	by := "fp"
	if x.Bound.ByMemory() {
		by = "mem"
	}
	return fmt.Sprintf("%.0f%% %s", 100*x.Fraction, by)
}
