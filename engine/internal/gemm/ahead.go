package gemm

// A rate says what a kernel asks for with its terms. Processors drop requests while too many are under
// way, and then loads that miss the first level wait too. So kernels ask at the least rate that suffices.
type rate uint8

const (
	silent rate = iota
	sparse      // a line with each four terms
	dense       // two lines with each two terms
	denser      // four lines with each two terms
	rates
)

// terms is the number of terms with which a kernel asks once.
func (r rate) terms() int {
	if r == sparse {
		return unroll
	}
	return unroll / 2
}

// bytes is the number of bytes that a kernel asks for at a time, whole lines.
func (r rate) bytes() int { return [rates]int{0, cacheLine, 2 * cacheLine, 4 * cacheLine}[r] }

// asks is the number of times that a kernel of so many terms asks.
func (r rate) asks(terms int) int { return terms / unroll * (unroll / r.terms()) }

// A source is a part of memory that kernels ask for before it is packed or read: rows of
// width bytes. They ask for some bytes of each row, then for the next ones. It may reach
// behind an array: nothing is read.
type source struct {
	at          uintptr
	step        int // bytes between rows
	rows, width int
	row         int // the next one
}

// contiguous returns the source of n bytes.
func contiguous(at uintptr, n int) source { return source{at: at, rows: 1, width: n} }

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

// sources is a queue.
type sources struct {
	list     [4]source
	at, last int
	rate     rate // at which kernels ask
}

func (q *sources) clear() { q.at, q.last = 0, 0 }

func (q *sources) add(s source) {
	if s.width > 0 && s.rows > 0 && q.last < len(q.list) {
		q.list[q.last] = s
		q.last++
	}
}

// asks is the number of requests for all, at a rate.
func (q *sources) asks(r rate) (n int) {
	for i := q.at; i < q.last; i++ {
		s := &q.list[i]
		n += (s.width + r.bytes() - 1) / r.bytes() * s.rows
	}
	return n
}

// choose chooses the rate for so many kernels of so many terms.
func (q *sources) choose(f *family, kernels, terms int) {
	if q.rate = f.sparse(); q.asks(q.rate) > kernels*q.rate.asks(terms) {
		q.rate = dense
	}
}

// take makes kernels ask n times each. It returns how many of at most so many kernels do, which
// is 0 if there is nothing to ask for.
func (q *sources) take(a *args, terms, most int) (kernels int) {
	n, bytes := q.rate.asks(terms), q.rate.bytes()
	if q.at == q.last || n == 0 {
		return 0
	}
	s := &q.list[q.at]
	took := bytes // of each row
	switch {
	case s.rows == 1: // a kernel asks for one part after the other
		kernels = min(max(1, s.width/(n*bytes)), most)
		a.ahead, a.aheadStep, a.tileAhead = s.at, bytes, n*bytes
		took = kernels * n * bytes
	case s.rows <= n: // for one part of all rows
		kernels = min((s.width+bytes-1)/bytes, most)
		a.ahead, a.aheadStep, a.tileAhead = s.at, s.step, bytes
		took = kernels * bytes
	default:
		kernels = min(max(1, (s.rows-s.row)/n), most)
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
