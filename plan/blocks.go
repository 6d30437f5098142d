package plan

import (
	"slices"

	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/shape"
)

// Limits of chains.
const (
	// ownBytes is the size of the blocks of a worker. They should stay in a
	// second-level cache, beside the operands of products.
	ownBytes = 512 << 10
	// leastTemp is the size of temporaries, in bytes, from which a chain pays.
	// Smaller ones stay in a cache anyway.
	leastTemp = 1 << 20
	// leastPieces is the same for all arrays of loops that store pieces of arrays.
	leastPieces = 2 << 20
	// smallB is the size of a right operand, in bytes, that costs little to pack for each block.
	smallB = 64 << 10
	// leastRows is the smallest number of rows of a block.
	leastRows = 32
	// mostMatrix is the largest size of the temporaries of a worker, in bytes, if
	// blocks are whole matrices.
	mostMatrix = 16 << 20
	// mostRows is the largest number of rows of a block.
	mostRows = 512
	// leastBlocks is the number of blocks that leaves work for several threads.
	leastBlocks = 8
	// mostStages is the number of stages among which the parts of one chain are.
	mostStages = 32
)

// chains reports whether a stage can be a part of a chain.
func chains(s *Stage) bool {
	switch s.Kind {
	case Product:
		return len(s.A.Shape) > 1 && s.Out.Shape.Size() > 0
	case Loop:
		return !s.Prescan && s.mainAxes() != nil
	}
	return false
}

func overlap(a, b []*Array) bool {
	return slices.ContainsFunc(a, func(x *Array) bool { return slices.ContainsFunc(b, x.Overlaps) })
}

// independent reports whether two stages may change places.
func independent(a, b *Stage) bool {
	meet := func(x *Array) bool { return slices.ContainsFunc(b.Writes, x.Meets) }
	return !overlap(a.Writes, b.Reads) && !slices.ContainsFunc(a.Writes, meet) && !overlap(a.Reads, b.Writes)
}

// uses reports whether a stage reads or writes elements of an array.
func (s *Stage) uses(a *Array) bool {
	return slices.ContainsFunc(s.Reads, a.Overlaps) || slices.ContainsFunc(s.Writes, a.Overlaps)
}

// apart reports whether each part accesses what another part writes only as own says.
func apart(parts []*Stage, own func(part int, w *Array) bool) bool {
	for i, s := range parts {
		for _, w := range s.Writes {
			for j, t := range parts {
				if i != j && t.uses(w) && !(own(i, w) && own(j, w)) {
					return false
				}
			}
		}
	}
	return true
}

// hasRows reports whether the outermost axes of a stage are the rows.
func (s *Stage) hasRows(dims []int) bool {
	if s.Kind == Product {
		if s.whole(dims) {
			return true
		}
		r := len(s.ShapeA)
		if len(s.A.Shape) > r || !slices.Equal(graph.LoopShape(s.ShapeA[:r-1]), graph.LoopShape(s.outRows())) {
			return false
		}
		if s.ShapeA[:r-2].Size() > 1 { // a block must be in one matrix
			return s.ShapeA[r-2] > 1 && slices.Equal(graph.LoopShape(s.ShapeA[:r-1]), dims)
		}
		return shape.Shape(dims).Size() == s.ShapeA[r-2]
	}
	axes := s.mainAxes()
	return len(axes) >= len(dims) && slices.EqualFunc(axes[:len(dims)], dims, func(a int32, d int) bool { return s.Extents[a] == d })
}

// outside appends to list the arrays of more, without those of which workers have blocks.
func (s *Stage) outside(list, more []*Array) []*Array {
	for _, a := range more {
		if s.OwnOf(a) == nil && !slices.ContainsFunc(list, a.Equal) {
			list = append(list, a)
		}
	}
	return list
}

// OwnOf returns the temporary of the workers of a chain that has the elements of a,
// or nil.
func (s *Stage) OwnOf(a *Array) *Own {
	for i := range s.Own {
		if a.Mem == nil && s.Own[i].Array.Temp == a.Temp {
			return &s.Own[i]
		}
	}
	return nil
}

// keep makes temporaries of so many rows blocks of the workers of a chain, each in the room that rooms says.
func (s *Stage) keep(own []*Array, room []int, rows int) {
	for i, a := range own {
		if room[i] < i {
			s.Own = append(s.Own, Own{a, s.Own[room[i]].Offset})
			continue
		}
		s.Own = append(s.Own, Own{a, s.OwnBytes})
		s.OwnBytes += (a.Bytes()/rows*s.Blocks.Rows() + align - 1) / align * align
	}
}

// add adds a part to a chain.
func (s *Stage) add(p *Stage) {
	s.Parts = append(s.Parts, p)
	s.Reads, s.Writes = s.outside(s.Reads, p.Reads), s.outside(s.Writes, p.Writes)
}

// rowBlocks divides the rows into blocks of about target rows.
func rowBlocks(parts []*Stage, dims []int, target int) RowBlocks {
	axis := cutAxis(parts, dims, target)
	r := RowBlocks{Outer: shape.Shape(dims[:axis]).Size(), Extent: dims[axis], Inner: shape.Shape(dims[axis+1:]).Size(), axis: axis}
	r.Size = min(max(1, target/r.Inner), r.Extent)
	r.Size = (r.Extent + r.PerAxis() - 1) / r.PerAxis()
	return r
}

// cutAxis returns the axis of the rows that blocks cut: the last one, unless a
// block has several positions of an axis before.
func cutAxis(parts []*Stage, dims []int, target int) int {
	axis := len(dims) - 1
	batched := func(p *Stage) bool { return p.Kind == Product && len(p.matrices()) > 0 }
	if slices.ContainsFunc(parts, batched) { // a block is in one matrix
		return axis
	}
	for size := dims[axis]; axis > 0 && size < target; size *= dims[axis] {
		axis--
	}
	return axis
}
