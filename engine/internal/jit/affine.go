package jit

import (
	"math"

	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/prim"
)

// An affine is c + sum of coef[axis] * position on axis.
type affine struct {
	c    int
	coef []int
}

// A binder fixes the numbers of an instance.
type binder struct {
	k       *ir.Kernel
	p       *program
	bind    *ir.Binding
	extents []int
	params  []int
}

func (b *binder) constant(c int) affine { return affine{c, make([]int, len(b.extents))} }

// plus adds k*x to a, in place.
func (a *affine) plus(x affine, k int) {
	a.c += k * x.c
	for i, c := range x.coef {
		a.coef[i] += k * c
	}
}

// bounds is the least and the greatest value of a.
func (b *binder) bounds(a affine) (lo, hi int) {
	lo, hi = a.c, a.c
	for axis, k := range a.coef {
		if d := k * (max(b.extents[axis], 1) - 1); d > 0 {
			hi += d
		} else {
			lo += d
		}
	}
	return lo, hi
}

// number is the value of an expression without axes and values.
func (b *binder) number(ix prim.Ix) (int, bool) {
	n := b.k.Index.At(ix)
	switch n.Op {
	case prim.IxConst:
		return int(n.K), true
	case prim.IxParam:
		return b.params[n.K], true
	}
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
		if b.extents[n.K] != 1 { // the position on an axis of one is 0
			a.coef[n.K] = 1
		}
		return a, true
	case prim.IxValue:
		return affine{}, false
	}
	x, ok := b.affine(n.A)
	if !ok {
		return x, false
	}
	if n.Op == prim.IxAdd {
		z, ok := b.affine(n.B)
		if ok {
			x.plus(z, 1)
		}
		return x, ok
	}
	y, ok := b.number(n.B)
	if !ok {
		return x, false
	}
	if n.Op == prim.IxMul {
		z := b.constant(0)
		z.plus(x, y)
		return z, true
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

// far stands for values that can be anything.
const far = math.MaxInt / 4

// interval bounds any expression.
func (b *binder) interval(ix prim.Ix) (lo, hi int) {
	if a, ok := b.affine(ix); ok {
		return b.bounds(a)
	}
	n := b.k.Index.At(ix)
	if n.Op == prim.IxValue {
		return -far, far
	}
	y, number := b.number(n.B)
	if n.Op == prim.IxMod && number && y > 0 {
		return 0, y - 1
	}
	lo, hi = b.interval(n.A)
	if lo <= -far/2 || hi >= far/2 {
		return -far, far
	}
	switch {
	case n.Op == prim.IxAdd:
		l, h := b.interval(n.B)
		if l <= -far/2 || h >= far/2 {
			return -far, far
		}
		return lo + l, hi + h
	case n.Op == prim.IxMul && number:
		return min(lo*y, hi*y), max(lo*y, hi*y)
	case n.Op == prim.IxDiv && number && y > 0:
		return floorDiv(lo, y), floorDiv(hi, y)
	}
	return -far, far
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// A term is coef * position on axis.
type term struct{ axis, coef int }

// A linear is an affine expression ready for a loop: the part of the axes
// outside the loop, and one coefficient for each span of it, innermost last.
type linear struct {
	base  int
	outer []term
	coefs []int
}

// at is the value of the part outside the loop.
func (l *linear) at(pos []int) int {
	v := l.base
	for _, t := range l.outer {
		v += t.coef * pos[t.axis]
	}
	return v
}

// spans joins the axes of a loop where all the expressions allow it; extents
// come innermost last.
func (b *binder) spans(axes []int32, as []affine) (extents []int, out [][]int) {
	out = make([][]int, len(as))
	for j := len(axes) - 1; j >= 0; j-- {
		axis := axes[j]
		e := b.extents[axis]
		if e == 1 {
			continue
		}
		n := len(extents)
		join := n > 0
		for i, a := range as {
			join = join && a.coef[axis] == out[i][n-1]*extents[n-1]
		}
		if join {
			extents[n-1] *= e
			continue
		}
		extents = append(extents, e)
		for i, a := range as {
			out[i] = append(out[i], a.coef[axis])
		}
	}
	reverse(extents)
	for i := range out {
		reverse(out[i])
	}
	return extents, out
}

func reverse(s []int) {
	for l, r := 0, len(s)-1; l < r; l, r = l+1, r-1 {
		s[l], s[r] = s[r], s[l]
	}
}

// linear splits a into the part of the axes outside and given coefficients.
func (b *binder) linear(a affine, inside []int32, coefs []int) linear {
	l := linear{base: a.c, coefs: coefs}
	for axis, k := range a.coef {
		in := false
		for _, x := range inside {
			in = in || int(x) == axis
		}
		if k != 0 && !in {
			l.outer = append(l.outer, term{axis, k})
		}
	}
	return l
}

func (b *binder) product(axes []int32) int {
	n := 1
	for _, a := range axes {
		n *= b.extents[a]
	}
	return n
}
