package gemm

// A source is a part of memory that kernels ask for before it is packed or read: rows of
// width bytes. They ask for aheadBytes of each row, then for the next ones. It may reach
// behind an array: nothing is read.
type source struct {
	at          uintptr
	step        int // bytes between rows
	rows, width int
	row         int // the next one
}

// contiguous returns the source of n bytes.
func contiguous(at uintptr, n int) source {
	return source{at: at, step: aheadBytes, rows: (n + aheadBytes - 1) / aheadBytes, width: aheadBytes}
}

// source returns what the packer reads of n elements from the first on, and of the terms
// from k on.
func (p *packer) source(first, n, k, terms int) source {
	at, row, width := uintptr(p.from)+uintptr(first*p.stepN+k*p.stepK), p.stepN, terms*p.stepK
	if p.stepK > p.stepN {
		row, n, width = p.stepK, terms, n*p.stepN
	}
	if row == width {
		return contiguous(at, n*width)
	}
	return source{at: at, step: row, rows: n, width: width}
}

// asks is the number of requests for s.
func (s *source) asks() int { return (s.width + aheadBytes - 1) / aheadBytes * s.rows }

// sources is a queue.
type sources struct {
	list     [4]source
	at, last int
}

func (q *sources) clear() { q.at, q.last = 0, 0 }

func (q *sources) add(s source) {
	if s.width > 0 && s.rows > 0 && q.last < len(q.list) {
		q.list[q.last] = s
		q.last++
	}
}

// asks is the number of requests for all.
func (q *sources) asks() (n int) {
	for i := q.at; i < q.last; i++ {
		n += q.list[i].asks()
	}
	return n
}

// take makes kernels ask n times each. It returns how many of at most so many kernels do, which
// is 0 if there is nothing to ask for.
func (q *sources) take(a *args, n, most int) (kernels int) {
	if q.at == q.last || n == 0 {
		return 0
	}
	s := &q.list[q.at]
	kernels = min(max(1, (s.rows-s.row)/n), most)
	a.ahead, a.aheadStep, a.tileAhead = s.at+uintptr(s.row*s.step), s.step, n*s.step
	if s.row += n * kernels; s.row >= s.rows {
		s.row, s.at, s.width = 0, s.at+aheadBytes, s.width-aheadBytes
	}
	if s.width <= 0 {
		q.at++
	}
	return kernels
}
