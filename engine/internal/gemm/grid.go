package gemm

import (
	"unsafe"
)

// An Axis is an axis of an operand: its extent, and its stride in elements.
type Axis struct{ Extent, Stride int }

// A Grid has the places of the elements of an operand whose terms, or whose other positions, are several axes of
// an array, such as windows of images. The operand is packed: kernels read packed strips.
type Grid struct{ terms, others positions }

// A positions is the places of the terms of an operand, or those of its other positions: rows of A, columns of B.
type positions struct {
	at      []int // bytes from the first element
	run     []int // neighbours in memory: the number of positions from each on
	longest int   // of run
	reach   int   // bytes between the positions that are farthest apart
}

// NewGrid returns the grid of an operand with these axes, row-major, and elements of so many bytes.
func NewGrid(terms, others []Axis, size int) *Grid {
	return &Grid{newPositions(terms, size), newPositions(others, size)}
}

func newPositions(axes []Axis, size int) (s positions) {
	s.at = places(axes, size)
	for _, x := range axes {
		step := (x.Extent - 1) * x.Stride * size
		s.reach += max(step, -step)
	}
	s.run = make([]int, len(s.at))
	for i := len(s.at) - 1; i >= 0; i-- {
		if s.run[i] = 1; i+1 < len(s.at) && s.at[i+1] == s.at[i]+size {
			s.run[i] += s.run[i+1]
		}
		s.longest = max(s.longest, s.run[i])
	}
	return s
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

// byTerms reports whether terms follow each other in memory more than the other positions do. There may be no grid.
func (g *Grid) byTerms() bool { return g != nil && g.terms.longest > g.others.longest }

// placement returns the placement of an operand from a term and an element on. Without a grid, from is where these are.
func (g *Grid) placement(from unsafe.Pointer, stepK, stepN, term, element int) placement {
	if g == nil {
		return placement{from: from, stepK: stepK, stepN: stepN}
	}
	return placement{from, g.terms.at[1] - g.terms.at[0], g.others.at[1] - g.others.at[0], &g.terms, &g.others, term, element}
}

// grid packs terms of n elements, as strip does, from the places of a grid.
func (p *packer) grid(to unsafe.Pointer, first, n, k, terms int) {
	k, first = k+p.firstK, first+p.firstN
	size, rows, cols := p.f.size, p.placesK.at[k:k+terms], p.placesN.at[first:first+n]
	if p.placesK.longest <= p.placesN.longest {
		for j := 0; j < n; {
			run := min(p.placesN.run[first+j], n-j)
			to, from := unsafe.Add(to, j*size), unsafe.Add(p.from, cols[j])
			if !p.copyAt(to, from, run, rows) {
				for l, at := range rows {
					gather(size, unsafe.Add(to, l*p.row), unsafe.Add(from, at), run, size)
				}
			}
			j += run
		}
		return
	}
	for l := 0; l < terms; {
		run := min(p.placesK.run[k+l], terms-l)
		to, from := unsafe.Add(to, l*p.row), unsafe.Add(p.from, rows[l])
		l += run
		if p.transposeAt(to, from, cols, run) {
			continue
		}
		for i := range run {
			gatherAt(size, unsafe.Add(to, i*p.row), unsafe.Add(from, i*size), cols)
		}
	}
}

// pieces says where a kernel reads n columns from col on, and whether they are one run. It reports false if they are more than two.
func (p *packer) pieces(to *pieces, col, n int) (whole, ok bool) {
	at, run, lanes := p.placesN.at[p.firstN+col:], p.placesN.run[p.firstN+col:], p.f.lanes()
	first := min(run[0], n)
	if to.second = uintptr(p.from) + uintptr(at[0]); first < n {
		if first+run[first] < n {
			return false, false
		}
		to.second = uintptr(p.from) + uintptr(at[first]-first*p.f.size)
	}
	to.table = unsafe.Pointer(&p.placesK.at[p.firstK])
	for j := 0; j*lanes < n; j++ {
		mine := min(max(first-j*lanes, 0), lanes)
		to.masks[2*j] = 1<<mine - 1
		to.masks[2*j+1] = (1<<lanes - 1) ^ to.masks[2*j]
	}
	return first == n, true
}

// gatherAt copies the elements at some places next to each other.
func gatherAt(size int, to, from unsafe.Pointer, places []int) {
	for j, at := range places {
		if size == 4 {
			*(*uint32)(unsafe.Add(to, j*4)) = *(*uint32)(unsafe.Add(from, at))
		} else {
			*(*uint64)(unsafe.Add(to, j*8)) = *(*uint64)(unsafe.Add(from, at))
		}
	}
}

// rows copies the terms of a block of n columns, which begins at term k and column j of
// tile t, and returns their place.
func (g *Grid) rows(to unsafe.Pointer, t *tile, k, j, n, size int) unsafe.Pointer {
	for l := range min(Block, t.k-k) {
		gatherAt(size, unsafe.Add(to, l*n*size), unsafe.Add(t.b, g.terms.at[t.term+k+l]), g.others.at[t.col+j:t.col+j+n])
	}
	return to
}
