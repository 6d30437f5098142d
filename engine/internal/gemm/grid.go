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
}

// newGrid returns the grid of B, or nil if B is a matrix with two strides.
func newGrid(p *Problem) *grid {
	if p.TermsB == nil || p.K == 0 {
		return nil
	}
	_, size := p.sizes()
	g := &grid{size: size, terms: places(p.TermsB, size), cols: places(p.ColsB, size)}
	g.termRun, g.colRun = runs(g.terms, size), runs(g.cols, size)
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

// byColumns reports whether columns follow each other in memory more than terms do.
func (g *grid) byColumns() bool { return g.termRun[0] <= g.colRun[0] }

// pack packs strip q, which has n columns from col on, of the terms from term on. Places
// count from the first element of B.
func (g *grid) pack(p *packer, q, term, col, n int) {
	to, terms, cols := unsafe.Add(p.to, q*p.distance), g.terms[term:term+p.k], g.cols[col:col+n]
	if g.byColumns() {
		for j := 0; j < n; {
			run := min(g.colRun[col+j], n-j)
			to, from := unsafe.Add(to, j*g.size), unsafe.Add(p.from, cols[j])
			if !p.copyAt(to, from, run, terms) {
				for l, at := range terms {
					gather(g.size, unsafe.Add(to, l*p.row), unsafe.Add(from, at), run, g.size)
				}
			}
			j += run
		}
		return
	}
	for l := 0; l < len(terms); {
		run := min(g.termRun[term+l], len(terms)-l)
		to, from := unsafe.Add(to, l*p.row), unsafe.Add(p.from, terms[l])
		l += run
		if p.transposeAt(to, from, cols, run) {
			continue
		}
		for i := range run {
			g.gather(unsafe.Add(to, i*p.row), unsafe.Add(from, i*g.size), col, n)
		}
	}
}

// pieces says where a kernel reads n columns from col on, of the terms from term on. It reports
// false if they are more than two runs.
func (g *grid) pieces(to *pieces, from unsafe.Pointer, term, col, n, lanes int) bool {
	first := min(g.colRun[col], n)
	if to.second = uintptr(from) + uintptr(g.cols[col]); first < n {
		if first+g.colRun[col+first] < n {
			return false
		}
		to.second = uintptr(from) + uintptr(g.cols[col+first]-first*g.size)
	}
	to.table = unsafe.Pointer(&g.terms[term])
	for j := 0; j*lanes < n; j++ {
		mine := min(max(first-j*lanes, 0), lanes)
		to.masks[2*j] = 1<<mine - 1
		to.masks[2*j+1] = (1<<lanes - 1) ^ to.masks[2*j]
	}
	return true
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
