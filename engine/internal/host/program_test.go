package host

import (
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/sched"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/shape"
)

// A memory is memory of the host.
type memory []byte

func (memory) Device() string { return "cpu" }
func (m *memory) Size() int   { return len(*m) }

// array returns an array of float32 with a memory of its own.
func array(name string, dims ...int) *tree.Node {
	s := shape.Shape(dims)
	m := make(memory, 4*s.Size())
	return tree.NewLeaf(dtype.F32, s, &tree.Leaf{Mem: &m, Strides: s.Strides(), Name: name})
}

// planOf returns the plan of y = e.
func planOf(t *testing.T, y *tree.Node, e expr.Exp[float32]) *plan.Plan {
	t.Helper()
	pl, err := plan.Compile(t.Context(), []expr.Statement{{Target: y, Value: e.Node()}})
	if err != nil {
		t.Fatal(err)
	}
	return pl
}

// TestForget tests that an idle program keeps small temporaries and no large ones.
func TestForget(t *testing.T) {
	be, err := Named("")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{16, 1 << 11} {
		x := expr.Of[float32](array("x", n, 1))
		pl := planOf(t, array("y", n), op.Sum(op.MatMul(x, op.T(x)), op.Axis(0)))
		p, err := NewProgram(t.Context(), Options{
			Backend: be, Pool: sched.NewPool(), Threads: 1,
			Bytes: func(m tree.Memory) []byte { return *m.(*memory) },
		}, pl)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := p.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.Forget()
			kept := len(p.arena)
			if size := pl.Arena; size < 4*n*n || (kept == size) != (size <= keepArena) || p.Footprint() < kept {
				t.Errorf("of temporaries of %d bytes %d are kept; the footprint is %d", size, kept, p.Footprint())
			}
		}
	}
}

// TestEmptyAddress tests that an array without elements has no address: its first element
// would be outside of the memory.
func TestEmptyAddress(t *testing.T) {
	m := make(memory, 16)
	p := &Program{Options: Options{Bytes: func(tree.Memory) []byte { return m }}}
	a := &plan.Array{Mem: &m, Type: dtype.F32, Shape: shape.Shape{0}, Strides: shape.Strides{-1}, Offset: -1}
	if at := p.address(a); at != nil {
		t.Errorf("the address of no element is %p, in memory at %p", at, &m[0])
	}
	a.Shape, a.Offset = shape.Shape{4}, 3
	if at := p.address(a); at != unsafe.Pointer(&m[12]) {
		t.Errorf("the address of the last element is %p, in memory at %p", at, &m[0])
	}
}
