package jit

import (
	"slices"

	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A binder fixes the numbers of an instance.
type binder struct {
	*bound.Space
	k       *ir.Kernel
	p       *program
	bind    *ir.Binding
	extents []int
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
func (b *binder) spans(axes []int32, as []bound.Form) (extents []int, out [][]int) {
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
			join = join && a.Coef[axis] == out[i][n-1]*extents[n-1]
		}
		if join {
			extents[n-1] *= e
			continue
		}
		extents = append(extents, e)
		for i, a := range as {
			out[i] = append(out[i], a.Coef[axis])
		}
	}
	slices.Reverse(extents)
	for i := range out {
		slices.Reverse(out[i])
	}
	return extents, out
}

// linear splits a into the part of the axes outside and given coefficients.
func (b *binder) linear(a bound.Form, inside []int32, coefs []int) linear {
	l := linear{base: a.C, coefs: coefs}
	for axis, k := range a.Coef {
		if k != 0 && !slices.Contains(inside, int32(axis)) {
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
