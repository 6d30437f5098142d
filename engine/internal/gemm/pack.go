package gemm

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/expr/dtype"
)

// A placement says where an operand has the terms of its elements: of rows of A, or columns of B.
type placement struct {
	from         unsafe.Pointer // the first term of the first element
	stepK, stepN int            // bytes from term to term, and from element to element
	// Of a grid: the places from the first element of the operand on, which from is then, and the first ones that count.
	// The steps are those between the first two places: prefetches follow these.
	placesK, placesN *positions
	firstK, firstN   int
}

// place returns the place of a term of an element, in bytes.
func (l *placement) place(element, term int) int {
	if l.placesK != nil {
		return l.placesN.at[l.firstN+element] + l.placesK.at[l.firstK+term]
	}
	return element*l.stepN + term*l.stepK
}

// A packer stores strips of a matrix for kernels: the elements of a strip that
// have the same k are neighbours. For A a strip has the rows of a tile, for B the
// columns.
type packer struct {
	f  *family
	to unsafe.Pointer
	placement
	k        int // terms, or groups of them
	terms    int
	n        int        // rows of A or columns of B
	row      int        // bytes of a term of a strip
	distance int        // bytes between strips
	half     dtype.Type // of the elements of the source, if they are halves
	size     int        // of an element of the result, in bytes
	s        *scratch
	repeat   *repeat // what notes the calls of kernels, or nil
	args     packArgs
}

// strip packs the terms k to k+terms of a strip of n elements that begins at
// element first.
func (p *packer) strip(number, first, n, k, terms int) {
	to := unsafe.Add(p.to, number*p.distance+k*p.row)
	if p.placesK != nil {
		p.grid(to, first, n, k, terms)
		return
	}
	from := unsafe.Add(p.from, p.place(first, k))
	switch {
	case p.f.group > 0 && p.size == 1:
		groups[uint8](p, to, from, n)
		return
	case p.f.group > 0:
		groups[uint16](p, to, from, n)
		return
	}
	if p.half != dtype.Invalid {
		p.halves(to, from, n, terms)
		return
	}
	switch {
	case p.stepN == p.f.size && p.copy(to, from, n, terms):
		return
	case p.stepK == p.f.size && p.transpose(to, from, n, terms):
		return
	case p.stepK == p.f.size && p.transposeFew(to, from, first, n, terms):
		return
	case p.stepN != 0 && p.gather(to, from, n, terms):
		return
	}
	for l := 0; l < terms && !p.repeat.spoils(); l++ {
		gather(p.f.size, unsafe.Add(to, l*p.row), unsafe.Add(from, l*p.stepK), n, p.stepN)
	}
}

// call calls a kernel with the arguments of p.
func (p *packer) call(f *exec.Code) {
	p.repeat.call(f, unsafe.Pointer(&p.args), unsafe.Sizeof(p.args), packWords)
}

// chunk is the number of terms that are packed of one strip before the next. A call that copies rows takes as long as many of them, and
// the processor keeps the addresses of the pages of so many.
func (p *packer) chunk() int {
	if p.stepN != p.f.size || p.f.group > 0 {
		return p.k
	}
	return nearPages
}

// groups packs all terms of n integers as groups of 32 bits.
func groups[T uint8 | uint16](p *packer, to, from unsafe.Pointer, n int) {
	g, size, done := p.f.group, int(unsafe.Sizeof(T(0))), 0
	if whole := p.terms / g; p.stepK == size && g*size == p.f.size && p.transpose(to, from, n, whole) {
		done = whole // a group is in memory as it is packed
	}
	for l := done; l < p.k; l++ {
		y, first := unsafe.Slice((*uint32)(unsafe.Add(to, l*p.row)), n), unsafe.Add(from, l*g*p.stepK)
		terms := min(g, p.terms-l*g)
		row := func(i int) []T { return unsafe.Slice((*T)(unsafe.Add(first, i*p.stepK)), n) }
		switch {
		case p.stepN != size && terms == g && g == 2:
			second := unsafe.Add(first, p.stepK)
			for j := range y {
				at := j * p.stepN
				y[j] = uint32(*(*T)(unsafe.Add(first, at))) | uint32(*(*T)(unsafe.Add(second, at)))<<16
			}
		case p.stepN != size || terms < g:
			clear(y)
			for i := range terms {
				at, shift := unsafe.Add(first, i*p.stepK), uint(32/g*i)&31
				for j := range y {
					y[j] |= uint32(*(*T)(unsafe.Add(at, j*p.stepN))) << shift
				}
			}
		case g == 2:
			a, b := row(0), row(1)
			for j := range y {
				y[j] = uint32(a[j]) | uint32(b[j])<<16
			}
		default:
			a, b, c, d := row(0), row(1), row(2), row(3)
			for j := range y {
				y[j] = uint32(a[j]) | uint32(b[j])<<8 | uint32(c[j])<<16 | uint32(d[j])<<24
			}
		}
	}
}

// halves packs terms of n halves as float32.
func (p *packer) halves(to, from unsafe.Pointer, n, terms int) {
	switch {
	case p.stepN == 2:
		p.widen(to, p.row, from, p.stepK, terms, n)
	case p.stepK == 2:
		wide := room(&p.s.wide, n*terms*4)
		p.widen(wide, terms*4, from, p.stepN, n, terms)
		old := p.stepN
		p.stepN = terms * 4
		if !p.transpose(to, wide, n, terms) {
			for l := range terms {
				gather(4, unsafe.Add(to, l*p.row), unsafe.Add(wide, l*4), n, p.stepN)
			}
		}
		p.stepN = old
	default:
		for l := range terms {
			widen(p.half, unsafe.Add(to, l*p.row), unsafe.Add(from, l*p.stepK), n, p.stepN)
		}
	}
}

// widen converts rows of n contiguous halves.
func (p *packer) widen(to unsafe.Pointer, toStep int, from unsafe.Pointer, fromStep, rows, n int) {
	lanes := p.f.lanes()
	whole := n / lanes * lanes
	if f := p.f.widener(p.half); f == nil {
		whole = 0
	} else if whole > 0 {
		p.args.to, p.args.from, p.args.toStep, p.args.fromStep, p.args.n, p.args.vecs = to, from, toStep, fromStep, rows, whole/lanes
		p.call(f)
	}
	for i := 0; i < rows && whole < n; i++ {
		widen(p.half, unsafe.Add(to, i*toStep+whole*4), unsafe.Add(from, i*fromStep+whole*2), n-whole, 2)
	}
}

// widen converts n halves that are step bytes apart to contiguous float32.
func widen(half dtype.Type, to, from unsafe.Pointer, n, step int) {
	for i, y := 0, unsafe.Slice((*float32)(to), n); i < n; i++ {
		h := *(*uint16)(unsafe.Add(from, i*step))
		if half == dtype.F16 {
			y[i] = dtype.F16Value(h)
		} else {
			y[i] = dtype.BF16Value(h)
		}
	}
}

// copy packs terms whose n elements are neighbours. It reports false if there is no
// memory for a kernel. It may store zeros behind them.
func (p *packer) copy(to, from unsafe.Pointer, n, terms int) bool {
	return p.copyRows(copying{}, to, from, n, terms)
}

// copyAt packs terms whose n elements are neighbours, from places that a table has. It stores
// nothing behind them.
func (p *packer) copyAt(to, from unsafe.Pointer, n int, places []int) bool {
	p.args.table = unsafe.Pointer(unsafe.SliceData(places))
	return p.copyRows(copying{exact: true, byTable: true}, to, from, n, len(places))
}

func (p *packer) copyRows(c copying, to, from unsafe.Pointer, n, terms int) bool {
	lanes, size := p.f.lanes(), p.f.size
	p.args.toStep, p.args.fromStep, p.args.n = p.row, p.stepK, terms
	for i := 0; i < n; i += mostVecs * lanes {
		some := min(n-i, mostVecs*lanes)
		if c.masked = some%lanes != 0; c.masked {
			p.args.mask.set(some%lanes, size)
		}
		c.vecs = (some + lanes - 1) / lanes
		f := p.f.copier(c)
		if f == nil {
			return false
		}
		p.args.to, p.args.from = unsafe.Add(to, i*size), unsafe.Add(from, i*size)
		p.call(f)
	}
	return true
}

// transpose packs terms that are neighbours, of n elements. The last ones may be packed twice. It reports false if there are too
// few terms, or if there is no memory for a kernel.
func (p *packer) transpose(to, from unsafe.Pointer, n, terms int) bool {
	return terms >= transposeTerms && p.transposeRows(to, from, nil, n, terms, false)
}

// transposeFew packs two or three terms that are neighbours, of n elements from the first one on. A transposition reads behind
// them: elements that have nothing there are gathered. It reports false if it packs none.
func (p *packer) transposeFew(to, from unsafe.Pointer, first, n, terms int) bool {
	if terms < 2 || terms >= transposeTerms || p.stepN <= p.f.size {
		return false
	}
	lanes, size, whole := p.f.lanes(), p.f.size, 0
	read := (terms*size + transposeChunk - 1) / transposeChunk * transposeChunk
	for end := (p.n-1-first)*p.stepN + terms*size; whole+lanes <= n && (whole+lanes-1)*p.stepN+read <= end; {
		whole += lanes
	}
	if whole == 0 || whole < n && !p.gather(unsafe.Add(to, whole*size), unsafe.Add(from, whole*p.stepN), n-whole, terms) {
		return false
	}
	return p.transposeRows(to, from, nil, whole, terms, false)
}

// transposeAt packs terms that are neighbours, of elements whose places a table has, as transpose does.
func (p *packer) transposeAt(to, from unsafe.Pointer, places []int, terms int) bool {
	return terms >= transposeTerms && p.transposeRows(to, from, places, len(places), terms, false)
}

// transposeRows packs terms of n elements, which are at equal distances if there are no places. One call packs all whole vectors
// of them, after the elements that are left: unless all is exact, what is stored of those reaches into the next term.
func (p *packer) transposeRows(to, from unsafe.Pointer, places []int, n, terms int, exact bool) bool {
	x, lanes, group := &p.args, p.f.lanes(), min(terms, transposeTerms)
	x.toStep, x.fromStep, x.fromVec, x.n, x.toBack, x.fromBack = p.row, p.stepN, lanes*p.stepN, terms/group, 0, 0
	if left := terms % group; left > 0 {
		x.toBack, x.fromBack = (group-left)*p.row, (group-left)*p.f.size
	}
	whole := n / lanes * lanes
	for _, part := range [2]struct{ first, rows, vecs int }{{whole, n - whole, 1}, {0, lanes, whole / lanes}} {
		if part.rows*part.vecs == 0 {
			continue
		}
		if exact {
			x.mask.set(part.rows%lanes, p.f.size)
		}
		f := p.f.transposer(part.rows, group, places != nil, exact)
		if f == nil {
			return false
		}
		x.to, x.from, x.vecs = unsafe.Add(to, part.first*p.f.size), from, part.vecs
		if places != nil {
			x.table = unsafe.Pointer(&places[part.first])
		} else {
			x.from = unsafe.Add(from, part.first*p.stepN)
		}
		p.call(f)
	}
	return true
}

// gather packs terms of n elements with any steps. It reports false if there is no
// memory for a kernel, or if a vector reaches too far.
func (p *packer) gather(to, from unsafe.Pointer, n, terms int) bool {
	lanes := p.f.lanes()
	f := p.f.gatherer()
	if last := p.stepN * (lanes - 1); f == nil || last != int(int32(last)) {
		return false
	}
	for i := range lanes {
		p.args.places[i] = int32(i * p.stepN)
	}
	p.args.toStep, p.args.fromStep, p.args.n = p.row, p.stepK, terms
	for i := (n - 1) / lanes * lanes; i >= 0; i -= lanes { // whole vectors reach into the next term
		p.args.mask.set(min(lanes, n-i), p.f.size)
		p.args.to, p.args.from = unsafe.Add(to, i*p.f.size), unsafe.Add(from, i*p.stepN)
		p.call(f)
	}
	return true
}

// gather copies n elements that are step bytes apart next to each other.
func gather(size int, to, from unsafe.Pointer, n, step int) {
	if size == 4 {
		for i, y := 0, unsafe.Slice((*uint32)(to), n); i < n; i++ {
			y[i] = *(*uint32)(unsafe.Add(from, i*step))
		}
		return
	}
	for i, y := 0, unsafe.Slice((*uint64)(to), n); i < n; i++ {
		y[i] = *(*uint64)(unsafe.Add(from, i*step))
	}
}
