package engine

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/overlap"
	"github.com/oneloop/oneloop/internal/lists"
)

// An aliasing says which memories of a program overlapped when the program was
// compiled. The plan and the code of the program depend on it.
type aliasing struct {
	seen      uint64 // the value of process.rebinds at the last check
	memories  []*Memory
	relations []overlap.Relation // of each memory

	now   []overlap.Relation // scratch of matches
	order []int              // the memories by address, at the last use
	at    []overlap.Extent   // of each memory, at the last use
}

// newAliasing returns the current aliasing of host memories.
func newAliasing(mems []usedMemory, seen uint64) aliasing {
	memories := lists.Map(mems, func(m usedMemory) *Memory { return m.Memory })
	al := aliasingOf(memories)
	al.seen = seen
	overlap.Find(al.relations, al.at, al.order)
	return al
}

// aliasingOf returns the aliasing of memories with room for its relations.
func aliasingOf(memories []*Memory) aliasing {
	n := len(memories)
	var room struct { // of few memories
		both  [6]overlap.Relation
		order [3]int
		at    [3]overlap.Extent
	}
	both := slices.Grow(room.both[:0], 2*n)[:2*n]
	al := aliasing{memories: memories, relations: both[:n:n], now: both[n:], order: slices.Grow(room.order[:0], n)[:n], at: slices.Grow(room.at[:0], n)[:n]}
	for i, m := range memories {
		al.order[i], al.at[i] = i, overlap.Extent{Address: m.Locate(), Size: m.Size()}
	}
	return al
}

// matches reports whether the extents have the relations of the memories.
func (al *aliasing) matches() bool {
	overlap.Find(al.now, al.at, al.order)
	return slices.Equal(al.now, al.relations)
}

// changed reports whether memories overlap otherwise than before.
func (al *aliasing) changed() bool {
	for i, m := range al.memories {
		al.at[i] = overlap.Extent{Address: m.Locate(), Size: m.Size()}
	}
	return !al.matches()
}
