// Package overlap finds which pieces of memory overlap, and at which distances.
package overlap

import (
	"cmp"
	"slices"
)

// An Extent is where the bytes of a memory are.
type Extent struct {
	Address uintptr
	Size    int
}

// A Relation is where a memory lies in its group: the memories that overlap it, those
// that overlap one of these, and so on. Equal relations of all memories mean that the
// same pairs overlap, at the same distances.
type Relation struct {
	first int // the memory of the group with the lowest address
	shift int // the distance from it, in bytes
}

// Find stores the relations of extents in to. order has the extents by address at the
// last call, or in any order. Find takes time in proportion to the extents if none has
// passed another in address since then.
func Find(to []Relation, at []Extent, order []int) {
	byAddress := func(i, j int) int { return cmp.Or(cmp.Compare(at[i].Address, at[j].Address), i-j) }
	if !slices.IsSortedFunc(order, byAddress) {
		slices.SortFunc(order, byAddress)
	}
	first, end := 0, uintptr(0)
	for _, i := range order {
		e := at[i]
		if e.Size == 0 {
			to[i] = Relation{first: i}
			continue
		}
		if e.Address >= end {
			first = i
		}
		to[i] = Relation{first, int(e.Address - at[first].Address)}
		end = max(end, e.Address+uintptr(e.Size))
	}
}
