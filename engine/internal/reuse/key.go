package reuse

import (
	"hash/maphash"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A Key holds, as a list of words, everything that the program for some
// statements depends on. It also holds the operands, in which statements with the
// same words may differ. One walk over the statements collects both, the operands
// in the order in which the walk meets them.
//
// The words contain operators, element types, shapes, attributes, the strides of
// arrays, which operands are the same, and the distances between arrays that
// share memory. They contain neither the offsets of arrays nor the values of
// parameters. They contain the value of a constant only if it is an operand of
//   - an operation on constants alone, which the plan computes,
//   - a view that a user has defined, whose index map may read the constant,
//   - an operation that fails for some operands, such as a division by 0.
type Key struct {
	host func(tree.Memory) ([]byte, bool)
	seed maphash.Seed

	words  []uint64
	idents []any // Node.Ident of the nodes that have one, in the order of the words
	hash   uint64

	nodes   []keyNode // in the order of the words
	table   []int32   // hash table of 1 + the number of a node; 0: free
	arrays  []arrayOperand
	scalars []scalarOperand
	failed  bool // the statements have no key
}

// A keyNode is a node with what the walk has found out about it.
type keyNode struct {
	node     *tree.Node
	operand  int32 // number of the array or the scalar
	constant bool  // its value does not depend on arrays or parameters
	done     bool  // its operands have been added
}

// An arrayOperand is an array with the part of the memory that it covers.
type arrayOperand struct {
	node *tree.Node // the first leaf with this array
	data []byte     // from the lowest to the highest element
	low  int        // distance from the lowest element to element (0, 0, ...), in elements
}

// A scalarOperand is a constant or a parameter.
type scalarOperand struct {
	typ   dtype.Type
	bits  uint64
	cell  *tree.Scalar // of a parameter
	fixed bool         // its value is in the key
}

// The limits of statements that have a key. The walk recurses to the depth of the
// trees, and compares each operand with all earlier ones.
const (
	maxKeyWords   = 1 << 13
	maxKeyArrays  = 64
	maxKeyScalars = 128
)

// reset removes the statements from k, and with them all pointers to memory of the
// caller.
func (k *Key) reset() {
	clear(k.idents)
	clear(k.nodes)
	clear(k.arrays)
	clear(k.scalars)
	clear(k.table)
	k.words, k.idents, k.nodes = k.words[:0], k.idents[:0], k.nodes[:0]
	k.arrays, k.scalars = k.arrays[:0], k.scalars[:0]
	k.failed = false
}

// read fills k with the key of stmts. It reports false if the statements have no
// key: they have an error, use memory that is not the host's, or are beyond the limits.
func (k *Key) read(stmts []expr.Statement) bool {
	k.words = append(k.words, uint64(len(stmts)))
	for _, s := range stmts {
		if s.Target == nil || s.Value == nil || s.Target.Err() != nil || s.Value.Err() != nil {
			return false
		}
		k.words = append(k.words, uint64(s.Saver))
		k.node(s.Target)
		k.node(s.Value)
		if s.Saver == expr.Over && !k.failed {
			k.fix([]*tree.Node{s.Value})
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
	k.hash = maphash.Bytes(k.seed, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(k.words))), 8*len(k.words)))
	return true
}

// node adds the tree n and returns the number of its root. It sets k.failed if
// the tree has no key.
func (k *Key) node(n *tree.Node) int32 {
	if n == nil || n.Op == nil || n.Attributes == nil { // not made by a function of package tree
		k.failed = true
		return -1
	}
	at, i := k.find(n)
	if i >= 0 {
		k.failed = k.failed || !k.nodes[i].done   // a tree that contains itself
		k.words = append(k.words, uint64(i)<<1|1) // odd, unlike the address that begins a new node
		return i
	}
	i = int32(len(k.nodes))
	if k.failed || len(k.words)+len(n.Args) > maxKeyWords {
		k.failed = true
		return i
	}
	k.table[at] = i + 1
	k.nodes = append(k.nodes, keyNode{node: n})
	if 2*len(k.nodes) > len(k.table) {
		k.grow()
	}
	k.attributes(n)
	class := n.Op.Class()
	if (class == tree.Storage) != (n.Leaf != nil) || (class == tree.Parameter) != (n.Param != nil) {
		k.failed = true
		return i
	}
	switch class {
	case tree.Storage:
		k.nodes[i].operand = k.array(n)
	case tree.Constant:
		k.nodes[i].operand, k.nodes[i].constant = k.scalar(scalarOperand{typ: n.DType(), bits: n.Bits}), true
	case tree.Parameter:
		k.nodes[i].operand = k.scalar(scalarOperand{typ: n.DType(), cell: n.Param})
	default:
		constant := len(n.Args) > 0
		for _, a := range n.Args {
			j := k.node(a)
			if k.failed {
				return i
			}
			constant = constant && k.nodes[j].constant
		}
		k.nodes[i].constant = constant
		if constant || class == tree.View && !builtIn(n.Op) || n.Op.Fault() != nil && n.DType().IsInt() {
			k.fix(n.Args)
		}
	}
	k.nodes[i].done = true
	return i
}

// attributes adds the words of one node: operator, types, shape and attributes.
func (k *Key) attributes(n *tree.Node) {
	s := n.Shape()
	head := uint64(n.DType()) | uint64(n.To)<<8 | uint64(len(n.Args))<<32 | uint64(len(s))<<48
	if n.Ident != nil {
		head |= 1 << 25
		k.idents = append(k.idents, n.Ident)
	}
	more := len(n.Axes)+len(n.Ints) > 0 || n.Bits != 0 && n.Op.Class() != tree.Constant
	if more {
		head |= 1 << 26
	}
	w := append(k.words, uint64(uintptr(unsafe.Pointer(n.Op))), head)
	w = appendInts(w, s)
	if more {
		w = append(w, n.Bits, uint64(len(n.Axes)), uint64(len(n.Ints)))
		w = appendInts(appendInts(w, n.Axes), n.Ints)
	}
	k.words = w
}

func appendInts(w []uint64, list []int) []uint64 {
	for _, x := range list {
		w = append(w, uint64(x))
	}
	return w
}

// array adds the array of a leaf and returns its number. Leaves with the same
// bytes, type, shape and strides are one array.
func (k *Key) array(n *tree.Node) int32 {
	l, s := n.Leaf, n.Shape()
	data, ok := k.host(l.Mem)
	if !ok || len(l.Strides) != len(s) {
		k.failed = true
		return 0
	}
	k.words = appendInts(k.words, l.Strides)
	a := arrayOperand{node: n}
	if lo, hi := shape.Bounds(s, l.Strides, l.Offset); lo <= hi {
		size := n.DType().Size()
		if lo < 0 || hi >= len(data)/size {
			k.failed = true
			return 0
		}
		a.data, a.low = data[lo*size:(hi+1)*size], l.Offset-lo
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

// scalar adds a scalar and returns its number. Equal constants have one number.
func (k *Key) scalar(s scalarOperand) int32 {
	i := slices.Index(k.scalars, s)
	if i < 0 {
		i = len(k.scalars)
		k.scalars = append(k.scalars, s)
		k.failed = k.failed || len(k.scalars) > maxKeyScalars
	}
	k.words = append(k.words, uint64(i))
	return int32(i)
}

// fix marks the constants among args, so that read adds their values to the key.
func (k *Key) fix(args []*tree.Node) {
	for _, a := range args {
		if a.Op.Class() == tree.Constant {
			_, i := k.find(a)
			k.scalars[k.nodes[i].operand].fixed = true
		}
	}
}

func builtIn(o *tree.Operator) bool {
	known, ok := untyped.Lookup(o.Name())
	return ok && known == o
}

// relations adds the distance, in bytes, of each pair of arrays that overlap in
// memory.
func (k *Key) relations() {
	for i := range k.arrays {
		a := k.arrays[i].data
		lo := uintptr(unsafe.Pointer(unsafe.SliceData(a)))
		for j := range k.arrays[:i] {
			b := k.arrays[j].data
			if at := uintptr(unsafe.Pointer(unsafe.SliceData(b))); lo < at+uintptr(len(b)) && at < lo+uintptr(len(a)) {
				k.words = append(k.words, uint64(i)<<32|uint64(j), uint64(at-lo))
			}
		}
	}
	k.words = append(k.words, ^uint64(0))
}

// find returns the number i of a node and its index at in the table. If the node
// is new, i is -1 and at is the free index for it.
func (k *Key) find(n *tree.Node) (at int, i int32) {
	mask := len(k.table) - 1
	h := int(uint64(uintptr(unsafe.Pointer(n))) * 0x9e3779b97f4a7c15 >> 33)
	for at = h & mask; k.table[at] != 0; at = (at + 1) & mask {
		if i := k.table[at] - 1; k.nodes[i].node == n {
			return at, i
		}
	}
	return at, -1
}

// grow doubles the table. At least half of it stays free.
func (k *Key) grow() {
	k.table = make([]int32, 2*len(k.table))
	for i := range k.nodes {
		at, _ := k.find(k.nodes[i].node)
		k.table[at] = int32(i) + 1
	}
}
