package gemm

// An After uses the results of a problem while they are in a cache.
type After struct {
	// Columns is the number of columns of a block; the last block may have fewer.
	Columns int
	// NewWorker returns what one worker calls with rows and blocks of columns that are
	// complete. Rows count through all products. Each element is in one call.
	NewWorker func() func(row, rows, block, blocks int)
}

// unit is the number of columns of which tiles have a multiple: whole blocks, and whole
// vectors.
func (a *After) unit() int {
	n := a.Columns
	for n%mostLanes != 0 {
		n *= 2
	}
	return n
}

// mostAfter is the size of the results that are used together, in bytes. They stay in a
// second-level cache.
const mostAfter = 512 << 10

// A region is the part of the results that a tile has.
type region struct {
	use            func(row, rows, block, blocks int)
	row, col, n    int // the first row and column of the tile, and its number of columns
	columns, total int // of a block, and of the result
	told           bool
}

// complete says that rows i to i+m of the tile have no more to come in the columns from
// from to to.
func (r *region) complete(i, m, from, to int) {
	first, last := (r.col+from)/r.columns, (r.col+to)/r.columns
	if r.col+to == r.total {
		last = (r.total + r.columns - 1) / r.columns
	}
	if r.told = true; last > first {
		r.use(r.row+i, m, first, last-first)
	}
}
