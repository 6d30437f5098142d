package blas

import (
	"sync"
	"unsafe"

	"gonum.org/v1/gonum/blas"
)

// leastElements is the number of elements of a matrix from which its product with a
// vector is faster than gonum's.
const leastElements = 8192

// The functions that follow report whether an operation is for gonum's implementation for its size, or because a size is
// negative. The limits are those of a Zen 3.

// small is for products, of which the right factor may be transposed: then it is packed.
func small(tB blas.Transpose, m, n, k int) bool {
	least := 256.
	switch {
	case tB != blas.NoTrans && min(m, n) < 4:
		least = 4096
	case m == 1 || tB != blas.NoTrans:
		least = 1536
	}
	return min(m, n, k) <= 0 || float64(m)*float64(n)*float64(k) < least
}

// smallSymmetric is for a symmetric matrix beside m x n elements.
func smallSymmetric(s blas.Side, m, n int) bool {
	side := order(s, m, n)
	return side < 10 || m <= 0 || n <= 0 || s == blas.Right && m < 8 || float64(m)*float64(n)*float64(side) < 4096
}

// smallTriangle is for a triangle beside m x n elements. From the right, strips of rows are transposed.
func smallTriangle(s blas.Side, m, n int) bool {
	if s == blas.Right {
		return n < 24 || m < 32
	}
	return m < 24 || n <= 0 || m < 48 && n < 64
}

// smallRank is for a triangle of n rows, of sums of k terms. Of few rows half of the products are for nothing.
func smallRank(n, k int) bool { return n < 10 || k < 16 || n < 24 && k < leastRank }

// smallVector is for the product of a matrix and a vector.
func smallVector(m, n int) bool { return min(m, n) < 4 || float64(m)*float64(n) < leastElements }

// product computes c = alpha*a*b + beta*c. It reports false if the arguments are for
// gonum's implementation.
func product[T float](alpha T, a, b matrix[T], beta T, c matrix[T]) bool {
	if isa() == "" || !valid(alpha, a, b, c) {
		return false
	}
	multiply(alpha, a, b, beta, c)
	return true
}

// outer computes c += alpha*x*y, for increments of which one is negative: gonum's results are wrong then. It reports
// false if the arguments are for gonum's implementation.
func outer[T float](alpha T, x, y, c matrix[T]) bool {
	ok := valid(alpha, x, y, c)
	if ok {
		multiply(alpha, x, y, 1, c)
	}
	return ok
}

// valid reports whether no matrix is zero, nor alpha.
func valid[T float](alpha T, a, b, c matrix[T]) bool {
	return alpha != 0 && a.at != nil && b.at != nil && c.at != nil
}

// A triangle is a square matrix, of which only one triangle is stored.
type triangle[T float] struct {
	matrix[T]
	lower bool // the lower triangle is stored
	unit  bool // the diagonal is not stored, and has ones
}

// triangular returns op(X) of a square matrix X of n rows, of which the triangle ul is
// stored.
func triangular[T float](ul blas.Uplo, op blas.Transpose, n int, x []T, ld int) triangle[T] {
	t := triangle[T]{matrix: stored(op, n, n, x, ld), lower: (ul == blas.Lower) == (op == blas.NoTrans)}
	if ul != blas.Lower && ul != blas.Upper {
		t.at = nil
	}
	return t
}

func (t triangle[T]) transposed() triangle[T] {
	return triangle[T]{t.matrix.transposed(), !t.lower, t.unit}
}

// split returns the triangles on the diagonal of which the first has n rows, and the
// block that is stored beside them.
func (t triangle[T]) split(n int) (first, last triangle[T], beside matrix[T]) {
	rest := t.rows - n
	first, last = t, t
	first.matrix, last.matrix = t.part(0, 0, n, n), t.part(n, n, rest, rest)
	if t.lower {
		return first, last, t.part(n, 0, rest, n)
	}
	return first, last, t.part(0, n, n, rest)
}

// columnsOf splits the columns of a matrix.
func (m matrix[T]) columnsOf(n int) (first, last matrix[T]) {
	return m.part(0, 0, m.rows, n), m.part(0, n, m.rows, m.cols-n)
}

// rowsOf splits the rows of a matrix.
func (m matrix[T]) rowsOf(n int) (first, last matrix[T]) {
	return m.part(0, 0, n, m.cols), m.part(n, 0, m.rows-n, m.cols)
}

// leastTriangle is the size of triangles that are not split: their rows are few enough to be added without packing.
const leastTriangle = 32

// ready reports whether a triangular operation is faster than gonum's.
func (t triangle[T]) ready(alpha T, b matrix[T]) bool {
	return isa() != "" && alpha != 0 && t.at != nil && b.at != nil
}

// solve sets b to the solution X of t*X = alpha*b.
func (t triangle[T]) solve(alpha T, b matrix[T]) {
	if t.rows <= leastTriangle {
		b.byRows(func(rows matrix[T]) { t.solveRows(alpha, rows) })
		return
	}
	first, last, beside, b1, b2 := t.divide(b)
	first.solve(alpha, b1)
	multiply(-1, beside, b1, alpha, b2)
	last.solve(1, b2)
}

// divide returns the two triangles of t, the matrix beside them, and the rows of b for each
// triangle. The first triangle is the one whose rows the solution needs first.
func (t triangle[T]) divide(b matrix[T]) (first, last triangle[T], beside, b1, b2 matrix[T]) {
	n := half(t.rows)
	first, last, beside = t.split(n)
	if b1, b2 = b.rowsOf(n); !t.lower {
		return last, first, beside, b2, b1
	}
	return first, last, beside, b1, b2
}

// multiply sets b to alpha*t*b.
func (t triangle[T]) multiply(alpha T, b matrix[T]) {
	if t.rows <= leastTriangle {
		b.byRows(func(rows matrix[T]) { t.multiplyRows(alpha, rows) })
		return
	}
	first, last, beside, b1, b2 := t.divide(b)
	last.multiply(alpha, b2)
	multiply(alpha, beside, b1, 1, b2)
	first.multiply(alpha, b1)
}

// A room is memory for copies and sums of small matrices. To allocate it takes longer than many of the operations.
type room [leastTriangle * (stripColumns + 8)]uint64

var rooms = sync.Pool{New: func() any { return new(room) }}

// elements returns n elements of a room, which have any values.
func elements[T float](r *room, n int) []T {
	var x T
	_ = r[:(n*int(unsafe.Sizeof(x))+7)/8]
	return unsafe.Slice((*T)(unsafe.Pointer(r)), n)
}

// stripColumns is the largest number of columns of a strip of rows.
const stripColumns = 512

// byRows calls f with strips of columns of a matrix of few rows, whose rows are
// contiguous. A strip stays in the second-level cache.
func (m matrix[T]) byRows(f func(rows matrix[T])) {
	strip := min(stripColumns, m.cols)
	step := strip + 8 // copied rows begin in different sets of the first-level cache
	memory := rooms.Get().(*room)
	defer rooms.Put(memory)
	for j := 0; j < m.cols; j += strip {
		part := m.part(0, j, m.rows, min(strip, m.cols-j))
		if m.col == 1 {
			f(part)
			continue
		}
		rows := matrix[T]{&elements[T](memory, m.rows*step)[0], part.rows, part.cols, step, 1}
		part.copyTo(rows)
		f(rows)
		rows.copyTo(part)
	}
}

// copyTo copies the elements column by column.
func (m matrix[T]) copyTo(to matrix[T]) {
	size := int(unsafe.Sizeof(*m.at))
	for j := range m.cols {
		from, at := unsafe.Pointer(m.element(0, j)), unsafe.Pointer(to.element(0, j))
		for i := range m.rows {
			*(*T)(unsafe.Add(at, i*to.row*size)) = *(*T)(unsafe.Add(from, i*m.row*size))
		}
	}
}

// beside returns the columns of row i that are stored, without the diagonal.
func (t triangle[T]) beside(i int) (from, to int) {
	if t.lower {
		return 0, i
	}
	return i + 1, t.rows
}

// stored returns what is stored of row i, whose elements are contiguous, and its first column.
func (t triangle[T]) stored(i int) (row []T, first int) {
	from, to := t.beside(i)
	first = min(from, i)
	return t.slice(i)[first:max(to, i+1)], first
}

// solveRows is solve, row by row.
func (t triangle[T]) solveRows(alpha T, b matrix[T]) {
	for n := range t.rows {
		i := n
		if !t.lower {
			i = t.rows - 1 - n
		}
		x := b.slice(i)
		scale(alpha, x)
		t.addRows(-1, i, b)
		if !t.unit {
			scale(1 / *t.element(i, i), x)
		}
	}
}

// multiplyRows is multiply, row by row.
func (t triangle[T]) multiplyRows(alpha T, b matrix[T]) {
	for n := range t.rows {
		i := n
		if t.lower {
			i = t.rows - 1 - n
		}
		x, own := b.slice(i), alpha
		if !t.unit {
			own *= *t.element(i, i)
		}
		scale(own, x)
		t.addRows(alpha, i, b)
	}
}

// addRows adds alpha times the product of row i of t, without the diagonal, and b to row i of b.
func (t triangle[T]) addRows(alpha T, i int, b matrix[T]) {
	from, to := t.beside(i)
	if from == to {
		return
	}
	var factors [leastTriangle]T
	at, step := unsafe.Pointer(t.element(i, from)), t.col*int(unsafe.Sizeof(alpha))
	for k := range factors[:to-from] {
		factors[k] = alpha * *(*T)(unsafe.Add(at, k*step))
	}
	addRows(factors[:to-from], b.part(from, 0, to-from, b.cols), b.slice(i))
}

// symmetric sets c to alpha*s*b + beta*c, where the triangle t of the symmetric matrix
// s is stored.
func (t triangle[T]) symmetric(alpha T, b matrix[T], beta T, c matrix[T]) {
	const least = 128
	if t.rows <= least {
		if t.col != 1 { // the same matrix
			t = t.transposed()
		}
		memory := rooms.Get().(*room)
		defer rooms.Put(memory)
		all := elements[T](memory, t.rows*t.rows)
		for i := range t.rows {
			row, k := t.stored(i)
			copy(all[i*t.rows+k:], row)
			for at := k*t.rows + i; len(row) > 0; at, row = at+t.rows, row[1:] {
				all[at] = row[0]
			}
		}
		multiply(alpha, matrix[T]{&all[0], t.rows, t.rows, t.rows, 1}, b, beta, c)
		return
	}
	n := half(t.rows)
	first, last, beside := t.split(n)
	if !t.lower {
		beside = beside.transposed()
	}
	b1, b2 := b.rowsOf(n)
	c1, c2 := c.rowsOf(n)
	first.symmetric(alpha, b1, beta, c1)
	multiply(alpha, beside.transposed(), b2, 1, c1)
	last.symmetric(alpha, b2, beta, c2)
	multiply(alpha, beside, b1, 1, c2)
}

// leastRank is the size of triangles whose sums are computed as a square.
const leastRank = 64

// rank sets the triangle to alpha*a*b + beta*t.
func (t triangle[T]) rank(alpha T, a, b matrix[T], beta T) {
	if t.rows <= leastRank {
		memory := rooms.Get().(*room)
		defer rooms.Put(memory)
		all := elements[T](memory, t.rows*t.rows)
		sums := matrix[T]{&all[0], t.rows, t.rows, t.rows, 1}
		multiply(alpha, a, b, 0, sums)
		for i := range t.rows {
			row, first := t.stored(i)
			sum := all[i*t.rows+first:][:len(row)]
			if beta == 0 {
				copy(row, sum)
				continue
			}
			for k, x := range row {
				row[k] = sum[k] + beta*x
			}
		}
		return
	}
	n := half(t.rows)
	first, last, beside := t.split(n)
	a1, a2 := a.rowsOf(n)
	b1, b2 := b.columnsOf(n)
	first.rank(alpha, a1, b1, beta)
	if t.lower {
		multiply(alpha, a2, b1, beta, beside)
	} else {
		multiply(alpha, a1, b2, beta, beside)
	}
	last.rank(alpha, a2, b2, beta)
}

// side returns the triangle and the matrix of B = t*B for an operation that BLAS may
// have as B = B*t.
func side[T float](s blas.Side, t triangle[T], b matrix[T]) (triangle[T], matrix[T]) {
	switch s {
	case blas.Left:
		return t, b
	case blas.Right:
		return t.transposed(), b.transposed()
	}
	return triangle[T]{}, b
}

// trm computes B = alpha*op(A)*B if solve is false, and the solution of op(A)*X =
// alpha*B if it is true. It reports false if the arguments are for gonum's
// implementation.
func trm[T float](solve bool, s blas.Side, d blas.Diag, alpha T, t triangle[T], b matrix[T]) bool {
	t, b = side(s, t, b)
	if t.unit = d == blas.Unit; !t.unit && d != blas.NonUnit || !t.ready(alpha, b) {
		return false
	}
	if solve {
		t.solve(alpha, b)
	} else {
		t.multiply(alpha, b)
	}
	return true
}

// symm computes C = alpha*A*B + beta*C or C = alpha*B*A + beta*C. It reports false if the
// arguments are for gonum's implementation.
func symm[T float](s blas.Side, alpha T, t triangle[T], b matrix[T], beta T, c matrix[T]) bool {
	if _, c = side(s, t, c); c.at == nil {
		return false
	}
	if t, b = side(s, t, b); !t.ready(alpha, b) {
		return false
	}
	t.symmetric(alpha, b, beta, c)
	return true
}

// syrk computes the triangle of C = alpha*A*B + beta*C. It reports false if the arguments
// are for gonum's implementation.
func syrk[T float](alpha T, a, b matrix[T], beta T, t triangle[T]) bool {
	if b.at == nil || !t.ready(alpha, a) {
		return false
	}
	t.rank(alpha, a, b, beta)
	return true
}

// syr2k computes the triangle of C = alpha*(A*Bᵀ + B*Aᵀ) + beta*C. It reports false if the
// arguments are for gonum's implementation.
func syr2k[T float](alpha T, a, b matrix[T], beta T, t triangle[T]) bool {
	return syrk(alpha, a, b.transposed(), beta, t) && syrk(alpha, b, a.transposed(), 1, t)
}

// order returns the number of rows of the square matrix of an operation.
func order(s blas.Side, m, n int) int {
	if s == blas.Right {
		return n
	}
	return m
}

// opSize returns the numbers of rows and columns of op(A), where A has m and n.
func opSize(op blas.Transpose, m, n int) (rows, cols int) {
	if op == blas.NoTrans {
		return m, n
	}
	return n, m
}
