package gemm

// A rate says how many lines a kernel prefetches with its terms. Processors drop prefetches while too many are under
// way, and then loads that miss the first level wait too. So kernels prefetch at the least rate that suffices.
type rate uint8

const (
	silent    rate = iota // nothing
	sparse                // a line with each four terms
	even                  // a line with each two terms
	each                  // a line with each term
	dense                 // two lines with each two terms
	denser                // four lines with each two terms
	quadruple             // four lines with each term
	densest               // eight lines with each term
	rates
)

// terms is the number of terms with which a kernel prefetches once.
func (r rate) terms() int {
	return [rates]int{unroll, unroll, unroll / 2, 1, unroll / 2, unroll / 2, 1, 1}[r]
}

// bytes is the number of bytes that a kernel prefetches at a time, whole lines.
func (r rate) bytes() int {
	return [rates]int{0, cacheLine, cacheLine, cacheLine, 2 * cacheLine, 4 * cacheLine, 4 * cacheLine, 8 * cacheLine}[r]
}

// prefetches is the number of times that a kernel of so many terms prefetches.
func (r rate) prefetches(terms int) int { return terms / unroll * (unroll / r.terms()) }

// A source is a part of memory that kernels prefetch before it is packed or read: rows of
// width bytes. They prefetch some bytes of each row, then the next ones. It may reach
// behind an array: nothing is read.
type source struct {
	at          uintptr
	step        int // bytes between rows
	rows, width int // contiguous bytes are one row
	row         int // the next one
}

// sources is a queue.
type sources struct {
	list     [4]source
	at, last int
	rate     rate // at which kernels prefetch
	most     rate // at which they may
}

func (q *sources) clear() { q.at, q.last = 0, 0 }

// add adds rows of width bytes. It sets each field by itself: a copy of a source that was just made would wait until
// all stores before are in the cache, or in memory if they bypass it.
func (q *sources) add(at uintptr, step, rows, width int) {
	if rows*width == 0 || q.last == len(q.list) {
		return
	}
	if step == width { // contiguous
		rows, width = 1, rows*width
	}
	s := &q.list[q.last]
	s.at, s.step, s.rows, s.width, s.row = at, step, rows, width, 0
	q.last++
}

// addPacked adds what the packer reads of n elements from the first on, and of the terms from k on.
func (q *sources) addPacked(p *placement, first, n, k, terms int) {
	at := uintptr(p.from) + uintptr(p.place(first, k))
	if p.stepK > p.stepN {
		q.add(at+lastOf(n*p.stepN), p.stepK, terms, n*p.stepN)
	} else {
		q.add(at, p.stepN, n, terms*p.stepK)
	}
}

// lastOf is the offset at which prefetches of a row of a strip begin. Rows may begin within a line, which the strip before has read; then
// the lines that follow are needed.
func lastOf(width int) uintptr { return uintptr(max(1, min(width, cacheLine)) - 1) }

// prefetches is the number of prefetches for all sources, at a rate.
func (q *sources) prefetches(r rate) (n int) {
	for i := q.at; i < q.last; i++ {
		s := &q.list[i]
		n += (s.width + r.bytes() - 1) / r.bytes() * s.rows
	}
	return n
}

// choose chooses the rate for so many kernels of so many terms, at least that and no more than most.
func (q *sources) choose(least rate, kernels, terms int) {
	need := q.prefetches(least)
	for q.rate = least; q.rate < q.most && need > kernels*q.rate.prefetches(terms); {
		q.rate++
	}
}

// take makes kernels prefetch n times each. It returns how many of at most so many kernels do, which
// is 0 if there is nothing to prefetch. They are fewer than unit, or a multiple of it. All kernels share what is
// contiguous if they may spread it.
func (q *sources) take(a *args, terms, most, unit int, spread bool) (kernels int) {
	n, bytes := q.rate.prefetches(terms), q.rate.bytes()
	if q.at == q.last || n == 0 {
		return 0
	}
	whole := func(kernels int) int {
		if kernels = min(max(1, kernels), most); kernels > unit {
			kernels -= kernels % unit
		}
		return kernels
	}
	s := &q.list[q.at]
	took := bytes // of each row
	switch {
	case s.rows == 1: // a kernel prefetches one part after the other
		a.tileAhead = n * bytes
		if kernels = whole(s.width / a.tileAhead); spread && kernels*a.tileAhead >= s.width {
			kernels = most
			a.tileAhead = ((s.width+bytes-1)/bytes + most - 1) / most * bytes
		}
		a.ahead, a.aheadStep = s.at, bytes
		took = kernels * a.tileAhead
	case s.rows <= n: // for one part of all rows
		kernels = whole((s.width + bytes - 1) / bytes)
		a.ahead, a.aheadStep, a.tileAhead = s.at, s.step, bytes
		took = kernels * bytes
	default:
		kernels = whole((s.rows - s.row) / n)
		a.ahead, a.aheadStep, a.tileAhead = s.at+uintptr(s.row*s.step), s.step, n*s.step
		if s.row += n * kernels; s.row < s.rows {
			return kernels
		}
		s.row = 0
	}
	if s.at, s.width = s.at+uintptr(took), s.width-took; s.width <= 0 {
		q.at++
	}
	return kernels
}
