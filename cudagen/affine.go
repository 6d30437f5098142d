package cudagen

import (
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
	if err := b.Check(k); err != nil {
		return nil, err
	}
	return a, a.Split(func(int32) bool { return true })
}
