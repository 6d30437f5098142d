package engine

import (
	"hash/maphash"
	"slices"
	"sync"
	"unsafe"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/shape"
)

// A key is everything that the program for some statements depends on, as a
// list of words, and apart from it what such programs may differ in: the
// operands. One walk over the statements collects both, operands in the order
// in which they are met.
//
// In the words are operators, element types, shapes, attributes, the strides of
// arrays, which operands are the same, and how far apart arrays lie that share
// memory. The offsets of arrays, the values of parameters and the values of
// constants are not, but for constants that are operands of an operation on
// nothing else, which the plan computes, of views of users, whose index maps may
// look at them, and of operations that fail on some operands, such as a divisor of 0.
type key struct {
	words  []uint64
	idents []any // of nodes, in the order of the words
	hash   uint64

	nodes   []*expr.Node // in the order of the words
	known   []nodeInfo   // of nodes
	table   []int32      // 1 + number of a node, by hash; 0: free
	arrays  []arrayOperand
	scalars []scalarOperand
	failed  bool // there is no key
}

type nodeInfo struct {
	operand  int32 // number of the array or the scalar
	constant bool  // its value does not depend on arrays or parameters
	done     bool  // its operands have been added
}

// An arrayOperand is the part of a memory that an array covers.
type arrayOperand struct {
	node *expr.Node // the first one met
	data []byte     // from the lowest to the highest element
	low  int        // elements from the lowest one to the first
}

// A scalarOperand is a constant or a parameter.
type scalarOperand struct {
	typ   dtype.Type
	bits  uint64
	cell  *expr.Cell // of a parameter
	fixed bool       // its value is in the key
}

// The limits of statements that have a key: the walk recurses, and compares
// operands with each other.
const (
	maxKeyWords   = 1 << 13
	maxKeyArrays  = 64
	maxKeyScalars = 128
)

var keys = sync.Pool{New: func() any { return &key{table: make([]int32, 64)} }}

var keySeed = maphash.MakeSeed()

// free gives the key back, without what belongs to the caller.
func (k *key) free() {
	clear(k.idents)
	clear(k.nodes)
	clear(k.arrays)
	clear(k.scalars)
	clear(k.table)
	k.words, k.idents, k.nodes, k.known = k.words[:0], k.idents[:0], k.nodes[:0], k.known[:0]
	k.arrays, k.scalars = k.arrays[:0], k.scalars[:0]
	k.failed = false
	keys.Put(k)
}

// read makes the key of statements. It reports false where there is none: for
// statements with an error, on memory of a device, or beyond the limits.
func (k *key) read(stmts []expr.Statement) bool {
	k.words = append(k.words, uint64(len(stmts)))
	for _, s := range stmts {
		if s.Target == nil || s.Value == nil || s.Target.Err() != nil || s.Value.Err() != nil {
			return false
		}
		k.words = append(k.words, uint64(s.Saver))
		k.node(s.Target)
		k.node(s.Value)
		if s.Saver == expr.Over && !k.failed {
			k.fix([]*expr.Node{s.Value})
		}
		if k.failed {
			return false
		}
	}
	k.relations()
	for i, s := range k.scalars {
		if s.fixed {
			k.words = append(k.words, uint64(i), s.bits)
		}
	}
	k.hash = maphash.Bytes(keySeed, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(k.words))), 8*len(k.words)))
	return true
}

// node adds a tree and returns the number of its root.
func (k *key) node(n *expr.Node) int32 {
	if n == nil || n.Op == nil || n.Attributes == nil { // made by hand
		k.failed = true
		return -1
	}
	at, i := k.find(n)
	if i >= 0 {
		k.failed = k.failed || !k.known[i].done   // a tree that contains itself
		k.words = append(k.words, uint64(i)<<1|1) // no address is odd
		return i
	}
	i = int32(len(k.nodes))
	if k.failed || len(k.words)+len(n.Args) > maxKeyWords {
		k.failed = true
		return i
	}
	k.table[at] = i + 1
	k.nodes = append(k.nodes, n)
	k.known = append(k.known, nodeInfo{})
	k.grow()
	k.attributes(n)
	class := n.Op.Class
	if (class == expr.Storage) != (n.Leaf != nil) || (class == expr.Parameter) != (n.Param != nil) {
		k.failed = true
		return i
	}
	switch class {
	case expr.Storage:
		k.known[i].operand = k.array(n)
	case expr.Constant:
		k.known[i] = nodeInfo{operand: k.scalar(scalarOperand{typ: n.DType(), bits: n.Bits}), constant: true}
	case expr.Parameter:
		k.known[i].operand = k.scalar(scalarOperand{typ: n.DType(), cell: n.Param})
	default:
		constant := len(n.Args) > 0
		for _, a := range n.Args {
			j := k.node(a)
			if k.failed {
				return i
			}
			constant = constant && k.known[j].constant
		}
		k.known[i].constant = constant
		if constant || class == expr.View && !builtIn(n.Op) || n.Op.Fault != nil && n.DType().IsInt() {
			k.fix(n.Args)
		}
	}
	k.known[i].done = true
	return i
}

// attributes adds the words of one node.
func (k *key) attributes(n *expr.Node) {
	s := n.Shape()
	head := uint64(n.DType()) | uint64(n.To)<<8 | uint64(len(n.Args))<<32 | uint64(len(s))<<48
	if n.Ident != nil {
		head |= 1 << 25
		k.idents = append(k.idents, n.Ident)
	}
	more := len(n.Axes)+len(n.Ints) > 0 || n.Func != nil || n.Bits != 0 && n.Op.Class != expr.Constant
	if more {
		head |= 1 << 26
	}
	k.words = append(k.words, uint64(uintptr(unsafe.Pointer(n.Op))), head)
	k.ints(s)
	if more {
		k.words = append(k.words, uint64(uintptr(unsafe.Pointer(n.Func))), n.Bits, uint64(len(n.Axes)), uint64(len(n.Ints)))
		k.ints(n.Axes)
		k.ints(n.Ints)
	}
}

func (k *key) ints(list []int) {
	for _, x := range list {
		k.words = append(k.words, uint64(x))
	}
}

// array adds an array and returns its number.
func (k *key) array(n *expr.Node) int32 {
	l, s := n.Leaf, n.Shape()
	m, ok := l.Mem.(*Memory)
	if !ok || m.dev != nil || len(l.Strides) != len(s) {
		k.failed = true
		return 0
	}
	k.ints(l.Strides)
	a := arrayOperand{node: n}
	if lo, hi := shape.Range(s, l.Strides, l.Offset); lo <= hi {
		size := n.DType().Size()
		if lo < 0 || hi >= len(m.data)/size {
			k.failed = true
			return 0
		}
		a.data, a.low = m.data[lo*size:(hi+1)*size], l.Offset-lo
	}
	i := slices.IndexFunc(k.arrays, func(b arrayOperand) bool {
		return unsafe.SliceData(a.data) == unsafe.SliceData(b.data) && (n == b.node ||
			n.DType() == b.node.DType() && s.Equal(b.node.Shape()) && slices.Equal(l.Strides, b.node.Leaf.Strides))
	})
	if i < 0 {
		i = len(k.arrays)
		k.arrays = append(k.arrays, a)
		k.failed = k.failed || len(k.arrays) > maxKeyArrays
	}
	k.words = append(k.words, uint64(i))
	return int32(i)
}

// scalar adds a scalar and returns its number. Equal constants are one.
func (k *key) scalar(s scalarOperand) int32 {
	i := slices.Index(k.scalars, s)
	if i < 0 {
		i = len(k.scalars)
		k.scalars = append(k.scalars, s)
		k.failed = k.failed || len(k.scalars) > maxKeyScalars
	}
	k.words = append(k.words, uint64(i))
	return int32(i)
}

// fix puts the values of constants among the operands of a node into the key.
func (k *key) fix(args []*expr.Node) {
	for _, a := range args {
		if a.Op.Class == expr.Constant {
			_, i := k.find(a)
			k.scalars[k.known[i].operand].fixed = true
		}
	}
}

func builtIn(o *expr.Operator) bool {
	known, ok := op.Lookup(o.Name)
	return ok && known == o
}

// relations adds how far apart the arrays lie that share memory.
func (k *key) relations() {
	for i := range k.arrays {
		a := k.arrays[i].data
		lo := uintptr(unsafe.Pointer(unsafe.SliceData(a)))
		for j := range k.arrays[:i] {
			b := k.arrays[j].data
			at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
			if lo < at+uintptr(len(b)) && at < lo+uintptr(len(a)) {
				k.words = append(k.words, uint64(i)<<32|uint64(j), uint64(at-lo))
			}
		}
	}
	k.words = append(k.words, ^uint64(0))
}

// find looks a node up: its number, or -1 and where in the table it belongs.
func (k *key) find(n *expr.Node) (at int, i int32) {
	mask := len(k.table) - 1
	h := int(uint64(uintptr(unsafe.Pointer(n))) * 0x9e3779b97f4a7c15 >> 33)
	for at = h & mask; k.table[at] != 0; at = (at + 1) & mask {
		if i := k.table[at] - 1; k.nodes[i] == n {
			return at, i
		}
	}
	return at, -1
}

// grow keeps half of the table free.
func (k *key) grow() {
	if 2*len(k.nodes) <= len(k.table) {
		return
	}
	k.table = make([]int32, 2*len(k.table))
	for i, n := range k.nodes {
		at, _ := k.find(n)
		k.table[at] = int32(i) + 1
	}
}
