package bench

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/element"
	"github.com/oneloop/oneloop/internal/lists"
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
	s := t.Size()
	if bytes.Equal(a[k*s:][:s], b[k*s:][:s]) {
		return true
	}
	if part := t.Part(); part != t {
		return agree(part, a, b, 2*k) && agree(part, a, b, 2*k+1)
	}
	x, y := element.Float(t, a, k), element.Float(t, b, k)
	return x != x && y != y
}
