// Package routine has the Go functions of the operators that are not loops:
// ordered scatter, sort, selection, search. Each is an [tree.Routine] over strided
// arrays.
package routine

import (
	"fmt"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A number is the Go type of a register type, but bool.
type number interface{ dtype.Int | float32 | float64 }

// A kind has the code of the routines for elements of a register type.
type kind struct {
	search  func(right bool) func(*tree.Call) error
	scatter func(p *positions, how Combine) func(*tree.Call) error
	sort    func(n *tree.Node, want Wanted) func(*tree.Call) error
}

func kindOf[T number, K key]() kind { return kind{searchOf[T], scatterOf[T], newSort[K]} }

var kinds = map[dtype.Type]kind{
	dtype.Bool: kindOf[uint8, uint8](), // scatters of bools are sets
	dtype.I8:   kindOf[int8, uint8](),
	dtype.I16:  kindOf[int16, uint16](),
	dtype.I32:  kindOf[int32, uint32](),
	dtype.I64:  kindOf[int64, uint64](),
	dtype.U8:   kindOf[uint8, uint8](),
	dtype.U16:  kindOf[uint16, uint16](),
	dtype.U32:  kindOf[uint32, uint32](),
	dtype.U64:  kindOf[uint64, uint64](),
	dtype.F32:  kindOf[float32, uint32](),
	dtype.F64:  kindOf[float64, uint64](),
}

// A series has the offsets of the elements along neighbouring axes, in row-major
// order.
type series struct {
	step  int   // between neighbours, if table is nil
	table []int // the offsets
}

func (s *series) at(i int) int {
	if s.table != nil {
		return s.table[i]
	}
	return s.step * i
}

// seriesOf returns the series of axes. It makes a table only if no step describes
// them.
func seriesOf(s shape.Shape, st shape.Strides) series {
	var out series
	count := 0 // elements of the axes before, from the last
	for i := len(s) - 1; i >= 0; i-- {
		switch {
		case s[i] == 1:
		case count == 0:
			out.step, count = st[i], s[i]
		case st[i] == out.step*count:
			count *= s[i]
		default:
			shape.Each(s, st, 0, func(off int) { out.table = append(out.table, off) })
			return out
		}
	}
	return out
}

// elements returns the elements from the first on, if all offsets are from 0 to
// last.
func elements[T any](a *tree.Strided, last int) []T {
	if a.Ptr == nil {
		return nil
	}
	return unsafe.Slice((*T)(a.Ptr), last+1)
}

// address returns the address of an element of an array whose offsets may be negative.
func address[T any](a *tree.Strided, off int) *T {
	return (*T)(unsafe.Add(a.Ptr, off*int(unsafe.Sizeof(*new(T)))))
}

// load returns such an element.
func load[T any](a *tree.Strided, off int) T { return *address[T](a, off) }

// as returns the n elements of type T that begin at byte from of the workspace, and
// the end.
func as[T any](work []byte, from, n int) ([]T, int) {
	size := int(unsafe.Sizeof(*new(T)))
	from = (from + 63) &^ 63
	if n == 0 {
		return nil, from
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&work[from])), n), from + n*size
}

// room returns the bytes that as takes at most for n elements of a size.
func room(n, size int) int { return (n*size + 127) &^ 63 }

// untilStopped calls f for parts of lo..hi, one after the other, until all are done or the call is stopped.
func untilStopped(c *tree.Call, lo, hi int, f func(lo, hi int)) {
	const most = 1 << 16 // some milliseconds, if each unit waits for memory
	for ; lo < hi && !c.Stopped(); lo += most {
		f(lo, min(lo+most, hi))
	}
}

// failure returns an error of an operator. The engine adds the place of its node.
func failure(kind error, op, format string, args ...any) error {
	return &tree.Error{Kind: kind, Op: op, Msg: fmt.Sprintf(format, args...)}
}
