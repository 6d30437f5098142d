package plan

import (
	"slices"

	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// Several loops may store pieces of one array, as those of the gradient of a pool do: the even rows of each image, then
// the odd ones. If all arrays are larger than the caches, each loop brings them there again. So a worker runs all of
// these loops for a block of images before it takes the next one.

// inPieces returns the chain of loops from stage i of all on, or nil if there is none. Its rows are the positions of the outermost axis of
// the loops, or of two of them if those of one are too large for a block.
func inPieces(all []*Stage, i int, always bool) *Stage {
	stages := all[i:]
	if stages[0].Kind != Loop || !chains(stages[0]) {
		return nil
	}
	outer := lists.Map(stages[0].mainAxes(), func(x int32) int { return stages[0].Extents[x] })
	for axes := 1; axes <= min(2, len(outer)); axes++ {
		dims, n := outer[:axes], 0
		for n < min(len(stages), mostStages) && stages[n].Kind == Loop && chains(stages[n]) && !stages[n].Raises() && stages[n].hasRows(dims) {
			n++
		}
		if !always && lists.Sum(stages[:n], func(s *Stage) int { return bytesOf(accessed([]*Stage{s}, dims)) }) < leastPieces {
			continue // most small programs end here: the search takes the square of the number of arrays
		}
		for n > 1 && !(shares(stages[:n], dims) && alignedPieces(stages[:n], dims)) {
			n--
		}
		if n > 1 {
			if made := piecesOf(all, stages[:n], dims, always); made != nil {
				return made
			}
		}
	}
	return nil
}

// shares reports whether the last of the parts reads rows of which others have stored pieces, or whether it and another one read and store
// the same rows.
func shares(parts []*Stage, dims []int) bool {
	same := func(a, b []*Array) bool {
		return slices.ContainsFunc(a, func(x *Array) bool {
			x = wholeRows(x, dims)
			return x != nil && slices.ContainsFunc(b, func(y *Array) bool {
				y = wholeRows(y, dims)
				return y != nil && x.Equal(y)
			})
		})
	}
	last := parts[len(parts)-1]
	pieces := lists.Count(parts[:len(parts)-1], func(s *Stage) bool { return overlap(s.Writes, last.Reads) })
	return pieces > 1 || slices.ContainsFunc(parts[:len(parts)-1], func(s *Stage) bool {
		return same(s.Writes, last.Writes) && same(s.Reads, last.Reads)
	})
}

// alignedPieces reports whether each part accesses what another part writes only in its own rows.
func alignedPieces(parts []*Stage, dims []int) bool {
	return apart(parts, func(i int, w *Array) bool {
		x := wholeRows(w, dims)
		return x != nil && parts[i].within(x, dims)
	})
}

// wholeRows returns the whole rows of which an array has pieces, or nil. They follow each other in memory.
func wholeRows(a *Array, dims []int) *Array {
	at := slices.IndexFunc(a.Shape, func(d int) bool { return d > 1 })
	if at < 0 || len(a.Shape) < at+len(dims) || !slices.Equal(a.Shape[at:at+len(dims)], dims) {
		return nil
	}
	rows, step := 1, a.Strides[at+len(dims)-1]
	for i := len(dims) - 1; i >= 0; i-- {
		if a.Strides[at+i] != step*rows || step <= 0 {
			return nil
		}
		rows *= dims[i]
	}
	first := a.Offset - a.Offset%step
	return &Array{Mem: a.Mem, Temp: a.Temp, Type: a.Type, Offset: first, Shape: shape.Shape{rows, step}, Strides: shape.Strides{step, 1}, Name: a.Name}
}

// piecesOf returns the chain of parts of stages, or nil if it does not pay. Each worker has a block of the temporaries that only the parts use.
func piecesOf(stages, parts []*Stage, dims []int, always bool) *Stage {
	rows := shape.Shape(dims).Size()
	all := bytesOf(accessed(parts, dims))
	size := min(ownBytes*rows/max(all, 1), rows/leastBlocks)
	if always {
		size = max(1, min(size, rows/3))
	}
	if size == 0 || !always && all < leastPieces {
		return nil
	}
	s := &Stage{Kind: Chain, Why: "a worker runs the loops that store pieces of its arrays for one block of rows after the other"}
	s.Blocks = rowBlocks(parts, dims, size)
	var own []*Array
	for _, p := range parts {
		for _, w := range p.Writes {
			if w = wholeRows(w, dims); w != nil && w.Mem == nil && ownIn(own, w) == nil && !slices.ContainsFunc(stages, func(s *Stage) bool {
				return s.uses(w) && !(slices.Contains(parts, s) && s.within(w, dims))
			}) {
				own = append(own, w)
			}
		}
	}
	s.keep(own, lists.UpTo(len(own)), rows)
	for _, p := range largestFirst(parts) {
		s.add(p.blocked(dims, s.Blocks, own))
	}
	return s
}

// largestFirst moves parts up before those that store less and that they do not depend on. The first part brings the rows of a block to
// the caches: a border that reads a little of each line would wait for each of them.
func largestFirst(parts []*Stage) (out []*Stage) {
	stored := func(s *Stage) int { return bytesOf(s.Writes) }
	for _, p := range parts {
		at := len(out)
		for at > 0 && stored(out[at-1]) < stored(p) && independent(out[at-1], p) {
			at--
		}
		out = slices.Insert(out, at, p)
	}
	return out
}

// bytesOf returns the bytes of all arrays of a list.
func bytesOf(list []*Array) int { return lists.Sum(list, (*Array).Bytes) }

// accessed returns the whole rows that parts access, each once.
func accessed(parts []*Stage, dims []int) (list []*Array) {
	for _, s := range parts {
		for _, a := range slices.Concat(s.Reads, s.Writes) {
			if x := wholeRows(a, dims); x != nil && !slices.ContainsFunc(list, x.Equal) {
				list = append(list, x)
			}
		}
	}
	return list
}
