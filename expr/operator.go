package expr

import (
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/shape"
)

// A Kind classifies trees as mshadow does: the kind of a tree is the union of
// the bits of its nodes.
type Kind uint8

// The kinds.
const (
	RValue  Kind = 0 // storage: can be assigned to
	Map     Kind = 1 // element by element
	Chainer Kind = 3 // re-indexes its operand, fuses with what is around it
	Complex Kind = 7 // has a schedule of its own: reductions, dot
)

func (k Kind) String() string {
	switch k {
	case RValue:
		return "RValue"
	case Map:
		return "Map"
	case Chainer:
		return "Chainer"
	}
	return "Complex"
}

// A Class says which fields of an Operator count and how the plan treats it.
type Class uint8

// The classes of operators.
const (
	Invalid     Class = iota
	Storage           // a leaf: Node.Leaf
	Constant          // a scalar: Node.Bits
	Parameter         // a run-time scalar: Node.Param
	Elementwise       // Lower
	View              // Shape, Gather
	Reduction         // Reduce
	Contraction       // dot
	Opaque            // Node.Func, a Go function, CPU only
)

// Types is a set of element types.
type Types uint32

// TypesOf makes a set.
func TypesOf(ts ...dtype.Type) (s Types) {
	for _, t := range ts {
		s |= 1 << t
	}
	return s
}

// Has reports whether t is in the set.
func (s Types) Has(t dtype.Type) bool { return s>>t&1 == 1 }

// List returns the members.
func (s Types) List() (ts []dtype.Type) {
	for _, t := range dtype.All() {
		if s.Has(t) {
			ts = append(ts, t)
		}
	}
	return ts
}

// A Result says which element type an operator yields.
type Result uint8

// The rules of element types.
const (
	ResultSame  Result = iota // that of the last operand
	ResultFirst               // that of the first operand
	ResultBool                // bool
	ResultInt64               // int64
	ResultTo                  // Attributes.To
)

// An Operator is a row of the table: everything there is to know about an
// operation. Rows are made by package op (op.Define for users') and are not
// changed afterwards.
type Operator struct {
	Name     string // as in formulas: "log1p"
	GoName   string // of the constructor: "Log1p"; derived from Name if empty
	Symbol   string // "+", for printing
	Doc      string // one sentence
	Class    Class
	Arity    int    // -1: any number, at least one
	Operands string // their names, for the constructor: "x lo hi"; x, y, z if empty
	Types    Types  // of the operands (of the last two, where the first is a condition)
	Cond     bool   // the first operand is a bool: where
	Result   Result
	ULP      float64 // the bound of its error in units in the last place; 0.5 is correctly rounded, 0 exact

	// Lower is what an Elementwise operator computes, in primitives.
	Lower func(b *prim.B, x ...prim.V) prim.V
	// Fault, if not nil, says for which operands the operator raises Kind.
	Fault     func(b *prim.B, x ...prim.V) prim.V
	FaultKind error

	// Shape is the result shape of a View.
	Shape func(n *Node) (shape.Shape, error)
	// Gather is the value of a View at the coordinates g.Out.
	Gather func(g *Gather) prim.V

	// Reduce is how a Reduction combines elements.
	Reduce *prim.Reduction
	// Pair is the element-wise operator that combines two values of a Reduction;
	// nil for positions.
	Pair *Operator
	// Finish, if not nil, is the element-wise operator of one operand that a
	// Reduction ends with.
	Finish *Operator

	// Err says why the operator cannot be used; nil if it can.
	Err error

	// Grad is the derivative of an operator of floats, or nil if it has none.
	Grad Rule
}

// Kind of the operator by itself.
func (o *Operator) Kind() Kind {
	switch o.Class {
	case Storage:
		return RValue
	case View:
		return Chainer
	case Reduction, Contraction, Opaque:
		return Complex
	}
	return Map
}

// Constructor is the name of the operator's constructor in package op: GoName,
// or Name in camel case.
func (o *Operator) Constructor() string {
	if o.GoName != "" {
		return o.GoName
	}
	var b strings.Builder
	for _, part := range strings.Split(o.Name, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// A Gather is what the index map of a Chainer works with: the coordinates
// wanted, the table of index expressions, the builder of scalar code, and
// access to the operands. Integers that depend on shapes or attributes go
// through Int, so that kernels do not depend on their values.
type Gather struct {
	*prim.IxTable
	B    *prim.B
	Node *Node
	Out  []prim.Ix

	// Int is a run-time integer.
	Int func(v int) prim.Ix
	// At is operand arg at the given coordinates, which lie inside its shape.
	At func(arg int, coords []prim.Ix) prim.V
	// Guarded is operand arg at the given coordinates, or fill outside its shape.
	Guarded func(arg int, coords []prim.Ix, fill prim.V) prim.V
	// Checked is operand arg at coordinates of which some are values read from
	// other operands: outside, ErrIndex is raised.
	Checked func(arg int, coords []prim.Ix) prim.V
	// Value is an index expression as an I64 value.
	Value func(ix prim.Ix) prim.V
}

// Mul is a * b. One of them is the same everywhere: a Const, an Int, or made of
// these.
func (g *Gather) Mul(a, b prim.Ix) prim.Ix {
	if op := g.IxTable.At(a).Op; op == prim.IxConst || op == prim.IxParam {
		a, b = b, a
	}
	return g.IxTable.Mul(a, b)
}

var invalid = Operator{Name: "invalid", Class: Invalid}
