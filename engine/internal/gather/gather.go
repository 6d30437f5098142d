// Package gather moves elements between arrays and vectors, in Go. The interpreter
// loads and stores with it. The machine-code back end copies operands with it that
// its own loads do not support.
//
// An [Access] is an access of a kernel in its loop. A back end makes it when it
// binds the kernel. A [Scratch] is the memory of one worker. Moving elements does
// not allocate.
package gather

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Kind says how the elements of an access lie in memory.
type Kind uint8

// The kinds of access.
const (
	One     Kind = iota // the same element in all lanes
	Run                 // constant stride over the whole loop
	Rows                // constant stride in the last span
	Guarded             // like Rows, but parts of a row may be outside the array
	General             // an offset for each lane
	Skip                // loads nothing, because an enclosing loop has no iterations
)

// An Access is an access, or an index expression, in a loop.
type Access struct {
	Kind    Kind
	Line    bound.Line // the element offset, without the coordinates in dims
	vectors int        // number of vectors of a Scratch that it uses
	masked  bool       // General: lanes may be outside the array
	single  bool       // Guarded: the access has one element for all lanes
	guards  []guard    // Guarded
	steps   []step     // General: computes the index expressions
	dims    []dim      // General: the dimensions of these index expressions
}

// A guard is a coordinate that may be outside the array. Its line has the same span
// extents as the access.
type guard struct {
	line   bound.Line
	extent int
}

// A dim adds coordinate times stride to the offset of each lane.
type dim struct {
	src            int // the vector with the coordinates
	stride, extent int
	bounds         ir.Bounds
}

// maxSpans is the largest number of spans of an access that a walk supports.
// Accesses with more spans are General.
const maxSpans = 16

// At is a place in a kernel: scalar code or a loop.
type At struct {
	Kernel *bound.Kernel
	Digits []int                  // the digits of the loop, outermost first; none for scalar code
	Handle func(v ir.Value) int32 // returns the handle of a value, for [Values]
}

// Form returns the Access that computes an affine index.
func (p At) Form(f bound.Form) Access {
	s := Access{Kind: General}
	p.compiler(&s).form(f)
	return s
}

// Index returns the Access that computes an index expression.
func (p At) Index(ix prim.Ix) Access {
	s := Access{Kind: General}
	p.compiler(&s).compile(ix)
	return s
}

// Access returns the Access that moves the elements of a.
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

// general returns an Access of kind General, which fits any access.
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
	// Guarded dimensions come last: the mark of a lane outside must not change.
	slices.SortStableFunc(s.dims, func(x, y dim) int { return cmp.Compare(guardLast(x.bounds), guardLast(y.bounds)) })
	return s
}

func guardLast(b ir.Bounds) int {
	if b == ir.Guarded {
		return 1
	}
	return 0
}

// Masked reports whether lanes of the access may be outside the array. Load sets
// such lanes to 0. Fill sets them to fill values, and Inside reports the others.
func (s *Access) Masked() bool { return s.Kind == Guarded || s.masked }

// Contiguous reports whether lanes are neighbours over the whole loop.
func (s *Access) Contiguous() bool { return s.Kind == Run && s.Line.Spans[0].Coef == 1 }
