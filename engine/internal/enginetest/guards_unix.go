//go:build unix

package enginetest

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/shape"
)

// Guards tests that kernels access no memory outside their arrays. Operands and
// targets begin or end at pages that the process cannot access, or begin one
// element after such a page. An access to such a page fails the test; in machine
// code it ends the process.
func Guards(t *testing.T, o Options) {
	for _, at := range []fencePost{atBegin, atEnd, misplaced} {
		t.Run(at.String(), func(t *testing.T) {
			f := newFence(t)
			f.at = at
			o := o
			o.Threads = 1
			s := suite{t, o}
			for k, typ := range dtype.Real() {
				for i, n := range fencedLengths {
					step := 1
					switch { // the reference is slow
					case n > 1025:
						step = 11 // one type
					case n > 129:
						step = 3
					}
					if !testlevel.Deep() {
						step *= 10
					}
					if (i+k)%step != 0 {
						continue
					}
					f.next = 0
					guarded(s, f, typ, n)
				}
				if f.next = 0; typ.Size() >= 4 {
					guardedRecords(s, f, typ)
				}
			}
		})
	}
}

// fencedLengths are the lengths around certain boundaries: vectors, groups of
// vectors, blocks of the interpreter, copies to scratch memory, blocks of
// reductions, and calls of machine code.
var fencedLengths = []int{
	0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 511, 512, 513,
	1000, 1023, 1024, 1025, 2047, 2049, 4095, 4096, 4097, 16383, 16384, 16385,
}

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
	f := &fence{}
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

// vec returns a vector of n elements.
func (f *fence) vec(t dtype.Type, n, stride int) *tree.Node {
	return f.array(t, shape.Shape{n}, shape.Strides{stride})
}

// guarded tests loops of length n over fenced arrays.
func guarded(s suite, f *fence, t dtype.Type, n int) {
	s.Helper()
	x, y, out := f.vec(t, n, 1), f.vec(t, n, 1), f.vec(t, n, 1)
	strided, back := f.vec(t, n, 2), f.vec(t, n, -1)
	s.check(set(out, formula(t, x, y)))
	s.check(set(out, formula(t, strided, back)))
	s.check(set(strided, formula(t, x, back)))
	s.check(set(strided, formula(t, strided, back)))
	s.check(set(back, formula(t, strided, y)))
	s.check(set(x, untyped.Compose("flip", untyped.Options{}, x)))

	rows := max(1, min(7, 2000/max(n, 1)))
	m := f.array(t, shape.Shape{rows, n}, shape.Strides{max(n, 1), 1})
	columnMajor := f.array(t, shape.Shape{rows, n}, shape.Strides{1, rows})
	s.check(set(m, formula(t, columnMajor, x)))
	s.check(set(columnMajor, formula(t, m, x)))
	if n*rows < 3000 {
		apart := f.array(t, shape.Shape{rows, n}, shape.Strides{-3 * max(n, 1), -2}) // rows with gaps, from the last to the first
		s.check(set(apart, formula(t, m, apart)))
		s.check(set(m, formula(t, apart, columnMajor)))
	}

	padded := f.vec(t, n+5, 1)
	s.check(set(padded, untyped.Pad(x, []int{2, 3}, tree.ConstInt(t, 1))))
	s.check(set(padded, untyped.Pad(back, []int{5, 0}, tree.ConstInt(t, 1))))
	s.check(set(x, untyped.Slice(padded, []op.Span{op.From(5)})))
	if n > 1 {
		s.check(set(x, concat(0, untyped.Slice(y, []op.Span{op.Until(1)}), untyped.Slice(strided, []op.Span{op.From(1)}))))
	}
	idx := f.vec(dtype.I32, n, 1)
	if n > 0 {
		s.check(set(x, untyped.Take(y, apply("mod", idx, tree.ConstInt(dtype.I32, int64(n))), 0)))
		s.check(set(x, untyped.Take(strided, idx, 0)))
		s.check(set(m, untyped.Take(columnMajor, apply("mod", idx, tree.ConstInt(dtype.I32, int64(n))), 1)))
	}
	f.next = 0
	guardedReductions(s, f, t, rows, n)
}

// guardedRecords tests reductions of fenced records, some of which follow each other in a row. The last vectors of a row overlap.
func guardedRecords(s suite, f *fence, t dtype.Type) {
	s.Helper()
	for _, fields := range []int{2, 3, 5} {
		for _, n := range []int{9, 21, 37} {
			f.next = 0
			x := f.array(t, shape.Shape{66, n, fields}, shape.Strides{n * fields, fields, 1})
			s.check(set(f.vec(t, n, 1), untyped.Reduce("sum", x, axis(0, 2))))
			s.check(set(f.vec(t, n, 1), untyped.Reduce("max", x, axis(0, 2))))
		}
	}
}

// guardedReductions tests reductions of fenced matrices, along rows and down
// columns.
func guardedReductions(s suite, f *fence, t dtype.Type, rows, n int) {
	s.Helper()
	a := f.array(t, shape.Shape{rows, n}, shape.Strides{max(n, 1), 1})
	b := f.array(t, shape.Shape{rows, n}, shape.Strides{1, rows})
	one := f.array(t, shape.Shape{}, shape.Strides{})
	row, col := f.vec(t, n, 1), f.vec(t, rows, 1)
	at := f.vec(dtype.I32, rows, 1)
	first, whole := "sum", []string{"sum", "max"}
	if t == dtype.Bool {
		first, whole = "any", []string{"any", "all"}
	}
	if n == 0 { // the maximum of an empty axis is an error
		whole = whole[:1]
	}
	for _, name := range whole {
		for _, v := range []*tree.Node{a, b} {
			s.check(set(one, untyped.Reduce(name, v, untyped.Options{})))
			s.check(set(row, untyped.Reduce(name, v, axis(0))))
			s.check(set(col, untyped.Reduce(name, v, axis(1))))
		}
	}
	// Guarded and computed positions in each row of a loop down columns.
	s.check(set(row, untyped.Reduce(first, untyped.Pad(b, []int{1, 2, 0, 0}, tree.ConstInt(t, 1)), axis(0))))
	within := apply("mod", at, tree.ConstInt(dtype.I32, int64(rows)))
	s.check(set(row, untyped.Reduce(first, untyped.Take(a, within, 0), axis(0))))
	if n == 0 {
		return
	}
	if t.IsFloat() {
		s.check(set(a, untyped.Compose("softmax", untyped.Options{Axes: []int{1}}, b)))
		s.check(set(b, untyped.Compose("softmax", untyped.Options{Axes: []int{0}}, a)))
		s.check(set(a, apply("exp", apply("sin", b)))) // cold regions
		s.check(set(col, untyped.Compose("var", axis(1), a)))
	}
	if t.IsInt() {
		s.check(set(col, untyped.MatMul(b, row)))
	}
	if t == dtype.Bool || !testlevel.Deep() && n > 129 { // the reference of a scan is slow
		return
	}
	for i := range 2 {
		s.check(set(a, untyped.Compose("cumsum", axis(i), b)))
		s.check(set(b, untyped.Compose("cummax", axis(i), a)))
	}
	s.check(set(row, untyped.Compose("cumsum", axis(0), apply("add", row, row))))
}
