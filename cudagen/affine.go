package cudagen

import (
	"fmt"
	"math"
	"slices"

	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/prim"
)

// A digit is a part of an axis: floor(position / weight) mod extent. Axes that
// index expressions take apart by div and mod (the plan has joined them, for a
// view of another shape) have a digit for each part, so that the expressions
// become affine.
type digit struct {
	axis   int32
	extent int
	weight int
}

// An affine is c + sum of coef[digit] * value of digit.
type affine struct {
	c    int
	coef []int
}

// An analyser evaluates index expressions with the numbers of a binding.
type analyser struct {
	k      *ir.Kernel
	b      *ir.Binding
	digits []digit
	ofAxis [][]int // the digits of each axis, the most significant first
}

func newAnalyser(k *ir.Kernel, b *ir.Binding) (*analyser, error) {
	a := &analyser{k: k, b: b}
	if err := a.check(); err != nil {
		return nil, err
	}
	for i, e := range b.Extents {
		a.digits = append(a.digits, digit{int32(i), e, 1})
		a.ofAxis = append(a.ofAxis, []int{i})
	}
	cuts := make([][]int, len(b.Extents)) // weights at which to cut, by axis
	for i, n := range k.Index.Nodes {
		if n.Op != prim.IxDiv && n.Op != prim.IxMod {
			continue
		}
		if d, ok := a.number(n.B); !ok || d <= 0 {
			return nil, fmt.Errorf("an index expression divides by %d", d)
		}
		if axis, lo, hi, ok := a.part(prim.Ix(i)); ok {
			cuts[axis] = append(cuts[axis], lo, hi)
		}
	}
	for axis, weights := range cuts {
		a.cut(int32(axis), weights)
	}
	return a, nil
}

// check finds bindings that do not fit the kernel.
func (a *analyser) check() error {
	k, b := a.k, a.b
	if len(b.Extents) != len(k.Axes) || len(b.Params) != k.Params || len(b.Scalars) != len(k.Scalars) || len(b.Bufs) != len(k.Bufs) {
		return fmt.Errorf("the binding has %d extents, %d parameters, %d scalars, %d buffers; the kernel %d, %d, %d, %d",
			len(b.Extents), len(b.Params), len(b.Scalars), len(b.Bufs), len(k.Axes), k.Params, len(k.Scalars), len(k.Bufs))
	}
	for i, e := range b.Extents {
		if e < 0 {
			return fmt.Errorf("axis %s has extent %d", k.Axes[i], e)
		}
	}
	for i := range k.Bufs {
		d, v := &k.Bufs[i], &b.Bufs[i]
		if d.Mode != ir.Row && (len(v.Strides) != d.Rank || len(v.Extents) != d.Rank) {
			return fmt.Errorf("buffer %s has rank %d; %d strides and %d extents are bound", d.Name, d.Rank, len(v.Strides), len(v.Extents))
		}
	}
	return nil
}

// part recognises floor((axis mod hi) / lo).
func (a *analyser) part(ix prim.Ix) (axis int32, lo, hi int, ok bool) {
	n := a.k.Index.At(ix)
	if n.Op == prim.IxAxis {
		return int32(n.K), 1, a.b.Extents[n.K], true
	}
	if n.Op != prim.IxDiv && n.Op != prim.IxMod {
		return 0, 0, 0, false
	}
	axis, lo, hi, ok = a.part(n.A)
	d, _ := a.number(n.B)
	switch {
	case !ok || d <= 0:
		return 0, 0, 0, false
	case n.Op == prim.IxDiv:
		return axis, lo * d, hi, true
	case lo*d >= hi:
		return axis, lo, hi, true
	}
	return axis, lo, lo * d, hi%(lo*d) == 0
}

// cut splits an axis at the given weights, if each divides the next.
func (a *analyser) cut(axis int32, weights []int) {
	e := a.b.Extents[axis]
	weights = slices.DeleteFunc(weights, func(w int) bool { return w <= 1 || w >= e })
	if len(weights) == 0 {
		return
	}
	chain := append(weights, 1, e)
	slices.Sort(chain)
	chain = slices.Compact(chain)
	for i := 1; i < len(chain); i++ {
		if chain[i]%chain[i-1] != 0 {
			return
		}
	}
	a.ofAxis[axis] = nil
	for i := len(chain) - 2; i >= 0; i-- {
		a.ofAxis[axis] = append(a.ofAxis[axis], len(a.digits))
		a.digits = append(a.digits, digit{axis, chain[i+1] / chain[i], chain[i]})
	}
}

func (a *analyser) constant(c int) affine { return affine{c, make([]int, len(a.digits))} }

func (x affine) add(y affine, k int) affine {
	out := affine{x.c + k*y.c, slices.Clone(x.coef)}
	for i := range out.coef {
		out.coef[i] += k * y.coef[i]
	}
	return out
}

// bounds is the least and the greatest value of x.
func (a *analyser) bounds(x affine) (lo, hi int) {
	lo, hi = x.c, x.c
	for i, k := range x.coef {
		if d := k * (max(a.digits[i].extent, 1) - 1); d > 0 {
			hi += d
		} else {
			lo += d
		}
	}
	return lo, hi
}

// axis is the position on an axis.
func (a *analyser) axis(axis int32) affine {
	x := a.constant(0)
	for _, d := range a.ofAxis[axis] {
		if a.digits[d].extent != 1 {
			x.coef[d] = a.digits[d].weight
		}
	}
	return x
}

// affine evaluates an expression, if it is affine. Division and modulo are where
// they only take apart what was put together: floor((q*d + r) / d) is q if r
// stays within 0..d-1.
func (a *analyser) affine(ix prim.Ix) (affine, bool) {
	n := a.k.Index.At(ix)
	switch n.Op {
	case prim.IxConst:
		return a.constant(int(n.K)), true
	case prim.IxParam:
		return a.constant(a.b.Params[n.K]), true
	case prim.IxAxis:
		return a.axis(int32(n.K)), true
	case prim.IxValue:
		return affine{}, false
	}
	x, ok := a.affine(n.A)
	if !ok {
		return x, false
	}
	if n.Op == prim.IxAdd {
		y, ok := a.affine(n.B)
		if !ok {
			return x, false
		}
		return x.add(y, 1), true
	}
	y, ok := a.number(n.B)
	switch {
	case !ok:
		return x, false
	case n.Op == prim.IxMul:
		return a.constant(0).add(x, y), true
	case y <= 0:
		return x, false
	}
	quo, rem := a.constant(0), a.constant(x.c)
	for i, k := range x.coef {
		if k%y == 0 {
			quo.coef[i] = k / y
		} else {
			rem.coef[i] = k
		}
	}
	lo, hi := a.bounds(rem)
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

// number is the value of an expression without axes and values.
func (a *analyser) number(ix prim.Ix) (int, bool) {
	x, ok := a.affine(ix)
	return x.c, ok && !slices.ContainsFunc(x.coef, func(k int) bool { return k != 0 })
}

// far bounds what is not known.
const far = math.MaxInt / 4

// interval bounds any expression; values can be anything.
func (a *analyser) interval(ix prim.Ix) (lo, hi int) {
	if x, ok := a.affine(ix); ok {
		return a.bounds(x)
	}
	n := a.k.Index.At(ix)
	if n.Op == prim.IxValue {
		return -far, far
	}
	lo, hi = a.interval(n.A)
	known := lo > -far/2 && hi < far/2
	y, _ := a.number(n.B)
	switch {
	case n.Op == prim.IxMod:
		return 0, y - 1
	case !known:
		return -far, far
	case n.Op == prim.IxAdd:
		l, h := a.interval(n.B)
		if l <= -far/2 || h >= far/2 {
			return -far, far
		}
		return lo + l, hi + h
	case n.Op == prim.IxMul:
		return min(lo*y, hi*y), max(lo*y, hi*y)
	}
	return floorDiv(lo, y), floorDiv(hi, y)
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
