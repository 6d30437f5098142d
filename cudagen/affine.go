package cudagen

import (
	"fmt"

	"github.com/oneloop/oneloop/plan/affine"
	"github.com/oneloop/oneloop/plan/ir"
)

// An analyser evaluates index expressions with the numbers of a binding.
type analyser struct {
	*affine.Space
	k *ir.Kernel
	b *ir.Binding
}

func newAnalyser(k *ir.Kernel, b *ir.Binding) (*analyser, error) {
	a := &analyser{affine.New(&k.Index, b.Extents, b.Params), k, b}
	if err := a.check(); err != nil {
		return nil, err
	}
	return a, a.Split(func(int32) bool { return true })
}

// check finds bindings that do not fit the kernel.
func (a *analyser) check() error {
	k, b := a.k, a.b
	if len(b.Extents) != len(k.Axes) || len(b.Params) != k.Params || len(b.Scalars) != len(k.Scalars) || len(b.Bufs) != len(k.Bufs) {
		return fmt.Errorf("the binding has %d extents, %d parameters, %d scalars, %d buffers; the kernel %d, %d, %d, %d",
			len(b.Extents), len(b.Params), len(b.Scalars), len(b.Bufs), len(k.Axes), k.Params, len(k.Scalars), len(k.Bufs))
	}
	for i, e := range b.Extents {
		if e < 0 {
			return fmt.Errorf("axis %s has extent %d", k.Axes[i], e)
		}
	}
	for i := range k.Bufs {
		d, v := &k.Bufs[i], &b.Bufs[i]
		if d.Mode != ir.Row && (len(v.Strides) != d.Rank || len(v.Extents) != d.Rank) {
			return fmt.Errorf("buffer %s has rank %d; %d strides and %d extents are bound", d.Name, d.Rank, len(v.Strides), len(v.Extents))
		}
	}
	return nil
}
