package tree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/shape"
)

// A Kind classifies trees as mshadow does. The kind of a tree is the union of
// the bits of its nodes.
type Kind uint8

// The kinds.
const (
	RValue  Kind = 0 // storage: can be assigned to
	Map     Kind = 1 // element by element
	Chainer Kind = 3 // changes which element is read; fuses with its neighbours
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

// A Class tells which fields of an Operator count and how the plan treats it.
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
	Opaque            // Routine, a Go function on the host
	State             // Shape: what a scan carries, before each step; see [Node.Scan]
	Scan              // Shape: the outputs of the steps of a scan, or a state after the last one
)

// Types is a set of element types.
type Types uint32

// TypesOf returns a set of element types.
func TypesOf(ts ...dtype.Type) (s Types) {
	for _, t := range ts {
		s |= 1 << t
	}
	return s
}

// Has reports whether t is in the set.
func (s Types) Has(t dtype.Type) bool { return s>>t&1 == 1 }

// List returns the members.
func (s Types) List() (ts []dtype.Type) { return lists.Where(dtype.All(), s.Has) }

// A Result tells which element type an operator yields.
type Result uint8

// The rules of element types.
const (
	ResultSame    Result = iota // the type of the last operand
	ResultFirst                 // the type of the first operand
	ResultBool                  // bool
	ResultInt64                 // int64
	ResultTo                    // Attributes.To
	ResultPart                  // the type of the last operand, or of its parts if it is complex
	ResultComplex               // the complex type whose parts have the type of the operands
)

// A Row states all facts about an operation. NewOperator makes an Operator of it.
type Row struct {
	Name     string // as in formulas: "log1p"
	GoName   string // of the constructor: "Log1p"; derived from Name if empty
	Symbol   string // "+", for printing
	Doc      string // one sentence
	Class    Class
	Arity    int    // -1: any number, at least one
	Operands string // names of the constructor's parameters: "x lo hi"; x, y, z if empty
	Types    Types  // of the operands (of the last two, where the first is a condition)
	Cond     bool   // the first operand is a bool: where
	Result   Result
	ULP      float64 // bound of the error in units in the last place; 0.5 is correctly rounded, 0 exact

	// Lower is the lowering of an Elementwise operator.
	Lower func(b *prim.B, x ...prim.V) prim.V
	// Parts returns a node with complex operands, or with a complex value, as trees
	// of the parts of the operands. Only an operator with it takes complex operands,
	// and no kernel holds a complex value. See [Parts].
	Parts func(n *Node, x []Parts) Parts
	// Fault, if not nil, returns the condition on the operands under which the
	// operator raises FaultKind. If this is ErrIndex, the first operand is an index, and
	// the second of two operands is the size that the index must be below.
	Fault     func(b *prim.B, x ...prim.V) prim.V
	FaultKind error

	// Shape returns the result shape of a View, a Contraction, a State, a Scan or
	// an Opaque operator. An Opaque operator without it is element-wise.
	Shape func(n *Node) (shape.Shape, error)
	// Gather returns the value of a View at the coordinates g.Out.
	Gather func(g *Gather) prim.V
	// Fails says that a View may read outside of an operand. The error states where the
	// node was made.
	Fails bool
	// Ints names the integer parameters of a View's constructor, which become
	// Node.Ints; "dims..." takes any number. A constructor of another form is
	// written by hand, and Ints is empty.
	Ints string
	// Examples are uses of a View. Tests check the back ends and the derivative
	// with them.
	Examples []Example

	// Routine computes the value of an Opaque operator.
	Routine *Routine

	// Reduce is the row of a Reduction: how it combines elements.
	Reduce *prim.Reduction
	// Pair is the element-wise operator that combines two values of a Reduction;
	// nil for positions.
	Pair *Operator
	// Finish, if not nil, is an element-wise operator of one operand. It is
	// applied to the result of a Reduction.
	Finish *Operator

	// Bools, if not nil, is a Reduction of uint8 by a program, over 0 and 1. It
	// reduces bools for this Reduction, which reduces other types.
	Bools *Operator

	// Err is the reason why the operator cannot be used, or nil.
	Err error

	// Same says that the value is the first operand. Such an operator only
	// affects derivatives, for which its other operands are.
	Same bool
	// Grad is the derivative of an operator of floats, or nil if it has none.
	Grad Rule
}

// An Example is a use of a View: shapes of operands, and attributes.
type Example struct {
	Operands   [][]int
	Axes, Ints []int
}

// Apply returns the view o of operands with the shapes of the example.
func (e Example) Apply(o *Operator, args ...*Node) *Node {
	return ApplyWith(o, Attributes{Axes: e.Axes, Ints: e.Ints}, args...)
}

// An Operator is an operation: a built-in one, or a user's. Its address is its
// identity. It does not change. Package op makes operators, also for users
// (op.Define).
type Operator struct {
	row      Row
	complete bool // known to lack nothing; see lacks
}

// NewOperator returns the operator that row states.
func NewOperator(row Row) *Operator {
	if row.Routine != nil {
		r := *row.Routine
		row.Routine = &r
	}
	row.Examples = cloned(row.Examples)
	o := &Operator{row: row}
	o.complete = row.Class == Elementwise && o.lacks() == ""
	return o
}

// cloned returns a copy that shares no memory with list.
func cloned(list []Example) []Example {
	list = slices.Clone(list)
	for i, e := range list {
		operands := slices.Clone(e.Operands)
		for k, dims := range operands {
			operands[k] = slices.Clone(dims)
		}
		list[i] = Example{operands, slices.Clone(e.Axes), slices.Clone(e.Ints)}
	}
	return list
}

// Name returns the name in formulas: "log1p".
func (o *Operator) Name() string { return zero.IfNil(o).row.Name }

// Symbol returns the symbol for printing, or "".
func (o *Operator) Symbol() string { return zero.IfNil(o).row.Symbol }

// Doc returns a sentence that describes the operator.
func (o *Operator) Doc() string { return zero.IfNil(o).row.Doc }

// Class returns the class, which tells which other facts count.
func (o *Operator) Class() Class { return zero.IfNil(o).row.Class }

// Arity returns the number of operands, or -1 for any number from 1 on.
func (o *Operator) Arity() int { return zero.IfNil(o).row.Arity }

// Operands returns the names of the operands of the constructor, or "" for x, y, z.
func (o *Operator) Operands() string { return zero.IfNil(o).row.Operands }

// Types returns the element types of the operands, or of the last two where the first is a condition.
func (o *Operator) Types() Types { return zero.IfNil(o).row.Types }

// Result returns the rule for the element type of the result.
func (o *Operator) Result() Result { return zero.IfNil(o).row.Result }

// ULP returns the bound of the error in units in the last place; 0.5 is correctly rounded, 0 exact.
func (o *Operator) ULP() float64 { return zero.IfNil(o).row.ULP }

// Bound returns the bound of the error of an element-wise operator as a text: "exact",
// "correctly rounded", "at most 1.5 ULP", or "" where none is stated.
func (o *Operator) Bound() string {
	switch ulp := zero.IfNil(o).row.ULP; {
	case o.Class() != Elementwise || ulp < 0:
		return ""
	case ulp == 0:
		return "exact"
	case ulp == .5:
		return "correctly rounded"
	default:
		return fmt.Sprintf("at most %g ULP", ulp)
	}
}

// Lower returns the lowering of an Elementwise operator.
func (o *Operator) Lower() func(b *prim.B, x ...prim.V) prim.V { return zero.IfNil(o).row.Lower }

// Fault returns the condition on the operands under which the operator raises FaultKind, or nil.
func (o *Operator) Fault() func(b *prim.B, x ...prim.V) prim.V { return zero.IfNil(o).row.Fault }

// FaultKind returns the error that Fault raises.
func (o *Operator) FaultKind() error { return zero.IfNil(o).row.FaultKind }

// Shape returns the function that gives the result shape, or nil; see [Row].
func (o *Operator) Shape() func(n *Node) (shape.Shape, error) { return zero.IfNil(o).row.Shape }

// Gather returns the function that gives the value of a View at the coordinates g.Out.
func (o *Operator) Gather() func(g *Gather) prim.V { return zero.IfNil(o).row.Gather }

// Ints returns the names of the integer parameters of a View's constructor; see [Row].
func (o *Operator) Ints() string { return zero.IfNil(o).row.Ints }

// Reduce returns how a Reduction combines elements.
func (o *Operator) Reduce() *prim.Reduction { return zero.IfNil(o).row.Reduce }

// Pair returns the element-wise operator that combines two values of a Reduction, or nil for positions.
func (o *Operator) Pair() *Operator { return zero.IfNil(o).row.Pair }

// Finish returns the element-wise operator that is applied to the result of a Reduction, or nil.
func (o *Operator) Finish() *Operator { return zero.IfNil(o).row.Finish }

// Bools returns the Reduction of uint8 that reduces bools for this one, or nil.
func (o *Operator) Bools() *Operator { return zero.IfNil(o).row.Bools }

// Err returns the reason why the operator cannot be used, or nil.
func (o *Operator) Err() error { return zero.IfNil(o).row.Err }

// Parts returns the function that splits a complex value, or nil; see [Row].
func (o *Operator) Parts() func(n *Node, x []Parts) Parts { return zero.IfNil(o).row.Parts }

// Grad returns the derivative of an operator of floats, or nil.
func (o *Operator) Grad() Rule { return zero.IfNil(o).row.Grad }

// Same reports whether the value equals the first operand; see [Row].
func (o *Operator) Same() bool { return zero.IfNil(o).row.Same }

// Cond reports whether the first operand is a bool.
func (o *Operator) Cond() bool { return zero.IfNil(o).row.Cond }

// Examples returns uses of a View.
func (o *Operator) Examples() []Example { return cloned(zero.IfNil(o).row.Examples) }

// Routine returns how an Opaque operator computes its value. It is zero for
// other operators.
func (o *Operator) Routine() Routine {
	if zero.IfNil(o).row.Routine == nil {
		return Routine{}
	}
	return *zero.IfNil(o).row.Routine
}

// Row returns what the operator was made of.
func (o *Operator) Row() Row {
	o = zero.IfNil(o)
	r := o.row
	r.Routine, r.Examples = nil, o.Examples()
	if zero.IfNil(o).row.Routine != nil {
		c := o.Routine()
		r.Routine = &c
	}
	return r
}

// Kind returns the kind of the operator without its operands.
func (o *Operator) Kind() Kind {
	switch o.Class() {
	case Storage:
		return RValue
	case View:
		return Chainer
	case Reduction, Contraction, Opaque, Scan:
		return Complex
	}
	return Map
}

// Takes reports whether operands of the operator may have elements of type t.
func (o *Operator) Takes(t dtype.Type) bool {
	if t.IsComplex() {
		return zero.IfNil(o).row.Parts != nil
	}
	r := &zero.IfNil(o).row
	return r.Types == 0 || r.Types.Has(t) || r.Class == View
}

// Constructor returns the name of the operator's constructor in package op:
// GoName, or Name in camel case.
func (o *Operator) Constructor() string {
	if zero.IfNil(o).row.GoName != "" {
		return zero.IfNil(o).row.GoName
	}
	var b strings.Builder
	for _, part := range strings.Split(o.Name(), "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// A Gather holds what the index map of a Chainer needs: the coordinates of the
// result, the table of index expressions, the builder of scalar code, and
// access to the operands. Integers that depend on shapes or attributes go
// through Int, so that kernels do not depend on their values.
type Gather struct {
	*prim.IxTable
	B    *prim.B
	Node *Node
	Out  []prim.Ix

	// Int returns the index expression of a run-time integer.
	Int func(v int) prim.Ix
	// At returns operand arg at coordinates that lie inside its shape.
	At func(arg int, coords []prim.Ix) prim.V
	// Guarded returns operand arg at the given coordinates, or fill outside its
	// shape.
	Guarded func(arg int, coords []prim.Ix, fill prim.V) prim.V
	// Checked returns operand arg at coordinates of which some are values of
	// other operands. Coordinates outside raise ErrIndex.
	Checked func(arg int, coords []prim.Ix) prim.V
	// Value returns an index expression as an I64 value.
	Value func(ix prim.Ix) prim.V
}

// Mul returns a * b. One of the two must be invariant: a Const, an Int, or made
// of these.
func (g *Gather) Mul(a, b prim.Ix) prim.Ix {
	if op := g.IxTable.At(a).Op; op == prim.IxConst || op == prim.IxParam {
		a, b = b, a
	}
	return g.IxTable.Mul(a, b)
}

var invalid = NewOperator(Row{Name: "invalid", Class: Invalid})
