package plan

import (
	"strconv"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

func (k *gen) load(a *Array, coords []prim.Ix) prim.V {
	return k.loadAs(a, coords, k.bounds, prim.V{})
}

func (k *gen) loadAs(a *Array, coords []prim.Ix, bounds ir.Bounds, fill prim.V) prim.V {
	full := bounds != ir.InBounds
	buf := k.buf(a, full, ir.In)
	if !full {
		coords = dropUnit(coords, a.Shape)
	} else if bounds == ir.Guarded && !fill.Type.Valid() {
		fill = k.p.Bits(a.Type.Register(), 0)
	}
	return k.b.Load(buf, bounds, coords, fill)
}

func dropUnit(coords []prim.Ix, s shape.Shape) []prim.Ix {
	if len(loopShape(s)) == len(s) {
		return coords
	}
	var out []prim.Ix
	for i, c := range coords {
		if s[i] != 1 {
			out = append(out, c)
		}
	}
	return out
}

// buf returns the number of the kernel's buffer for an array.
func (k *gen) buf(a *Array, full bool, mode ir.Mode) int {
	key := bufKey{array: a.key(), full: full}
	if i, ok := k.bufs[key]; ok {
		if b := &k.b.K.Bufs[i]; b.Mode != mode {
			b.Mode = ir.InOut
		}
		return i
	}
	op := Operand{Array: a}
	for i, d := range a.Shape {
		if full || d != 1 {
			op.Extents = append(op.Extents, d)
			op.Strides = append(op.Strides, a.Strides[i])
		}
	}
	i := k.b.Buf(ir.Buf{Name: "b" + strconv.Itoa(len(k.ops)), Type: a.Type, Mode: mode, Rank: len(op.Extents)})
	k.ops = append(k.ops, op)
	k.bufs[key] = i
	return i
}
