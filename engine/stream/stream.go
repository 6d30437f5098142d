// Package stream computes .npy files from .npy files that need not fit into
// memory, block by block, by one program.
//
//	err := stream.Map(ctx, "y.npy", stream.Options{}, func(x ...expr.Exp[float32]) expr.Exp[float32] {
//		return op.Softmax(x[0], -1)
//	}, "x.npy")
package stream

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/files"
	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// Options change how Map reads and what it tells. The zero value is valid.
type Options struct {
	Rows     int                   // positions of the first axis in one block; 0: as many as have about 4 MiB
	Progress func(done, total int) // is called after each block with positions of the first axis, or is nil
}

// Map writes the value of f to the file out, which it creates or replaces as a
// whole: after a failure, or a crash at any moment, the path holds what it held
// before or the complete new array. A path with another extension than .npy is
// [expr.ErrValue], as for [engine.Array.Save]. The arguments of f are blocks of the arrays in
// the files in. All have one extent of the first axis, elements of type T and
// row-major order. The value of f for each position of the first axis must depend
// on the same position of the arguments only, and have the same first extent. If there are several
// blocks, of at least three positions, Map compares the values of up to eight positions with the values that they
// have without the first one. The error is expr.ErrValue if they differ, as they do for op.Mean(x[0], op.Axis(0)).
//
// Memory holds one block of each array. The files are read, not mapped: a mapped
// file that another process cuts would end the program by a signal.
func Map[R, T expr.Elem](ctx context.Context, out string, o Options, f func(x ...expr.Exp[T]) expr.Exp[R], in ...string) error {
	if ctx == nil || f == nil || len(in) == 0 || o.Rows < 0 {
		return tree.NewError(tree.ErrValue, "stream.Map", "a context, a function and an input are needed, and no negative number of rows")
	}
	if err := files.CheckExtension(out); err != nil {
		return err
	}
	m := &mapping[R, T]{Options: o, f: f}
	defer func() {
		for _, x := range m.inputs {
			x.file.Close()
		}
	}()
	for _, path := range in {
		if err := m.open(path); err != nil {
			return err
		}
	}
	switch {
	case m.Rows > 0:
	case m.largest == 0: // positions without elements cost nothing
		m.Rows = max(m.total, 1)
	default:
		m.Rows = max(4<<20/m.largest, 1)
	}
	return npy.WriteFileWith(out, func(w io.Writer) error { return m.write(ctx, w) })
}

// An input is a file with the size of one position of its first axis.
type input struct {
	file  *os.File
	path  string
	start int64
	tail  []int // the shape without the first axis
	bytes int
}

type mapping[R, T expr.Elem] struct {
	Options
	f       func(x ...expr.Exp[T]) expr.Exp[R]
	inputs  []*input
	total   int // positions of the first axis
	largest int // bytes of one position
	tail    []int
}

// open opens an input and checks that the file has all elements.
func (m *mapping[R, T]) open(path string) error {
	wrong := func(kind error, format string, args ...any) error {
		return &files.Error{Package: "stream", Path: path, Err: files.Errorf("stream", kind, format, args...)}
	}
	file, err := os.Open(path)
	if err != nil {
		return wrong(tree.ErrValue, "%s", err)
	}
	x := &input{file: file, path: path}
	m.inputs = append(m.inputs, x)
	h, start, err := npy.ReadHeader(file)
	if err != nil {
		return wrong(tree.ErrValue, "%s", strings.TrimPrefix(err.Error(), "oneloop: "))
	}
	st, err := file.Stat()
	switch t := dtype.Of[T](); {
	case err != nil:
		return wrong(tree.ErrValue, "%s", err)
	case h.Type != t:
		return wrong(tree.ErrType, "the elements are %v, not %v", h.Type, t)
	case h.Fortran && len(h.Shape) > 1 || h.BigEndian:
		return wrong(tree.ErrUnsupported, "the elements are in Fortran's order or big-endian")
	case len(h.Shape) == 0:
		return wrong(tree.ErrShape, "a scalar has no blocks")
	case st.Size()-start < h.Elems()*int64(t.Size()):
		return wrong(tree.ErrValue, "the file ends before its last element")
	case len(m.inputs) > 1 && h.Shape[0] != m.total:
		return wrong(tree.ErrShape, "the first axis has %d positions, not %d as in %s", h.Shape[0], m.total, m.inputs[0].path)
	}
	m.total, x.start, x.tail = h.Shape[0], start, h.Shape[1:]
	if m.total > 0 {
		x.bytes = int(h.Elems()) / m.total * h.Type.Size()
	}
	m.largest = max(m.largest, x.bytes)
	return nil
}

// A block is a program for some positions of the first axis.
type block[R, T expr.Elem] struct {
	in      []*engine.Tensor[T]
	out     *engine.Tensor[R]
	program *engine.Program
}

// apart looks for a value that depends on other positions: the first positions of the files have the values
// that they have without the one before them. Fewer than 3 positions have too few others, and matrices of
// one row have products of their own.
func (m *mapping[R, T]) apart(ctx context.Context) error {
	most := min(m.Rows, 8)
	if m.Rows >= m.total || most < 3 {
		return nil
	}
	var values [2][]R
	for skip := range values {
		b, err := m.block(ctx, most-skip, engine.Options{Products: engine.ProductsByEngine})
		if err == nil {
			err = m.read(b, skip)
		}
		if err == nil {
			err = b.program.Run(ctx)
		}
		if err != nil {
			return err
		}
		values[skip] = b.out.Values()
	}
	same := func(x, y R) bool { return x == y || x != x && y != y }
	if whole := values[0]; !slices.EqualFunc(whole[len(whole)-len(values[1]):], values[1], same) {
		return tree.NewError(tree.ErrValue, "stream.Map", "the value at a position depends on other positions, which another block has")
	}
	return nil
}

// read fills the inputs of a block with the positions from one on.
func (m *mapping[R, T]) read(b *block[R, T], from int) error {
	for i, x := range m.inputs {
		if _, err := x.file.ReadAt(dtype.Bytes(b.in[i].Data()), x.start+int64(from)*int64(x.bytes)); err != nil {
			return &files.Error{Package: "stream", Path: x.path, Err: err}
		}
	}
	return nil
}

// block compiles the program for a number of positions.
func (m *mapping[R, T]) block(ctx context.Context, rows int, o engine.Options) (*block[R, T], error) {
	b := &block[R, T]{}
	args := make([]expr.Exp[T], len(m.inputs))
	for i, x := range m.inputs {
		t, err := engine.New[T](append([]int{rows}, x.tail...)...)
		if err != nil {
			return nil, err
		}
		b.in, args[i] = append(b.in, t), t
	}
	y := m.f(args...)
	n := expr.NodeOf(y)
	if err := n.Err(); err != nil {
		return nil, err
	}
	s := n.Shape()
	if len(s) == 0 || s[0] != rows || m.tail != nil && !slices.Equal(s[1:], m.tail) {
		return nil, tree.NewError(tree.ErrShape, "stream.Map", "the value of a block of %d positions has the shape %v; it needs as many positions, of one shape in all blocks", rows, s)
	}
	m.tail = append([]int{}, s[1:]...)
	var err error
	if b.out, err = engine.New[R](s...); err != nil {
		return nil, err
	}
	b.program, err = engine.CompileWith(ctx, o, expr.Let(b.out, y))
	return b, err
}

// write computes all blocks. The last one may have fewer positions and then a
// program of its own.
func (m *mapping[R, T]) write(ctx context.Context, w io.Writer) error {
	if err := m.apart(ctx); err != nil {
		return err
	}
	var b *block[R, T]
	for done := 0; done < m.total || b == nil; {
		rows := min(m.Rows, m.total-done)
		first := b == nil
		if first || rows != b.out.Shape()[0] {
			var err error
			if b, err = m.block(ctx, rows, engine.Options{}); err != nil {
				return err
			}
		}
		if first {
			if err := npy.WriteHeader(w, dtype.Of[R](), append([]int{m.total}, m.tail...)); err != nil {
				return err
			}
		}
		if err := m.read(b, done); err != nil {
			return err
		}
		if err := b.program.Run(ctx); err != nil {
			return err
		}
		if _, err := w.Write(dtype.Bytes(b.out.Data())); err != nil {
			return err
		}
		done += rows
		if m.Progress != nil {
			m.Progress(done, m.total)
		}
	}
	return nil
}
