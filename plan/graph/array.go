package graph

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// An Array is memory that a stage reads or writes: a user's array or a
// temporary.
type Array struct {
	Mem     tree.Memory // nil for a temporary
	Temp    int         // number of the temporary, if Mem is nil
	Type    dtype.Type
	Offset  int // elements
	Shape   shape.Shape
	Strides shape.Strides
	Name    string
}

type arrayKey struct {
	mem    tree.Memory
	temp   int
	offset int
	typ    dtype.Type
	layout string
}

func (a *Array) key() arrayKey {
	return arrayKey{a.Mem, a.Temp, a.Offset, a.Type, string(appendInts(appendInts(nil, a.Strides), a.Shape))}
}

// Equal reports whether two arrays have the same elements in the same order, and
// the same strides.
func (a *Array) Equal(b *Array) bool {
	return a == b || a.SameStart(b) && a.Shape.Equal(b.Shape) && slices.Equal(a.Strides, b.Strides)
}

// SameStart reports whether two arrays have the same memory, first element and type.
func (a *Array) SameStart(b *Array) bool {
	return a.Mem == b.Mem && a.Temp == b.Temp && a.Offset == b.Offset && a.Type == b.Type
}

// ArrayOf returns the array of a leaf.
func ArrayOf(e *tree.Node) Array {
	l := e.Leaf
	return Array{Mem: l.Mem, Type: e.DType(), Offset: l.Offset, Shape: e.Shape(), Strides: l.Strides, Name: l.Name}
}

func keyOf(e *tree.Node) arrayKey {
	a := ArrayOf(e)
	return a.key()
}

func (a *Array) String() string { return fmt.Sprintf("%s %v%v", a.Label(), a.Type, []int(a.Shape)) }

// Label returns the name of the array, or a word for it.
func (a *Array) Label() string {
	switch {
	case a.Mem == nil:
		return fmt.Sprintf("t%d", a.Temp)
	case a.Name == "":
		return "array"
	}
	return a.Name
}

// Bytes returns the size of the elements in bytes.
func (a *Array) Bytes() int { return a.Shape.Size() * a.Type.Size() }

// Overlaps reports whether two arrays may share a byte. It compares ranges of
// offsets, and knows of interleaved arrays ([shape.Interleaved]). So it may return
// true for arrays that share none. Arrays in
// different memories share none, unless [tree.Distance] says that the memories
// overlap.
func (a *Array) Overlaps(b *Array) bool {
	if a.Mem == nil || b.Mem == nil {
		return a.Mem == nil && b.Mem == nil && a.Temp == b.Temp
	}
	shift, same := tree.Distance(a.Mem, b.Mem)
	if !same {
		return false
	}
	alo, ahi := shape.Bounds(a.Shape, a.Strides, a.Offset)
	blo, bhi := shape.Bounds(b.Shape, b.Strides, b.Offset)
	as, bs := a.Type.Size(), b.Type.Size()
	return alo <= ahi && blo <= bhi && alo*as < (bhi+1)*bs+shift && blo*bs+shift < (ahi+1)*as && !shape.Interleaved(a.elements(), b.elements(), shift)
}

// Meets is Overlaps that tells apart pieces of one array with the same strides, such as its first column and the others.
func (a *Array) Meets(b *Array) bool {
	return a.Overlaps(b) && (a.Mem != b.Mem || a.Type != b.Type || !slices.Equal(a.Strides, b.Strides) || meet(a.Shape, b.Shape, a.Strides, b.Offset-a.Offset))
}

// meet reports whether two arrays with the same strides share an element. The first element of b is so many behind that of a. It says so,
// too, of strides that are not positive, and of one that is less than the elements along the axes behind it.
func meet(a, b shape.Shape, strides shape.Strides, behind int) bool {
	if a.Size() == 0 || b.Size() == 0 || len(a) == 0 {
		return a.Size() > 0 && b.Size() > 0 && behind == 0
	}
	step, before, after := strides[0], 0, 0 // elements that the other axes go back and on
	for i, st := range strides[1:] {
		before, after = before+(b[i+1]-1)*st, after+(a[i+1]-1)*st
	}
	if slices.Min(strides) <= 0 || before+after >= 2*step {
		return true
	}
	for x := max((behind-after)/step, 1-b[0]); x <= min((behind+before)/step, a[0]-1); x++ { // at most four steps are near enough
		if meet(a[1:], b[1:], strides[1:], behind-x*step) {
			return true
		}
	}
	return false
}

func (a *Array) elements() shape.Elements {
	return shape.Elements{Shape: a.Shape, Strides: a.Strides, Offset: a.Offset, Size: a.Type.Size()}
}

// SameElements reports whether two arrays have the same element at every
// position.
func (a *Array) SameElements(b *Array) bool {
	if a.Type != b.Type || !a.Shape.Equal(b.Shape) {
		return false
	}
	if a.Mem == nil || b.Mem == nil {
		return a.Mem == nil && b.Mem == nil && a.Temp == b.Temp
	}
	shift, near := tree.Distance(a.Mem, b.Mem)
	if !near || b.Offset*b.Type.Size()+shift != a.Offset*a.Type.Size() {
		return false
	}
	for i, d := range a.Shape {
		if d > 1 && a.Strides[i] != b.Strides[i] {
			return false
		}
	}
	return true
}

// SelfOverlaps reports whether two positions may be one element. A target must
// not have such positions.
func (a *Array) SelfOverlaps() bool {
	if a.Shape.Size() == 0 {
		return false
	}
	// In order of stride, each axis must step over the extent of the axes before
	// it.
	reach := 0
	used := make([]bool, len(a.Shape))
	for range a.Shape {
		best := -1
		for i := range a.Shape {
			if !used[i] && (best < 0 || abs(a.Strides[i]) < abs(a.Strides[best])) {
				best = i
			}
		}
		used[best] = true
		if a.Shape[best] <= 1 {
			continue
		}
		if abs(a.Strides[best]) <= reach {
			return true
		}
		reach += abs(a.Strides[best]) * (a.Shape[best] - 1)
	}
	return false
}

func abs(x int) int { return max(x, -x) }

func appendInts(b []byte, v []int) []byte {
	b = binary.AppendVarint(b, int64(len(v)))
	for _, x := range v {
		b = binary.AppendVarint(b, int64(x))
	}
	return b
}
