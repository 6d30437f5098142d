// Package gather moves elements between arrays and vectors in Go, at the places
// of a bound access. The interpreter loads and stores with it, and machine code
// has it copy what it does not reach itself.
//
// An [Access] is an access of the kernel in its loop. It is computed when a
// kernel is bound. A [Scratch] is the memory of one worker. Moving elements does
// not allocate.
package gather

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Kind is how the elements of an access lie.
type Kind uint8

// The kinds of access.
const (
	One     Kind = iota // the same element in all lanes
	Run                 // constant stride over the whole loop
	Rows                // constant stride in the last span
	Guarded             // as Rows; parts of a row may be outside the array
	General             // an offset for each lane
	Skip                // nothing is loaded: a loop around has no iterations
)

// An Access is an access, or an index expression, in a loop.
type Access struct {
	Kind    Kind
	Line    bound.Line // the element offset, without the dimensions below
	vectors int        // of a Scratch in use
	masked  bool       // General: lanes may be outside the array
	single  bool       // Guarded: one lane, whatever the loop around
	guards  []guard    // Guarded
	steps   []step     // General: the index expressions ...
	dims    []dim      // ... and the dimensions that they index
}

// A guard is a coordinate that may be outside; it has the spans of the access.
type guard struct {
	line   bound.Line
	extent int
}

// A dim adds coordinate * stride to the offsets.
type dim struct {
	src            int // vector with the coordinate
	stride, extent int
	bounds         ir.Bounds
}

// maxSpans bounds the spans of an access that is gone through row by row.
const maxSpans = 16

// At is a place in a kernel: a loop as the order of its digits, outermost first,
// none for scalar code; and the numbers by which a [Values] knows values.
type At struct {
	Kernel *bound.Kernel
	Digits []int
	Handle func(v ir.Value) int32
}

// Form returns the access of an affine index.
func (p At) Form(f bound.Form) Access {
	s := Access{Kind: General}
	p.compiler(&s).form(f)
	return s
}

// Index returns the access of an index expression.
func (p At) Index(ix prim.Ix) Access {
	s := Access{Kind: General}
	p.compiler(&s).compile(ix)
	return s
}

// Access returns the access of an access.
func (p At) Access(a *bound.Access) Access {
	offset, affine := a.Whole()
	forms := []bound.Form{offset}
	var limits []int
	for i := range a.Dims {
		d := &a.Dims[i]
		if d.Direct() {
			continue
		}
		if !affine || d.Bounds == ir.Clamped {
			return p.general(a)
		}
		forms, limits = append(forms, d.Form), append(limits, d.Extent)
	}
	lines := p.Kernel.Lines(p.Digits, forms...)
	s := Access{Line: lines[0]}
	switch n := len(s.Line.Spans); {
	case n > maxSpans:
		return p.general(a)
	case len(limits) > 0:
		s.Kind, s.single = Guarded, n == 0
		for i := range lines {
			if s.single {
				lines[i].Spans = []bound.Span{{Extent: 1}}
			}
			if i > 0 {
				s.guards = append(s.guards, guard{lines[i], limits[i-1]})
			}
		}
		s.Line = lines[0]
	case n == 1 && s.Line.Spans[0].Coef != 0:
		s.Kind = Run
	case n > 1:
		s.Kind = Rows
	}
	return s
}

// general is the access of any access.
func (p At) general(a *bound.Access) Access {
	s := Access{Kind: General, Line: p.Kernel.Lines(p.Digits, a.Offset)[0]}
	c := p.compiler(&s)
	for i := range a.Dims {
		d := &a.Dims[i]
		if d.Direct() {
			continue
		}
		s.masked = s.masked || d.Bounds == ir.Guarded
		s.dims = append(s.dims, dim{c.compile(d.Ix), d.Stride, d.Extent, d.Bounds})
	}
	// Guarded dimensions last: nothing may be added to the mark of a lane outside.
	slices.SortStableFunc(s.dims, func(x, y dim) int { return cmp.Compare(guardLast(x.bounds), guardLast(y.bounds)) })
	return s
}

func guardLast(b ir.Bounds) int {
	if b == ir.Guarded {
		return 1
	}
	return 0
}

// Masked reports whether lanes of the access may be outside the array. Load leaves
// them 0, and Fill and Inside tell them apart.
func (s *Access) Masked() bool { return s.Kind == Guarded || s.masked }

// Contiguous reports whether lanes are neighbours over the whole loop.
func (s *Access) Contiguous() bool { return s.Kind == Run && s.Line.Spans[0].Coef == 1 }
