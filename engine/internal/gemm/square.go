package gemm

import (
	"slices"
	"unsafe"
)

// A product of a matrix and its own transpose is symmetric: the sums on both sides of the diagonal have the same products in
// the same order. Kernels compute those below the diagonal, and what they reach above it; then these are copied.

// symmetric reports whether the results are symmetric if A and B have the same address, and large enough to be computed by halves.
func (d *Product) symmetric() bool {
	p, e := &d.p, &d.machine
	return d.eng == engine(e) && len(e.cells) == 0 && p.M == p.N && p.M > 2*max(e.rows, e.width) && p.A == p.B.transposed() && p.HalfA == p.HalfB &&
		p.GridA == nil && p.GridB == nil && p.Save == Set && p.After == nil && slices.Equal(p.OffA, p.OffB)
}

// from returns the first tile of rows that strip q needs: those before lie above the diagonal.
func (c *call) from(q int) (r int) {
	if !c.e.lower {
		return 0
	}
	for last := c.t.col + q*c.e.width - c.at; r < c.tiles(); r++ {
		if i, n := c.rowsOf(r); i+n > last {
			break
		}
	}
	return r
}

// until returns the number of strips that tiles before the end need.
func (c *call) until(end int) int {
	n := c.strips()
	if c.e.lower {
		i, _ := c.rowsOf(end)
		n = min(n, max(0, c.at+i-c.t.col+c.e.width-1)/c.e.width)
	}
	return n
}

// mirror copies the results below the diagonal to those above it.
func (d *Product) mirror() {
	p := &d.p
	for _, off := range p.OffC {
		c := unsafe.Add(d.bind.Bufs[2].Ptr, off*d.size)
		switch d.size {
		case 1:
			mirror[uint8](c, p.M, p.C)
		case 2:
			mirror[uint16](c, p.M, p.C)
		case 4:
			mirror[uint32](c, p.M, p.C)
		default:
			mirror[uint64](c, p.M, p.C)
		}
	}
}

func mirror[T any](c unsafe.Pointer, n int, m Matrix) {
	const block = 16 // whose lines stay in the first-level cache
	var x T
	m = m.times(int(unsafe.Sizeof(x)))
	for row := 0; row < n; row += block {
		for col := 0; col <= row; col += block {
			for i := row; i < min(row+block, n); i++ {
				for j := col; j < min(col+block, i); j++ {
					*(*T)(unsafe.Add(c, j*m.Row+i*m.Col)) = *(*T)(unsafe.Add(c, i*m.Row+j*m.Col))
				}
			}
		}
	}
}
