package interp

import (
	"math/bits"
	"unsafe"

	"github.com/oneloop/oneloop/plan/ir"
)

// This is the order of sums and products in a seq loop, for each lane. A run of 64
// positions is accumulated in sequence. A tree combines adjacent pairs of runs.

// A runsState is the state of a reduction in a seq loop. The register of the result
// accumulates the current run. A stack of blocks holds the finished runs: level i
// holds 2^i combined runs if bit i of count is set.
type runsState struct {
	pos   int // positions of the current run, or of the loop if the order is free
	count int // number of finished runs
	stack unsafe.Pointer
	size  int // of an element, in bytes
	step  ins // accumulator, operand -> accumulator
	merge ins // level of the stack, accumulator -> accumulator
	kern  *reducer
}

// levels returns the depth of the stack for a number of positions.
func (r *reducer) levels(positions int) int { return bits.Len(uint(positions/ir.Run)) + 1 }

// runsKernel accumulates one position.
func runsKernel(f *frame, in *ins, n int) {
	st := &f.runs[in.aux]
	if st.pos == 0 {
		copy(vec[byte](f, in.d, n*st.size), vec[byte](f, in.a, n*st.size))
	} else {
		st.kern.step(f, &st.step, n)
	}
	st.next(f, n)
}

// next counts a position, and pushes the run if it is complete.
func (st *runsState) next(f *frame, n int) {
	st.pos++
	if st.pos == ir.Run && st.kern.ordered && !f.wide {
		st.push(f, n)
	}
}

// level makes the temporary register point at level i of the stack.
func (st *runsState) level(f *frame, i int) {
	f.set(st.merge.a, unsafe.Add(st.stack, i*block*st.size))
}

func (st *runsState) push(f *frame, n int) {
	i := 0
	for ; st.count>>i&1 != 0; i++ {
		st.level(f, i)
		st.kern.step(f, &st.merge, n)
	}
	st.level(f, i)
	copy(vec[byte](f, st.merge.a, n*st.size), vec[byte](f, st.merge.d, n*st.size))
	st.count++
	st.pos = 0
}

// finish stores the result in its register and resets the state.
func (st *runsState) finish(f *frame, n int) {
	have := st.pos > 0
	for i := 0; st.count>>i != 0; i++ {
		if st.count>>i&1 == 0 {
			continue
		}
		st.level(f, i)
		if have {
			st.kern.step(f, &st.merge, n)
		} else {
			copy(vec[byte](f, st.merge.d, n*st.size), vec[byte](f, st.merge.a, n*st.size))
			have = true
		}
	}
	if !have {
		setBits(f.at(st.merge.d), st.size, st.kern.empty.bits, n)
	}
	st.pos, st.count = 0, 0
}

func fminStep[T float32 | float64](f *frame, in *ins, n int) {
	d, a, b := vec[T](f, in.d, n), vec[T](f, in.a, n), vec[T](f, in.b, n)
	for i := range d {
		d[i] = fmin(a[i], b[i])
	}
}

func fmaxStep[T float32 | float64](f *frame, in *ins, n int) {
	d, a, b := vec[T](f, in.d, n), vec[T](f, in.a, n), vec[T](f, in.b, n)
	for i := range d {
		d[i] = fmax(a[i], b[i])
	}
}

// argRuns accumulates one position. Level 0 of the stack has the extreme of each
// lane; the register of the result has its position.
func argRuns[T number](f *frame, in *ins, n int) {
	st := &f.runs[in.aux]
	if st.pos == 0 {
		st.level(f, 0)
		copy(vec[T](f, st.merge.a, n), vec[T](f, in.a, n))
		clear(vec[int64](f, in.d, n))
	} else {
		st.kern.step(f, &st.step, n)
	}
	st.pos++
}

func argMinStep[T number](f *frame, in *ins, n int) {
	st := &f.runs[in.aux]
	d, v, best := vec[int64](f, in.d, n), vec[T](f, in.b, n), vec[T](f, st.merge.a, n)
	for i, x := range v {
		if m := best[i]; !(x >= m) && m == m {
			best[i], d[i] = x, int64(st.pos)
		}
	}
}

func argMaxStep[T number](f *frame, in *ins, n int) {
	st := &f.runs[in.aux]
	d, v, best := vec[int64](f, in.d, n), vec[T](f, in.b, n), vec[T](f, st.merge.a, n)
	for i, x := range v {
		if m := best[i]; !(x <= m) && m == m {
			best[i], d[i] = x, int64(st.pos)
		}
	}
}
