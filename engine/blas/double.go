package blas

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
)

// Dgemm computes C = alpha*op(A)*op(B) + beta*C.
func (i Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if small(tB, m, n, k) || !product(alpha, stored(tA, m, k, a, lda), stored(tB, k, n, b, ldb), beta, stored(blas.NoTrans, m, n, c, ldc)) {
		i.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dgemv computes y = alpha*op(A)*x + beta*y.
func (i Implementation) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	rows, cols := opSize(tA, m, n)
	if smallVector(m, n) || !product(alpha, stored(tA, rows, cols, a, lda), column(cols, x, incX), beta, column(rows, y, incY)) {
		i.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Dger computes A += alpha*x*yᵀ.
func (i Implementation) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	if min(incX, incY) >= 0 || !outer(alpha, column(m, x, incX), column(n, y, incY).transposed(), stored(blas.NoTrans, m, n, a, lda)) {
		i.Implementation.Dger(m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Dsymm computes C = alpha*A*B + beta*C or C = alpha*B*A + beta*C, where A is symmetric.
func (i Implementation) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if smallSymmetric(s, m, n) || !symm(s, alpha, triangular(ul, blas.NoTrans, order(s, m, n), a, lda), stored(blas.NoTrans, m, n, b, ldb), beta, stored(blas.NoTrans, m, n, c, ldc)) {
		i.Implementation.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dsyrk computes a triangle of C = alpha*op(A)*op(A)ᵀ + beta*C.
func (i Implementation) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	if smallRank(n, k) || !syrk(alpha, stored(t, n, k, a, lda), stored(t, n, k, a, lda).transposed(), beta, triangular(ul, blas.NoTrans, n, c, ldc)) {
		i.Implementation.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
	}
}

// Dsyr2k computes a triangle of C = alpha*(op(A)*op(B)ᵀ + op(B)*op(A)ᵀ) + beta*C.
func (i Implementation) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if smallRank(n, k) || !syr2k(alpha, stored(t, n, k, a, lda), stored(t, n, k, b, ldb), beta, triangular(ul, blas.NoTrans, n, c, ldc)) {
		i.Implementation.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dtrmm computes B = alpha*op(A)*B or B = alpha*B*op(A), where A is triangular.
func (i Implementation) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if smallTriangle(s, m, n) || !trm(false, s, d, alpha, triangular(ul, tA, order(s, m, n), a, lda), stored(blas.NoTrans, m, n, b, ldb)) {
		i.Implementation.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// Dtrsm solves op(A)*X = alpha*B or X*op(A) = alpha*B, where A is triangular, and
// stores X in B.
func (i Implementation) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if smallTriangle(s, m, n) || !trm(true, s, d, alpha, triangular(ul, tA, order(s, m, n), a, lda), stored(blas.NoTrans, m, n, b, ldb)) {
		i.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// Ddot returns the sum of the products of x and y.
func (i Implementation) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	switch {
	case !whole(n, x, incX) || !whole(n, y, incY):
		return i.Implementation.Ddot(n, x, incX, y, incY)
	case !enough(n, leastVector):
		return floats.Dot(x[:n], y[:n])
	}
	return dot(x[:n], y[:n])
}

// Daxpy computes y += alpha*x.
func (i Implementation) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	switch {
	case alpha == 0 || !whole(n, x, incX) || !whole(n, y, incY):
		i.Implementation.Daxpy(n, alpha, x, incX, y, incY)
	case !enough(n, leastVector):
		floats.AddScaled(y[:n], alpha, x[:n])
	default:
		axpy(alpha, x[:n], y[:n])
	}
}

// Dscal computes x = alpha*x.
func (i Implementation) Dscal(n int, alpha float64, x []float64, incX int) {
	switch {
	case alpha == 0 || !whole(n, x, incX):
		i.Implementation.Dscal(n, alpha, x, incX)
	case !enough(n, leastVector):
		floats.Scale(alpha, x[:n])
	default:
		scale(alpha, x[:n])
	}
}

// Dasum returns the sum of the magnitudes of x.
func (i Implementation) Dasum(n int, x []float64, incX int) float64 {
	if simple(n, leastSum, x, incX) {
		return asum(x[:n])
	}
	return i.Implementation.Dasum(n, x, incX)
}

// Dnrm2 returns the square root of the sum of the squares of x, without overflow.
func (i Implementation) Dnrm2(n int, x []float64, incX int) float64 {
	if whole(n, x, incX) {
		if sum := dot(x[:n], x[:n]); sum > 0x1p-900 && sum <= math.MaxFloat64 {
			return math.Sqrt(sum)
		}
	}
	return i.Implementation.Dnrm2(n, x, incX)
}
