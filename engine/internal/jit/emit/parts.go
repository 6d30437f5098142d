package emit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// A long loop may have a place with few live values, such as the random bits of which numbers are made. Then its
// first part is emitted for partVectors vectors, again for as many others, and the rest for all of them. The rest of a
// normal number is a chain of some 110 cycles, with 45 instructions: three vectors leave the processor waiting, and
// six have no registers for the first part, whose values would go through memory within its chain.

// partVectors is the vectors at once of the first part.
const partVectors = 3

// shortPart is the fewest nodes of a part.
const shortPart = 30

// findFirstPart returns the nodes of the first part of the body of a loop of group vectors at once, or 0 if it should
// have one part. The first part has no accesses to arrays.
func (f *phaseCode) findFirstPart(group int) int {
	if group != partVectors || f.deepCopies() != partVectors {
		return 0
	}
	best, least := 0, maxBetween+1
	live := make([]int32, 0, 32)
	for k, id := range f.top {
		n := &f.Nodes[id]
		if n.Op >= prim.NumOps && n.Op != ir.Index && n.Op != lower.OpMulLow || k >= len(f.top)-shortPart {
			break
		}
		if n.HasResult() {
			live = append(live, id)
		}
		kept := 0
		for _, l := range live {
			if f.Last[l] > n.At {
				live[kept] = l
				kept++
			}
		}
		live = live[:kept]
		if k+1 >= shortPart && kept < least {
			best, least = k+1, kept
		}
	}
	return best
}

// maxBetween is the most values that the first part leaves to the rest.
const maxBetween = 2

// aheadOfStores emits the prefetches of the lines that a loop with two parts stores some iterations later. Its values in
// memory wait for earlier stores, so a store that waits for its line would stop the loop.
func (f *phaseCode) aheadOfStores(lanes int) {
	if f.firstPart == 0 {
		return
	}
	for i := range f.Layout.Sites {
		s, r := &f.Layout.Sites[i], f.SiteReg[i]
		if s.Kind != layout.Unit || !f.Phase.Sites[i].Store || r < 0 {
			continue
		}
		for at := 0; at < lanes*s.Size; at += layout.LineBytes {
			f.Prefetch(isa.AtX(isa.SiteReg(int(r)), isa.Lane, s.Size, f.SiteApart[i]+storesAhead+at))
		}
	}
}

// storesAhead is the bytes from a store to its prefetch.
const storesAhead = 768
