package gemm

import "unsafe"

// packed packs rows of A: as they are where columns are neighbours, else in
// panels of the rows of each kernel.
func (c *call) packed(s *scratch, a unsafe.Pointer) {
	e, k := c.e, c.args.k
	c.a, c.across = s.ofA(), e.across
	if !e.across {
		c.row, c.panel = k*e.size, 0
		c.args.as = c.row
		for i := range c.m {
			copyRow(e.size, unsafe.Add(c.a, i*c.row), unsafe.Add(a, i*e.a.Row), k, e.a.Col)
		}
		return
	}
	n := c.tiles()
	width := (c.m + n - 1) / n // of a panel
	c.args.as = width * e.size
	c.panel = c.args.as * k
	for q, i := 0, 0; q < n; q++ {
		rows := (c.m - i + n - q - 1) / (n - q)
		to, from := unsafe.Add(c.a, q*c.panel), unsafe.Add(a, i*e.size)
		for l := range k {
			copyRow(e.size, unsafe.Add(to, l*c.args.as), unsafe.Add(from, l*e.a.Col), rows, e.size)
		}
		i += rows
	}
}

// packColumns packs k rows and n columns of B into strips of the columns of each
// kernel.
func (e *machine) packColumns(to, b unsafe.Pointer, k, n int) unsafe.Pointer {
	row := e.width * e.size
	for j := 0; j < n; j += e.width {
		cols := min(e.width, n-j)
		strip, from := unsafe.Add(to, j*k*e.size), unsafe.Add(b, j*e.b.Col)
		if e.b.Col == e.size || e.b.Row != e.size {
			for l := range k {
				copyRow(e.size, unsafe.Add(strip, l*row), unsafe.Add(from, l*e.b.Row), cols, e.b.Col)
			}
			continue
		}
		transpose(e.size, strip, row, from, e.b.Col, cols, k)
	}
	return to
}

// copyRow copies n elements that are step bytes apart next to each other.
func copyRow(size int, to, from unsafe.Pointer, n, step int) {
	switch {
	case step == size:
		copy(unsafe.Slice((*byte)(to), n*size), unsafe.Slice((*byte)(from), n*size))
	case size == 4:
		gather[uint32](to, from, n, step)
	default:
		gather[uint64](to, from, n, step)
	}
}

func gather[T uint32 | uint64](to, from unsafe.Pointer, n, step int) {
	for i, y := 0, unsafe.Slice((*T)(to), n); i < n; i++ {
		y[i] = *(*T)(unsafe.Add(from, i*step))
	}
}

// transpose stores the columns of a matrix of rows of contiguous elements as
// rows.
func transpose(size int, to unsafe.Pointer, toStep int, from unsafe.Pointer, fromStep int, rows, cols int) {
	for i := range rows {
		if size == 4 {
			scatter[uint32](unsafe.Add(to, i*size), toStep, unsafe.Add(from, i*fromStep), cols)
		} else {
			scatter[uint64](unsafe.Add(to, i*size), toStep, unsafe.Add(from, i*fromStep), cols)
		}
	}
}

func scatter[T uint32 | uint64](to unsafe.Pointer, step int, from unsafe.Pointer, n int) {
	for i, x := range unsafe.Slice((*T)(from), n) {
		*(*T)(unsafe.Add(to, i*step)) = x
	}
}
