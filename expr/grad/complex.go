package grad

import (
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// parts returns a loss and variables without complex values: the parts of a
// complex variable are two. join makes the gradients of the given variables from
// those of the returned ones.
func parts(loss *tree.Node, wrt []*tree.Node) (real *tree.Node, variables []*tree.Node, join func([]*tree.Node) []*tree.Node) {
	var s untyped.Splitter
	for _, x := range wrt {
		p := s.Split(x)
		if variables = append(variables, p.Re); p.Im != nil {
			variables = append(variables, p.Im)
		}
	}
	join = func(grads []*tree.Node) (out []*tree.Node) {
		for _, x := range wrt {
			if !x.DType().IsComplex() {
				out, grads = append(out, grads[0]), grads[1:]
				continue
			}
			out, grads = append(out, tree.ComplexOf(grads[0], grads[1])), grads[2:]
		}
		return out
	}
	if p := s.Split(loss); p.Im == nil {
		loss = p.Re
	}
	return loss, variables, join
}
