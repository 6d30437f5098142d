package reuse_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/reuse"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// numbers returns a vector of the n numbers first, first+1 and so on.
func numbers(n int, first float32) *engine.Tensor[float32] {
	data := make([]float32, n)
	for i := range data {
		data[i] = first + float32(i)
	}
	return engine.MustFromSlice(data)
}

type (
	vec   = *engine.Tensor[float32]
	stmts = []expr.Statement
)

func set(t vec, e expr.Exp[float32]) stmts { return stmts{expr.Let(t, e)} }

func defined(scale float64) *tree.Operator {
	return op.Define("same name", 1, func(b *op.B, x ...op.V) op.V { return b.Mul(x[0], b.Like(x[0], scale)) })
}

// turnBy is the index map of a view that rotates the first operand by the second,
// a constant.
func turnBy(g *tree.Gather) prim.V {
	by := int(math.Float32frombits(uint32(g.Node.Args[1].Bits)))
	return g.At(0, []prim.Ix{g.Mod(g.Add(g.Out[0], g.Int(by)), g.Int(g.Node.Shape()[0]))})
}

// cache is a cache of no programs.
var cache = reuse.NewCache[int, int](0, reuse.Memories{Host: func(m tree.Memory) ([]byte, bool) {
	return m.(*engine.Memory).Bytes(), true
}})

// keyOf returns a copy of the words of the key of statements.
func keyOf(stmts ...expr.Statement) (words []uint64, ok bool) {
	k := cache.Key(stmts)
	if k == nil {
		return nil, false
	}
	defer cache.Free(k)
	return slices.Clone(k.Words()), true
}

// sameProgram returns pairs of statements, and whether one program serves both.
// The vectors x, y and z of 8 elements are new for each of the two.
func sameProgram() map[string]struct {
	first, second func(x, y, z vec) stmts
	same          bool
} {
	type build = func(x, y, z vec) stmts
	twice, thrice := defined(2), defined(3)
	goTwice := op.GoFunc("f", func(v float32) float32 { return 2 * v })
	goThrice := op.GoFunc("f", func(v float32) float32 { return 3 * v })
	turn := op.DefineView("turn", 2, func(n *tree.Node) (shape.Shape, error) { return n.Args[0].Shape(), nil }, turnBy)
	at := func(v vec, i int) vec { return v.Slice(i, i+4) }
	add := func(t, a, b vec) stmts { return set(t, op.Add(a, b)) }
	scaled := func(s float32) build { return func(x, _, z vec) stmts { return set(z, op.Scale(s, x)) } }
	folded := func(s float32) build {
		return func(x, _, z vec) stmts { return set(z, op.Mul(op.Exp(op.Full[float32](s)), x)) }
	}
	turned := func(s float32) build {
		return func(x, _, z vec) stmts { return set(z, op.View(turn, nil, x, op.Full[float32](s))) }
	}
	padded := func(s float32) build {
		return func(x, _, z vec) stmts { return set(z, op.Pad(at(x, 2), [][2]int{{1, 3}}, s)) }
	}
	two := func(s, u float32) build {
		return func(x, y, z vec) stmts { return set(z, op.Add(op.Scale(s, x), op.Scale(u, y))) }
	}
	return map[string]struct {
		first, second build
		same          bool
	}{
		"other arrays":         {func(x, y, z vec) stmts { return add(z, x, y) }, func(x, y, z vec) stmts { return add(z, x, y) }, true},
		"roles":                {func(x, y, z vec) stmts { return add(z, x, y) }, func(x, y, z vec) stmts { return add(x, z, y) }, true},
		"one operand twice":    {func(x, y, z vec) stmts { return add(z, x, y) }, func(x, _, z vec) stmts { return add(z, x, x) }, false},
		"in place":             {func(x, y, z vec) stmts { return add(z, x, y) }, func(x, y, _ vec) stmts { return add(x, x, y) }, false},
		"operator":             {func(x, y, z vec) stmts { return add(z, x, y) }, func(x, y, z vec) stmts { return set(z, op.Sub(x, y)) }, false},
		"saver":                {func(x, _, z vec) stmts { return set(z, x) }, func(x, _, z vec) stmts { return stmts{expr.LetAdd(z, x)} }, false},
		"names":                {func(x, _, z vec) stmts { return set(z, x.Named("a")) }, func(x, _, z vec) stmts { return set(z.Named("b"), x) }, true},
		"length":               {func(x, _, z vec) stmts { return set(at(z, 0), at(x, 0)) }, func(x, _, z vec) stmts { return set(z, x) }, false},
		"offset":               {func(x, _, z vec) stmts { return set(at(z, 0), at(x, 0)) }, func(x, _, z vec) stmts { return set(at(z, 3), at(x, 1)) }, true},
		"disjoint parts":       {func(x, _, _ vec) stmts { return set(at(x, 0), at(x, 4)) }, func(x, _, _ vec) stmts { return set(at(x, 4), at(x, 0)) }, true},
		"parts or arrays":      {func(x, _, _ vec) stmts { return set(at(x, 0), at(x, 4)) }, func(x, y, _ vec) stmts { return set(at(x, 4), at(y, 0)) }, true},
		"parts that overlap":   {func(x, _, _ vec) stmts { return set(at(x, 0), at(x, 4)) }, func(x, _, _ vec) stmts { return set(at(x, 0), at(x, 2)) }, false},
		"distance":             {func(x, _, _ vec) stmts { return set(at(x, 0), at(x, 2)) }, func(x, _, _ vec) stmts { return set(at(x, 0), at(x, 3)) }, false},
		"same distance":        {func(x, _, _ vec) stmts { return set(at(x, 0), at(x, 2)) }, func(x, _, _ vec) stmts { return set(at(x, 2), at(x, 4)) }, true},
		"other direction":      {func(x, _, _ vec) stmts { return set(at(x, 0), at(x, 2)) }, func(x, _, _ vec) stmts { return set(at(x, 2), at(x, 0)) }, false},
		"strides":              {func(x, _, z vec) stmts { return set(at(z, 0), at(x, 0)) }, func(x, _, z vec) stmts { return set(at(z, 0), x.Span(every(2))) }, false},
		"reversed":             {func(x, _, z vec) stmts { return set(z, x) }, func(x, _, z vec) stmts { return set(z, x.Span(every(-1))) }, false},
		"itself reversed":      {func(x, _, _ vec) stmts { return set(x, x) }, func(x, _, _ vec) stmts { return set(x, x.Span(every(-1))) }, false},
		"shape":                {func(x, _, z vec) stmts { return set(z, x) }, func(x, _, z vec) stmts { return set(z.Reshape(2, 4), x.Reshape(2, 4)) }, false},
		"attributes":           {func(x, _, z vec) stmts { return set(at(z, 0), op.Slice(x, op.Range(0, 4))) }, func(x, _, z vec) stmts { return set(at(z, 0), op.Slice(x, op.Range(1, 5))) }, false},
		"constant":             {scaled(2), scaled(3), true},
		"folded constant":      {folded(2), folded(3), false},
		"same folded constant": {folded(2), folded(2), true},
		"constants become one": {two(2, 3), two(2, 2), false},
		"constants":            {two(2, 3), two(5, 4), true},
		"one of the constants": {two(2, 2), two(5, 5), true},
		"parameter": {
			func(x, _, z vec) stmts { return set(z, op.Mul(expr.NewParam[float32](2), x)) },
			func(x, _, z vec) stmts { return set(z, op.Mul(expr.NewParam[float32](3), x)) }, true,
		},
		"parameter and constant": {scaled(2), func(x, _, z vec) stmts { return set(z, op.Mul(expr.NewParam[float32](2), x)) }, false},
		"own operator":           {func(x, _, z vec) stmts { return set(z, op.Map1(twice, x)) }, func(x, _, z vec) stmts { return set(z, op.Map1(twice, x)) }, true},
		"other own operator":     {func(x, _, z vec) stmts { return set(z, op.Map1(twice, x)) }, func(x, _, z vec) stmts { return set(z, op.Map1(thrice, x)) }, false},
		"Go function":            {func(x, _, z vec) stmts { return set(z, goTwice(x)) }, func(x, _, z vec) stmts { return set(z, goTwice(x)) }, true},
		"other Go function":      {func(x, _, z vec) stmts { return set(z, goTwice(x)) }, func(x, _, z vec) stmts { return set(z, goThrice(x)) }, false},
		"constant of a view":     {turned(1), turned(2), false},
		"padding":                {padded(1), padded(2), true},
		"order of statements": {
			func(x, y, z vec) stmts { return append(set(x, z), set(y, x)...) },
			func(x, y, z vec) stmts { return append(set(y, x), set(x, z)...) }, false,
		},
		"number of statements": {func(x, _, z vec) stmts { return set(x, z) }, func(x, y, z vec) stmts { return append(set(x, z), set(y, z)...) }, false},
		"axis": {
			func(x, _, z vec) stmts { return set(at(z, 0), op.Sum(x.Reshape(4, 2), op.Axis(1))) },
			func(x, _, z vec) stmts { return set(at(z, 0), op.Sum(x.Reshape(2, 4), op.Axis(0))) }, false,
		},
	}
}

func every(step int) shape.Slice { return shape.Slice{Step: shape.At(step)} }

// TestKeys tests that statements have the same key if one program serves both. It
// also tests that an assignment after others has the result of a program compiled
// for it.
func TestKeys(t *testing.T) {
	ctx := context.Background()
	for name, c := range sameProgram() {
		t.Run(name, func(t *testing.T) {
			data := func(f float32) []vec { return []vec{numbers(8, f), numbers(8, 10*f), numbers(8, 100*f)} }
			a, b := data(1), data(2)
			first, second := c.first(a[0], a[1], a[2]), c.second(b[0], b[1], b[2])
			k, ok := keyOf(first...)
			l, ok2 := keyOf(second...)
			if !ok || !ok2 || slices.Equal(k, l) != c.same {
				t.Errorf("keys %t and %t are equal: %t", ok, ok2, slices.Equal(k, l))
			}
			want := data(2)
			p, err := engine.Compile(ctx, c.second(want[0], want[1], want[2])...)
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range []error{engine.Run(ctx, first...), p.Run(ctx), engine.Run(ctx, second...)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			for i := range b {
				if !bytes.Equal(b[i].Array().Memory().Bytes(), want[i].Array().Memory().Bytes()) {
					t.Errorf("vector %d is %v, want %v", i, b[i], want[i])
				}
			}
		})
	}
}

// TestKeyOfSharedBytes tests that two memories with the same bytes are one array
// in a key.
func TestKeyOfSharedBytes(t *testing.T) {
	data := make([]float32, 8)
	one, again := engine.MustFromSlice(data), engine.MustFromSlice(data)
	k := cache.Key(set(one, op.Add[float32](again, numbers(8, 1))))
	defer cache.Free(k)
	if k == nil || k.Arrays() != 2 {
		t.Errorf("%v, not 2 arrays", k)
	}
}

// TestKeyOfIdents tests that nodes with different Idents have different keys, even
// at the same address.
func TestKeyOfIdents(t *testing.T) {
	o := op.DefineView("ident", 1, func(n *tree.Node) (shape.Shape, error) { return n.Args[0].Shape(), nil }, func(g *tree.Gather) prim.V { return g.At(0, g.Out) })
	x := numbers(4, 1)
	read := func(ident any) *reuse.Key {
		return cache.Key(stmts{{Target: x.Node(), Value: tree.ApplyWith(o, tree.Attributes{Ident: ident}, x.Node())}})
	}
	a, b, c := read("a"), read("b"), read(nil)
	if a == nil || b == nil || c == nil || slices.Equal(a.Idents(), b.Idents()) || !slices.Equal(a.Words(), b.Words()) || slices.Equal(a.Words(), c.Words()) {
		t.Error(a, b, c)
	}
}

// TestNoKey tests that Run compiles statements without a key directly.
func TestNoKey(t *testing.T) {
	x := numbers(8, 1)
	var many expr.Exp[float32] = op.Full[float32](0)
	var consts expr.Exp[float32] = x
	for i := range reuse.MaxKeyArrays + 1 {
		many = op.Add[float32](many, numbers(8, float32(i)))
	}
	for i := range reuse.MaxKeyScalars + 1 {
		consts = op.AddScalar(consts, float32(i))
	}
	var deep expr.Exp[float32] = x
	for range reuse.MaxKeyWords {
		deep = op.Neg(deep)
	}
	outside := tree.NewLeaf(x.Array().DType(), shape.Shape{8}, &tree.Leaf{Mem: x.Array().Memory(), Offset: 1, Strides: shape.Strides{1}})
	for name, s := range map[string]expr.Statement{
		"arrays":  expr.Let(x, many),
		"scalars": expr.Let(x, consts),
		"nodes":   expr.Let(x, deep),
		"outside": {Target: x.Node(), Value: outside},
		"error":   expr.Let(x, op.Add[float32](x, numbers(3, 0))),
		"nothing": {},
	} {
		if _, ok := keyOf(s); ok {
			t.Errorf("%s: there is a key", name)
		}
	}
	if err := engine.Run(context.Background(), expr.Statement{Target: x.Node(), Value: outside}); !errors.Is(err, expr.ErrShape) {
		t.Error("an array outside its memory gives", err)
	}
	if err := x.Assign(deep); err != nil || x.At(7) != 8 {
		t.Error(err, x)
	}
	if err := x.Assign(many); err != nil || x.At(1) != reuse.MaxKeyArrays*(reuse.MaxKeyArrays+1)/2+reuse.MaxKeyArrays+1 {
		t.Error(err, x)
	}
}
