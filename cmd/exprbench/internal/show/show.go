// Package show prints arrays as NumPy does.
package show

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/shape"
)

const (
	whole = 1000 // elements up to which an array is printed whole
	edge  = 3    // positions shown at both ends of a long axis
	width = 88   // characters of a line
)

// Array prints name, element type and shape of an array, and its elements, of
// large arrays the corners.
func Array(w io.Writer, name string, a *engine.Array) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s %v %s\n", name, a.DType(), Shape(a.Shape()))
	p := printer{a: a, elide: a.Shape().Size() > whole}
	if a.Shape().Size() == 0 {
		b.WriteString("[]\n")
		return b.Flush()
	}
	p.visit(0, a.Offset(), func(off int) { p.width = max(p.width, len(p.element(off))) })
	p.w = b
	p.array(0, a.Offset(), "")
	b.WriteByte('\n')
	return b.Flush()
}

// Shape is a shape as a Python tuple.
func Shape(s shape.Shape) string {
	dims := make([]string, len(s))
	for i, d := range s {
		dims[i] = strconv.Itoa(d)
	}
	if len(s) == 1 {
		return "(" + dims[0] + ",)"
	}
	return "(" + strings.Join(dims, ", ") + ")"
}

type printer struct {
	a     *engine.Array
	w     *bufio.Writer
	elide bool
	width int
}

// positions are the indices of an axis that are shown; -1 stands for "...".
func (p *printer) positions(n int) []int {
	var list []int
	for i := range n {
		switch {
		case !p.elide || n <= 2*edge || i < edge || i >= n-edge:
			list = append(list, i)
		case i == edge:
			list = append(list, -1)
		}
		if p.elide && n > 2*edge && i == edge {
			for j := n - edge; j < n; j++ {
				list = append(list, j)
			}
			break
		}
	}
	return list
}

// visit calls f with the offset of every element shown.
func (p *printer) visit(axis, off int, f func(off int)) {
	if axis == len(p.a.Shape()) {
		f(off)
		return
	}
	for _, i := range p.positions(p.a.Shape()[axis]) {
		if i >= 0 {
			p.visit(axis+1, off+i*p.a.Strides()[axis], f)
		}
	}
}

func (p *printer) array(axis, off int, indent string) {
	rank := len(p.a.Shape())
	if axis == rank {
		p.w.WriteString(p.element(off))
		return
	}
	p.w.WriteByte('[')
	indent += " "
	column := len(indent)
	for k, i := range p.positions(p.a.Shape()[axis]) {
		if k > 0 {
			if axis < rank-1 {
				p.w.WriteString(strings.Repeat("\n", min(rank-1-axis, 2)) + indent)
			} else if column += p.width + 1; column+p.width > width {
				p.w.WriteString("\n" + indent)
				column = len(indent)
			} else {
				p.w.WriteByte(' ')
			}
		}
		switch {
		case i < 0:
			p.w.WriteString("...")
		case axis == rank-1:
			fmt.Fprintf(p.w, "%*s", p.width, p.element(off+i*p.a.Strides()[axis]))
		default:
			p.array(axis+1, off+i*p.a.Strides()[axis], indent)
		}
	}
	p.w.WriteByte(']')
}

// element is the shortest text that reads back as the element at an offset.
func (p *printer) element(off int) string {
	t := p.a.DType()
	b := p.a.Memory().Bytes()[off*t.Size():]
	switch t {
	case dtype.Bool:
		if b[0] != 0 {
			return "True"
		}
		return "False"
	case dtype.F16:
		h := dtype.Slice[dtype.Float16](b)[0]
		return float(half(h.Float32(), func(x float32) bool { return dtype.F16From(x) == h }), 32)
	case dtype.BF16:
		h := dtype.Slice[dtype.BFloat16](b)[0]
		return float(half(h.Float32(), func(x float32) bool { return dtype.BF16From(x) == h }), 32)
	case dtype.F32:
		return float(float64(dtype.Slice[float32](b)[0]), 32)
	case dtype.F64:
		return float(dtype.Slice[float64](b)[0], 64)
	}
	var bits uint64
	for i := t.Size() - 1; i >= 0; i-- {
		bits = bits<<8 | uint64(b[i])
	}
	return expr.FormatBits(t, bits)
}

// half is the number of the fewest digits that the half type rounds to x, which
// same decides.
func half(x float32, same func(float32) bool) float64 {
	for digits := 1; digits < 9; digits++ {
		y, err := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'e', digits-1, 32), 32)
		if err == nil && same(float32(y)) {
			return y
		}
	}
	return float64(x)
}

// float is the shortest text that reads back as v, with an exponent where NumPy
// writes one.
func float(v float64, bits int) string {
	switch a := math.Abs(v); {
	case v != v:
		return "nan"
	case math.IsInf(v, 0):
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, bits), "+"))
	case a != 0 && (a < 1e-4 || a >= 1e16):
		return strconv.FormatFloat(v, 'e', -1, bits)
	}
	s := strconv.FormatFloat(v, 'f', -1, bits)
	if !strings.Contains(s, ".") {
		s += "."
	}
	return s
}
