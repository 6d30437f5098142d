package interp

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/plan/affine"
	"github.com/oneloop/oneloop/plan/ir"
)

// maxSpans bounds the axes of a vec loop that an access cannot collapse.
const maxSpans = 16

type siteKind uint8

const (
	oneSite     siteKind = iota // the same element in all lanes
	runSite                     // constant stride over the whole loop
	rowsSite                    // constant stride in the last span
	guardSite                   // as rowsSite, parts of a row may be outside
	generalSite                 // an offset for each lane
	skipSite                    // moved out of a loop without iterations
)

// A site is a bound access.
type site struct {
	kind   siteKind
	bounds ir.Bounds
	view   bool
	single bool // of a guardSite: it has one lane, whatever the loop around
	buf    int32
	line   linear   // the element offset, without the dims below
	guards []guard  // of a guardSite
	prog   []ixStep // of a generalSite: the index expressions ...
	dims   []ixDim  // ... and the dimensions they index
}

// A linear is an affine expression ready for evaluation in a loop: the part of
// the par and seq axes, and spans of the flattened vec axes, innermost last.
type linear struct {
	base  int
	outer []term
	spans []span
}

type term struct {
	axis int32
	coef int
}

// A span is a group of vec axes that this access goes through with one step.
type span struct {
	extent, coef int
}

// A guard is a coordinate that may lie outside; it has the spans of the site.
type guard struct {
	line   linear
	extent int
}

// A binder fixes the numbers of an instance.
type binder struct {
	*affine.Space
	k       *ir.Kernel
	code    *code
	inst    *instance
	extents []int
	orders  [][]int // the digits of each vec loop, outermost first
	tiled   []tile  // by vec loop; zero if it has none
}

// at is the value of the outer part.
func (l *linear) at(f *frame) int {
	v := l.base
	for _, t := range l.outer {
		v += t.coef * f.pos[t.axis]
	}
	return v
}

// linears splits affine expressions into the outer part and common spans: digits
// are joined where all of them allow it.
func (b *binder) linears(vec int32, as []affine.Form) []linear {
	out := make([]linear, len(as))
	var lanes []int
	if vec >= 0 {
		lanes = b.orders[vec]
	}
	for i, a := range as {
		out[i].base = a.C
		for d, k := range a.Coef {
			if k != 0 && !slices.Contains(lanes, d) {
				// Only axes of vec loops have several digits.
				out[i].outer = append(out[i].outer, term{b.Digits[d].Axis, k})
			}
		}
	}
	for j := len(lanes) - 1; j >= 0; j-- {
		e := b.Digits[lanes[j]].Extent
		if e == 1 {
			continue
		}
		join := len(out[0].spans) > 0
		for i, a := range as {
			if n := len(out[i].spans); n == 0 || a.Coef[lanes[j]] != out[i].spans[n-1].coef*out[i].spans[n-1].extent {
				join = false
			}
		}
		for i, a := range as {
			if join {
				out[i].spans[len(out[i].spans)-1].extent *= e
			} else {
				out[i].spans = append(out[i].spans, span{e, a.Coef[lanes[j]]})
			}
		}
	}
	for i := range out { // innermost last
		slices.Reverse(out[i].spans)
	}
	return out
}

// strides of a buffer, in elements.
func (b *binder) layout(buf int32, bind *ir.Binding) (strides, extents []int) {
	d := &b.k.Bufs[buf]
	if d.Mode != ir.Row {
		return bind.Bufs[buf].Strides, bind.Bufs[buf].Extents
	}
	strides, extents = make([]int, d.Rank), make([]int, d.Rank)
	n := 1
	for i := d.Rank - 1; i >= 0; i-- {
		strides[i], extents[i] = n, b.extents[d.Axes[i]]
		n *= extents[i]
	}
	return strides, extents
}

func (b *binder) site(info *siteInfo, bind *ir.Binding) (site, error) {
	for _, l := range info.guard {
		for _, a := range b.k.Loops[l].Axes {
			if b.extents[a] == 0 {
				return site{kind: skipSite}, nil
			}
		}
	}
	if info.access < 0 {
		return b.indexSite(info)
	}
	a := &b.k.Access[info.access]
	strides, extents := b.layout(a.Buf, bind)
	s := site{buf: a.Buf, bounds: a.Bounds}
	offset := b.Constant(0)
	var unsure []affine.Form // affine coordinates that may be outside
	var limits []int
	general := false
	for d, ix := range a.Coords {
		lo, hi := b.Interval(ix)
		inside := a.Bounds == ir.InBounds || lo >= 0 && hi < extents[d]
		af, ok := b.Form(ix)
		switch {
		case !ok || !inside && a.Bounds == ir.Clamped:
			general = true
		case !inside:
			unsure = append(unsure, af)
			limits = append(limits, extents[d])
		}
		if ok && inside {
			offset.Plus(af, strides[d])
		}
	}
	if general {
		return b.generalSite(info, a, strides, extents)
	}
	if len(unsure) > 0 {
		// Guarded: the offset covers all coordinates; what is outside is not read.
		offset = b.Constant(0)
		for d, ix := range a.Coords {
			af, _ := b.Form(ix)
			offset.Plus(af, strides[d])
		}
	}
	ls := b.linears(info.vec, append([]affine.Form{offset}, unsure...))
	s.line = ls[0]
	if len(s.line.spans) > maxSpans {
		return s, fmt.Errorf("an access with %d axes", len(s.line.spans))
	}
	switch {
	case len(unsure) > 0:
		s.kind = guardSite
		if len(s.line.spans) == 0 {
			s.single = true
			for i := range ls {
				ls[i].spans = []span{{1, 0}}
			}
			s.line = ls[0]
		}
		for i, l := range ls[1:] {
			s.guards = append(s.guards, guard{l, limits[i]})
		}
		b.inst.guarded = true
	case len(s.line.spans) == 0:
		s.kind = oneSite
	case len(s.line.spans) == 1:
		s.kind = runSite
		s.view = info.view && s.line.spans[0].coef == 1
		if s.line.spans[0].coef == 0 {
			s.kind = oneSite
		}
	default:
		s.kind = rowsSite
	}
	return s, nil
}

func (b *binder) product(axes []int32) int {
	n := 1
	for _, a := range axes {
		n *= b.extents[a]
	}
	return n
}

// rowBytes is the size of a row buffer.
func (b *binder) rowBytes(buf int) int {
	d := &b.k.Bufs[buf]
	return b.product(d.Axes) * d.Type.Size()
}
