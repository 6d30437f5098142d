// Package report writes measurements as text, as JSON, in Go's benchmark format
// and as a page.
package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/bench"
	"github.com/oneloop/oneloop/cmd/exprbench/internal/machine"
	"github.com/oneloop/oneloop/cmd/exprbench/internal/roof"
	"github.com/oneloop/oneloop/internal/lists"
)

// A Report is everything that a run has found.
type Report struct {
	Machine machine.Info    `json:"machine"`
	Backend string          `json:"backend"`
	Threads int             `json:"threads"`
	Limits  *roof.Table     `json:"limits"`
	Results []*bench.Result `json:"results"`
}

// Write writes a report in one of Formats. Lines of text are not
// longer than width characters, if that is not 0.
func Write(w io.Writer, format string, r *Report, width int) error {
	switch format {
	case "json":
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(r)
	case "bench":
		return writeBench(w, r)
	case "text":
		return writeText(w, r, width)
	case "html":
		return writeHTML(w, r)
	}
	return fmt.Errorf("unknown format %q", format)
}

// Formats are the names that Write takes.
var Formats = []string{"text", "json", "bench", "html"}

// writeBench writes a line for every round, which are the samples that
// benchstat works with. MB/s counts the bytes that the fused program has to
// move, whatever the way, so that rates compare as times do; %limit is the part
// of the machine's limit that the round has reached.
func writeBench(w io.Writer, r *Report) error {
	b := bufio.NewWriter(w)
	m := r.Machine
	fmt.Fprintf(b, "goos: %s\ngoarch: %s\npkg: github.com/oneloop/oneloop/cmd/exprbench\ncpu: %s\n", m.OS, m.Arch, m.CPU)
	fmt.Fprintf(b, "go: %s\nbackend: %s\nthreads: %d\n", m.Go, r.Backend, r.Threads)
	for _, x := range r.Results {
		for _, i := range bench.Impls() {
			for _, t := range x.Times[i.String()] {
				fmt.Fprintf(b, "Benchmark%s/impl=%s/dtype=%s/n=%d \t1\t%.1f ns/op\t%.2f MB/s", x.Name, i, x.Type, x.N, t, float64(x.Bytes)/t*1e3)
				if x.Bound != nil {
					fmt.Fprintf(b, "\t%.2f %%limit", 100*x.Bound.Total/t)
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.Flush()
}

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

// A table aligns columns: the first ones, which name the row, to the left, and
// numbers to the right.
type table struct {
	names  int        // columns that name the row
	rows   [][]string // nil: an empty line
	widths []int
}

func newTable(names int, head ...string) *table {
	t := &table{names: names, widths: make([]int, len(head))}
	t.row(head...)
	return t
}

// row appends a line.
func (t *table) row(cells ...string) {
	for i, c := range cells {
		t.widths[i] = max(t.widths[i], utf8.RuneCountInString(c))
	}
	t.rows = append(t.rows, cells)
}

// gap appends an empty line.
func (t *table) gap() { t.rows = append(t.rows, nil) }

// String returns the table, or, where lines would be longer than width, several
// tables one after the other. Each has the columns that name the row. A width of
// 0 is no limit.
func (t *table) String(width int) string {
	const between = 2
	used := func(from, to int) int {
		return lists.Sum(t.widths[from:to], func(w int) int { return w + between })
	}
	var parts []string
	for from := t.names; from < len(t.widths); {
		to := from + 1
		for to < len(t.widths) && (width == 0 || used(0, t.names)+used(from, to+1)-between <= width) {
			to++
		}
		parts = append(parts, t.columns(from, to))
		from = to
	}
	return strings.Join(parts, "\n")
}

// columns writes the names and a range of columns.
func (t *table) columns(from, to int) string {
	var b strings.Builder
	for _, cells := range t.rows {
		var line []string
		for i, c := range cells {
			pad := strings.Repeat(" ", t.widths[i]-utf8.RuneCountInString(c))
			switch {
			case i < t.names:
				line = append(line, c+pad)
			case i >= from && i < to:
				line = append(line, pad+c)
			}
		}
		b.WriteString(strings.TrimRight(strings.Join(line, "  "), " ") + "\n")
	}
	return b.String()
}
