package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// Bytes returns the number of bytes that a stage moves to and from memory, if
// it reads and writes every element once.
func (s *Stage) Bytes() int { return moved(s.Reads) + moved(s.Writes) }

// moved returns the bytes of the distinct elements of arrays. Views of one
// memory count at most as the range of bytes that they cover together.
func moved(arrays []*Array) (n int) {
	type memory struct {
		mem  any
		temp int
	}
	type stretch struct{ sum, lo, hi int }
	seen := map[memory]stretch{}
	for _, a := range arrays {
		lo, hi := shape.Bounds(a.Shape, a.Strides, a.Offset)
		if lo > hi {
			continue
		}
		size := a.Type.Size()
		key := memory{a.Mem, a.Temp}
		s, ok := seen[key]
		if !ok {
			s.lo, s.hi = lo*size, (hi+1)*size
		}
		seen[key] = stretch{s.sum + touched(a), min(s.lo, lo*size), max(s.hi, (hi+1)*size)}
	}
	for _, s := range seen {
		n += min(s.sum, s.hi-s.lo)
	}
	return n
}

// touched returns the bytes of the distinct elements of one array.
func touched(a *Array) int {
	n := a.Type.Size()
	for i, d := range a.Shape {
		if a.Strides[i] != 0 || d == 0 {
			n *= d
		}
	}
	return n
}

// Explain returns text with two lines for each stage: what it computes, why it
// is a stage of its own, what it reads and writes, and how many bytes it moves.
func (p *Plan) Explain() string {
	var b strings.Builder
	temps := len(lists.Where(p.Temps, func(t *Temp) bool { return t.first >= 0 }))
	fmt.Fprintf(&b, "%d stage%s, %d temporar%s, %d bytes of scratch\n", len(p.Stages), plural(len(p.Stages), "", "s"), temps, plural(temps, "y", "ies"), p.Arena)
	for i, s := range p.Stages {
		fmt.Fprintf(&b, "stage %d: %s: %s\n  reads %s; writes %s; %d bytes\n", i, s.what(), s.Why, list(s.Reads), list(s.Writes), s.Bytes())
		for k, part := range s.Parts {
			fmt.Fprintf(&b, "  part %d: %s: %s\n    reads %s; writes %s\n", k, part.what(), part.Why, list(part.Reads), list(part.Writes))
		}
	}
	return b.String()
}

// what returns the kind of a stage in words.
func (s *Stage) what() string {
	what := [...]string{Loop: "loop", Product: "matrix product", Call: "Go function", Chain: "chain"}[s.Kind]
	if s.Kind == Call {
		what += " " + s.Node.Op.Name()
	}
	if s.Prescan {
		what = "prescan"
	}
	what += combined(s.Saver, s.Alpha != nil)
	switch {
	case s.Kind == Chain && s.Tiles != nil:
		what += fmt.Sprintf(" of %d parts, on tiles with %d columns", len(s.Parts), s.Tiles.Columns)
	case s.Kind == Chain:
		what += fmt.Sprintf(" of %d parts, %d blocks of %d rows, %d bytes for each worker", len(s.Parts), s.Blocks.Count(), s.Blocks.Rows(), s.OwnBytes)
	}
	if s.Bias != nil {
		what += ", with the bias " + s.Bias.String()
	}
	return what
}

// combined says how a product is stored, or returns "" if it is stored as it is.
func combined(s expr.Saver, scaled bool) (what string) {
	if scaled {
		what = ", scaled"
	}
	if s != expr.Set {
		what += ", by " + [...]string{expr.Plus: "+=", expr.Minus: "-=", expr.Times: "*=", expr.Over: "/="}[s]
	}
	return what
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// list returns the names of arrays. Views of one memory with the same shape are
// one name and their number.
func list(arrays []*Array) string {
	if len(arrays) == 0 {
		return "nothing"
	}
	var names []string
	for i, a := range arrays {
		like := func(b *Array) bool {
			return a.Mem == b.Mem && a.Temp == b.Temp && a.Type == b.Type && a.Shape.Equal(b.Shape) && !a.Equal(b)
		}
		if slices.ContainsFunc(arrays[:i], like) {
			continue
		}
		name := a.String()
		if n := len(slices.DeleteFunc(slices.Clone(arrays[i+1:]), func(b *Array) bool { return !like(b) })); n > 0 {
			name += fmt.Sprintf(" as %d views", n+1)
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// Flops returns the number of floating-point operations of a stage. Kernels
// count as package ir counts them. A matrix product counts two for each
// multiplication and addition, and one for each
// bias, saver and scaling. The operations of a Go
// function are unknown and count as none.
func (s *Stage) Flops() int {
	switch s.Kind {
	case Loop:
		return s.Kernel.Flops(s.Extents)
	case Product:
		each := 2 * s.ShapeA[len(s.ShapeA)-1]
		for _, more := range []bool{s.Bias != nil, s.Saver != expr.Set, s.Alpha != nil} {
			if more {
				each++
			}
		}
		return each * s.Out.Shape.Size()
	case Chain:
		return lists.Sum(s.Parts, (*Stage).Flops)
	}
	return 0
}

// Footprint returns the number of bytes of the distinct elements that the
// stages access, temporaries included.
func (p *Plan) Footprint() int {
	return moved(slices.Concat(lists.Map(p.Stages, func(s *Stage) []*Array { return slices.Concat(s.Reads, s.Writes) })...))
}
