package engine

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/plan"
)

// An aliasing says which memories of a program overlapped when the program was
// compiled. The plan and the code of the program depend on it.
type aliasing struct {
	seen     uint64 // the value of process.rebinds at the last check
	memories []*Memory
	shifts   []int // distance of the memories of each pair, in bytes; or apart
}

// apart is the shift of memories that do not overlap.
const apart = math.MinInt

// newAliasing returns the current aliasing of the host memories of a plan.
func newAliasing(pl *plan.Plan, seen uint64) aliasing {
	al := aliasing{seen: seen, memories: make([]*Memory, 0, 4)}
	for _, s := range pl.Stages {
		for _, list := range [...][]*plan.Array{s.Reads, s.Writes} {
			for _, a := range list {
				if m, ok := a.Mem.(*Memory); ok && !slices.Contains(al.memories, m) {
					al.memories = append(al.memories, m)
				}
			}
		}
	}
	al.pairs(func(_, shift int) bool {
		al.shifts = append(al.shifts, shift)
		return true
	})
	return al
}

// pairs calls f with the number and the current shift of every pair of memories,
// until f returns false.
func (al *aliasing) pairs(f func(pair, shift int) bool) {
	pair := 0
	for i, a := range al.memories {
		for _, b := range al.memories[:i] {
			if !f(pair, shiftOf(a.Locate(), b.Locate(), a.Size(), b.Size())) {
				return
			}
			pair++
		}
	}
}

// changed reports whether the shift of any pair of memories has changed.
func (al *aliasing) changed() (changed bool) {
	al.pairs(func(pair, shift int) bool {
		changed = al.shifts[pair] != shift
		return !changed
	})
	return changed
}

// shiftOf returns the distance from address a to address b of memories of the given
// sizes, or apart.
func shiftOf(a, b uintptr, sizeOfA, sizeOfB int) int {
	shift := int(b - a)
	if shift >= sizeOfA || -shift >= sizeOfB {
		return apart
	}
	return shift
}
