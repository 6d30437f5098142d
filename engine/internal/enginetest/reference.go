package enginetest

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// A reference evaluates trees by the definition: each node in full, one element
// at a time. It evaluates each node once, so it is valid for one state of the
// memory.
type reference struct {
	known map[*tree.Node]*value
}

func evaluate(n *tree.Node) *value {
	r := reference{known: map[*tree.Node]*value{}}
	tree.Walk(n, func(n *tree.Node) { r.known[n] = r.node(n) })
	return r.known[n]
}

func (r *reference) node(n *tree.Node) *value {
	args := make([]*value, len(n.Args))
	open := n.Op.Class() == tree.State
	for i, a := range n.Args {
		args[i] = r.known[a]
		open = open || args[i] == nil && n.Op.Class() == tree.Elementwise
	}
	if open { // a part of a step, which has no value outside of its scan
		return nil
	}
	switch n.Op.Class() {
	case tree.Scan:
		return r.scan(n)
	case tree.Storage:
		return read(n)
	case tree.Constant:
		return &value{typ: n.DType(), bits: []uint64{n.Bits}}
	case tree.Parameter:
		return &value{typ: n.DType(), bits: []uint64{n.Param.Load()}}
	case tree.Elementwise:
		return elementwise(n, args)
	case tree.Reduction:
		return reduce(n, args[0])
	case tree.View:
		return view(n, args)
	case tree.Contraction:
		return product(n, args[0], args[1])
	case tree.Opaque:
		switch _, scatters := combining[n.Op.Name()]; {
		case scatters:
			return scatterValue(n, args)
		case n.Op.Name() == "searchsorted":
			return searchValue(n, args)
		case slices.Contains([]string{"sort", "argsort", "rank", "select", "partition", "argpartition"}, n.Op.Name()):
			return sortValue(n, args[0])
		}
		return opaque(n, args)
	}
	panic(fmt.Sprintf("enginetest: no reference for %v", n))
}

// broadcastIndex returns, for each element of shape to, the position of the
// element of an operand of shape from that broadcasts to it.
func broadcastIndex(from, to shape.Shape) []int {
	if from.Equal(to) {
		return lists.UpTo(to.Size())
	}
	return offsets(to, must(from.Strides().BroadcastTo(from, to)), 0)
}

// elementwise runs the scalar program of the operator. A fault of an operand is a
// fault of the result, except for the operand that a where does not select. (The
// engine may raise faults of elements that a reduction or a view evaluates and
// the result does not use.)
func elementwise(n *tree.Node, args []*value) *value {
	var types [4]dtype.Type
	var index [4][]int // nil for an operand of the shape of the result
	for i, a := range args {
		types[i] = a.typ.Register()
		if !a.shape.Equal(n.Shape()) {
			index[i] = broadcastIndex(a.shape, n.Shape())
		}
	}
	p := program(n.Op, types[:len(args)])
	out := newValue(n.DType(), n.Shape())
	x := make([]uint64, len(args))
	for _, a := range args {
		out.may |= a.may
		if len(out.bits) == 0 {
			out.reads(a)
		}
	}
	for i := range out.bits {
		var f fault
		for k, a := range args {
			at := i
			if index[k] != nil {
				at = index[k][i]
			}
			x[k] = a.bits[at]
			if n.Op.Cond() && k > 0 && (k == 1) != (x[0] != 0) {
				continue
			}
			f |= a.faultAt(at)
		}
		if p.fault != nil {
			if f != 0 { // the fault test then reads an undefined value
				out.may |= p.kind
			}
			if p.fault.Call(x...) != 0 {
				f |= p.kind
			}
		}
		out.bits[i] = p.value.Call(x...)
		if n.Op.Result() == tree.ResultTo {
			out.bits[i] = convert(n.Args[0].DType().Register(), n.To, out.bits[i])
		}
		out.addFault(i, f)
	}
	return out
}

// scalar is the compiled form of an operator for certain types.
type scalar struct {
	value, fault *prim.Program
	kind         fault
}

type scalarKey struct {
	op    *tree.Operator
	types [4]dtype.Type
}

var scalars = map[scalarKey]scalar{}

func program(o *tree.Operator, types []dtype.Type) scalar {
	k := scalarKey{op: o}
	copy(k.types[:], types)
	if s, ok := scalars[k]; ok {
		return s
	}
	p, err := prim.NewProgram(types, o.Lower())
	if err != nil {
		panic(fmt.Sprintf("enginetest: %s of %v: %v", o.Name(), types, err))
	}
	s := scalar{value: p}
	if o.Fault() != nil {
		if f, err := prim.NewProgram(types, o.Fault()); err == nil {
			s.fault, s.kind = f, divideFault
			if o.FaultKind() == tree.ErrIndex {
				s.kind = indexFault
			}
		}
	}
	scalars[k] = s
	return s
}

// convert casts from a register type to any element type, and rounds once.
func convert(from, to dtype.Type, bits uint64) uint64 {
	if to.IsHalf() {
		f := math.Float32frombits(uint32(toOdd(from, bits)))
		if to == dtype.F16 {
			f = dtype.F16Value(dtype.F16Bits(f))
		} else {
			f = dtype.BF16Value(dtype.BF16Bits(f))
		}
		return uint64(math.Float32bits(f))
	}
	if from == to {
		return bits
	}
	return prim.Eval(prim.Ins{Op: prim.Cvt, Type: to, Args: [3]prim.V{{Type: from}}}, [3]uint64{bits}, nil)
}

// toOdd returns a value as a float32 that rounds to the same half as the value.
// It truncates, and sets the last bit if bits were lost.
func toOdd(from dtype.Type, bits uint64) uint32 {
	if from == dtype.F32 {
		return uint32(bits)
	}
	f := prim.Eval(prim.Ins{Op: prim.Cvt, Type: dtype.F32, Args: [3]prim.V{{Type: from}}}, [3]uint64{bits}, nil)
	near := uint32(f)
	if math.IsInf(float64(math.Float32frombits(near)), 0) || isNaN(dtype.F32, f) {
		return near
	}
	switch sign := compare(from, bits, math.Float32frombits(near)); {
	case sign == 0 || near&1 == 1:
		return near
	case (sign < 0) == (near>>31 == 0): // the value is nearer to zero
		return near - 1
	default:
		return near + 1
	}
}

// compare returns the sign of an element minus a float32.
func compare(t dtype.Type, bits uint64, f float32) int {
	if t == dtype.F64 {
		return cmp.Compare(float(t, bits), float64(f))
	}
	// Integers: a float32 this large is an integer too.
	back := prim.Eval(prim.Ins{Op: prim.Cvt, Type: t, Args: [3]prim.V{{Type: dtype.F64}}}, [3]uint64{math.Float64bits(float64(f))}, nil)
	switch {
	case back == bits && (float64(f) < 0x1p63 || t == dtype.U64 && float64(f) < 0x1p64):
		return 0
	case less(t, bits, back), back == bits:
		return -1
	}
	return 1
}

// opaque runs a Go function on contiguous copies of its operands, on one thread. An
// index outside, and a fault of any operand, is a fault of all elements.
func opaque(n *tree.Node, args []*value) *value {
	out := newValue(n.DType(), n.Shape())
	c := tree.Call{Threads: 1}
	var mem []byte
	var f fault
	for _, a := range args {
		out.reads(a)
		s := a.shape
		if n.Op.Shape() == nil {
			s = n.Shape()
		}
		x, mem := room(a.typ, s)
		for i, at := range broadcastIndex(a.shape, s) {
			put(x.Type, mem, i, a.bits[at])
			f |= a.faultAt(at)
		}
		c.Args = append(c.Args, x)
	}
	if size, err := n.Workspace(); err == nil {
		_, c.Work = room(dtype.U8, shape.Shape{size})
	}
	c.Out, mem = room(n.DType(), n.Shape())
	if err := n.Op.Routine().New(n)(&c); errors.Is(err, tree.ErrIndex) {
		f |= indexFault
	} else if err != nil {
		panic(err)
	}
	for i := range out.bits {
		out.bits[i] = fetch(c.Out.Type, mem, i)
	}
	out.failsWhole(f)
	return out
}

// room returns a contiguous array of the register type of t, and its bytes.
func room(t dtype.Type, s shape.Shape) (tree.Strided, []byte) {
	t = t.Register()
	words := make([]uint64, s.Size()*t.Size()/8+1)
	p := unsafe.Pointer(unsafe.SliceData(words))
	return tree.Strided{Ptr: p, Type: t, Shape: s, Strides: s.Strides()}, unsafe.Slice((*byte)(p), s.Size()*t.Size())
}
