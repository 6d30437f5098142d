package gemm

import (
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
)

// TestCollector multiplies arrays that have just been allocated while the collector runs all the time. It ends the
// process if a kernel leaves the address of memory that is free in the arguments.
func TestCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	const k, n = 2 * VectorBlock, 8
	var kept [64][]float32
	all := isas()
	isa := all[len(all)-1]
	for i := range 30_000 {
		a, x, y := make([]float32, k*n), make([]float32, k), make([]float32, n)
		x[k-1], a[k*n-1] = 2, 3
		p := Single{ISA: isa, Type: dtype.F32, M: 1, N: n, K: k, A: Matrix{k, 1}, B: Matrix{n, 1}, C: Matrix{n, 1}, Vector: true, Threads: 1}
		Multiply(p, [3]unsafe.Pointer{unsafe.Pointer(&x[0]), unsafe.Pointer(&a[0]), unsafe.Pointer(&y[0])}, [2]uint64{})
		if y[n-1] != 6 {
			t.Fatalf("%v", y)
		}
		kept[i%len(kept)] = a
	}
}
