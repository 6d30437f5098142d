package bench

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/element"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan"
)

// A MismatchError says that two ways to compute a program disagree.
type MismatchError struct{ msg string }

func (e *MismatchError) Error() string { return e.msg }

// verify runs every way once from the same start: those that the library has
// must give the same bits, the Go loop nearly the same values.
func (c *Case) verify(ctx context.Context) error {
	if c.host != nil {
		return c.verifyDevice(ctx)
	}
	before := c.snapshot()
	var want [][]byte
	for _, i := range Impls() {
		if c.run[i] == nil {
			continue
		}
		c.restore(before)
		if err := c.run[i](ctx); err != nil {
			return err
		}
		got := c.snapshot()
		if want == nil {
			want = got
			continue
		}
		for k, a := range c.written {
			if err := c.compare(i, a, want[k], got[k]); err != nil {
				return err
			}
		}
	}
	c.restore(before)
	return nil
}

func (c *Case) snapshot() [][]byte {
	return lists.Map(c.written, func(a *engine.Array) []byte { return bytes.Clone(contents(a.Memory().Host())) })
}

func (c *Case) restore(s [][]byte) {
	for i, a := range c.written {
		copy(contents(a.Memory().MutableHost()), s[i])
	}
}

// contents returns the bytes of a memory. A device that has failed gives none; its
// next run reports why.
func contents(b []byte, err error) []byte {
	if err != nil {
		return nil
	}
	return b
}

func (c *Case) compare(i Impl, a *engine.Array, want, got []byte) error {
	tol := 0.
	if i == Loop {
		tol = c.tol
	} else if bytes.Equal(want, got) {
		return nil
	}
	t := a.DType()
	n := len(want) / t.Size()
	scale := 0. // differences below the typical magnitude count relative to it
	if tol > 0 {
		for k := range n {
			scale += math.Abs(element.Float(t, want, k))
		}
		scale /= float64(max(n, 1))
	}
	for k := range n {
		x, y := element.Float(t, want, k), element.Float(t, got, k)
		if agree(t, want, got, k) || tol > 0 && math.Abs(x-y) <= tol*max(math.Abs(x), scale) {
			continue
		}
		return &MismatchError{fmt.Sprintf("%s %s n=%d: %s[%d] is %v fused and %v by %s", c.Name, c.Type, c.N, a.Node().Leaf.Name, k, x, y, i)}
	}
	return nil
}

// agree reports whether elements are the same; all NaNs are.
func agree(t dtype.Type, a, b []byte, k int) bool {
	if s := t.Size(); bytes.Equal(a[k*s:][:s], b[k*s:][:s]) {
		return true
	}
	if part := t.Part(); part != t {
		return agree(part, a, b, 2*k) && agree(part, a, b, 2*k+1)
	}
	x, y := element.Float(t, a, k), element.Float(t, b, k)
	return x != x && y != y
}

// A reference is a case as the host runs it.
type reference struct {
	program *engine.Program
	written []*engine.Array
}

// OnDevice moves a case to a device: its arrays, and the fused program, which is
// all that is measured there. What it computes is compared with the host's.
func (c *Case) OnDevice(ctx context.Context, o engine.Options, d driver.Device) error {
	moved := map[tree.Memory]*engine.Array{}
	c.host = &reference{c.program, c.written}
	c.written = nil
	for i, a := range c.arrays {
		there, err := a.To(d)
		if err != nil {
			return err
		}
		moved[a.Memory()] = there
		c.arrays[i] = there
	}
	stmts := plan.MapLeaves(c.stmts, func(n *tree.Node) *tree.Node {
		a := moved[n.Leaf.Mem]
		if a == nil {
			return n
		}
		l := *n.Leaf
		l.Mem = a.Memory()
		return tree.NewLeaf(n.DType(), n.Shape(), &l)
	})
	c.findWritten(stmts)
	start := time.Now()
	var err error
	if c.program, err = engine.CompileWith(ctx, o, stmts...); err != nil {
		return err
	}
	c.compile = time.Since(start)
	c.run = [impls]func(context.Context) error{Fused: c.program.Run}
	c.naive = nil
	return nil
}

// verifyDevice runs both programs once from the same start: the bits are the
// same, unless a matrix product of floats is among the stages, whose order of
// summation is its library's.
func (c *Case) verifyDevice(ctx context.Context) error {
	before := c.snapshot()
	if err := c.program.Run(ctx); err != nil {
		return err
	}
	got := c.snapshot()
	c.restore(before)
	there := c.written
	c.written = c.host.written
	defer func() { c.written = there }()
	if err := c.host.program.Run(ctx); err != nil {
		return err
	}
	want := c.snapshot()
	c.restore(before)
	way := Fused
	for _, s := range c.program.Plan().All() {
		if s.Kind == plan.Product {
			way = Loop
		}
	}
	for k, a := range c.written {
		if err := c.compare(way, a, got[k], want[k]); err != nil {
			return err
		}
	}
	return nil
}
