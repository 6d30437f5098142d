package tree

import (
	"log/slog"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/round"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/shape"
)

// A Node is one operation of a tree, or a leaf. Nodes do not change once made,
// so trees may share them and goroutines may share trees.
type Node struct {
	Op   *Operator
	Args []*Node

	// Attributes are what the operation depends on apart from its operands. Op
	// decides which of them count.
	*Attributes
	dtype   dtype.Type
	kind    Kind
	complex bool   // the tree has a complex value
	Bits    uint64 // of a constant, in its register type
	Leaf    *Leaf  // of storage

	shape shape.Shape
	err   *Error
	few   [2]*Node // memory of Args, if there are one or two
}

// Attributes are what an operation depends on apart from its operands. Nodes
// without any share one value. They must not be changed.
type Attributes struct {
	To    dtype.Type // of a cast
	Axes  []int      // of a reduction: canonical sorted axes, which keep size 1; of a transpose: the permutation
	Ints  []int      // of views: offsets, steps, paddings
	Param *Scalar    // of a parameter
	Ident any        // identity of attributes that are not comparable, or nil
	site  *site      // the calls that made the node, or nil; see mark
}

// none are the attributes of nodes without any.
var none Attributes

// A Memory is a contiguous allocation on a device. Leaves are views of
// memories.
type Memory interface {
	Device() string // "cpu", "cuda:0"
	Size() int      // bytes
}

// A Leaf is an array: a view of a memory. Strides and offset are in elements.
type Leaf struct {
	Mem     Memory
	Offset  int
	Strides shape.Strides
	Name    string // for printing; may be empty
}

// A Scalar holds the value of a parameter: the bits of a scalar in its register
// type. It is safe for concurrent use.
type Scalar struct {
	bits atomic.Uint64
	Name string
}

// Load returns the bits.
func (c *Scalar) Load() uint64 { return zero.IfNil(c).bits.Load() }

// Store sets the bits, unless c is nil.
func (c *Scalar) Store(b uint64) {
	if c != nil {
		c.bits.Store(b)
	}
}

// Shape returns the shape of the result, or nil for a nil node. The caller must
// not change it.
func (n *Node) Shape() shape.Shape {
	if n == nil {
		return nil
	}
	return n.shape
}

// DType returns the element type of the result.
func (n *Node) DType() dtype.Type {
	if n == nil {
		return dtype.Invalid
	}
	return n.dtype
}

// Kind returns the kind of the whole tree.
func (n *Node) Kind() Kind {
	if n == nil {
		return RValue
	}
	return n.kind
}

// Err returns the first error made in building the tree, or nil. A nil node is
// an error.
func (n *Node) Err() error {
	switch {
	case n == nil:
		return NewError(ErrType, "", "the operand is nil")
	case n.err == nil:
		return nil
	}
	return n.err
}

var absent = NewOperator(Row{Name: "nil", Class: Invalid})

// NewAbsent returns the node of an expression that is nil. It carries an error. The
// error of an operation on it names the operator and the number of the operand.
func NewAbsent() *Node {
	return &Node{Op: absent, Attributes: &none, err: NewError(ErrType, "", "the operand is nil")}
}

// Absent reports whether [NewAbsent] made the node.
func (n *Node) Absent() bool { return n != nil && n.Op == absent }

var storage = NewOperator(Row{Name: "storage", Class: Storage})

// NewLeaf returns the node of an array, or a node with an error if the array
// leaves its memory.
func NewLeaf(t dtype.Type, s shape.Shape, leaf *Leaf) *Node {
	if err := leaf.check(t, s); err != nil {
		return &Node{Op: invalid, Attributes: &none, err: err}
	}
	return &Node{Op: storage, Attributes: &none, Leaf: leaf, shape: s, dtype: t, complex: t.IsComplex()}
}

var constant = NewOperator(Row{Name: "const", Class: Constant})

// NewConst returns a scalar of type t with the bits of its register type. A
// complex type has none; see [ConstComplex].
func NewConst(t dtype.Type, bits uint64) *Node {
	if !t.Valid() || t.IsComplex() {
		return Errorf(ErrType, "", "no bits are a scalar of type %v", t)
	}
	return &Node{Op: constant, Attributes: &none, Bits: bits, dtype: t, kind: Map}
}

// ConstFloat returns the scalar of type t nearest to v. For integer types the
// node carries an error unless v is an integer that the type can hold.
func ConstFloat(t dtype.Type, v float64) *Node {
	if !t.Valid() {
		return Errorf(ErrType, "", "the scalar has no element type")
	}
	switch t {
	case dtype.C64, dtype.C128:
		return ConstComplex(t, complex(v, 0))
	case dtype.F16:
		v = float64(dtype.F16From(round.ToOdd(v)).Float32())
	case dtype.BF16:
		v = float64(dtype.BF16From(round.ToOdd(v)).Float32())
	case dtype.F32, dtype.F64:
	default:
		if !fits(t, v) {
			return Errorf(ErrType, "", "%v is no value of type %v; op.Cast converts arrays to a type that has it", v, t)
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

// ConstInt returns the scalar of type t with value v, or a node with an error
// if an integer type cannot hold v.
func ConstInt(t dtype.Type, v int64) *Node {
	if t.IsFloat() || t.IsComplex() || t == dtype.Bool || !t.Valid() {
		return ConstFloat(t, float64(v))
	}
	bits := 8 * uint(t.Size())
	if t.IsUnsigned() && (v < 0 || bits < 64 && v>>bits != 0) || t.IsSigned() && v<<(64-bits)>>(64-bits) != v {
		return Errorf(ErrType, "", "%d is no value of type %v; op.Cast converts arrays to a type that has it", v, t)
	}
	return NewConst(t, prim.FromInt(t, v))
}

var parameter = NewOperator(Row{Name: "param", Class: Parameter})

// NewParamNode returns the node of a run-time scalar of type t.
func NewParamNode(t dtype.Type, c *Scalar) *Node {
	if c == nil || !t.Valid() || t.IsComplex() {
		return Errorf(ErrValue, "", "the parameter has no cell or no element type")
	}
	return &Node{Op: parameter, Attributes: &Attributes{Param: c}, dtype: t, kind: Map}
}

// Bits returns the bits of v in the register type of T, or 0 for a complex type,
// which has none.
func Bits[T dtype.Elem](v T) uint64 {
	p := unsafe.Pointer(&v)
	switch t := dtype.Of[T](); {
	case t.IsComplex():
		return 0
	case t.IsHalf():
		if t == dtype.F16 {
			return uint64(math.Float32bits((*dtype.Float16)(p).Float32()))
		}
		return uint64(math.Float32bits((*dtype.BFloat16)(p).Float32()))
	case t.Size() == 1:
		return uint64(*(*uint8)(p))
	case t.Size() == 2:
		return uint64(*(*uint16)(p))
	case t.Size() == 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// FromBits returns the value of type T with the given bits of its register type, or 0 for
// a complex type, which has none.
func FromBits[T dtype.Elem](b uint64) T {
	var v T
	p := unsafe.Pointer(&v)
	switch t := dtype.Of[T](); t {
	case dtype.Bool:
		*(*bool)(p) = b != 0
	case dtype.F16:
		*(*dtype.Float16)(p) = dtype.F16From(math.Float32frombits(uint32(b)))
	case dtype.BF16:
		*(*dtype.BFloat16)(p) = dtype.BF16From(math.Float32frombits(uint32(b)))
	default:
		switch {
		case t.IsComplex():
		case t.Size() == 1:
			*(*uint8)(p) = uint8(b)
		case t.Size() == 2:
			*(*uint16)(p) = uint16(b)
		case t.Size() == 4:
			*(*uint32)(p) = uint32(b)
		default:
			*(*uint64)(p) = b
		}
	}
	return v
}

// MarshalJSON returns an error: a tree is no data. Without it encoding/json would write
// the exported fields, without the elements.
func (n *Node) MarshalJSON() ([]byte, error) {
	return nil, NewError(ErrUnsupported, "", "an expression cannot be marshalled; tensors can")
}

// MarshalBinary returns an error, as MarshalJSON does.
func (n *Node) MarshalBinary() ([]byte, error) { return n.MarshalJSON() }

// MarshalText returns an error, as MarshalJSON does. encoding/xml calls it.
func (n *Node) MarshalText() ([]byte, error) { return n.MarshalJSON() }

// LogValue returns what fmt prints.
func (n *Node) LogValue() slog.Value { return slog.StringValue(n.String()) }
