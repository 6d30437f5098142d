package report

import (
	"strings"
	"unicode/utf8"
)

// A table aligns columns: numbers to the right, names to the left.
type table struct {
	rows    [][]string // nil: an empty line
	widths  []int
	aligned map[int]bool
}

func newTable(head ...string) *table {
	t := &table{widths: make([]int, len(head)), aligned: map[int]bool{}}
	t.row(head...)
	return t
}

// left makes columns line up on the left.
func (t *table) left(columns ...int) {
	for _, c := range columns {
		t.aligned[c] = true
	}
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

func (t *table) String() string {
	var b strings.Builder
	for _, cells := range t.rows {
		line := ""
		for i, c := range cells {
			pad := strings.Repeat(" ", t.widths[i]-utf8.RuneCountInString(c))
			if i > 0 {
				line += "  "
			}
			if t.aligned[i] {
				line += c + pad
			} else {
				line += pad + c
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
