package engine

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/shape"
)

const (
	shownWhole = 1000 // largest number of elements of an array that is printed whole
	shownEdge  = 3    // number of positions shown at each end of a long axis
	lineWidth  = 88   // characters
)

// Format prints the elements as nested rows in brackets, as NumPy does. It prints
// an array of rank 0 as a number. Of an array of more than 1000 elements it prints
// the first three and the last three positions of each long axis. It fetches only
// these elements from a device.
//
// The verb, its flags and its precision apply to each element: %v, %8.3f, %x.
// %+v adds a line with element type and shape. %#v writes elements as NumPy
// does: "1." and "True".
func (a Array) Format(f fmt.State, verb rune) {
	if err := a.format(f, verb); err != nil {
		fmt.Fprint(f, err)
	}
}

// String returns the elements as %v prints them.
func (a *Array) String() string { return text(a) }

// Format prints the elements as [Array.Format] does. It prints the error of a
// tensor that has one.
func (t Tensor[T]) Format(f fmt.State, verb rune) {
	if err := t.Err(); err != nil {
		fmt.Fprint(f, err)
		return
	}
	t.a.Format(f, verb)
}

// String returns the elements as %v prints them.
func (t *Tensor[T]) String() string { return text(t) }

func text(x fmt.Formatter) string { return fmt.Sprintf("%v", x) }

func (a *Array) format(f fmt.State, verb rune) error {
	if err := a.usable(); err != nil {
		return err
	}
	p := &printer{typ: a.DType(), dims: a.Shape(), verb: fmt.FormatString(f, verb)}
	if verb == 'v' || verb == 's' {
		p.natural = true
		p.numpy = f.Flag('#')
		if f.Flag('+') {
			fmt.Fprintf(&p.w, "%v %s\n", a.DType(), tuple(a.Shape()))
		}
	}
	if err := p.fetch(a); err != nil {
		return err
	}
	if a.Shape().Size() == 0 {
		p.w.WriteString("[]")
	} else {
		p.measure()
		p.array(0, p.first, " ")
	}
	_, err := f.Write(p.w.Bytes())
	return err
}

// tuple returns a shape as text, in the form of a Python tuple.
func tuple(s shape.Shape) string {
	dims := make([]string, len(s))
	for i, d := range s {
		dims[i] = strconv.Itoa(d)
	}
	if len(s) == 1 {
		return "(" + dims[0] + ",)"
	}
	return "(" + strings.Join(dims, ", ") + ")"
}

// A printer writes one array.
type printer struct {
	w       bytes.Buffer
	typ     dtype.Type
	dims    shape.Shape
	verb    string // format of each element, with flags
	natural bool   // %v: the fewest digits that read back as the element
	numpy   bool   // %#v: elements in the form of NumPy

	data  []byte // contains the elements shown
	first int    // position in data of the first element, in elements
	shown [][]int
	// shown has, for each axis, the distances of the positions shown from the
	// first one, in elements of data. gap stands for the positions left out.
	width int  // to which elements are padded, in characters; 0: no padding
	wraps bool // some row is longer than a line
}

// gap stands for the positions of an axis that are not shown.
const gap = math.MinInt

// fetch sets data, first and shown: it chooses the positions to show and fetches
// their elements to the host.
func (p *printer) fetch(a *Array) error {
	elide := a.Shape().Size() > shownWhole
	small := make(shape.Shape, len(p.dims)) // the shape of the elements shown
	for i, d := range p.dims {
		if small[i] = d; elide {
			small[i] = min(d, 2*shownEdge)
		}
	}
	strides := a.Strides()
	cut := small.Size() < p.dims.Size()
	if cut && a.mem.dev != nil && a.mem.Head() == AtDevice {
		c, err := a.corners(small)
		if err != nil {
			return err
		}
		if c != a {
			a, strides, cut = c, c.Strides(), false
		}
	}
	var err error
	if p.data, err = a.mem.Host(); err != nil {
		return err
	}
	p.first = a.Offset()
	for i, n := range small {
		var list []int
		for k := range n {
			at := k
			if n < p.dims[i] && k >= shownEdge {
				if k == shownEdge {
					list = append(list, gap)
				}
				if cut {
					at = p.dims[i] - n + k
				}
			}
			list = append(list, at*strides[i])
		}
		p.shown = append(p.shown, list)
	}
	return nil
}

// corners returns a new array of shape small with the elements of a that are
// shown, which the device copies. It returns a itself if the device runs no
// programs.
func (a *Array) corners(small shape.Shape) (*Array, error) {
	m, err := NewSyncedMemory(a.mem.dev, small.Size()*a.DType().Size())
	if err != nil {
		return nil, err
	}
	c, err := ArrayOf(m, a.DType(), small, nil, 0)
	if err != nil {
		return nil, err
	}
	stmts := []expr.Statement{{}}
	to, from := make([]shape.Slice, len(small)), make([]shape.Slice, len(small))
	var visit func(axis int) error
	visit = func(axis int) error {
		if axis == len(small) {
			t, err := c.Span(to...)
			if err != nil {
				return err
			}
			v, err := a.Span(from...)
			stmts = append(stmts, expr.Statement{Target: t.Node(), Value: v.Node()})
			return err
		}
		n, d := small[axis], a.Shape()[axis]
		if n == d {
			to[axis], from[axis] = shape.Slice{}, shape.Slice{}
			return visit(axis + 1)
		}
		for _, lo := range []int{0, shownEdge} {
			to[axis] = shape.Slice{Start: shape.At(lo), Stop: shape.At(lo + shownEdge)}
			from[axis] = to[axis]
			if lo > 0 {
				from[axis] = shape.Slice{Start: shape.At(d - shownEdge)}
			}
			if err := visit(axis + 1); err != nil {
				return err
			}
		}
		return nil
	}
	if err := visit(0); err != nil {
		return nil, err
	}
	if err := Run(context.Background(), stmts[1:]...); err != nil {
		return a, nil // the device runs no programs
	}
	return c, nil
}

// measure sets width to the width of the widest element, and wraps if a row does
// not fit on a line.
func (p *printer) measure() {
	last := len(p.dims) - 1
	var visit func(axis, off int)
	visit = func(axis, off int) {
		row := 0
		for _, step := range p.positions(axis) {
			switch {
			case step == gap:
				row += 4
			case axis < last:
				visit(axis+1, off+step)
			default:
				n := len(p.element(off + step))
				p.width = max(p.width, n)
				row += n + 1
			}
		}
		p.wraps = p.wraps || row+last > lineWidth
	}
	visit(0, p.first)
	if last < 1 && !p.wraps && !p.numpy {
		p.width = 0
	}
}

// positions returns the positions shown of an axis. An array of rank 0 has one.
func (p *printer) positions(axis int) []int {
	if len(p.dims) == 0 {
		return []int{0}
	}
	return p.shown[axis]
}

func (p *printer) array(axis, off int, indent string) {
	rank := len(p.dims)
	if rank == 0 {
		p.w.WriteString(p.element(off))
		return
	}
	p.w.WriteByte('[')
	column := len(indent)
	for k, step := range p.shown[axis] {
		if k > 0 {
			if axis < rank-1 {
				p.w.WriteString(strings.Repeat("\n", min(rank-1-axis, 2)) + indent)
			} else if column += p.width + 1; p.wraps && column+p.width > lineWidth {
				p.w.WriteString("\n" + indent)
				column = len(indent)
			} else {
				p.w.WriteByte(' ')
			}
		}
		switch {
		case step == gap:
			p.w.WriteString("...")
		case axis == rank-1:
			fmt.Fprintf(&p.w, "%*s", p.width, p.element(off+step))
		default:
			p.array(axis+1, off+step, indent+" ")
		}
	}
	p.w.WriteByte(']')
}

// element returns the text of element number at of data.
func (p *printer) element(at int) string {
	v := element(p.typ, p.data[at*p.typ.Size():])
	switch {
	case !p.natural:
		if h, ok := v.(interface{ Float32() float32 }); ok {
			v = h.Float32()
		}
		return fmt.Sprintf(p.verb, v)
	case p.numpy:
		return numpyText(v)
	}
	switch v := v.(type) {
	case dtype.Float16:
		return strconv.FormatFloat(shortest(v), 'g', -1, 32)
	case dtype.BFloat16:
		return strconv.FormatFloat(shortest(v), 'g', -1, 32)
	}
	return fmt.Sprint(v)
}

// element returns the first element of b as a Go value.
func element(t dtype.Type, b []byte) any {
	switch t {
	case dtype.Bool:
		return b[0] != 0
	case dtype.I8:
		return int8(b[0])
	case dtype.U8:
		return b[0]
	case dtype.I32:
		return dtype.Slice[int32](b[:4])[0]
	case dtype.I64:
		return dtype.Slice[int64](b[:8])[0]
	case dtype.U32:
		return dtype.Slice[uint32](b[:4])[0]
	case dtype.U64:
		return dtype.Slice[uint64](b[:8])[0]
	case dtype.F16:
		return dtype.Slice[dtype.Float16](b[:2])[0]
	case dtype.BF16:
		return dtype.Slice[dtype.BFloat16](b[:2])[0]
	case dtype.F32:
		return dtype.Slice[float32](b[:4])[0]
	}
	return dtype.Slice[float64](b[:8])[0]
}

// shortest returns the number with the fewest digits that rounds to h in the type
// of h.
func shortest(h interface{ Float32() float32 }) float64 {
	x := h.Float32()
	for digits := 1; digits < 9; digits++ {
		y, err := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'e', digits-1, 32), 32)
		if err != nil {
			continue
		}
		switch h := h.(type) {
		case dtype.Float16:
			if dtype.F16From(float32(y)) == h {
				return y
			}
		case dtype.BFloat16:
			if dtype.BF16From(float32(y)) == h {
				return y
			}
		}
	}
	return float64(x)
}

// numpyText returns the text of an element in the form of NumPy.
func numpyText(v any) string {
	switch v := v.(type) {
	case bool:
		return map[bool]string{false: "False", true: "True"}[v]
	case dtype.Float16:
		return numpyFloat(shortest(v), 32)
	case dtype.BFloat16:
		return numpyFloat(shortest(v), 32)
	case float32:
		return numpyFloat(float64(v), 32)
	case float64:
		return numpyFloat(v, 64)
	}
	return fmt.Sprint(v)
}

// numpyFloat returns the shortest text that reads back as v. It has an exponent
// where NumPy writes one.
func numpyFloat(v float64, bits int) string {
	switch a := math.Abs(v); {
	case v != v:
		return "nan"
	case math.IsInf(v, 0):
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, bits), "+"))
	case a != 0 && (a < 1e-4 || a >= 1e16):
		return strconv.FormatFloat(v, 'e', -1, bits)
	}
	s := strconv.FormatFloat(v, 'f', -1, bits)
	if !slices.Contains([]byte(s), '.') {
		s += "."
	}
	return s
}
