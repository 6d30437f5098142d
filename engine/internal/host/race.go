//go:build race

package host

import (
	"runtime"
	"unsafe"

	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/shape"
)

// declares says whether declare does anything.
const declares = true

// declare tells the race detector which memory a stage reads and writes, because
// the detector does not see the accesses of machine code. If a stage reads an
// operand at computed positions, declare reports all of its elements.
func (p *Program) declare(s *plan.Stage) {
	for _, a := range s.Reads {
		p.ranges(a, runtime.RaceReadRange)
	}
	for _, a := range s.Writes {
		p.ranges(a, runtime.RaceWriteRange)
	}
}

// ranges calls f with each contiguous range of bytes of an array. It does nothing
// for a temporary.
func (p *Program) ranges(a *plan.Array, f func(unsafe.Pointer, int)) {
	if a.Mem == nil || a.Shape.Size() == 0 {
		return
	}
	size := a.Type.Size()
	// The last axes that are contiguous together form one range.
	run, k := 1, len(a.Shape)
	for ; k > 0 && (a.Strides[k-1] == run || a.Shape[k-1] == 1); k-- {
		run *= a.Shape[k-1]
	}
	outer := make(shape.Shape, k)
	for i, d := range a.Shape[:k] {
		if a.Strides[i] == 0 {
			d = 1 // the same elements again
		}
		outer[i] = d
	}
	first := p.address(a)
	shape.Each(outer, a.Strides[:k], 0, func(off int) { f(unsafe.Add(first, off*size), run*size) })
}
