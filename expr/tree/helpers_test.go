package tree_test

import (
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// memory is an allocation that no test reads.
type memory int

func (m *memory) Device() string { return "cpu" }
func (m *memory) Size() int      { return int(*m) }

// array is a tensor without elements.
type array[T expr.Elem] struct {
	expr.Target[T]
	n *tree.Node
}

func (a array[T]) Node() *tree.Node { return a.n }

func leaf[T expr.Elem](name string, dims ...int) array[T] {
	s, t := shape.Shape(dims), dtype.Of[T]()
	m := memory(s.Size() * t.Size())
	return array[T]{n: tree.NewLeaf(t, s, &tree.Leaf{Mem: &m, Strides: s.Strides(), Name: name})}
}

func row(t *testing.T, name string) *tree.Operator {
	o, ok := untyped.Lookup(name)
	if !ok {
		t.Fatal("the table has no row", name)
	}
	return o
}
