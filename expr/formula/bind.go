package formula

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/round"
	"github.com/oneloop/oneloop/shape"
)

type boundKind uint8

const (
	unboundName boundKind = iota
	boundArray
	boundScalar // a Go scalar, which goes into a cell of the entry
	boundParam  // a parameter with a cell of its own
)

// A bound is what a name is bound to in one run.
type bound struct {
	signature
	bits [2]uint64 // of a scalar, or of the parts of a complex one
	base unsafe.Pointer
	size int    // bytes from base
	dim  [1]int // the shape of a slice
	one  [1]int // and its strides
}

// A signature is what of a bound variable the compiled program depends on.
type signature struct {
	kind    boundKind
	t       dtype.Type
	cells   [2]*tree.Scalar // of a parameter, or of the parts of a complex one
	shape   shape.Shape
	strides shape.Strides
	group   int // variables that share memory are of one group
	span    int // bytes of the group
	offset  int // of the first element in the group, in bytes
}

func (s *signature) equal(o *signature) bool {
	return s.kind == o.kind && s.t == o.t && s.cells == o.cells && s.group == o.group && s.span == o.span && s.offset == o.offset &&
		slices.Equal(s.shape, o.shape) && slices.Equal(s.strides, o.strides)
}

// A group is a range of memory that variables use.
type group struct {
	base unsafe.Pointer
	size int
}

func (g *group) bytes() []byte {
	if g.size == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(g.base), g.size)
}

// A binding is the variables of one run, in the order of Source.all.
type binding struct {
	vars   []bound
	groups []group
}

func (b *binding) matches(sig []signature) bool {
	for i := range b.vars {
		if !b.vars[i].equal(&sig[i]) {
			return false
		}
	}
	return true
}

// signature is a copy that outlives the binding.
func (b *binding) signature() []signature {
	out := make([]signature, len(b.vars))
	for i := range b.vars {
		out[i] = b.vars[i].signature
		out[i].shape = slices.Clone(out[i].shape)
		out[i].strides = slices.Clone(out[i].strides)
	}
	return out
}

// group finds which variables share memory. Ranges that overlap become one
// group, which spans them all: they are parts of one Go allocation.
func (b *binding) group() {
	for i := range b.vars {
		if v := &b.vars[i]; v.kind == boundArray {
			v.group = b.merge(v.base, v.size)
		}
	}
	for i := range b.vars { // the groups have grown meanwhile, and joined
		if v := &b.vars[i]; v.kind == boundArray {
			v.group = b.groupAt(v)
			g := &b.groups[v.group]
			v.span = g.size
			if v.size > 0 {
				v.offset += int(uintptr(v.base) - uintptr(g.base))
			}
		}
	}
}

// merge adds a range to the groups and returns the group that has it.
func (b *binding) merge(base unsafe.Pointer, size int) int {
	if size > 0 {
		for i := 0; i < len(b.groups); i++ {
			g := &b.groups[i]
			lo, hi := uintptr(base), uintptr(base)+uintptr(size)
			glo, ghi := uintptr(g.base), uintptr(g.base)+uintptr(g.size)
			if g.size == 0 || lo >= ghi || glo >= hi {
				continue
			}
			if glo < lo {
				base = g.base
			}
			size = int(max(hi, ghi) - min(lo, glo))
			b.groups = slices.Delete(b.groups, i, i+1)
			i = -1 // the union may overlap others
		}
	}
	b.groups = append(b.groups, group{base, size})
	return len(b.groups) - 1
}

// groupAt is the group that a variable lies in.
func (b *binding) groupAt(v *bound) int {
	for i := range b.groups {
		g := &b.groups[i]
		if v.size == 0 && g.size == 0 || v.size > 0 && uintptr(v.base) >= uintptr(g.base) && uintptr(v.base) < uintptr(g.base)+uintptr(g.size) {
			return i
		}
	}
	return 0
}

func (v *bound) scalar(t dtype.Type, bits ...uint64) {
	v.kind, v.t = boundScalar, t
	copy(v.bits[:], bits)
}

func (v *bound) slice(t dtype.Type, data unsafe.Pointer, n int) {
	v.kind, v.t = boundArray, t
	v.base, v.size = data, n*t.Size()
	v.dim[0], v.one[0] = n, 1
	v.shape, v.strides = v.dim[:], v.one[:]
}

// node binds an array or a parameter by its leaf.
func (v *bound) node(name string, n *tree.Node) error {
	if n.Absent() {
		return tree.NewError(tree.ErrType, "", "formula: %s is the zero value of its type", name)
	}
	if err := n.Err(); err != nil {
		return fmt.Errorf("oneloop: formula: %s: %w", name, err)
	}
	if p, ok := tree.PartsOf(n); ok && p.Re.Op.Class() == tree.Parameter && p.Im.Op.Class() == tree.Parameter {
		v.kind, v.t, v.cells = boundParam, n.DType(), [2]*tree.Scalar{p.Re.Param, p.Im.Param}
		return nil
	}
	switch n.Op.Class() {
	case tree.Parameter:
		v.kind, v.t, v.cells[0] = boundParam, n.DType(), n.Param
		return nil
	case tree.Storage:
		m, ok := n.Leaf.Mem.(*engine.Memory)
		if !ok || m.Device() != "cpu" {
			return tree.NewError(tree.ErrDevice, "", "formula: %s is on device %s; formulas run on the CPU", name, n.Leaf.Mem.Device())
		}
		v.kind, v.t = boundArray, n.DType()
		v.shape, v.strides = n.Shape(), n.Leaf.Strides
		v.base, v.size = unsafe.Pointer(unsafe.SliceData(m.Bytes())), m.Size()
		v.offset = n.Leaf.Offset * v.t.Size()
		return nil
	}
	return tree.NewError(tree.ErrType, "", "formula: %s is an expression; bind arrays, parameters and scalars", name)
}

// float binds a Go float, in the type that the formula holds scalars in.
func (f *Formula) floatScalar(v *bound, x float64) { v.scalar(f.float, floatBits(f.float, x)) }

// complexScalar binds a Go complex number, whose parts have that type, or float32 for
// halves.
func (f *Formula) complexScalar(v *bound, x complex128) {
	part := f.float
	if part.IsHalf() {
		part = dtype.F32
	}
	v.scalar(part.Complex(), floatBits(part, real(x)), floatBits(part, imag(x)))
}

// paramNode returns the parameter with the given cells.
func paramNode(t dtype.Type, cells [2]*tree.Scalar) *tree.Node {
	if t.IsComplex() {
		return tree.ComplexOf(tree.NewParamNode(t.Part(), cells[0]), tree.NewParamNode(t.Part(), cells[1]))
	}
	return tree.NewParamNode(t, cells[0])
}

func floatBits(t dtype.Type, x float64) uint64 {
	switch t {
	case dtype.F64:
		return tree.Bits(x)
	case dtype.F16:
		return tree.Bits(dtype.F16From(round.ToOdd(x)))
	case dtype.BF16:
		return tree.Bits(dtype.BF16From(round.ToOdd(x)))
	}
	return tree.Bits(float32(x))
}

// A limit bounds the bytes of each array that a formula creates. A text such as
// zeros(10**12) is an error, not a crash.
type limit int

// limitFor returns 1 GiB, and more where the variables are large themselves.
func limitFor(env map[string]*tree.Node) limit {
	const least, times = 1 << 30, 16
	most := 0
	for _, n := range env {
		most = max(most, n.Shape().Size()*n.DType().Size())
	}
	if most > math.MaxInt/times {
		return math.MaxInt
	}
	return limit(max(least, times*most))
}

// newArray allocates an array for the value of a tree.
func (l limit) newArray(n *tree.Node) (*engine.Array, error) {
	if n.Absent() {
		return nil, tree.NewError(tree.ErrType, "", "the tree is nil")
	}
	if n.Err() != nil {
		return nil, n.Err()
	}
	if size := n.DType().Size(); n.Shape().Size() > int(l)/size {
		return nil, tree.NewError(tree.ErrOutOfMemory, "", "an array of type %v and shape %v is larger than %d bytes, 16 times the largest variable or 1 GiB", n.DType(), n.Shape(), int(l))
	}
	return engine.NewArray(n.DType(), n.Shape()...)
}

// NewArray returns a new array for the value of a tree, within the bound that a
// formula with the variables env has.
func NewArray(n *tree.Node, env map[string]*tree.Node) (*engine.Array, error) {
	return limitFor(env).newArray(n)
}

func (l limit) newLeaf(name string, n *tree.Node) (*tree.Node, error) {
	a, err := l.newArray(n)
	if err != nil {
		return nil, err
	}
	return a.Named(name).Node(), nil
}
