package gather

import "github.com/oneloop/oneloop/plan/bound"

// A walk iterates over the rows of a loop. A row is a part of the loop along the
// last span.
type walk struct {
	off int           // the value at the current position
	idx [maxSpans]int // position on each span
}

// start goes to flattened position p; off is the value at position 0.
func (w *walk) start(spans []bound.Span, off, p int) {
	for k := len(spans) - 1; k > 0; k-- {
		s := &spans[k]
		q := 0
		if p >= s.Extent {
			q = p / s.Extent
			p -= q * s.Extent
		}
		w.idx[k] = p
		off += p * s.Coef
		p = q
	}
	w.idx[0] = p
	w.off = off + p*spans[0].Coef
}

// left returns the number of positions up to the end of the row.
func (w *walk) left(spans []bound.Span) int {
	k := len(spans) - 1
	return spans[k].Extent - w.idx[k]
}

// next goes to the start of the next row.
func (w *walk) next(spans []bound.Span) {
	k := len(spans) - 1
	w.off -= w.idx[k] * spans[k].Coef
	w.idx[k] = 0
	for k--; k >= 0; k-- {
		s := &spans[k]
		w.off += s.Coef
		w.idx[k]++
		if w.idx[k] < s.Extent || k == 0 {
			return
		}
		w.off -= s.Extent * s.Coef
		w.idx[k] = 0
	}
}

// skip goes m rows on. m must not exceed the rows left in the span before the last.
func (w *walk) skip(spans []bound.Span, m int) {
	k := len(spans) - 2
	w.idx[k] += m - 1
	w.off += (m - 1) * spans[k].Coef
	w.next(spans)
}

// plane returns the number of whole rows to move column by column, or 0. They have
// at most lanes positions. Columns are faster if rows are short, or if rows have a
// larger stride than columns.
func (w *walk) plane(spans []bound.Span, lanes int) int {
	k := len(spans) - 1
	row, col := &spans[k], &spans[k-1]
	if w.idx[k] != 0 || row.Extent >= 16 && abs(row.Coef) <= abs(col.Coef) {
		return 0
	}
	if m := min(col.Extent-w.idx[k-1], lanes/row.Extent); m >= 4 {
		return m
	}
	return 0
}

func abs(x int) int { return max(x, -x) }
