package graph

import (
	"slices"

	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// Parts of a target whose elements alternate in memory share a loop, which goes over the memory once.

// mostWoven bounds the parts that share a loop.
const mostWoven = 64

// The elements of a row of at most mostColumns are parts of their own, which share a loop, if it has borders and there are at least
// leastRows, or if they are pieces of at least leastPieces rows: see [SameRows]. A loop for each operand would go over the target again.
const (
	mostColumns = 4
	leastRows   = 32
	leastPieces = 1000
)

// mostRead bounds the arrays that a loop of several rows reads: their number times the bytes of an element of the target. A loop
// that reads more from memory takes longer than a loop for each row, although these read what they share twice.
const mostRead = 48

// woven joins parts whose elements alternate in memory, as those of a stack along the
// last axis: one loop then stores them all, and goes over the memory once. It joins few parts that are rows, too, if all compute with
// the same arrays: the loop loads these once, and computes once what the parts share.
func (g *Graph) woven(parts [][]Root, axis int) [][]Root {
	first, cost := parts[0][0], 0
	if copied(parts, axis) {
		return [][]Root{slices.Concat(parts...)}
	}
	rows := !innermost(first.Target, axis)
	var read []*Array
	find := g.finder(func(n *Node) (found, stop bool) {
		a := n.Strided()
		if a != nil && !slices.ContainsFunc(read, a.SameStart) {
			read = append(read, a)
		}
		return false, a != nil
	})
	for _, part := range parts {
		v := part[0].Value
		if len(parts) > mostWoven || part[0].Target.Shape[axis] != 1 || rows && (v.inputs != first.Value.inputs || v.Work == 0) {
			return parts
		}
		for _, r := range part {
			cost += r.Value.Cost
			if rows {
				find(r.Value)
			}
		}
	}
	if rows && len(read)*first.Target.Type.Size() > mostRead || (rows || len(parts[0]) > 1) && (len(parts[0])*len(parts) > mostColumns || cost > MaxCost) {
		return parts
	}
	var all []Root
	for i := range parts[0] { // the neighbours of each row follow each other
		for _, part := range parts {
			all = append(all, part[i])
		}
	}
	return [][]Root{all}
}

// The limits of copied, in bytes of a row and in parts.
const (
	copiedBytes = 640
	leastCopied = 4
	leastEven   = 16 // of a row that divides a longer one
	mostCopied  = 4
	joinedBytes = 64 // of a row of the target that may have up to mostPacked parts of any length: several rows share a vector
	mostPacked  = 16
)

// copied reports whether parts copy short rows of as many elements from arrays. One loop then copies a row of each after the other, and
// goes over the target once.
func copied(parts [][]Root, axis int) bool {
	t := parts[0][0].Target
	n := t.Shape[axis]
	bytes := n * t.Type.Size()
	few := len(parts) <= mostCopied && 1 < n && leastCopied <= bytes && bytes <= copiedBytes
	pack := packed(len(parts), len(parts)*bytes) && slices.Contains(t.Strides, len(parts)*n) && packable(parts, axis) // the rows of the target follow each other
	return (few || pack) && n < t.Shape.Size() && innermost(t, axis) && (n == 1 || t.Strides[axis] == 1) && !slices.ContainsFunc(parts, func(part []Root) bool {
		a := part[0].Value.Strided()
		return len(part) > 1 || part[0].Target.Shape[axis] != n || a == nil || !a.Shape.Equal(t.Shape) || n > 1 && a.Strides[axis] != 1 || a.Type != t.Type
	})
}

// packable reports whether parts are of at most mostCopied arrays one after the other, and each row along axis begins two elements or more
// behind the one before.
func packable(parts [][]Root, axis int) bool {
	var arrays []*Array
	for _, part := range parts {
		a := part[0].Value.Strided()
		if a == nil || axis >= len(a.Strides) || slices.Min(append(slices.Delete(slices.Clone(a.Strides), axis, axis+1), 2)) < 2 {
			return false
		}
		arrays = append(arrays, a)
	}
	return len(slices.CompactFunc(arrays, func(a, b *Array) bool { return a.Mem == b.Mem && a.Temp == b.Temp })) <= mostCopied
}

// packed reports whether rows of so many bytes may be packed from so many parts.
func packed(parts, bytes int) bool { return parts <= mostPacked && bytes <= joinedBytes }

// evenly returns positions, those of at among them, with as many elements of so many bytes between any two, or nil if these are too many.
func evenly(at []int, size int) []int {
	step, d := 0, at[len(at)-1]
	for _, p := range at {
		for p != 0 {
			step, p = p, step%p
		}
	}
	if (d/step > mostCopied || step*size < leastEven) && !packed(d/step, d*size) {
		return nil
	}
	return lists.Make(d/step+1, func(i int) int { return i * step })
}

// fewColumns reports whether a target has few columns, which are its elements along axis, and enough rows, and whether the loop of all
// columns computes at most MaxCost primitives.
func fewColumns(roots []Root, axis int) bool {
	t := roots[0].Target
	return len(roots) == 1 && roots[0].Value.Cost <= MaxCost/mostColumns && t.Shape[axis] <= mostColumns && t.Shape.Size() >= leastRows*t.Shape[axis] && innermost(t, axis)
}

// SameRows reports whether targets are pieces of the same short rows of one array, some of them longer than an element, such as y[:, :3]
// and y[:, 3]. From leastPieces rows on, one loop that stores all columns takes less time than loops that go over the rows for each piece.
func SameRows(targets []*Array) bool {
	first, from, to := targets[0].columns()
	n := 0
	for i, t := range targets {
		row, lo, hi := t.columns()
		meets := func(x *Array) bool { _, least, most := x.columns(); return lo <= most && least <= hi }
		oneArray := t.Mem != nil && t.Mem == first.Mem && t.Type == first.Type
		sameRows := row.Shape.Equal(first.Shape) && slices.Equal(row.Strides, first.Strides)
		if !oneArray || !sameRows || slices.ContainsFunc(targets[:i], meets) {
			return false
		}
		from, to, n = min(from, lo), max(to, hi), n+t.Shape.Size()/row.Shape.Size()
	}
	rows := Array{Shape: slices.Concat(first.Shape, shape.Shape{to - from + 1}), Strides: slices.Concat(first.Strides, shape.Strides{1})}
	return len(targets) < n && n <= mostColumns && first.Shape.Size() >= leastPieces && !rows.SelfOverlaps()
}

// columns returns the first column of an array of few columns, without their axis, and the offsets of the ends of the first row.
// Other arrays are one column.
func (a *Array) columns() (row *Array, lo, hi int) {
	last := len(a.Shape) - 1
	if last < 0 || a.Shape[last] > mostColumns || !innermost(a, last) {
		return a, a.Offset, a.Offset
	}
	first := *a
	first.Shape, first.Strides = a.Shape[:last], a.Strides[:last]
	end := a.Offset + (a.Shape[last]-1)*a.Strides[last]
	return &first, min(a.Offset, end), max(a.Offset, end)
}

// innermost reports whether elements along no other axis of an array are as near as those along axis.
func innermost(a *Array, axis int) bool {
	for i, st := range a.Strides {
		if i != axis && a.Shape[i] != 1 && abs(st) <= abs(a.Strides[axis]) {
			return false
		}
	}
	return true
}
