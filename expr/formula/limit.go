package formula

import (
	"math"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/tree"
)

// A limit bounds the bytes of each array that a formula creates. A text such as
// zeros(10**12) is an error, not a crash.
type limit int

// limitFor returns 1 GiB, and more where the variables are large themselves.
func limitFor(env map[string]*tree.Node) limit {
	const least, times = 1 << 30, 16
	most := 0
	for _, n := range env {
		most = max(most, n.Shape().Size()*n.DType().Size())
	}
	if most > math.MaxInt/times {
		return math.MaxInt
	}
	return limit(max(least, times*most))
}

// newArray allocates an array for the value of a tree.
func (l limit) newArray(n *tree.Node) (*engine.Array, error) {
	if n.Absent() {
		return nil, tree.NewError(tree.ErrType, "", "the tree is nil")
	}
	if n.Err() != nil {
		return nil, n.Err()
	}
	if size := n.DType().Size(); n.Shape().Size() > int(l)/size {
		return nil, tree.NewError(tree.ErrOutOfMemory, "", "an array of type %v and shape %v is larger than %d bytes, 16 times the largest variable or 1 GiB", n.DType(), n.Shape(), int(l))
	}
	return engine.NewArray(n.DType(), n.Shape()...)
}

// NewArray returns a new array for the value of a tree, within the bound that a
// formula with the variables env has.
func NewArray(n *tree.Node, env map[string]*tree.Node) (*engine.Array, error) {
	return limitFor(env).newArray(n)
}

func (l limit) newLeaf(name string, n *tree.Node) (*tree.Node, error) {
	a, err := l.newArray(n)
	if err != nil {
		return nil, err
	}
	return a.Named(name).Node(), nil
}
