//go:build unix

package enginetest

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/oneloop/oneloop/dtype"
	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/shape"
)

// Guards tests that kernels touch no memory but that of their arrays: operands
// and targets end, or begin, at pages that cannot be accessed. A kernel that
// reads or writes beyond fails, or ends the process if it is machine code.
func Guards(t *testing.T, o Options) {
	for _, atEnd := range []bool{true, false} {
		name := "begin"
		if atEnd {
			name = "end"
		}
		t.Run(name, func(t *testing.T) {
			f := newFence(t)
			o := o
			o.Threads = 1
			s := suite{t, o}
			for k, typ := range dtype.All() {
				for i, n := range []int{1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 513, 1000} {
					if testing.Short() && (i+k)%5 != 0 {
						continue
					}
					f.next = 0
					guarded(s, f, typ, n, atEnd)
				}
			}
		})
	}
}

// A fence is a row of areas of memory, each between two pages that cannot be
// accessed.
type fence struct {
	t     *testing.T
	areas [][]byte
	next  int
}

const (
	fenceAreas = 12
	fencePages = 4
)

func newFence(t *testing.T) *fence {
	page := unix.Getpagesize()
	step := (fencePages + 1) * page
	all, err := unix.Mmap(-1, 0, fenceAreas*step+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Skipf("no memory to protect: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(all); err != nil {
			t.Error(err)
		}
	})
	f := &fence{t: t}
	for i := range fenceAreas + 1 {
		if err := unix.Mprotect(all[i*step:i*step+page], unix.PROT_NONE); err != nil {
			t.Skipf("memory cannot be protected: %v", err)
		}
		if i < fenceAreas {
			f.areas = append(f.areas, all[i*step+page:(i+1)*step])
		}
	}
	return f
}

// array is an array of n positions and the given strides, at an end of the next
// area.
func (f *fence) array(t dtype.Type, atEnd bool, s shape.Shape, st shape.Strides) *expr.Node {
	area := f.areas[f.next%len(f.areas)]
	f.next++
	lo, hi := shape.Range(s, st, 0)
	size := max(hi-lo+1, 0) * t.Size()
	if size > len(area) {
		panic("enginetest: the fenced area is too small")
	}
	b := area[:size:size]
	if atEnd {
		b = area[len(area)-size:]
	}
	r := newRand(uint64(size))
	for i := range size / t.Size() {
		put(t, b, i, sample(r, t, tame))
	}
	return array(engine.MemoryOf(b), t, s, st, -lo).Named(string(rune('a' + f.next))).Node()
}

// guarded runs loops of length n over fenced arrays.
func guarded(s suite, f *fence, t dtype.Type, n int, atEnd bool) {
	s.Helper()
	vec := func(stride int) *expr.Node {
		return f.array(t, atEnd, shape.Shape{n}, shape.Strides{stride})
	}
	x, y, out := vec(1), vec(1), vec(1)
	s.check(set(out, formula(t, x, y)))
	strided, back := vec(2), vec(-1)
	s.check(set(out, formula(t, strided, back)))
	s.check(set(strided, formula(t, x, back)))
	s.check(set(back, formula(t, strided, y)))
	s.check(set(x, op.FlipNode(x, nil)))

	rows := max(1, min(7, 2000/n))
	m := f.array(t, atEnd, shape.Shape{rows, n}, shape.Strides{n, 1})
	turned := f.array(t, atEnd, shape.Shape{rows, n}, shape.Strides{1, rows})
	s.check(set(m, formula(t, turned, x)))
	s.check(set(turned, formula(t, m, x)))

	padded := f.array(t, atEnd, shape.Shape{n + 5}, shape.Strides{1})
	s.check(set(padded, op.PadNode(x, []int{2, 3}, expr.ConstInt(t, 1))))
	s.check(set(padded, op.PadNode(back, []int{5, 0}, expr.ConstInt(t, 1))))
	s.check(set(x, op.SliceNode(padded, []op.Span{op.From(5)})))
	if n > 1 {
		s.check(set(x, concat(0, op.SliceNode(y, []op.Span{op.Until(1)}), op.SliceNode(strided, []op.Span{op.From(1)}))))
	}
	idx := f.array(dtype.I32, atEnd, shape.Shape{n}, shape.Strides{1})
	s.check(set(x, op.TakeNode(y, apply("mod", idx, expr.ConstInt(dtype.I32, int64(n))), 0)))
	s.check(set(x, op.TakeNode(strided, idx, 0)))

	reduced := []string{"sum", "max"}
	if t == dtype.Bool {
		reduced = []string{"any"}
	}
	f.next = 0
	a := f.array(t, atEnd, shape.Shape{rows, n}, shape.Strides{n, 1})
	b := f.array(t, atEnd, shape.Shape{rows, n}, shape.Strides{1, rows})
	one := f.array(t, atEnd, shape.Shape{}, shape.Strides{})
	row := f.array(t, atEnd, shape.Shape{n}, shape.Strides{1})
	col := f.array(t, atEnd, shape.Shape{rows}, shape.Strides{1})
	for _, name := range reduced {
		for _, v := range []*expr.Node{a, b} {
			s.check(set(one, op.ReduceNode(name, v, op.Reduction{})))
			s.check(set(row, op.ReduceNode(name, v, axis(0))))
			s.check(set(col, op.ReduceNode(name, v, axis(1))))
		}
	}
	if t.IsFloat() {
		s.check(set(a, op.SoftmaxNode(b, 1)))
		s.check(set(b, op.SoftmaxNode(a, 0)))
		s.check(set(a, apply("exp", apply("sin", b)))) // cold regions
		s.check(set(col, op.VarNode(a, axis(1))))
	}
	if t != dtype.Bool && t.IsInt() {
		s.check(set(col, op.MatMulNode(b, row)))
	}
}
