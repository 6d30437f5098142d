package engine

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/internal/lists"
)

// An aliasing says which memories of a program overlapped when the program was
// compiled. The plan and the code of the program depend on it.
type aliasing struct {
	seen      uint64 // the value of process.rebinds at the last check
	memories  []*Memory
	relations []relation // of each memory

	now   []relation // scratch of matches
	order []int      // the memories by address, at the last use
	at    []extent   // of each memory, at the last use
}

// A relation is where a memory lies in its group: the memories that overlap it, those
// that overlap one of these, and so on. Equal relations of all memories mean that the
// same pairs overlap, at the same distances.
type relation struct {
	first int // the memory of the group with the lowest address
	shift int // the distance from it, in bytes
}

// An extent is where the bytes of a memory are.
type extent struct {
	address uintptr
	size    int
}

// newAliasing returns the current aliasing of host memories.
func newAliasing(mems []usedMemory, seen uint64) aliasing {
	memories := lists.Map(mems, func(m usedMemory) *Memory { return m.Memory })
	al := aliasingOf(memories)
	al.seen = seen
	al.find(al.relations)
	return al
}

// aliasingOf returns the aliasing of memories with room for its relations.
func aliasingOf(memories []*Memory) aliasing {
	n := len(memories)
	var room struct { // of few memories
		both  [6]relation
		order [3]int
		at    [3]extent
	}
	both := slices.Grow(room.both[:0], 2*n)[:2*n]
	al := aliasing{memories: memories, relations: both[:n:n], now: both[n:], order: slices.Grow(room.order[:0], n)[:n], at: slices.Grow(room.at[:0], n)[:n]}
	for i, m := range memories {
		al.order[i], al.at[i] = i, extent{m.Locate(), m.Size()}
	}
	return al
}

// find stores the relations of the extents. It takes time in proportion to the
// memories if no memory has passed another in address since the last use.
func (al *aliasing) find(to []relation) {
	byAddress := func(i, j int) int { return cmp.Or(cmp.Compare(al.at[i].address, al.at[j].address), i-j) }
	if !slices.IsSortedFunc(al.order, byAddress) {
		slices.SortFunc(al.order, byAddress)
	}
	first, end := 0, uintptr(0)
	for _, i := range al.order {
		e := al.at[i]
		if e.size == 0 {
			to[i] = relation{first: i}
			continue
		}
		if e.address >= end {
			first = i
		}
		to[i] = relation{first, int(e.address - al.at[first].address)}
		end = max(end, e.address+uintptr(e.size))
	}
}

// matches reports whether the extents have the relations of the memories.
func (al *aliasing) matches() bool {
	al.find(al.now)
	return slices.Equal(al.now, al.relations)
}

// changed reports whether memories overlap otherwise than before.
func (al *aliasing) changed() bool {
	for i, m := range al.memories {
		al.at[i] = extent{m.Locate(), m.Size()}
	}
	return !al.matches()
}
