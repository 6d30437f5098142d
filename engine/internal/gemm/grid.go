package gemm

import (
	"unsafe"
)

// An Axis is an axis of an operand: its extent, and its stride in elements.
type Axis struct{ Extent, Stride int }

// A grid has the places of the terms and columns of B that are several axes of an
// array, such as windows of images. It packs them: kernels read packed strips.
type grid struct {
	size        int
	terms, cols []int // bytes from the first element
	// Neighbours in memory: the number of terms from each on, and of columns.
	termRun, colRun []int
	// The number of columns from each on that are at equal distances.
	even []int
	// Every period terms there is a step of the same number of bytes.
	period, step int
}

// newGrid returns the grid of B, or nil if B is a matrix with two strides.
func newGrid(p *Problem) *grid {
	if p.TermsB == nil || p.K == 0 {
		return nil
	}
	_, size := p.sizes()
	g := &grid{size: size, terms: places(p.TermsB, size), cols: places(p.ColsB, size), period: 1}
	for _, x := range p.TermsB[1:] {
		g.period *= x.Extent
	}
	g.step = p.TermsB[0].Stride * size
	g.termRun, g.colRun, g.even = runs(g.terms, size), runs(g.cols, size), evenRuns(g.cols)
	return g
}

// places returns the offsets in bytes of all positions of some axes, row-major.
func places(axes []Axis, size int) []int {
	at := []int{0}
	for _, x := range axes {
		next := make([]int, 0, len(at)*x.Extent)
		for _, from := range at {
			for i := range x.Extent {
				next = append(next, from+i*x.Stride*size)
			}
		}
		at = next
	}
	return at
}

// runs returns for each place the number of places from it on that follow each other
// in memory.
func runs(at []int, size int) []int {
	n := make([]int, len(at))
	for i := len(at) - 1; i >= 0; i-- {
		if n[i] = 1; i+1 < len(at) && at[i+1] == at[i]+size {
			n[i] += n[i+1]
		}
	}
	return n
}

// evenRuns returns for each place the number of places from it on that are at equal
// distances.
func evenRuns(at []int) []int {
	n := make([]int, len(at))
	for i := len(at) - 1; i >= 0; i-- {
		if n[i] = min(len(at)-i, 2); i+2 < len(at) && at[i+2]-at[i+1] == at[i+1]-at[i] {
			n[i] = n[i+1] + 1
		}
	}
	return n
}

// pack packs strip q, which has n columns from col on, of the terms from term on. Places
// count from the first element of B.
func (g *grid) pack(p *packer, q, term, col, n int) {
	to, terms := unsafe.Add(p.to, q*p.distance), p.k
	if g.termRun[0] > g.colRun[0] {
		g.packTerms(p, to, term, terms, col, n)
		return
	}
	for j := 0; j < n; {
		run := min(g.colRun[col+j], n-j)
		g.packColumns(p, unsafe.Add(to, j*g.size), term, terms, col+j, run)
		j += run
	}
}

// packColumns packs columns that follow each other in memory. Terms that are a period
// apart are copied together.
func (g *grid) packColumns(p *packer, to unsafe.Pointer, term, terms, col, n int) {
	from, row := unsafe.Add(p.from, g.cols[col]), p.row
	p.row, p.stepK = row*g.period, g.step
	for e := range min(g.period, terms) {
		count := (terms - e + g.period - 1) / g.period
		to, from := unsafe.Add(to, e*row), unsafe.Add(from, g.terms[term+e])
		if !p.copy(to, from, n, count, true) {
			for i := range count {
				gather(g.size, unsafe.Add(to, i*p.row), unsafe.Add(from, i*g.step), n, g.size)
			}
		}
	}
	p.row = row
}

// packTerms packs columns of which terms follow each other in memory. Columns at
// equal distances are transposed together.
func (g *grid) packTerms(p *packer, to unsafe.Pointer, term, terms, col, n int) {
	for l := 0; l < terms; {
		run := min(g.termRun[term+l], terms-l)
		from := unsafe.Add(p.from, g.terms[term+l])
		for j := 0; j < n; {
			some := min(g.even[col+j], n-j)
			if p.stepN = 0; some > 1 {
				p.stepN = g.cols[col+j+1] - g.cols[col+j]
			}
			to, from := unsafe.Add(to, l*p.row+j*g.size), unsafe.Add(from, g.cols[col+j])
			lanes := p.f.lanes()
			fits := j*g.size+(some+lanes-1)/lanes*lanes*g.size <= p.row // whole vectors are stored
			if !fits || !p.transpose(to, from, some, run) {
				for i := range run {
					gather(g.size, unsafe.Add(to, i*p.row), unsafe.Add(from, i*g.size), some, p.stepN)
				}
			}
			j += some
		}
		l += run
	}
}

// gather copies n columns of one term.
func (g *grid) gather(to, from unsafe.Pointer, col, n int) {
	for j, at := range g.cols[col : col+n] {
		if g.size == 4 {
			*(*uint32)(unsafe.Add(to, j*4)) = *(*uint32)(unsafe.Add(from, at))
		} else {
			*(*uint64)(unsafe.Add(to, j*8)) = *(*uint64)(unsafe.Add(from, at))
		}
	}
}

// rows copies the terms of a block of n columns, which begins at term k and column j of
// tile t, and returns their place.
func (g *grid) rows(to unsafe.Pointer, t *tile, k, j, n int) unsafe.Pointer {
	for l := range min(Block, t.k-k) {
		g.gather(unsafe.Add(to, l*n*g.size), unsafe.Add(t.b, g.terms[t.term+k+l]), t.col+j, n)
	}
	return to
}
