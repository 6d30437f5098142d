package bound

import (
	"fmt"
	"strings"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Way is the access form of an affine expression in a loop.
type Way uint8

// The access forms.
const (
	Uniform    Way = iota // one value
	Contiguous            // step 1
	Strided               // another constant step
	Rows                  // several spans, each with a constant step
)

func (w Way) String() string { return [...]string{"uniform", "contiguous", "strided", "rows"}[w] }

// Along returns the access form of f in a loop.
func (n *Kernel) Along(f Form, loop int32) Way {
	l := n.Lines(n.Order(n.IR.Loops[loop].Axes), f)[0]
	switch {
	case len(l.Spans) > 1:
		return Rows
	case l.Step() == 0:
		return Uniform
	case l.Step() == 1:
		return Contiguous
	}
	return Strided
}

func (k UnitKind) String() string { return [...]string{"one", "rows", "elements", "blocks"}[k] }

// String returns the analysis as text: the units, the digits that are not whole
// axes, and each load, store and index in its loop.
func (n *Kernel) String() string {
	w := &strings.Builder{}
	units, count := n.Units()
	fmt.Fprintf(w, "kernel %s\nunits %s %d\n", n.IR.Name, units, count)
	for axis, digits := range n.OfAxis {
		if len(digits) == 1 {
			continue
		}
		fmt.Fprintf(w, "axis %s =", n.IR.Axes[axis])
		for _, d := range digits {
			fmt.Fprintf(w, " %s", n.digit(d))
		}
		fmt.Fprintln(w)
	}
	n.region(w, 0, nil)
	return w.String()
}

func (n *Kernel) digit(d int) string {
	x := n.Digits[d]
	name := n.IR.Axes[x.Axis]
	if len(n.OfAxis[x.Axis]) == 1 {
		return name
	}
	return fmt.Sprintf("%s/%d%%%d", name, x.Weight, x.Extent)
}

func (n *Kernel) region(w *strings.Builder, region int32, loops []int32) {
	indent := strings.Repeat("  ", len(loops))
	code := n.IR.Regions[region].Code
	for i := range code {
		in := &code[i]
		switch in.Op {
		case ir.For:
			l := &n.IR.Loops[in.Aux]
			fmt.Fprintf(w, "%s%s", indent, l.Kind)
			for _, a := range l.Axes {
				fmt.Fprintf(w, " %s=%d", n.IR.Axes[a], n.Extents[a])
			}
			fmt.Fprintln(w)
			n.region(w, l.Body, append(loops, in.Aux))
		case ir.Cold:
			fmt.Fprintf(w, "%scold\n", indent)
			n.region(w, in.Aux, loops)
		case ir.Index:
			fmt.Fprintf(w, "%sindex ", indent)
			if f, ok := n.Form(prim.Ix(in.Imm)); ok {
				fmt.Fprintf(w, "%s%s\n", n.form(f), n.ways(f, loops))
			} else {
				lo, hi := n.Interval(prim.Ix(in.Imm))
				fmt.Fprintf(w, "computed%s\n", span(lo, hi))
			}
		case ir.Load, ir.Store:
			n.printAccess(w, in, indent, loops)
		}
	}
}

func (n *Kernel) printAccess(w *strings.Builder, in *ir.Ins, indent string, loops []int32) {
	verb := "load"
	if in.Op == ir.Store {
		verb = "store"
	}
	a := &n.Access[in.Aux]
	fmt.Fprintf(w, "%s%s %s %s", indent, verb, n.IR.Bufs[a.Buf].Name, n.form(a.Offset))
	if f, ok := a.Whole(); ok {
		w.WriteString(n.ways(f, loops))
	}
	if a.Proven() {
		w.WriteString(", proven")
	}
	fmt.Fprintln(w)
	for i := range a.Dims {
		d := &a.Dims[i]
		if d.Direct() {
			continue
		}
		fmt.Fprintf(w, "%s  dim %d of %d, stride %d, %s: ", indent, i, d.Extent, d.Stride, [...]string{"in bounds", "guarded", "clamped"}[d.Bounds])
		if d.Affine {
			fmt.Fprintf(w, "%s%s\n", n.form(d.Form), span(d.Lo, d.Hi))
		} else {
			fmt.Fprintf(w, "computed%s\n", span(d.Lo, d.Hi))
		}
	}
}

func span(lo, hi int) string {
	if lo == -Far {
		return ""
	}
	return fmt.Sprintf(" in %d..%d", lo, hi)
}

// ways returns the access forms of f in the enclosing loops, innermost first, as
// text.
func (n *Kernel) ways(f Form, loops []int32) string {
	s := ""
	for i := len(loops) - 1; i >= 0; i-- {
		s += fmt.Sprintf(", %s in %s", n.Along(f, loops[i]), n.IR.Loops[loops[i]].Kind)
	}
	return s
}

func (n *Kernel) form(f Form) string {
	var terms []string
	for d, k := range f.Coef {
		switch k {
		case 0:
		case 1:
			terms = append(terms, n.digit(d))
		default:
			terms = append(terms, fmt.Sprintf("%d*%s", k, n.digit(d)))
		}
	}
	if f.C != 0 || len(terms) == 0 {
		terms = append(terms, fmt.Sprint(f.C))
	}
	return strings.Join(terms, " + ")
}
