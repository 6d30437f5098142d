package blas

import (
	"testing"

	"gonum.org/v1/gonum/blas/testblas"
)

// TestGonum runs gonum's own tests of all operations on real numbers.
func TestGonum(t *testing.T) {
	var impl Implementation
	for name, test := range map[string]func(t *testing.T){
		"Dasum":  func(t *testing.T) { testblas.DasumTest(t, impl) },
		"Daxpy":  func(t *testing.T) { testblas.DaxpyTest(t, impl) },
		"Dcopy":  func(t *testing.T) { testblas.DcopyTest(t, impl) },
		"Ddot":   func(t *testing.T) { testblas.DdotTest(t, impl) },
		"Dgbmv":  func(t *testing.T) { testblas.DgbmvTest(t, impl) },
		"Dgemm":  func(t *testing.T) { testblas.TestDgemm(t, impl) },
		"Dgemv":  func(t *testing.T) { testblas.DgemvTest(t, impl) },
		"Dger":   func(t *testing.T) { testblas.DgerTest(t, impl) },
		"Dnrm2":  func(t *testing.T) { testblas.Dnrm2Test(t, impl) },
		"Drot":   func(t *testing.T) { testblas.DrotTest(t, impl) },
		"Drotg":  func(t *testing.T) { testblas.DrotgTest(t, impl, false) },
		"Drotm":  func(t *testing.T) { testblas.DrotmTest(t, impl) },
		"Drotmg": func(t *testing.T) { testblas.DrotmgTest(t, impl) },
		"Dsbmv":  func(t *testing.T) { testblas.DsbmvTest(t, impl) },
		"Dscal":  func(t *testing.T) { testblas.DscalTest(t, impl) },
		"Dspmv":  func(t *testing.T) { testblas.DspmvTest(t, impl) },
		"Dspr":   func(t *testing.T) { testblas.DsprTest(t, impl) },
		"Dspr2":  func(t *testing.T) { testblas.Dspr2Test(t, impl) },
		"Dswap":  func(t *testing.T) { testblas.DswapTest(t, impl) },
		"Dsymm":  func(t *testing.T) { testblas.DsymmTest(t, impl) },
		"Dsymv":  func(t *testing.T) { testblas.DsymvTest(t, impl) },
		"Dsyr":   func(t *testing.T) { testblas.DsyrTest(t, impl) },
		"Dsyr2":  func(t *testing.T) { testblas.Dsyr2Test(t, impl) },
		"Dsyr2k": func(t *testing.T) { testblas.Dsyr2kTest(t, impl) },
		"Dsyrk":  func(t *testing.T) { testblas.DsyrkTest(t, impl) },
		"Dtbmv":  func(t *testing.T) { testblas.DtbmvTest(t, impl) },
		"Dtbsv":  func(t *testing.T) { testblas.DtbsvTest(t, impl) },
		"Dtpmv":  func(t *testing.T) { testblas.DtpmvTest(t, impl) },
		"Dtpsv":  func(t *testing.T) { testblas.DtpsvTest(t, impl) },
		"Dtrmm":  func(t *testing.T) { testblas.DtrmmTest(t, impl) },
		"Dtrmv":  func(t *testing.T) { testblas.DtrmvTest(t, impl) },
		"Dtrsm":  func(t *testing.T) { testblas.DtrsmTest(t, impl) },
		"Dtrsv":  func(t *testing.T) { testblas.DtrsvTest(t, impl) },
		"Dtxmv":  func(t *testing.T) { testblas.DtxmvTest(t, impl) },
		"Idamax": func(t *testing.T) { testblas.IdamaxTest(t, impl) },
	} {
		t.Run(name, test)
	}
}
