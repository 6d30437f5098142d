package expr

import (
	"fmt"
	"log/slog"
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// A Param is a scalar whose value each run of a program reads. The parts of a
// complex parameter are read one after the other: a run beside a call of Set may
// read a part of each value.
type Param[T Elem] struct {
	Typed[T]
	node *tree.Node
}

// NewParam returns a parameter with value v.
func NewParam[T Elem](v T) *Param[T] {
	t := dtype.Of[T]()
	p := &Param[T]{node: tree.NewParamNode(t.Part(), &tree.Scalar{})}
	if t.IsComplex() {
		p.node = tree.ComplexOf(p.node, tree.NewParamNode(t.Part(), &tree.Scalar{}))
	}
	p.Set(v)
	return p
}

// Node returns the tree of the parameter, or a node with an error for a nil
// parameter.
func (p *Param[T]) Node() *tree.Node {
	if p == nil || p.node == nil {
		return tree.Errorf(tree.ErrType, "", "the parameter is nil or not made by NewParam")
	}
	return p.node
}

// Value returns the current value, or 0 for a nil parameter and for the zero
// Param.
func (p *Param[T]) Value() T {
	var v T
	if p == nil || p.node == nil {
		return v
	}
	if parts := p.node.Args; len(parts) == 2 {
		return ofParts[T](parts[0].Param.Load(), parts[1].Param.Load())
	}
	return tree.FromBits[T](p.node.Param.Load())
}

// Format prints the value with the given verb, flags and precision.
func (p *Param[T]) Format(f fmt.State, verb rune) {
	if p == nil || p.node == nil {
		fmt.Fprint(f, "<nil>")
		return
	}
	if verb == 's' {
		verb = 'v'
	}
	switch v := any(p.Value()).(type) {
	case interface{ Float32() float32 }: // of 16 bits
		fmt.Fprintf(f, fmt.FormatString(f, verb), v.Float32())
	default:
		fmt.Fprintf(f, fmt.FormatString(f, verb), v)
	}
}

// String returns the value in decimal.
func (p *Param[T]) String() string { return fmt.Sprintf("%v", p) }

// LogValue returns what fmt prints.
func (p *Param[T]) LogValue() slog.Value { return slog.StringValue(p.String()) }

// Set changes the value for runs that begin later. It panics if NewParam did
// not make the parameter.
func (p *Param[T]) Set(v T) {
	if err := p.Node().Err(); err != nil {
		panic(err)
	}
	if parts := p.node.Args; len(parts) == 2 {
		re, im := partBits(v)
		parts[0].Param.Store(re)
		parts[1].Param.Store(im)
		return
	}
	p.node.Param.Store(tree.Bits(v))
}

// Const returns the scalar v.
func Const[T Elem](v T) Exp[T] {
	if t := dtype.Of[T](); t.IsComplex() {
		re, im := partBits(v)
		return exp[T]{untyped: untyped{tree.ComplexOf(tree.NewConst(t.Part(), re), tree.NewConst(t.Part(), im))}}
	}
	return exp[T]{untyped: untyped{tree.NewConst(dtype.Of[T](), tree.Bits(v))}}
}

// partBits returns the bits of the parts of a complex number.
func partBits[T Elem](v T) (re, im uint64) {
	switch v := any(v).(type) {
	case complex64:
		return uint64(math.Float32bits(real(v))), uint64(math.Float32bits(imag(v)))
	case complex128:
		return math.Float64bits(real(v)), math.Float64bits(imag(v))
	}
	return 0, 0
}

// ofParts returns the complex number with the given bits of its parts.
func ofParts[T Elem](re, im uint64) (v T) {
	switch v := any(&v).(type) {
	case *complex64:
		*v = complex(math.Float32frombits(uint32(re)), math.Float32frombits(uint32(im)))
	case *complex128:
		*v = complex(math.Float64frombits(re), math.Float64frombits(im))
	}
	return v
}
