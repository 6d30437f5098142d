package gemm

const (
	// packCost is the time to pack an element, in multiply-adds.
	packCost = 14
	// readCost is the time to bring an element of A near that is not packed: each tile reads its rows.
	readCost = 2
	// idleCost is the part of the time of a tile that threads lose at the end, because they do not
	// end at the same time.
	idleCost = 1. / 20
)

// share divides the results into tiles of packed columns, of at most so many columns. The tiles
// are of about one size. There are so many that the threads, which pack the operands for each tile,
// end first.
func (e *machine) share(p *Problem, most, threads int) (rows, cols int) {
	nc := (p.N + most - 1) / max(most, 1)
	rows, cols = e.part(p, 1, nc)
	limit := 4 * threads / max(1, len(p.OffA)) // more tiles are not worth it
	if threads == 1 || limit < 2 {
		return rows, cols
	}
	best := e.time(p, rows, cols, threads)
	for nr := 1; nr <= limit; nr++ {
		for n := nc; n == nc || nr*n <= limit; n++ {
			r, c := e.part(p, nr, n)
			if t := e.time(p, r, c, threads); t < best {
				rows, cols, best = r, c, t
			}
		}
	}
	return rows, cols
}

// part is the size of a tile if there are nr along the rows and nc along the columns. It has the columns
// of whole kernels, and of what uses the results, which gets as many at a time.
func (e *machine) part(p *Problem, nr, nc int) (rows, cols int) {
	multiple := func(n, of int) int { return (n + of - 1) / of * of }
	cols = multiple(max(1, (p.N+nc-1)/max(nc, 1)), e.width)
	if p.After != nil {
		cols = multiple(cols, p.After.unit())
	}
	return max(1, (p.M+nr-1)/nr), cols
}

// time is the time of the units of the first thread, in multiply-adds. No thread has more: tiles and sections at the ends are
// smaller.
func (e *machine) time(p *Problem, rows, cols, threads int) (t float64) {
	nr, nc, most := max(1, (p.M+rows-1)/rows), max(1, (p.N+cols-1)/cols), Section
	if e.sections == 1 {
		most = p.K
	}
	unit := func(u int) float64 {
		terms := float64(min(most, p.K-u%e.sections*most))
		u /= e.sections
		r, c := float64(min(rows, p.M-u%nr*rows)), float64(min(cols, p.N-u/nr%nc*cols))
		if e.packA {
			return terms * (r*c + packCost*(r+c))
		}
		return terms * (r*c + packCost*c + readCost*r)
	}
	for u := range (len(p.OffA)*nr*nc*e.sections + threads - 1) / threads {
		t += unit(u)
	}
	return t + idleCost*unit(0)
}
