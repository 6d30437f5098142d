package enginetest

import (
	"fmt"
	"math"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A value is an array of the reference: the bits of each element in its register
// type, row-major, and the faults.
type value struct {
	typ   dtype.Type
	shape shape.Shape
	bits  []uint64
	fault []fault // the faults of each element; nil if there are none
	may   fault   // faults that an evaluation may raise although no element has them
}

// A fault is a set of data-dependent errors.
type fault uint8

const (
	divideFault fault = 1 << iota
	indexFault
)

// errs returns the errors of the faults. An evaluation returns one of them.
func (f fault) errs() (out []error) {
	if f&divideFault != 0 {
		out = append(out, tree.ErrDivide)
	}
	if f&indexFault != 0 {
		out = append(out, tree.ErrIndex)
	}
	return out
}

func newValue(t dtype.Type, s shape.Shape) *value {
	return &value{typ: t, shape: s, bits: make([]uint64, s.Size())}
}

func (v *value) faultAt(i int) fault {
	if v.fault == nil {
		return 0
	}
	return v.fault[i]
}

func (v *value) addFault(i int, f fault) {
	if f == 0 {
		return
	}
	if v.fault == nil {
		v.fault = make([]fault, len(v.bits))
	}
	v.fault[i] |= f
}

// failsWhole adds f to all elements. The evaluation fails even if none of them is used.
func (v *value) failsWhole(f fault) {
	v.may |= f
	for i := range v.bits {
		v.addFault(i, f)
	}
}

// reads records that all of a is evaluated, whether or not its elements are used.
func (v *value) reads(a *value) { v.may |= a.may | a.faults() }

func (v *value) faults() (all fault) {
	for _, f := range v.fault {
		all |= f
	}
	return all
}

// fetch returns an element in memory as bits of its register type.
func fetch(t dtype.Type, mem []byte, at int) uint64 {
	bits := randir.Get(mem[at*t.Size():], t.Size())
	switch t {
	case dtype.F16:
		return uint64(math.Float32bits(dtype.F16Value(uint16(bits))))
	case dtype.BF16:
		return uint64(math.Float32bits(dtype.BF16Value(uint16(bits))))
	}
	return bits
}

// put writes an element to memory. It rounds halves.
func put(t dtype.Type, mem []byte, at int, bits uint64) {
	switch t {
	case dtype.F16:
		bits = uint64(dtype.F16Bits(math.Float32frombits(uint32(bits))))
	case dtype.BF16:
		bits = uint64(dtype.BF16Bits(math.Float32frombits(uint32(bits))))
	}
	randir.Put(mem[at*t.Size():], t.Size(), bits)
}

// float returns a float of the register type of t.
func float(t dtype.Type, bits uint64) float64 {
	if t == dtype.F64 {
		return math.Float64frombits(bits)
	}
	return float64(math.Float32frombits(uint32(bits)))
}

// isNaN reports whether bits of the register type of t are a NaN.
func isNaN(t dtype.Type, bits uint64) bool { return t.IsFloat() && math.IsNaN(float(t, bits)) }

// equal reports whether two elements of type t have the same bits by the
// contract.
func equal(t dtype.Type, a, b uint64) bool { return a == b || isNaN(t, a) && isNaN(t, b) }

func show(t dtype.Type, bits uint64) string {
	return fmt.Sprintf("%s (%#x)", tree.FormatBits(t, bits), bits)
}

// offsets returns the offset of each element of an array, row-major.
func offsets(s shape.Shape, st shape.Strides, offset int) []int {
	out := make([]int, 0, s.Size())
	each(s, func(ix []int) {
		at := offset
		for i, x := range ix {
			at += x * st[i]
		}
		out = append(out, at)
	})
	return out
}

// each calls f with every position of a shape, row-major. f must not keep the
// slice.
func each(s shape.Shape, f func(ix []int)) {
	if s.Size() == 0 {
		return
	}
	ix := make([]int, len(s))
	for {
		f(ix)
		i := len(s) - 1
		for ; i >= 0; i-- {
			if ix[i]++; ix[i] < s[i] {
				break
			}
			ix[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

// read returns the current elements of a leaf.
func read(n *tree.Node) *value {
	v := newValue(n.DType(), n.Shape())
	mem := host(n.Leaf.Mem.(*engine.Memory))
	for i, at := range offsets(n.Shape(), n.Leaf.Strides, n.Leaf.Offset) {
		v.bits[i] = fetch(v.typ, mem, at)
	}
	return v
}

// write stores v in a leaf of the same shape.
func write(n *tree.Node, v *value) {
	mem := mutable(n.Leaf.Mem.(*engine.Memory))
	for i, at := range offsets(n.Shape(), n.Leaf.Strides, n.Leaf.Offset) {
		put(n.DType(), mem, at, v.bits[i])
	}
}

// differ returns the first difference of two values, or "".
func differ(got, want *value) string {
	if !got.shape.Equal(want.shape) {
		return fmt.Sprintf("shape %v, want %v", got.shape, want.shape)
	}
	for i := range got.bits {
		if !equal(got.typ, got.bits[i], want.bits[i]) {
			return fmt.Sprintf("element %d of %v%v is %s, want %s", i, got.typ, []int(got.shape), show(got.typ, got.bits[i]), show(want.typ, want.bits[i]))
		}
	}
	return ""
}

// host returns the bytes of a memory, for reading.
func host(m *engine.Memory) []byte { return must(m.Host()) }

// mutable returns the bytes of a memory, for writing.
func mutable(m *engine.Memory) []byte { return must(m.MutableHost()) }
