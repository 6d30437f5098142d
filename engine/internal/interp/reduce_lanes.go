package interp

import (
	"unsafe"

	"github.com/oneloop/oneloop/plan/ir"
)

// This is the order of sums and products in a vec loop. Lane i mod L accumulates
// position i of a block of 4096 positions, in sequence. Then lane j adds lane
// j + L/2, then lane j + L/4, and so on. Lanes without positions are left out;
// adding the identity would give the same bits.

// laneCount returns L: 32 for elements of eight bytes, 64 for smaller ones.
func laneCount[T number]() int {
	var z T
	if unsafe.Sizeof(z) == 8 {
		return ir.MaxLanes / 2
	}
	return ir.MaxLanes
}

// startLanes returns the lanes of a block and the elements to accumulate. At the
// start of a block it stores the first elements in the lanes. If there are fewer
// elements than lanes, the call must be the last of its block.
func startLanes[T number](st *lanesState, v []T) (acc, rest []T) {
	acc = (*[ir.MaxLanes]T)(unsafe.Pointer(&st.acc))[:laneCount[T]()]
	if st.lanes == 0 {
		st.lanes = copy(acc, v)
		v = v[st.lanes:]
	}
	return acc, v
}

func sumLanes[T number](f *frame, in *ins, n int) {
	acc, v := startLanes(&f.reds[in.aux], vec[T](f, in.a, n))
	full := len(v) - len(v)%len(acc)
	if full > 0 {
		for j := 0; j < len(acc); j += 8 {
			o := (*[8]T)(acc[j:])
			a0, a1, a2, a3, a4, a5, a6, a7 := o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7]
			for r := j; r < full; r += len(acc) {
				x := (*[8]T)(v[r:])
				a0, a1, a2, a3 = a0+x[0], a1+x[1], a2+x[2], a3+x[3]
				a4, a5, a6, a7 = a4+x[4], a5+x[5], a6+x[6], a7+x[7]
			}
			o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7] = a0, a1, a2, a3, a4, a5, a6, a7
		}
	}
	for i, x := range v[full:] {
		acc[i] += x
	}
}

func prodLanes[T number](f *frame, in *ins, n int) {
	acc, v := startLanes(&f.reds[in.aux], vec[T](f, in.a, n))
	for ; len(v) > len(acc); v = v[len(acc):] {
		multiplyBy(acc, v)
	}
	multiplyBy(acc[:len(v)], v)
}

// closing returns the function that ends a block: it folds the upper half of the lanes into the
// lower one until one lane is left.
func closing[T number](fold func(lo, hi []T)) func(f *frame, r int32) partial {
	return func(f *frame, r int32) partial {
		st := &f.reds[r]
		acc := (*[ir.MaxLanes]T)(unsafe.Pointer(&st.acc))
		m := st.lanes
		for h := laneCount[T]() / 2; h > 0; h /= 2 {
			if m > h {
				fold(acc[:m-h], acc[h:m])
				m = h
			}
		}
		st.lanes = 0
		return partial{bits: bitsOf(acc[0])}
	}
}

func addTo[T number](lo, hi []T) {
	for j := range lo {
		lo[j] += hi[j]
	}
}

func multiplyBy[T number](lo, hi []T) {
	for j := range lo {
		lo[j] *= hi[j]
	}
}
