package interp

import (
	"bytes"
	"math"
)

// The bits of an extreme do not depend on the order. So these loops make one
// comparison for each element, with the best element so far; it rarely finds a
// better one. A minimum that is exact about NaN and zeros would cost a dozen
// instructions. A NaN fails every comparison. If the result is zero, a second loop
// decides between -0 and +0.

// closePart ends a block and returns its partial.
func closePart(f *frame, r int32) partial {
	st := &f.reds[r]
	st.lanes = 0
	return st.part
}

// opening returns the state of a reduction and the best element of the block so
// far. At the start of a block that is the first element.
func opening[T any](f *frame, in *ins, v []T) (st *lanesState, m T) {
	st = &f.reds[in.aux]
	if st.lanes == 0 {
		st.lanes = 1
		st.part = partial{bitsOf(v[0]), int64(f.lo)}
	}
	return st, fromBits[T](st.part.bits)
}

// zero returns m. If m is a zero of the other sign, it returns a zero of v with this sign, if v has one.
func zero[T number](m T, v []T, negative bool) T {
	if m == 0 && math.Signbit(float64(m)) != negative {
		for _, x := range v {
			if x == 0 && math.Signbit(float64(x)) == negative {
				return x
			}
		}
	}
	return m
}

func minLanes[T number](f *frame, in *ins, n int) {
	v := vec[T](f, in.a, n)
	st, m := opening(f, in, v)
	for _, x := range v {
		if !(x >= m) {
			if m != m {
				break
			}
			m = x
		}
	}
	st.part.bits = bitsOf(zero(m, v, true)) // -0 < +0
}

func maxLanes[T number](f *frame, in *ins, n int) {
	v := vec[T](f, in.a, n)
	st, m := opening(f, in, v)
	for _, x := range v {
		if !(x <= m) {
			if m != m {
				break
			}
			m = x
		}
	}
	st.part.bits = bitsOf(zero(m, v, false))
}

func fminLanes[T float32 | float64](f *frame, in *ins, n int) {
	v := vec[T](f, in.a, n)
	st, m := opening(f, in, v)
	for i := 0; m != m && i < len(v); i++ {
		m = v[i]
	}
	for _, x := range v {
		if x < m {
			m = x
		}
	}
	st.part.bits = bitsOf(zero(m, v, true))
}

func fmaxLanes[T float32 | float64](f *frame, in *ins, n int) {
	v := vec[T](f, in.a, n)
	st, m := opening(f, in, v)
	for i := 0; m != m && i < len(v); i++ {
		m = v[i]
	}
	for _, x := range v {
		if x > m {
			m = x
		}
	}
	st.part.bits = bitsOf(zero(m, v, false))
}

// argMinLanes keeps the first least element, or the first NaN, and its position.
// -0 and +0 are equal.
func argMinLanes[T number](f *frame, in *ins, n int) {
	v := vec[T](f, in.a, n)
	st, m := opening(f, in, v)
	for i, x := range v {
		if !(x >= m) {
			if m != m {
				return
			}
			m = x
			st.part = partial{bitsOf(x), int64(f.lo + i)}
		}
	}
}

func argMaxLanes[T number](f *frame, in *ins, n int) {
	v := vec[T](f, in.a, n)
	st, m := opening(f, in, v)
	for i, x := range v {
		if !(x <= m) {
			if m != m {
				return
			}
			m = x
			st.part = partial{bitsOf(x), int64(f.lo + i)}
		}
	}
}

// holds reports whether a predicate is true in some lane. bytes.IndexByte is vector
// code on most machines.
func holds(p []byte) bool { return bytes.IndexByte(p, 1) >= 0 }

func anyLanes(f *frame, in *ins, n int) {
	st := &f.reds[in.aux]
	if st.lanes == 0 {
		st.lanes, st.part = 1, partial{}
	}
	if st.part.bits == 0 && holds(vec[byte](f, in.a, n)) {
		st.part.bits = 1
	}
}

func allLanes(f *frame, in *ins, n int) {
	st := &f.reds[in.aux]
	if st.lanes == 0 {
		st.lanes, st.part = 1, partial{bits: 1}
	}
	if st.part.bits == 1 && bytes.IndexByte(vec[byte](f, in.a, n), 0) >= 0 {
		st.part.bits = 0
	}
}
