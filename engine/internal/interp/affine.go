package interp

import (
	"math"

	"github.com/oneloop/oneloop/prim"
)

// An affine is c + sum of coef[digit] * value of digit; see digits.go.
type affine struct {
	c    int
	coef []int
}

func (b *binder) constant(c int) affine { return affine{c, make([]int, len(b.digits))} }

// bounds is the least and the greatest value of a.
func (b *binder) bounds(a affine) (lo, hi int) {
	lo, hi = a.c, a.c
	for i, k := range a.coef {
		if d := k * (max(b.digits[i].extent, 1) - 1); d > 0 {
			hi += d
		} else {
			lo += d
		}
	}
	return lo, hi
}

func (a affine) add(x affine, k int) affine {
	out := affine{a.c + k*x.c, make([]int, len(a.coef))}
	for i := range out.coef {
		out.coef[i] = a.coef[i] + k*x.coef[i]
	}
	return out
}

// number is the value of an expression without axes and values.
func (b *binder) number(ix prim.Ix) (int, bool) {
	a, ok := b.affine(ix)
	if !ok {
		return 0, false
	}
	for _, k := range a.coef {
		if k != 0 {
			return 0, false
		}
	}
	return a.c, true
}

// affine evaluates an expression with the bound extents and parameters. Division
// and modulo are affine where they only take an expression apart that the plan
// put together: floor((q*d + r) / d) is q if r stays within 0..d-1.
func (b *binder) affine(ix prim.Ix) (affine, bool) {
	n := b.k.Index.At(ix)
	switch n.Op {
	case prim.IxConst:
		return b.constant(int(n.K)), true
	case prim.IxParam:
		return b.constant(b.params[n.K]), true
	case prim.IxAxis:
		a := b.constant(0)
		for _, i := range b.ofAxis[n.K] {
			if b.digits[i].extent != 1 { // the position on an axis of one is 0
				a.coef[i] = b.digits[i].weight
			}
		}
		return a, true
	case prim.IxValue:
		return affine{}, false
	}
	x, ok := b.affine(n.A)
	if !ok {
		return x, false
	}
	y, ok := b.number(n.B)
	if n.Op == prim.IxAdd {
		z, zok := b.affine(n.B)
		if !zok {
			return x, false
		}
		return x.add(z, 1), true
	}
	if !ok {
		return x, false
	}
	if n.Op == prim.IxMul {
		return b.constant(0).add(x, y), true
	}
	if y <= 0 {
		return x, false
	}
	quo, rem := b.constant(0), b.constant(x.c)
	for i, k := range x.coef {
		if k%y == 0 {
			quo.coef[i] = k / y
		} else {
			rem.coef[i] = k
		}
	}
	lo, hi := b.bounds(rem)
	q := floorDiv(lo, y)
	if floorDiv(hi, y) != q {
		return x, false
	}
	quo.c, rem.c = q, rem.c-q*y
	if n.Op == prim.IxDiv {
		return quo, true
	}
	return rem, true
}

// interval bounds any expression; values can be anything.
func (b *binder) interval(ix prim.Ix) (lo, hi int) {
	const far = math.MaxInt / 4
	if a, ok := b.affine(ix); ok {
		return b.bounds(a)
	}
	n := b.k.Index.At(ix)
	if n.Op == prim.IxValue {
		return -far, far
	}
	lo, hi = b.interval(n.A)
	if lo <= -far/2 || hi >= far/2 {
		if y, ok := b.number(n.B); n.Op == prim.IxMod && ok && y > 0 {
			return 0, y - 1
		}
		return -far, far
	}
	switch n.Op {
	case prim.IxAdd:
		l, h := b.interval(n.B)
		if l <= -far/2 || h >= far/2 {
			return -far, far
		}
		return lo + l, hi + h
	case prim.IxMul:
		y, _ := b.number(n.B)
		return min(lo*y, hi*y), max(lo*y, hi*y)
	case prim.IxDiv:
		if y, ok := b.number(n.B); ok && y > 0 {
			return floorDiv(lo, y), floorDiv(hi, y)
		}
	case prim.IxMod:
		if y, ok := b.number(n.B); ok && y > 0 {
			return 0, y - 1
		}
	}
	return -far, far
}

func floorDiv[T int | int64](a, b T) T {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
