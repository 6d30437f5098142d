package tree

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/shape"
)

// Apply returns the node of an operator without attributes; see [ApplyWith].
func Apply(o *Operator, args ...*Node) *Node {
	n := &Node{Op: o, Attributes: &none}
	n.take(args)
	return n.finish()
}

// ApplyWith returns the node of an operator with attributes. It checks operands
// and attributes against the operator, and derives shape, element type and
// kind. If an operand carries an error, the result carries the same error. If
// the operands or attributes do not fit, it carries a new one.
func ApplyWith(o *Operator, at Attributes, args ...*Node) *Node {
	n := &Node{Op: o, Attributes: &at}
	n.take(args)
	return n.finish()
}

// complete returns an error for a node that no constructor made.
func (n *Node) complete() error {
	if n == nil || n.Op == nil || n.Attributes == nil {
		return NewError(ErrType, "", "the node is nil or not made by a constructor")
	}
	return nil
}

// WithArgs returns a copy of n with other operands. Their number, shapes and
// element types must be those of n's operands; otherwise the result carries an
// error. A complex operand may become one of its parts. Then the copy has the type
// of the parts.
func (n *Node) WithArgs(args ...*Node) *Node {
	if err := n.complete(); err != nil {
		return Failed(err)
	}
	if n.err != nil {
		return n
	}
	if len(args) != len(n.Args) {
		return Errorf(ErrValue, n.Op.Constructor(), "the number of operands is %d, not %d", len(args), len(n.Args))
	}
	c := *n
	c.few = [2]*Node{}
	c.complex = n.dtype.IsComplex()
	c.kind = n.Op.Kind()
	for i, a := range args {
		if a == nil {
			return Errorf(ErrType, n.Op.Constructor(), "operand %d is nil", i)
		}
		if a.err != nil {
			return a
		}
		old := n.Args[i]
		switch {
		case !a.shape.Equal(old.shape) || a.dtype != old.dtype && a.dtype != old.dtype.Part():
			return Errorf(ErrShape, n.Op.Constructor(), "operand %d is %v%v and cannot become %v%v", i, old.dtype, []int(old.shape), a.dtype, []int(a.shape))
		case a.dtype != old.dtype:
			c.dtype, c.complex = n.dtype.Part(), false
		}
		c.kind |= a.kind
	}
	for _, a := range args {
		c.complex = c.complex || a.complex
	}
	if c.kind != RValue {
		c.kind |= Map
	}
	c.take(args)
	return &c
}

// take stores the operands in n. Up to two need no allocation.
func (n *Node) take(args []*Node) {
	switch len(args) {
	case 1:
		n.few[0] = args[0]
		n.Args = n.few[:1:1]
	case 2:
		n.few = [2]*Node{args[0], args[1]}
		n.Args = n.few[:]
	default:
		n.Args = slices.Clone(args)
	}
}

// finish completes a node that has its operator, operands and attributes.
func (n *Node) finish() *Node {
	if n.Op == nil {
		return Errorf(ErrValue, "", "the operator is nil")
	}
	n.kind = n.Op.Kind()
	for i, a := range n.Args {
		if a == nil || a.Op == absent {
			return Errorf(ErrType, n.Op.Constructor(), "operand %d is nil", i)
		}
		if a.err != nil {
			return &Node{Op: invalid, Attributes: &none, err: a.err}
		}
		n.kind |= a.kind
		n.complex = n.complex || a.complex
	}
	if n.kind != RValue {
		n.kind |= Map
	}
	s, t, err := n.derive()
	if err != nil {
		return &Node{Op: invalid, Attributes: &none, err: err}
	}
	n.shape, n.dtype = s, t
	n.complex = n.complex || t.IsComplex()
	n.mark()
	return n
}

// Verify returns the error of the node, or an error if its shape and element
// type do not follow from its operands. Users can make and change nodes by
// hand.
func (n *Node) Verify() error {
	switch {
	case n == nil:
		return NewError(ErrType, "", "the operand is nil")
	case n.err != nil:
		return n.err
	case n.Op == nil || n.Attributes == nil:
		return NewError(ErrValue, "", "the node was not made by this package")
	}
	for i, a := range n.Args {
		if a == nil {
			return NewError(ErrType, n.Op.Constructor(), "operand %d is nil", i)
		}
	}
	s, t, err := n.derive()
	if err != nil {
		return err
	}
	if t != n.dtype || !s.Equal(n.shape) {
		return NewError(ErrShape, n.Op.Constructor(), "the node says %v%v, its operands make it %v%v", n.dtype, []int(n.shape), t, []int(s))
	}
	return nil
}

// derive returns the shape and the element type of a node from its operator,
// operands and attributes, or an error if these do not fit. It does not change
// n.
func (n *Node) derive() (shape.Shape, dtype.Type, *Error) {
	o := n.Op
	switch o.Class() {
	case Storage:
		return n.shape, n.dtype, n.Leaf.check(n.dtype, n.shape)
	case Constant, Parameter:
		if !n.dtype.Valid() || len(n.shape) > 0 || len(n.Args) > 0 || o.Class() == Parameter && n.Param == nil {
			return nil, 0, NewError(ErrValue, "", "the scalar is not complete")
		}
		return nil, n.dtype, nil
	}
	if err := n.checkOperands(); err != nil {
		return nil, 0, err
	}
	s, err := n.resultShape()
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			e = NewError(ErrShape, o.Constructor(), "%s", err)
		}
		return nil, 0, e
	}
	t, bad := n.resultType()
	return s, t, bad
}

// checkOperands returns an error if operator, operands and attributes do not
// fit each other.
func (n *Node) checkOperands() *Error {
	o := n.Op
	bad := func(format string, args ...any) *Error { return NewError(ErrType, o.Constructor(), format, args...) }
	if o.Err() != nil {
		return bad("%s", o.Err())
	}
	if what := o.lacks(); what != "" {
		return NewError(ErrValue, o.Constructor(), "the operator has no %s", what)
	}
	if o.Arity() >= 0 && len(n.Args) != o.Arity() {
		return bad("the number of operands is %d, not %d", len(n.Args), o.Arity())
	}
	if len(n.Args) == 0 && (o.Arity() != 0 || o.Class() != View) {
		return bad("takes at least one operand")
	}
	args := n.Args
	if o.Cond() {
		if len(args) < 2 || args[0].dtype != dtype.Bool {
			return bad("the condition has elements of type %v, not bool", args[0].dtype)
		}
		args = args[1:]
	}
	for i, a := range args {
		if !o.Takes(a.dtype) {
			return bad("elements of type %v are not supported", a.dtype)
		}
		if i > 0 && a.dtype != args[0].dtype && (o.Class() == Elementwise || o.Class() == Contraction || o.Class() == Opaque && o.Shape() == nil) {
			return bad("operands of types %v and %v differ", args[0].dtype, a.dtype)
		}
	}
	return nil
}

// lacks returns the name of a part that the operator's class needs and the
// operator does not have, or "".
func (o *Operator) lacks() string {
	switch {
	case o.complete:
	case o.Class() == Elementwise && o.Lower() == nil && o.Parts() == nil:
		return "lowering"
	case o.Class() == Elementwise && (o.Arity() < 0 || o.Types() == 0):
		return "number of operands or no element types that it takes"
	case (o.Class() == View || o.Class() == Contraction || o.Class() >= State) && o.Shape() == nil:
		return "shape function"
	case o.Class() == View && o.Gather() == nil:
		return "index map"
	case o.Class() == Reduction && (!o.Reduce().Complete() || o.Pair() == nil && !o.Reduce().Position()):
		return "reduction"
	case o.Class() == Opaque && o.Routine().New == nil:
		return "Go function"
	case o.Class() < Elementwise || o.Class() > Scan:
		return "class that is applied to operands"
	}
	return ""
}

// resultShape returns the shape of the result. A panic of a shape function becomes an error.
func (n *Node) resultShape() (s shape.Shape, err error) {
	switch c := n.Op.Class(); {
	case c == Reduction:
		return n.reduced()
	case c == Elementwise || n.Op.Shape() == nil: // or an element-wise Go function
		return n.broadcast()
	}
	defer func() {
		if r := recover(); r != nil {
			err = NewError(ErrValue, n.Op.Constructor(), "the shape function panics: %v", r)
		}
	}()
	return n.Op.Shape()(n)
}

func (n *Node) broadcast() (shape.Shape, error) {
	s := n.Args[0].shape
	for _, a := range n.Args[1:] {
		if a.shape.Equal(s) || len(a.shape) == 0 {
			continue
		}
		var err error
		if s, err = shape.Broadcast(s, a.shape); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// reduced returns the shape of a reduction over the axes, which keep size 1.
func (n *Node) reduced() (shape.Shape, error) {
	in, last := n.Args[0].shape, -1
	for _, a := range n.Axes {
		if a <= last || a >= len(in) {
			return nil, fmt.Errorf("axes %v of rank %d are not sorted positions", n.Axes, len(in))
		}
		last = a
	}
	if len(n.Axes) == 0 || len(n.Args) != 1 {
		return nil, fmt.Errorf("a reduction has one operand and at least one axis")
	}
	s := in.Reduce(n.Axes, true)
	if !n.Op.Reduce().NeedsElement() {
		return s, nil
	}
	for _, a := range n.Axes {
		if in[a] == 0 && s.Size() > 0 {
			return nil, fmt.Errorf("an empty axis has no %s", n.Op.Name())
		}
	}
	return s, nil
}

func (n *Node) resultType() (dtype.Type, *Error) {
	switch n.Op.Result() {
	case ResultBool:
		return dtype.Bool, nil
	case ResultInt64:
		return dtype.I64, nil
	case ResultTo:
		if n.To.Valid() {
			return n.To, nil
		}
		return 0, NewError(ErrType, n.Op.Constructor(), "no element type given")
	}
	if len(n.Args) == 0 {
		return 0, NewError(ErrType, n.Op.Constructor(), "without operands there is no element type")
	}
	last := n.Args[len(n.Args)-1].dtype
	switch n.Op.Result() {
	case ResultFirst:
		return n.Args[0].dtype, nil
	case ResultPart:
		return last.Part(), nil
	case ResultComplex:
		return last.Complex(), nil
	}
	return last, nil
}

// check returns an error if a leaf of shape s and element type t is not
// complete or leaves its memory, else nil.
func (l *Leaf) check(t dtype.Type, s shape.Shape) *Error {
	switch {
	case l == nil || l.Mem == nil:
		return NewError(ErrValue, "", "the array has no memory")
	case !reflect.TypeOf(l.Mem).Comparable():
		return NewError(ErrType, "", "a memory of type %T cannot be compared with others; use a pointer", l.Mem)
	case !t.Valid():
		return NewError(ErrType, "", "the array has no element type")
	case len(l.Strides) != len(s):
		return NewError(ErrShape, "", "the array has %d strides for rank %d", len(l.Strides), len(s))
	}
	if err := s.Check(); err != nil {
		return NewError(ErrShape, "", "%s", err)
	}
	size := l.Mem.Size() / t.Size()
	if lo, hi := shape.Bounds(s, l.Strides, l.Offset); lo <= hi && (lo < 0 || hi >= size) {
		return NewError(ErrShape, "", "elements %d..%d leave a memory of %d elements", lo, hi, size)
	}
	return nil
}

// NewView returns a view of shape s with elements of type t and the integers
// ints, without operands. The plan compiler uses it with operands of its own.
// In a tree such a node is an error.
func NewView(o *Operator, s shape.Shape, t dtype.Type, ints []int) *Node {
	return &Node{Op: o, Attributes: &Attributes{Ints: ints}, shape: s, dtype: t, kind: Chainer}
}

// Untyped returns an element-wise node of shape s with elements of type t,
// without operands; see [NewView].
func Untyped(o *Operator, s shape.Shape, t dtype.Type) *Node {
	return &Node{Op: o, Attributes: &none, shape: s, dtype: t, kind: Map}
}
