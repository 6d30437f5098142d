package text

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

const (
	shownWhole = 1000 // largest number of elements of an array that is printed whole
	lineWidth  = 88   // characters

	// Edge is the number of positions shown at each end of a long axis.
	Edge = 3
)

// Shown returns the shape of the elements that are printed of an array of shape s.
func Shown(s shape.Shape) shape.Shape {
	if s.Size() <= shownWhole {
		return s
	}
	return lists.Map(s, func(d int) int { return min(d, 2*Edge) })
}

// An Array has the elements of an array to print. Strides and First count
// elements.
type Array struct {
	Type    dtype.Type
	Shape   shape.Shape
	Data    []byte
	First   int // position in Data of the first element
	Strides shape.Strides
	Cut     bool // Data has only the elements that are printed
}

// Print prints the elements as nested rows in brackets, as NumPy does. The verb,
// its flags and its precision apply to each element. %+v adds a line with element
// type and shape. %#v writes elements as NumPy does.
func (a *Array) Print(f fmt.State, verb rune) error {
	p := &printer{Array: a, verb: fmt.FormatString(f, verb)}
	if verb == 'v' || verb == 's' {
		p.natural = true
		p.numpy = f.Flag('#')
		if f.Flag('+') {
			fmt.Fprintf(&p.w, "%v %s\n", a.Type, tuple(a.Shape))
		}
	}
	if digits, ok := f.Precision(); ok && verb == 'v' && (a.Type.IsFloat() || a.Type.IsComplex()) {
		width, _ := f.Width()
		p.natural, p.verb = false, fmt.Sprintf("%%%d.%dg", width, digits)
	}
	if a.Shape.Size() == 0 {
		p.w.WriteString("[]")
	} else {
		p.choose()
		p.measure()
		p.array(0, a.First, " ")
	}
	_, err := f.Write(p.w.Bytes())
	return err
}

// tuple returns a shape as text, in the form of a Python tuple.
func tuple(s shape.Shape) string {
	dims := lists.Map(s, strconv.Itoa)
	if len(s) == 1 {
		return "(" + dims[0] + ",)"
	}
	return "(" + strings.Join(dims, ", ") + ")"
}

// A printer writes one array.
type printer struct {
	*Array
	w       bytes.Buffer
	verb    string // format of each element, with flags
	natural bool   // %v: the fewest digits that read back as the element
	numpy   bool   // %#v: elements in the form of NumPy

	// shown has, for each axis, the distances of the positions shown from the first
	// one, in elements of Data. gap stands for the positions left out.
	shown [][]int
	width int  // to which elements are padded, in characters; 0: no padding
	wraps bool // some row is longer than a line
}

// gap stands for the positions of an axis that are not shown.
const gap = math.MinInt

// choose sets shown.
func (p *printer) choose() {
	for i, n := range Shown(p.Shape) {
		var list []int
		for k := range n {
			at := k
			if n < p.Shape[i] && k >= Edge {
				if k == Edge {
					list = append(list, gap)
				}
				if !p.Cut {
					at = p.Shape[i] - n + k
				}
			}
			list = append(list, at*p.Strides[i])
		}
		p.shown = append(p.shown, list)
	}
}

// measure sets width to the width of the widest element, and wraps if a row does
// not fit on a line.
func (p *printer) measure() {
	last := len(p.Shape) - 1
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
	visit(0, p.First)
	if last < 1 && !p.wraps && !p.numpy {
		p.width = 0
	}
}

// positions returns the positions shown of an axis. An array of rank 0 has one.
func (p *printer) positions(axis int) []int {
	if len(p.Shape) == 0 {
		return []int{0}
	}
	return p.shown[axis]
}

func (p *printer) array(axis, off int, indent string) {
	rank := len(p.Shape)
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

// element returns the text of element number at of Data.
func (p *printer) element(at int) string {
	v := Element(p.Type, p.Data[at*p.Type.Size():])
	switch {
	case !p.natural:
		part := func(v float64, _ int) string { return fmt.Sprintf(p.verb, v) }
		switch x := v.(type) {
		case interface{ Float32() float32 }:
			v = x.Float32()
		case complex64:
			return complexText(complex128(x), 32, part)
		case complex128:
			return complexText(x, 64, part)
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
	case complex64:
		return complexText(complex128(v), 32, shortFloat)
	case complex128:
		return complexText(v, 64, shortFloat)
	}
	return fmt.Sprint(v)
}
