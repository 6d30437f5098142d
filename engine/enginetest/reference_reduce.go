package enginetest

import (
	"math"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/shape"
)

// reduce folds one group of adjacent axes, which stay with size 1 if the node
// says so.
func reduce(n *expr.Node, a *value) *value {
	var kept, folded shape.Shape
	var keptSt, foldedSt shape.Strides
	for i, st := range a.shape.Strides() {
		if slices.Contains(n.Axes, i) {
			folded, foldedSt = append(folded, a.shape[i]), append(foldedSt, st)
		} else {
			kept, keptSt = append(kept, a.shape[i]), append(keptSt, st)
		}
	}
	last := slices.Contains(n.Axes, len(a.shape)-1)
	out := newValue(n.DType(), n.Shape())
	out.reads(a)
	known := strings.HasPrefix(n.Op.Reduce, "arg") && folded.Size() == 1 // 0, whatever the element is
	list := make([]uint64, folded.Size())
	inner := offsets(folded, foldedSt, 0)
	for i, base := range offsets(kept, keptSt, 0) {
		for k, at := range inner {
			list[k] = a.bits[base+at]
			if !known {
				out.addFault(i, a.faultAt(base+at))
			}
		}
		out.bits[i] = foldAll(n.Op.Reduce, a.typ.Register(), list, last)
	}
	return out
}

func foldAll(name string, t dtype.Type, list []uint64, last bool) uint64 {
	switch name {
	case "any":
		return uint64(b2i(slices.Contains(list, 1)))
	case "all":
		return uint64(b2i(!slices.Contains(list, 0)))
	case "argmax", "argmin":
		return position(t, list, name == "argmax")
	}
	switch t {
	case dtype.F32:
		v := make([]float32, len(list))
		for i, b := range list {
			v[i] = math.Float32frombits(uint32(b))
		}
		return uint64(math.Float32bits(foldFloats(name, v, 64, last)))
	case dtype.F64:
		v := make([]float64, len(list))
		for i, b := range list {
			v[i] = math.Float64frombits(b)
		}
		return math.Float64bits(foldFloats(name, v, 32, last))
	}
	return foldInts(name, t, list)
}

func foldInts(name string, t dtype.Type, list []uint64) uint64 {
	if name == "sum" || name == "prod" {
		acc := uint64(b2i(name == "prod"))
		for _, x := range list {
			if name == "sum" {
				acc += x
			} else {
				acc *= x
			}
		}
		return acc & mask(t)
	}
	best := list[0]
	for _, x := range list[1:] {
		if name == "max" || name == "fmax" {
			if less(t, best, x) {
				best = x
			}
		} else if less(t, x, best) {
			best = x
		}
	}
	return best
}

func less(t dtype.Type, a, b uint64) bool {
	switch t {
	case dtype.F32:
		return math.Float32frombits(uint32(a)) < math.Float32frombits(uint32(b))
	case dtype.F64:
		return math.Float64frombits(a) < math.Float64frombits(b)
	}
	if t.IsUnsigned() {
		return a < b
	}
	w := 64 - 8*uint(t.Size())
	return int64(a<<w) < int64(b<<w)
}

// position is that of the first extreme element, of the first NaN if there is
// one.
func position(t dtype.Type, list []uint64, largest bool) uint64 {
	best := 0
	for i, x := range list {
		if isNaN(t, x) {
			return uint64(i)
		}
		if largest && less(t, list[best], x) || !largest && less(t, x, list[best]) {
			best = i
		}
	}
	return uint64(best)
}

// foldFloats is the order of docs/numerics.md. The lanes are those of the
// accumulator's type.
func foldFloats[T float32 | float64](name string, v []T, lanes int, last bool) T {
	var f func(a, b T) T
	switch name {
	case "sum":
		f = func(a, b T) T { return a + b }
	case "prod":
		f = func(a, b T) T { return a * b }
	case "max":
		f = func(a, b T) T { return max(a, b) }
	case "min":
		f = func(a, b T) T { return min(a, b) }
	case "fmax", "fmin":
		f = func(a, b T) T {
			switch {
			case a != a:
				return b
			case b != b:
				return a
			case name == "fmax":
				return max(a, b)
			}
			return min(a, b)
		}
	}
	if len(v) == 0 { // the empty sum is +0
		return T(b2i(name == "prod"))
	}
	var parts []T
	if !last {
		for run := range slices.Chunk(v, 64) {
			acc := run[0]
			for _, x := range run[1:] {
				acc = f(acc, x)
			}
			parts = append(parts, acc)
		}
	} else {
		for block := range slices.Chunk(v, 4096) {
			parts = append(parts, foldBlock(block, lanes, f))
		}
	}
	for len(parts) > 1 {
		var next []T
		for pair := range slices.Chunk(parts, 2) {
			if len(pair) == 2 {
				pair[0] = f(pair[0], pair[1])
			}
			next = append(next, pair[0])
		}
		parts = next
	}
	return parts[0]
}

// foldBlock adds element i to lane i mod lanes, then folds the lanes in halves.
// Lanes without elements are left out, as the identity would have it.
func foldBlock[T any](block []T, lanes int, f func(a, b T) T) T {
	acc := slices.Clone(block[:min(lanes, len(block))])
	for i := lanes; i < len(block); i++ {
		acc[i%lanes] = f(acc[i%lanes], block[i])
	}
	for half := lanes / 2; half > 0; half /= 2 {
		for j := 0; j < half && j+half < len(acc); j++ {
			acc[j] = f(acc[j], acc[j+half])
		}
		acc = acc[:min(half, len(acc))]
	}
	return acc[0]
}
