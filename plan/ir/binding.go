package ir

import "fmt"

// Check returns an error if b does not fit k: wrong counts, negative extents,
// wrong ranks.
func (b *Binding) Check(k *Kernel) error {
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
		if d, v := &k.Bufs[i], &b.Bufs[i]; d.Mode != Row && (len(v.Strides) != d.Rank || len(v.Extents) != d.Rank) {
			return fmt.Errorf("buffer %s has rank %d; %d strides and %d extents are bound", d.Name, d.Rank, len(v.Strides), len(v.Extents))
		}
	}
	return nil
}
