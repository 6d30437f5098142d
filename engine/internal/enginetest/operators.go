package enginetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// A coverage is a table of operators and element types: how much was tested, and
// which cells no case tested.
type coverage map[cell]string

type cell struct {
	name string
	typ  dtype.Type
}

// report prints the table. It reports an error for each type that a row names and
// no case tested.
func (c coverage) report(t *testing.T, class tree.Class) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s", "")
	for _, x := range dtype.Real() {
		fmt.Fprintf(&b, "%5s", x.Short())
	}
	for _, o := range untyped.Table() {
		if o.Class() != class {
			continue
		}
		fmt.Fprintf(&b, "\n%-14s", o.Name())
		for _, x := range dtype.Real() {
			mark := c[cell{o.Name(), x}]
			if mark == "" && (o.Types().Has(x) || o.Types() == 0 && x == dtype.I64) {
				mark = "HOLE"
				t.Errorf("%s of %v is not tested: no case passed. A view needs Examples in its row, or viewCases", o.Name(), x)
			}
			fmt.Fprintf(&b, "%5s", mark)
		}
	}
	t.Log("tested (number of elements, or of cases)\n" + b.String())
}

// Operators tests every element-wise row with every element type that it takes,
// on all combinations of special values and on random values.
func Operators(t *testing.T, o Options) {
	c := coverage{}
	for _, row := range untyped.Table() {
		if row.Class() != tree.Elementwise {
			continue
		}
		t.Run(row.Name(), func(t *testing.T) {
			for _, typ := range row.Types().List() {
				for _, to := range results(row) {
					n := testOperator(suite{t, o}, row, typ, to)
					c[cell{row.Name(), typ}] = fmt.Sprint(n)
				}
			}
		})
	}
	c.report(t, tree.Elementwise)
}

// results returns the result types to test for a row: for a cast all types.
func results(row *tree.Operator) []dtype.Type {
	if row.Result() == tree.ResultTo {
		return dtype.Real()
	}
	return []dtype.Type{dtype.Invalid}
}

// testOperator tests one row and returns the number of elements that it compared.
func testOperator(s suite, row *tree.Operator, t, to dtype.Type) int {
	s.Helper()
	r := newRand(uint64(t))
	count := testlevel.Every(2500, 600)
	types := make([]dtype.Type, row.Arity())
	for i := range types {
		types[i] = t
		if row.Cond() && i == 0 {
			types[i] = dtype.Bool
		}
	}
	cols := operands(types, count)
	for range count {
		for k := range cols {
			cols[k] = append(cols[k], sample(r, types[k], wild))
		}
	}
	if row.Fault() != nil && t.IsInt() {
		dropZeros(cols)
	}
	n := len(cols[0])
	args := lists.Make(len(cols), func(k int) *tree.Node { return of(types[k], cols[k], n).Named(string(rune('x' + k))).Node() })
	node := tree.ApplyWith(row, tree.Attributes{To: to}, args...)
	if err := node.Err(); err != nil {
		s.Errorf("%s of %v: %v", row.Name(), t, err)
		return 0
	}
	if out := blank(r, node.DType(), n).Named("out").Node(); !s.checkElements(row.Name(), out, node, args) {
		return 0
	}
	if node.DType().IsHalf() && row.Result() != tree.ResultTo { // also the value before rounding
		wide := blank(r, dtype.F32, n).Named("out").Node()
		s.checkElements(row.Name(), wide, untyped.Cast(node, dtype.F32), args)
	}
	return n
}

// operands returns combinations of special values, at most about limit*4 of them,
// evenly spread.
func operands(types []dtype.Type, limit int) [][]uint64 {
	lists := make([][]uint64, len(types))
	total := 1
	for k, t := range types {
		lists[k] = cachedSpecials[t]
		total *= len(lists[k])
	}
	step := max(1, total/(4*limit))
	if step > 1 {
		step |= 1
	}
	cols := make([][]uint64, len(types))
	for i := 0; i < total; i += step {
		rest := i
		for k := range types {
			cols[k] = append(cols[k], lists[k][rest%len(lists[k])])
			rest /= len(lists[k])
		}
	}
	return cols
}

// dropZeros removes the positions where the last operand is 0.
func dropZeros(cols [][]uint64) {
	divisor := cols[len(cols)-1]
	n := 0
	for i, d := range divisor {
		if d != 0 {
			for k := range cols {
				cols[k][n] = cols[k][i]
			}
			n++
		}
	}
	for k := range cols {
		cols[k] = cols[k][:n]
	}
}

// checkElements does what check does, with a message that shows the operands.
func (s suite) checkElements(name string, out, node *tree.Node, args []*tree.Node) bool {
	s.Helper()
	want := evaluate(node)
	rounded := newValue(out.DType(), want.shape)
	mem := make([]byte, 8)
	for i, x := range want.bits {
		put(out.DType(), mem, 0, x)
		rounded.bits[i] = fetch(out.DType(), mem, 0)
	}
	mems := memories([]expr.Statement{set(out, node)})
	before := mems.save()
	for _, b := range s.backends() {
		mems.restore(before)
		if !b.checkElements(name, out, node, args, rounded) {
			return false
		}
	}
	return true
}

func (b backend) checkElements(name string, out, node *tree.Node, args []*tree.Node, want *value) bool {
	b.Helper()
	if !b.recall([]expr.Statement{set(out, node)}) {
		return false
	}
	if err := b.run(set(out, node)); err != nil {
		b.Errorf("%s of %v: %v", name, args[0].DType(), err)
		return false
	}
	bad := 0
	for i, got := range read(out).bits {
		if equal(out.DType(), got, want.bits[i]) {
			continue
		}
		if bad++; bad > 5 {
			continue
		}
		x := lists.Map(args, func(a *tree.Node) string { return show(a.DType(), read(a).bits[i]) })
		b.Errorf("%s%v as %v = %s, want %s", name, x, out.DType(), show(out.DType(), got), show(out.DType(), want.bits[i]))
	}
	if bad > 5 {
		b.Errorf("%s: %d elements differ", name, bad)
	}
	return bad == 0
}

// Divisors tests quotients and remainders of integers by a parameter. Loops divide by a parameter in
// other ways than by the elements of an array. It divides all numbers of 8 bits by all, and all
// or some numbers of 16 bits by the numbers at which the ways change.
func Divisors(t *testing.T, o Options) {
	for _, typ := range []dtype.Type{dtype.I8, dtype.U8, dtype.I16, dtype.U16, dtype.I32, dtype.U32} {
		t.Run(typ.String(), func(t *testing.T) { divisors(suite{t, o}, typ) })
	}
}

func divisors(s suite, t dtype.Type) {
	r, bits := newRand(uint64(t)), 8*t.Size()
	var list, numbers []int64
	for k := range bits + 1 {
		for d := int64(-2); d <= 2; d++ {
			list = append(list, 1<<k+d, -(1<<k + d))
		}
	}
	for range 100 {
		list = append(list, int64(r.Uint64()>>(64-r.IntN(bits+1))))
	}
	switch {
	case bits == 8 || bits == 16 && testlevel.Deep():
		for i := range int64(1) << bits {
			numbers = append(numbers, i)
		}
	default:
		numbers = slices.Clone(list)
		for range 1000 {
			numbers = append(numbers, r.Int64())
		}
	}
	if bits == 8 {
		list = numbers
	}
	n := len(numbers)
	elements := lists.Map(numbers, func(x int64) uint64 { return fromInt(t, x) })
	param := &tree.Scalar{Name: "d"}
	x, d := of(t, elements, n).Named("x").Node(), tree.NewParamNode(t, param)
	quotient, rest := blank(r, t, n).Named("quotient"), blank(r, t, n).Named("rest")
	stmts := []expr.Statement{set(quotient.Node(), apply("floor_divide", x, d)), set(rest.Node(), apply("mod", x, d))}
	backends := s.backends()
	programs := lists.Map(backends, func(b backend) runner { return b.compile(stmts...) })
	all := trial{mems: memories(stmts)}
	all.before = all.mems.save()
	number := func(bits uint64) int64 { return int64(t.Extend(bits & t.Mask())) }
	for _, y := range list {
		param.Store(fromInt(t, y))
		if y = number(fromInt(t, y)); y == 0 {
			continue
		}
		all.mems.restore(all.before)
		quotients, rests := mutable(quotient.Memory()), mutable(rest.Memory())
		for i := range n {
			x := number(elements[i])
			q, m := x/y, x%y
			if m != 0 && (m < 0) != (y < 0) {
				q, m = q-1, m+y
			}
			put(t, quotients, quotient.Offset()+i, fromInt(t, q))
			put(t, rests, rest.Offset()+i, fromInt(t, m))
		}
		all.want = all.mems.save()
		for i, b := range backends {
			if err := all.again(programs[i]); err != nil {
				b.Fatalf("%v: by %d: %v", t, y, err)
			}
		}
	}
}
