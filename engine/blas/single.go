package blas

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// Sgemm computes C = alpha*op(A)*op(B) + beta*C.
func (i Implementation) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if small(tB, m, n, k) || !product(alpha, stored(tA, m, k, a, lda), stored(tB, k, n, b, ldb), beta, stored(blas.NoTrans, m, n, c, ldc)) {
		i.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Sgemv computes y = alpha*op(A)*x + beta*y.
func (i Implementation) Sgemv(tA blas.Transpose, m, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	rows, cols := opSize(tA, m, n)
	if smallVector(m, n) || !product(alpha, stored(tA, rows, cols, a, lda), column(cols, x, incX), beta, column(rows, y, incY)) {
		i.Implementation.Sgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Sger computes A += alpha*x*yᵀ.
func (i Implementation) Sger(m, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int) {
	if min(incX, incY) >= 0 || !outer(alpha, column(m, x, incX), column(n, y, incY).transposed(), stored(blas.NoTrans, m, n, a, lda)) {
		i.Implementation.Sger(m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Ssymm computes C = alpha*A*B + beta*C or C = alpha*B*A + beta*C, where A is symmetric.
func (i Implementation) Ssymm(s blas.Side, ul blas.Uplo, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if smallSymmetric(s, m, n) || !symm(s, alpha, triangular(ul, blas.NoTrans, order(s, m, n), a, lda), stored(blas.NoTrans, m, n, b, ldb), beta, stored(blas.NoTrans, m, n, c, ldc)) {
		i.Implementation.Ssymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Ssyrk computes a triangle of C = alpha*op(A)*op(A)ᵀ + beta*C.
func (i Implementation) Ssyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	if smallRank(n, k) || !syrk(alpha, stored(t, n, k, a, lda), stored(t, n, k, a, lda).transposed(), beta, triangular(ul, blas.NoTrans, n, c, ldc)) {
		i.Implementation.Ssyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
	}
}

// Ssyr2k computes a triangle of C = alpha*(op(A)*op(B)ᵀ + op(B)*op(A)ᵀ) + beta*C.
func (i Implementation) Ssyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if smallRank(n, k) || !syr2k(alpha, stored(t, n, k, a, lda), stored(t, n, k, b, ldb), beta, triangular(ul, blas.NoTrans, n, c, ldc)) {
		i.Implementation.Ssyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Strmm computes B = alpha*op(A)*B or B = alpha*B*op(A), where A is triangular.
func (i Implementation) Strmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	if smallTriangle(s, m, n) || !trm(false, s, d, alpha, triangular(ul, tA, order(s, m, n), a, lda), stored(blas.NoTrans, m, n, b, ldb)) {
		i.Implementation.Strmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// Strsm solves op(A)*X = alpha*B or X*op(A) = alpha*B, where A is triangular, and
// stores X in B.
func (i Implementation) Strsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	if smallTriangle(s, m, n) || !trm(true, s, d, alpha, triangular(ul, tA, order(s, m, n), a, lda), stored(blas.NoTrans, m, n, b, ldb)) {
		i.Implementation.Strsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// Sdot returns the sum of the products of x and y.
func (i Implementation) Sdot(n int, x []float32, incX int, y []float32, incY int) float32 {
	if simple(n, 2*leastVector, x, incX) && simple(n, 2*leastVector, y, incY) {
		return dot(x[:n], y[:n])
	}
	return i.Implementation.Sdot(n, x, incX, y, incY)
}

// Saxpy computes y += alpha*x.
func (i Implementation) Saxpy(n int, alpha float32, x []float32, incX int, y []float32, incY int) {
	if alpha != 0 && simple(n, 2*leastVector, x, incX) && simple(n, 2*leastVector, y, incY) {
		axpy(alpha, x[:n], y[:n])
		return
	}
	i.Implementation.Saxpy(n, alpha, x, incX, y, incY)
}

// Sscal computes x = alpha*x.
func (i Implementation) Sscal(n int, alpha float32, x []float32, incX int) {
	if alpha != 0 && simple(n, 2*leastVector, x, incX) {
		scale(alpha, x[:n])
		return
	}
	i.Implementation.Sscal(n, alpha, x, incX)
}

// Sasum returns the sum of the magnitudes of x.
func (i Implementation) Sasum(n int, x []float32, incX int) float32 {
	if simple(n, leastSum, x, incX) {
		return asum(x[:n])
	}
	return i.Implementation.Sasum(n, x, incX)
}

// Snrm2 returns the square root of the sum of the squares of x, without overflow.
func (i Implementation) Snrm2(n int, x []float32, incX int) float32 {
	if whole(n, x, incX) {
		if sum := dot(x[:n], x[:n]); sum > 0x1p-80 && sum <= math.MaxFloat32 {
			return float32(math.Sqrt(float64(sum)))
		}
	}
	return i.Implementation.Snrm2(n, x, incX)
}
