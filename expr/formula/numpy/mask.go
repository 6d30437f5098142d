package numpy

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// This file has assignments through masks.

// maskAmong returns the number of the first subscript that is an array or a list of bools, or -1.
func maskAmong(subscripts []item) int {
	return slices.IndexFunc(subscripts, func(x item) bool {
		return x.kind == vTree && x.n.DType() == dtype.Bool || x.kind == vSeq && listType(x.seq) == dtype.Bool
	})
}

// assignMask carries out x[mask] op value, as x = where(mask, value, x). The mask is subscript number at, and
// stands for as many axes as it has. The other subscripts are integers and slices.
func (b *builder) assignMask(st *syntax.Statement, array value, items []item, at int, e value) {
	mask := items[at].node()
	dims := mask.Shape()
	var advanced []int // positions of integers and of the mask, among which a slice may be
	first, consuming, elided := 0, len(dims), false
	for i, x := range items {
		before := i < at
		switch x.kind {
		case vEllipsis:
			elided = elided || before
			continue
		case vSlice, vNone:
			if before {
				first++
			}
		default:
			advanced = append(advanced, i)
		}
		if i != at && x.kind != vNone {
			consuming++
		}
	}
	if elided {
		first += max(len(array.n.Shape())-consuming, 0)
	}
	whole := slices.Repeat([]item{{value{kind: vSlice}, items[at].at}}, len(dims))
	part := index(st.Target, array, slices.Concat(items[:at], whole, items[at+1:]), true)
	to := part.n.Shape()
	stopIf(!to[first:first+len(dims)].Equal(dims), items[at].at, tree.ErrShape, "a mask of shape %v does not fit an array of shape %v", dims, array.n.Shape())
	after := to[first+len(dims):]
	apart := advanced[len(advanced)-1]-advanced[0] >= len(advanced)
	n := b.updated(st, part, spread(st, part.n, e, len(dims), after, apart))
	b.replace(st, part.n, apply("where", untyped.Reshape(mask, slices.Concat(dims, ones(len(after)))), n, part.n))
}

// spread returns a value that is the same for all elements that a mask of rank axes chooses from a part of an array. NumPy has
// one axis for these elements, before the axes after. The value gets as many axes of size 1 in place of this axis as the mask has.
// If integers and slices are between, NumPy has that axis first, and only a value of one element is taken.
func spread(st *syntax.Statement, part *tree.Node, e value, rank int, after shape.Shape, apart bool) value {
	if e.weakClass() != syntax.NoNumber {
		return e
	}
	n := e.node()
	dims := n.Shape()
	at := len(dims) - len(after) - 1
	switch {
	case n.Err() != nil || at < 0 && !apart:
		return e
	case apart && dims.Size() == 1:
		return valueOf(untyped.Reshape(n, nil))
	case apart || dims[at] != 1:
		panic(fail(st.Value, tree.ErrUnsupported, "all elements that a mask chooses take the same value, and none from an array of shape %v; write %s = where(mask, value, %s)", dims, st.Name(), st.Name()))
	}
	n = untyped.Reshape(n, slices.Concat(dims[:at], ones(rank), dims[at+1:]))
	return valueOf(dropLeading(n, part))
}

// ones returns the shape of n axes of size 1.
func ones(n int) shape.Shape { return lists.Make(n, func(int) int { return 1 }) }
