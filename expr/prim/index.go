package prim

import (
	"slices"

	"github.com/oneloop/oneloop/internal/zero"
)

// An Ix is an integer index expression over loop axes, run-time integers and
// values. The coordinates of views are such expressions. An Ix is a handle into
// an [IxTable].
type Ix int32

// An IxOp is the kind of an index expression.
type IxOp uint8

// The index expressions. Division and modulo are floored; their right side is
// a positive constant or parameter.
const (
	IxConst IxOp = iota // K
	IxParam             // run-time integer number K
	IxAxis              // the position on axis number K
	IxValue             // the I64 value number K
	IxAdd               // A + B
	IxMul               // A * B, B invariant
	IxDiv               // floor(A / B)
	IxMod               // A - B*floor(A/B)
)

// An IxNode is one node of an index expression.
type IxNode struct {
	Op   IxOp
	A, B Ix
	K    int64
}

// An IxTable holds index expressions. Equal expressions are stored once. The
// zero value is an empty table.
type IxTable struct {
	Nodes []IxNode
	cons  map[IxNode]Ix
}

func (t *IxTable) put(n IxNode) Ix {
	const few = 8 // nodes that are found by looking at all
	if i := slices.Index(t.Nodes[:min(len(t.Nodes), few)], n); i >= 0 {
		return Ix(i)
	}
	if ix, ok := t.cons[n]; ok {
		return ix
	}
	ix := Ix(len(t.Nodes))
	if t.Nodes = append(t.Nodes, n); ix >= few {
		zero.Put(&t.cons, n, ix)
	}
	return ix
}

// At returns the node of ix.
func (t *IxTable) At(ix Ix) IxNode { return t.Nodes[ix] }

// Const returns the constant k.
func (t *IxTable) Const(k int64) Ix { return t.put(IxNode{Op: IxConst, K: k}) }

// Param returns the run-time integer number k.
func (t *IxTable) Param(k int) Ix { return t.put(IxNode{Op: IxParam, K: int64(k)}) }

// Axis returns the position on axis number k.
func (t *IxTable) Axis(k int) Ix { return t.put(IxNode{Op: IxAxis, K: int64(k)}) }

// Value returns the I64 value v of the program.
func (t *IxTable) Value(v V) Ix { return t.put(IxNode{Op: IxValue, K: int64(v.ID)}) }

func (t *IxTable) isConst(ix Ix, k int64) bool {
	n := t.Nodes[ix]
	return n.Op == IxConst && n.K == k
}

func (t *IxTable) consts(a, b Ix) (x, y int64, ok bool) {
	p, q := t.Nodes[a], t.Nodes[b]
	return p.K, q.K, p.Op == IxConst && q.Op == IxConst
}

// Add returns a + b.
func (t *IxTable) Add(a, b Ix) Ix {
	if x, y, ok := t.consts(a, b); ok {
		return t.Const(x + y)
	}
	if t.isConst(a, 0) {
		return b
	}
	if t.isConst(b, 0) {
		return a
	}
	return t.put(IxNode{Op: IxAdd, A: a, B: b})
}

// Mul returns a * b. b must be invariant: without axes and values.
func (t *IxTable) Mul(a, b Ix) Ix {
	if x, y, ok := t.consts(a, b); ok {
		return t.Const(x * y)
	}
	if t.isConst(a, 0) || t.isConst(b, 1) {
		return a
	}
	if t.isConst(b, 0) || t.isConst(a, 1) {
		return b
	}
	return t.put(IxNode{Op: IxMul, A: a, B: b})
}

// Div returns floor(a / b) for a positive b.
func (t *IxTable) Div(a, b Ix) Ix {
	if t.isConst(b, 1) || t.isConst(a, 0) {
		return a
	}
	return t.put(IxNode{Op: IxDiv, A: a, B: b})
}

// Mod returns a modulo b, from 0 to b-1, for a positive b.
func (t *IxTable) Mod(a, b Ix) Ix {
	if t.isConst(b, 1) || t.isConst(a, 0) {
		return t.Const(0)
	}
	return t.put(IxNode{Op: IxMod, A: a, B: b})
}
