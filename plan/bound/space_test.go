package bound

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/expr/prim"
)

// value returns the value of an expression at positions on the axes.
func value(s *Space, ix prim.Ix, pos []int) int {
	n := s.Index.At(ix)
	switch n.Op {
	case prim.IxConst:
		return int(n.K)
	case prim.IxParam:
		return s.Params[n.K]
	case prim.IxAxis:
		return pos[n.K]
	}
	x, y := value(s, n.A, pos), value(s, n.B, pos)
	switch n.Op {
	case prim.IxAdd:
		return x + y
	case prim.IxMul:
		return x * y
	case prim.IxDiv:
		return FloorDiv(x, y)
	}
	return x - y*FloorDiv(x, y)
}

// at returns the value of a form at positions on the axes.
func (f Form) at(s *Space, pos []int) int {
	v := f.C
	for i, d := range s.Digits[:len(f.Coef)] {
		v += f.Coef[i] * (pos[d.Axis] / d.Weight % max(d.Extent, 1))
	}
	return v
}

// TestForms compares the forms and intervals of random expressions with their
// values at all positions.
func TestForms(t *testing.T) {
	forms := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		table := &prim.IxTable{}
		extents, params := []int{1 + r.IntN(12), 1 + r.IntN(12)}, []int{1 + r.IntN(6), r.IntN(9) - 4}
		divisor := func() prim.Ix {
			if r.IntN(2) == 0 {
				return table.Param(0)
			}
			return table.Const(1 + r.Int64N(6))
		}
		var grow func(depth int) prim.Ix
		grow = func(depth int) prim.Ix {
			if depth == 0 {
				return []prim.Ix{table.Axis(0), table.Axis(1), table.Param(1), table.Const(r.Int64N(9) - 4)}[r.IntN(4)]
			}
			a := grow(depth - 1)
			switch r.IntN(5) {
			case 0:
				return table.Add(a, grow(depth-1))
			case 1:
				return table.Mul(a, table.Const(r.Int64N(7)-3))
			case 2:
				return table.Div(a, divisor())
			case 3:
				return table.Mod(a, divisor())
			}
			return a
		}
		ix := grow(3)
		s := NewSpace(table, extents, params)
		if r.IntN(2) == 0 {
			s.Split(func(int32) bool { return true })
		}
		f, ok := s.Form(ix)
		if ok {
			forms++
		}
		least, most := s.Interval(ix)
		for i := range extents[0] {
			for j := range extents[1] {
				pos := []int{i, j}
				v := value(s, ix, pos)
				if v < least || v > most {
					t.Fatalf("seed %d: %d is outside %d..%d", seed, v, least, most)
				}
				if ok && f.at(s, pos) != v {
					t.Fatalf("seed %d: the form has %d at %v, the expression %d", seed, f.at(s, pos), pos, v)
				}
			}
		}
	}
	if forms < 1000 {
		t.Errorf("only %d expressions are affine", forms)
	}
}

// TestCheck checks the error for a division by a parameter of value 0.
func TestCheck(t *testing.T) {
	table := &prim.IxTable{}
	table.Div(table.Axis(0), table.Param(0))
	if err := NewSpace(table, []int{4}, []int{0}).Check(); err == nil {
		t.Error("division by 0 is no error")
	}
}

// TestFar checks that Interval returns -Far and Far for expressions whose values
// overflow.
func TestFar(t *testing.T) {
	if math.MaxInt < math.MaxInt64 {
		t.Skip("the plan refuses constants that no int holds")
	}
	table := &prim.IxTable{}
	big := table.Const(math.MaxInt64 / 3)
	for name, ix := range map[string]prim.Ix{
		"sum of products":     table.Add(table.Mul(table.Axis(0), big), table.Mul(table.Axis(1), big)),
		"product":             table.Mul(table.Axis(0), table.Const(math.MinInt64)),
		"product of quotient": table.Mul(table.Div(table.Axis(0), table.Const(7)), big),
		"quotient":            table.Div(table.Mul(table.Axis(0), big), table.Const(2)),
	} {
		s := NewSpace(table, []int{100, 100}, nil)
		if lo, hi := s.Interval(ix); lo != -Far || hi != Far {
			t.Errorf("%s: %d..%d", name, lo, hi)
		}
	}
}
