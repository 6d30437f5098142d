package enginetest

import (
	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A fencePost is the position of an array between two inaccessible pages.
type fencePost uint8

const (
	atBegin fencePost = iota
	atEnd
	misplaced // one element after the first page
)

func (p fencePost) String() string { return [...]string{"begin", "end", "misaligned"}[p] }

// A fence is a sequence of areas of memory, each between two inaccessible pages.
type fence struct {
	at    fencePost
	areas [][]byte
	next  int
}

const (
	fenceAreas = 12
	fencePages = 65 // enough for every second of 16385 elements
)

// array returns an array with the given strides, in the next area.
func (f *fence) array(t dtype.Type, s shape.Shape, st shape.Strides) *tree.Node {
	area := f.areas[f.next%len(f.areas)]
	f.next++
	lo, hi := shape.Bounds(s, st, 0)
	size := max(hi-lo+1, 0) * t.Size()
	skip := 0
	switch f.at {
	case atEnd:
		skip = len(area) - size
	case misplaced:
		skip = t.Size()
	}
	if skip < 0 || skip+size > len(area) {
		panic("enginetest: the fenced area is too small")
	}
	b := area[skip:][:size:size]
	r := newRand(uint64(size))
	for i := range size / t.Size() {
		put(t, b, i, sample(r, t, tame))
	}
	return array(engine.MemoryOf(b), t, s, st, -lo).Named(string(rune('a' + f.next))).Node()
}
