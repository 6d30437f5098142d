package expr

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/shape"
)

// A Node is one operation of a tree, or a leaf. Nodes are made once and then
// only read, so trees may share them and goroutines may share trees.
type Node struct {
	Op   *Operator
	Args []*Node

	// What else the operation depends on; which of it counts depends on Op.
	*Attributes
	To    dtype.Type // of casts
	Acc   dtype.Type // accumulator of a reduction, Invalid: the natural one
	dtype dtype.Type
	kind  Kind
	Bits  uint64 // of a constant, in its register type
	Leaf  *Leaf  // of storage

	shape shape.Shape
	err   *Error
	few   [2]*Node // has the Args of an operator with one or two
}

// Attributes are what most nodes have none of. Nodes that are finished have some,
// if only empty ones; they are not to be changed.
type Attributes struct {
	Axes  []int   // canonical axes of a reduction, sorted, which stay as axes of size 1; the permutation of a transpose
	Ints  []int   // of views: offsets, steps, paddings
	Param *Cell   // of a parameter
	Func  *GoFunc // of an opaque node
	Ident any     // identity of attributes that are not comparable, or nil
}

// none are the attributes of nodes without any.
var none Attributes

// A Memory is what leaves view: a contiguous allocation on a device.
type Memory interface {
	Device() string // "cpu", "cuda:0"
	Size() int      // bytes
}

// A Leaf is storage seen as an array: strides and offset count elements.
type Leaf struct {
	Mem     Memory
	Offset  int
	Strides shape.Strides
	Name    string // for printing; may be empty
}

// A GoFunc is an element-wise Go function, which runs on the CPU only and fuses
// with nothing. Its arguments and result are slices of equal length, of the
// register types of the operands.
type GoFunc struct {
	Name string
	Call func(dst []byte, args [][]byte, n int)
}

// A Cell holds the bits of a run-time scalar, in its register type.
type Cell struct {
	bits atomic.Uint64
	Name string
}

// Load returns the bits.
func (c *Cell) Load() uint64 { return c.bits.Load() }

// Store sets the bits.
func (c *Cell) Store(b uint64) { c.bits.Store(b) }

// Shape is the shape of the result; not to be changed.
func (n *Node) Shape() shape.Shape { return n.shape }

// DType is the element type of the result.
func (n *Node) DType() dtype.Type { return n.dtype }

// Kind is the kind of the whole tree.
func (n *Node) Kind() Kind { return n.kind }

// Err is the first error made in building the tree, or nil.
func (n *Node) Err() error {
	if n.err == nil {
		return nil
	}
	return n.err
}

var storage = Operator{Name: "storage", Class: Storage}

// NewLeaf makes the node of an array.
func NewLeaf(t dtype.Type, s shape.Shape, leaf *Leaf) *Node {
	return &Node{Op: &storage, Attributes: &none, Leaf: leaf, shape: s, dtype: t}
}

var constant = Operator{Name: "const", Class: Constant}

// NewConst makes a scalar of type t from the bits of its register type.
func NewConst(t dtype.Type, bits uint64) *Node {
	return &Node{Op: &constant, Attributes: &none, Bits: bits, dtype: t, kind: Map}
}

// ConstFloat makes the scalar of type t nearest to v. An integer type needs an
// integer value that it can hold.
func ConstFloat(t dtype.Type, v float64) *Node {
	switch t {
	case dtype.F16:
		v = float64(dtype.F16From(float32(v)).Float32())
	case dtype.BF16:
		v = float64(dtype.BF16From(float32(v)).Float32())
	case dtype.F32, dtype.F64:
	default:
		if !fits(t, v) {
			return Errorf(ErrType, "", "the scalar %v is no %v", v, t)
		}
	}
	return NewConst(t, prim.FromFloat(t.Register(), v))
}

func fits(t dtype.Type, v float64) bool {
	if v != math.Trunc(v) {
		return false
	}
	bits := 8 * t.Size()
	switch {
	case t == dtype.Bool:
		return v == 0 || v == 1
	case t.IsSigned():
		return v >= -math.Ldexp(1, bits-1) && v < math.Ldexp(1, bits-1)
	}
	return v >= 0 && v < math.Ldexp(1, bits)
}

// ConstInt makes the scalar of type t with value v.
func ConstInt(t dtype.Type, v int64) *Node {
	if t.IsFloat() || t == dtype.Bool {
		return ConstFloat(t, float64(v))
	}
	bits := 8 * uint(t.Size())
	if t.IsUnsigned() && (v < 0 || bits < 64 && v>>bits != 0) || t.IsSigned() && v<<(64-bits)>>(64-bits) != v {
		return Errorf(ErrType, "", "the scalar %d is no %v", v, t)
	}
	return NewConst(t, prim.FromInt(t, v))
}

var parameter = Operator{Name: "param", Class: Parameter}

// A Param is a scalar whose value is read at each run of a program.
type Param[T Elem] struct {
	Typed[T]
	node *Node
}

// NewParam makes a parameter with value v.
func NewParam[T Elem](v T) *Param[T] {
	p := &Param[T]{node: NewParamNode(dtype.Of[T](), &Cell{})}
	p.Set(v)
	return p
}

// NewParamNode makes the node of a run-time scalar of type t.
func NewParamNode(t dtype.Type, c *Cell) *Node {
	return &Node{Op: &parameter, Attributes: &Attributes{Param: c}, dtype: t, kind: Map}
}

// Node is the tree of the parameter; an erroneous one for a nil parameter.
func (p *Param[T]) Node() *Node {
	if p == nil {
		return Errorf(ErrType, "", "the parameter is nil")
	}
	return p.node
}

// Set changes the value for the runs that begin afterwards.
func (p *Param[T]) Set(v T) { p.node.Param.Store(Bits(v)) }

// Bits returns the bits of v in the register type of T.
func Bits[T Elem](v T) uint64 {
	switch v := any(v).(type) {
	case float32:
		return uint64(math.Float32bits(v))
	case float64:
		return math.Float64bits(v)
	case Float16:
		return uint64(math.Float32bits(v.Float32()))
	case BFloat16:
		return uint64(math.Float32bits(v.Float32()))
	case int8:
		return uint64(uint8(v))
	case int32:
		return uint64(uint32(v))
	case int64:
		return uint64(v)
	case uint8:
		return uint64(v)
	case uint32:
		return uint64(v)
	case uint64:
		return v
	case bool:
		if v {
			return 1
		}
	}
	return 0
}

// Const makes the scalar v.
func Const[T Elem](v T) Exp[T] {
	return exp[T]{node: NewConst(dtype.Of[T](), Bits(v))}
}

// Apply makes the node of an operator without attributes.
func Apply(o *Operator, args ...*Node) *Node {
	n := &Node{Op: o}
	n.take(args)
	return Finish(n)
}

// ApplyWith makes the node of an operator with attributes.
func ApplyWith(o *Operator, at Attributes, args ...*Node) *Node {
	n := &Node{Op: o, Attributes: &at}
	n.take(args)
	return Finish(n)
}

// take copies the operands, if there are few, to where they need no memory more.
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

// WithArgs is a copy of n with other operands, of the shapes and types of its
// own.
func (n *Node) WithArgs(args ...*Node) *Node {
	c := *n
	c.few = [2]*Node{}
	c.take(args)
	return &c
}

// Finish completes a node that has its operator, operands and attributes: it
// carries errors on, checks operands against the table row and derives shape,
// element type and kind. It is how every constructor ends.
func Finish(n *Node) *Node {
	if n.Attributes == nil {
		n.Attributes = &none
	}
	for _, a := range n.Args {
		if a == nil {
			return Errorf(ErrType, n.Op.Constructor(), "the operand is nil")
		}
		if a.err != nil {
			return &Node{Op: &invalid, Attributes: &none, err: a.err}
		}
		n.kind |= a.kind
	}
	n.kind |= n.Op.Kind()
	if n.kind != RValue {
		n.kind |= Map
	}
	if err := n.check(); err != nil {
		return err
	}
	if n.dtype == dtype.Invalid {
		n.dtype = n.resultType()
	}
	return n
}

func (n *Node) check() *Node {
	o := n.Op
	if o.Arity >= 0 && len(n.Args) != o.Arity || len(n.Args) == 0 && o.Arity != 0 {
		return Errorf(ErrType, o.Constructor(), "takes %d operands, not %d", o.Arity, len(n.Args))
	}
	args := n.Args
	if o.Cond {
		if args[0].dtype != dtype.Bool {
			return Errorf(ErrType, o.Constructor(), "the condition has elements of type %v, not bool", args[0].dtype)
		}
		args = args[1:]
	}
	for i, a := range args {
		if o.Types != 0 && !o.Types.Has(a.dtype) && o.Class != View {
			return Errorf(ErrType, o.Constructor(), "does not take elements of type %v", a.dtype)
		}
		if i > 0 && a.dtype != args[0].dtype && (o.Class == Elementwise || o.Class == Contraction) {
			return Errorf(ErrType, o.Constructor(), "operands of types %v and %v differ", args[0].dtype, a.dtype)
		}
	}
	var err error
	switch o.Class {
	case Elementwise, Opaque:
		n.shape, err = n.broadcast()
	case Reduction:
		n.shape = n.Args[0].shape.Reduce(n.Axes, true)
		err = n.checkEmpty()
	default:
		if o.Shape != nil {
			n.shape, err = o.Shape(n)
		}
	}
	if err == nil {
		err = n.shape.Check()
	}
	if err != nil {
		return Errorf(ErrShape, o.Constructor(), "%s", err)
	}
	if len(n.shape) > shape.MaxRank {
		return Errorf(ErrShape, o.Constructor(), "rank %d is above %d", len(n.shape), shape.MaxRank)
	}
	return nil
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

func (n *Node) checkEmpty() error {
	switch n.Op.Reduce {
	case "sum", "prod", "any", "all":
		return nil
	}
	for _, a := range n.Axes {
		if n.Args[0].shape[a] == 0 && n.shape.Size() > 0 {
			return &shape.Error{Msg: "an empty axis has no " + n.Op.Name}
		}
	}
	return nil
}

func (n *Node) resultType() dtype.Type {
	switch n.Op.Result {
	case Bool:
		return dtype.Bool
	case Int64:
		return dtype.I64
	case To:
		return n.To
	}
	return n.Args[len(n.Args)-1].dtype
}

// WithType sets the element type of a node under construction, for operators
// whose type does not follow from their operands (arange).
func (n *Node) WithType(t dtype.Type) *Node {
	n.dtype = t
	return n
}

// NewView makes a view of shape s with elements of type t and the integers ints;
// the plan compiler, which has operands of its own, adds them itself.
func NewView(o *Operator, s shape.Shape, t dtype.Type, ints []int) *Node {
	return &Node{Op: o, Attributes: &Attributes{Ints: ints}, shape: s, dtype: t, kind: Chainer}
}

// Untyped makes an element-wise node of shape s with elements of type t, without
// operands; see NewView.
func Untyped(o *Operator, s shape.Shape, t dtype.Type) *Node {
	return &Node{Op: o, Attributes: &none, shape: s, dtype: t, kind: Map}
}
