package tree

import (
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/lists"
)

// Parts are the real part and the imaginary part of a complex value, as trees of
// real values. Im is nil for a value that is not complex; Re is then the value.
//
// The plan compiler computes the parts of a complex value in one loop. So complex
// numbers are a matter of operators only: see [Row.Parts].
type Parts struct{ Re, Im *Node }

// HasComplex reports whether the tree has a complex value.
func (n *Node) HasComplex() bool { return n != nil && n.complex }

// pair joins two real operands to a complex value.
var pair = NewOperator(Row{
	Name: "complex", Class: Elementwise, Arity: 2, Types: TypesOf(dtype.F32, dtype.F64), Result: ResultComplex,
	Parts: func(_ *Node, x []Parts) Parts { return Parts{x[0].Re, x[1].Re} },
	Doc:   "the complex number with real part x and imaginary part y.",
})

// ComplexOf returns the complex value with the given parts. They have elements of
// type float32 or float64, and broadcast against each other.
func ComplexOf(re, im *Node) *Node { return Apply(pair, re, im) }

// PartsOf returns the parts of a value that [ComplexOf] has made, or of a complex
// array: two arrays that share its memory. It returns false for other values.
func PartsOf(n *Node) (Parts, bool) {
	switch {
	case n == nil || n.err != nil || !n.dtype.IsComplex():
	case n.Op == pair:
		return Parts{n.Args[0], n.Args[1]}, true
	case n.Leaf != nil:
		return Parts{n.partLeaf(0), n.partLeaf(1)}, true
	}
	return Parts{}, false
}

// partLeaf returns the real parts (0) or the imaginary parts (1) of a complex
// array.
func (n *Node) partLeaf(part int) *Node {
	l := *n.Leaf
	l.Offset = 2*l.Offset + part
	l.Strides = lists.Map(n.Leaf.Strides, func(st int) int { return 2 * st })
	if l.Name != "" {
		l.Name += [...]string{".real", ".imag"}[part]
	}
	return NewLeaf(n.dtype.Part(), n.shape, &l)
}

// ConstComplex returns the scalar of a complex type nearest to v.
func ConstComplex(t dtype.Type, v complex128) *Node {
	if !t.IsComplex() {
		return Errorf(ErrType, "", "%v is no value of type %v", v, t)
	}
	return ComplexOf(ConstFloat(t.Part(), real(v)), ConstFloat(t.Part(), imag(v)))
}
