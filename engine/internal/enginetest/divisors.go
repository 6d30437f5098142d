package enginetest

import (
	"slices"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// Divisors tests quotients and remainders of integers by a parameter, which loops divide by in
// other ways than by each element of an array: all numbers of 8 bits by all, and those of 16 bits,
// or a part of them, by those at which the ways change.
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
