package enginetest

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/shape"
)

// pieceOf returns elements in the memory of a leaf, from an element of it on.
func pieceOf(x *tree.Node, t dtype.Type, from int, strides shape.Strides, dims ...int) *tree.Node {
	l := *x.Leaf
	l.Offset, l.Strides = l.Offset+from, strides
	return tree.NewLeaf(t, dims, &l)
}

// TestPieces tests statements that store pieces of the same short rows, in any order, and read them, other rows, and single columns.
func TestPieces(t *testing.T) {
	s := suite{t, Options{Backends: engine.Backends()}}
	for seed := range uint64(testlevel.Every(400, 40)) {
		r := newRand(seed)
		typ := []dtype.Type{dtype.F32, dtype.U8, dtype.I16, dtype.F64, dtype.F16, dtype.I32}[r.IntN(6)]
		n, columns := 980+r.IntN(100), 2+r.IntN(4)
		x := place(r, typ, packed, tame, n, columns).Named("x").Node()
		y := place(r, typ, packed, tame, n, columns+r.IntN(2)).Named("y").Node()
		v := place(r, typ, packed, tame, n, 1).Named("v").Node()
		piece := func(x *tree.Node, from, to int) *tree.Node { return span(x, op.Range(0, n), op.Range(from, to)) }
		column := func(x *tree.Node) *tree.Node { return pieceOf(x, typ, 0, x.Leaf.Strides[:1], n) }
		var program []expr.Statement
		for at := 0; at < columns; {
			end := at + 1 + r.IntN(columns-at)
			to, from := piece(x, at, end), r.IntN(columns-(end-at)+1)
			value := []*tree.Node{
				piece(y, from, from+end-at), tree.ConstInt(typ, 3), piece(x, from, from+end-at), to, v,
				untyped.Reduce("max", piece(y, from, from+end-at), keep(0)), untyped.Reduce("max", piece(x, 0, end), keep(1)),
				untyped.Compose("cummax", untyped.Options{Axes: []int{1}}, piece(x, from, from+end-at)),
			}[r.IntN(8)]
			if r.IntN(2) > 0 {
				value = apply("add", piece(y, at, end), value)
			}
			if end == at+1 && r.IntN(2) > 0 { // a vector
				to, value = column(to), apply("add", column(piece(y, at, end)), column([]*tree.Node{v, piece(x, from, from+1)}[r.IntN(2)]))
			}
			program = append(program, expr.Statement{Saver: []expr.Saver{expr.Set, expr.Set, expr.Plus}[r.IntN(3)], Target: to, Value: value})
			at = end + r.IntN(2)
		}
		r.Shuffle(len(program), func(i, j int) { program[i], program[j] = program[j], program[i] })
		if !s.check(program...) {
			s.Logf("seed %d", seed)
		}
	}
}

// TestPiecesApart tests pieces that no loop may store together: some meet in other rows, and some that may fail are read by others.
func TestPiecesApart(t *testing.T) {
	s, r := suite{t, Options{Backends: engine.Backends()}}, newRand(1)
	y := place(r, dtype.I32, packed, tame, 1000, 8).Named("y").Node()
	at := func(from int, strides shape.Strides, dims ...int) *tree.Node {
		return pieceOf(y, dtype.I32, from, strides, dims...)
	}
	x := place(r, dtype.I32, packed, tame, 2, 2, 250, 2).Named("x").Node()
	crossing := shape.Strides{7, 5, 16, 1}
	s.check(set(at(0, crossing, 2, 2, 250, 2), x), set(at(2, crossing, 2, 2, 250, 1), tree.ConstInt(dtype.I32, 100)))
	even, odd, one := at(0, shape.Strides{8, 2}, 1000, 2), at(3, shape.Strides{8, 2}, 1000, 2), tree.ConstInt(dtype.I32, 1)
	for _, value := range []*tree.Node{
		apply("add", even, untyped.Reduce("max", x, untyped.Options{})),
		apply("floor_divide", even, apply("maximum", odd, one)),
		apply("floor_divide", even, odd),
	} {
		s.check(set(even, apply("add", even, one)), set(odd, value))
	}
}

// TestFieldsOfOtherTypes tests loops that widen the fields of a record in several ways: halves are copied by selections as they are, and
// integers may have a sign or not.
func TestFieldsOfOtherTypes(t *testing.T) {
	s, r := suite{t, Options{Backends: engine.Backends()}}, newRand(2)
	for _, types := range [][]dtype.Type{{dtype.F16, dtype.F16}, {dtype.BF16, dtype.BF16}, {dtype.I16, dtype.U16}, {dtype.U8, dtype.I8}} {
		x := place(r, types[0], packed, tame, 1000, 4).Named("x").Node()
		field := func(i int) *tree.Node { return pieceOf(x, types[i%2], i, x.Leaf.Strides[:1], 1000) }
		var program []expr.Statement
		for i := range 2 {
			a, b := field(2*i), field(2*i+1)
			value, two := apply("add", untyped.Cast(a, dtype.I32), untyped.Cast(b, dtype.I32)), tree.ConstInt(types[0], 2)
			if types[0].IsFloat() {
				value = apply("where", apply("less", two, a), two, b)
			}
			program = append(program, expr.Statement{Target: place(r, value.DType(), packed, tame, 1000).Node(), Value: value})
		}
		s.check(program...)
	}
}
