package enginetest

import (
	"math/rand/v2"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/shape"
)

// A layout is a way to store an array in memory.
type layout uint8

const (
	packed      layout = iota // row-major, no gaps, aligned
	misaligned                // row-major, one element after an aligned address
	gaps                      // every third element of each axis, rows with gaps
	columnMajor               // column-major
	backward                  // row-major, last axis reversed
	upsideDown                // all axes reversed
	repeated                  // first axis has stride 0; not for targets
	constant                  // all axes have stride 0; not for targets
	numLayouts
)

var layoutNames = [...]string{"packed", "misaligned", "gaps", "columnMajor", "backward", "upsideDown", "repeated", "constant"}

func (l layout) String() string { return layoutNames[l] }

// writable reports whether a target may have the layout.
func (l layout) writable() bool { return l < repeated }

// strides returns the strides of the layout, the offset of the first element, and
// the size of the memory, in elements. Free elements on both sides make stray
// stores visible.
func (l layout) strides(s shape.Shape) (st shape.Strides, offset, size int) {
	const room = 64 // elements; a multiple of 64 bytes, so that the alignment stays
	st = s.Strides()
	switch l {
	case misaligned:
		offset = 1
	case gaps:
		n := 3
		for i := len(s) - 1; i >= 0; i-- {
			st[i] = n
			n = n*max(s[i], 1) + 2
		}
	case columnMajor:
		st = s.FortranStrides()
	case backward:
		if len(s) > 0 {
			st[len(s)-1] = -1
		}
	case upsideDown:
		for i := range st {
			st[i] = -st[i]
		}
	case repeated:
		for i, d := range s {
			if d > 1 {
				st[i] = 0
				break
			}
		}
	case constant:
		clear(st)
	}
	lo, hi := shape.Bounds(s, st, 0)
	if lo > hi {
		lo, hi = 0, 0
	}
	return st, room + offset - lo, 2*room + offset + hi - lo + 1
}

// place returns an array in memory of its own, with random contents.
func place(r *rand.Rand, t dtype.Type, l layout, k data, dims ...int) *engine.Array {
	s := shape.Shape(dims)
	st, offset, size := l.strides(s)
	m := must(engine.NewMemory(size * t.Size()))
	for i := range size {
		put(t, mutable(m), i, sample(r, t, k))
	}
	return array(m, t, s, st, offset)
}

func array(m *engine.Memory, t dtype.Type, s shape.Shape, st shape.Strides, offset int) *engine.Array {
	return must(engine.ArrayOf(m, t, s, st, offset))
}

// must returns x, the first result of a call that does not fail.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// blank returns a packed array with arbitrary contents, for a target.
func blank(r *rand.Rand, t dtype.Type, dims ...int) *engine.Array {
	return place(r, t, packed, tame, dims...)
}

// of returns a packed array with the given bits.
func of(t dtype.Type, bits []uint64, dims ...int) *engine.Array {
	s := shape.Shape(dims)
	st, offset, size := packed.strides(s)
	m := must(engine.NewMemory(size * t.Size()))
	for i, b := range bits {
		put(t, mutable(m), offset+i, b)
	}
	return array(m, t, s, st, offset)
}

// tensor returns an array as a tensor of its element type.
func tensor[T dtype.Elem](a *engine.Array) *engine.Tensor[T] { return must(engine.TensorOf[T](a)) }

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }
