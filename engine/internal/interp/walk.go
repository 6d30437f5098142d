package interp

// A walk goes through the rows of a loop: the pieces along the last span.
type walk struct {
	off int           // the value at the current place
	idx [maxSpans]int // position on each span
}

// start goes to flattened position p; off is the value at position 0.
func (w *walk) start(l *linear, off, p int) {
	for k := len(l.spans) - 1; k > 0; k-- {
		s := &l.spans[k]
		q := 0
		if p >= s.extent {
			q = p / s.extent
			p -= q * s.extent
		}
		w.idx[k] = p
		off += p * s.coef
		p = q
	}
	w.idx[0] = p
	w.off = off + p*l.spans[0].coef
}

// left is the number of positions up to the end of the row.
func (w *walk) left(l *linear) int {
	k := len(l.spans) - 1
	return l.spans[k].extent - w.idx[k]
}

// next goes to the start of the next row.
func (w *walk) next(l *linear) {
	k := len(l.spans) - 1
	w.off -= w.idx[k] * l.spans[k].coef
	w.idx[k] = 0
	for k--; k >= 0; k-- {
		s := &l.spans[k]
		w.off += s.coef
		w.idx[k]++
		if w.idx[k] < s.extent || k == 0 {
			return
		}
		w.off -= s.extent * s.coef
		w.idx[k] = 0
	}
}

// skip goes m rows on, which are not more than the last span but one has left.
func (w *walk) skip(l *linear, m int) {
	k := len(l.spans) - 2
	w.idx[k] += m - 1
	w.off += (m - 1) * l.spans[k].coef
	w.next(l)
}

// plane returns the number of whole rows from here, at most lanes, that are
// better read column by column, or 0: rows that are short, or that jump in
// memory while columns do not.
func (w *walk) plane(l *linear, lanes int) int {
	k := len(l.spans) - 1
	row, col := &l.spans[k], &l.spans[k-1]
	if w.idx[k] != 0 || row.extent >= 16 && abs(row.coef) <= abs(col.coef) {
		return 0
	}
	if m := min(col.extent-w.idx[k-1], lanes/row.extent); m >= 4 {
		return m
	}
	return 0
}

func abs(x int) int { return max(x, -x) }
