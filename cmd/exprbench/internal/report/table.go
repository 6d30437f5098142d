package report

import (
	"strings"
	"unicode/utf8"
)

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
	used := func(from, to int) (n int) {
		for _, w := range t.widths[from:to] {
			n += w + between
		}
		return n
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
