package host

import (
	"context"
	"os"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/engine/internal/gemm"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
)

// The ways of products that are no names of libraries.
const (
	ProductsByEngine = "engine" // the kernels of package gemm
	ProductsByGonum  = "blas"   // what is registered with gonum
)

// chosenProducts returns the value of the environment variable ONELOOP_BLAS at the
// first call.
var chosenProducts = sync.OnceValue(func() string { return os.Getenv("ONELOOP_BLAS") })

// Products returns the way of products that a name means, and the BLAS for it, which
// is nil for the kernels of the engine. An empty name means what the environment
// variable ONELOOP_BLAS names; if that is empty too, the result is, and the engine's
// kernels compute products on the CPU.
func Products(name string) (string, driver.BLAS, error) {
	from := "Options.Products"
	if name == "" {
		if name = chosenProducts(); name != "" {
			from = "ONELOOP_BLAS"
		}
	}
	switch name {
	case "", ProductsByEngine:
		return name, nil, nil
	case ProductsByGonum:
		return name, registered{}, nil
	}
	open := driver.BLASOpener()
	if open == nil {
		return "", nil, tree.NewError(tree.ErrUnsupported, "", "%s is %q; it can be %q or %q, or the name of a library if the program imports engine/blas/system",
			from, name, ProductsByEngine, ProductsByGonum)
	}
	b, err := open(name)
	if err != nil {
		return "", nil, tree.NewError(tree.ErrUnsupported, "", "%s is %q: %s", from, name, err)
	}
	return name, b, nil
}

// registered is the BLAS that is registered with gonum when it is called.
type registered struct{}

func (registered) String() string { return "the BLAS registered with gonum" }

func (registered) SetThreads(int) {}

func (registered) Float32(p *driver.Product[float32]) {
	blas32.Implementation().Sgemm(flag(p.TransA), flag(p.TransB), p.M, p.N, p.K, 1, p.A, p.LdA, p.B, p.LdB, 0, p.C, p.LdC)
}

func (registered) Float64(p *driver.Product[float64]) {
	blas64.Implementation().Dgemm(flag(p.TransA), flag(p.TransB), p.M, p.N, p.K, 1, p.A, p.LdA, p.B, p.LdB, 0, p.C, p.LdC)
}

func flag(trans bool) blas.Transpose {
	if trans {
		return blas.Trans
	}
	return blas.NoTrans
}

// A blasStep computes a stack of matrix products of floats with a BLAS. That library
// determines the order of summation.
type blasStep struct {
	s    *plan.Stage
	p    gemm.Problem
	a, b blasMatrix
}

// A blasMatrix is the layout of a matrix in the terms of BLAS.
type blasMatrix struct {
	trans bool
	ld    int
}

func newBLAS(s *plan.Stage) (step, error) {
	p, err := problemOf(s)
	if err != nil {
		return nil, err
	}
	return &blasStep{s, p, blasLayout(p.M, p.K, p.A), blasLayout(p.K, p.N, p.B)}, nil
}

// blasLayout returns the transpose flag and the leading dimension of a matrix. The
// plan uses BLAS layouts only, so the matrix has both.
func blasLayout(rows, cols int, m gemm.Matrix) blasMatrix {
	if (m.Col == 1 || cols <= 1) && (m.Row >= cols || rows <= 1) {
		return blasMatrix{false, max(m.Row, cols, 1)}
	}
	return blasMatrix{true, max(m.Col, rows, 1)}
}

func (d *blasStep) run(ctx context.Context, p *Program) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d.p.K == 0 {
		clear(p.bytes(d.s.Out))
		return nil
	}
	if d.p.M*d.p.N == 0 {
		return nil
	}
	p.BLAS.SetThreads(p.Threads)
	for i := range d.p.OffA {
		if err := ctx.Err(); err != nil {
			return err
		}
		if d.p.Type == dtype.F32 {
			p.BLAS.Float32(blasProduct[float32](d, p, i))
		} else {
			p.BLAS.Float64(blasProduct[float64](d, p, i))
		}
	}
	return nil
}

func (*blasStep) bind(*Program) {}

func (*blasStep) forget() {}

// blasProduct returns product i. The slices of operands extend to the end of their
// memory.
func blasProduct[T float32 | float64](d *blasStep, p *Program, i int) *driver.Product[T] {
	q := &d.p
	return &driver.Product[T]{
		M: q.M, N: q.N, K: q.K, TransA: d.a.trans, TransB: d.b.trans, LdA: d.a.ld, LdB: d.b.ld, LdC: q.N,
		A: blasOperand[T](p, d.s.A, q.OffA[i]), B: blasOperand[T](p, d.s.B, q.OffB[i]),
		C: dtype.Slice[T](p.bytes(d.s.Out))[i*q.M*q.N:][:q.M*q.N],
	}
}

func blasOperand[T float32 | float64](p *Program, a *plan.Array, off int) []T {
	if a.Mem != nil {
		return dtype.Slice[T](p.Bytes(a.Mem))[a.Offset+off:]
	}
	return dtype.Slice[T](p.arena[p.Plan.Temps[a.Temp].Offset:])[a.Offset+off:]
}
