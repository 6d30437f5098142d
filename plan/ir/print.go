package ir

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
)

var opNames = [...]string{"load", "store", "index", "scalar", "reduce", "fault", "for", "cold", "carry", "next"}

// OpName returns the name of op in IR texts. op is a primitive or an operation
// of this package.
func OpName(op prim.Op) string {
	if op < prim.NumOps {
		return op.String()
	}
	return nameOf(opNames[:], int(op-prim.NumOps))
}

// String returns the text of the kernel. If k passes [Check], [Parse] reads the
// text back, and String of the result is the same text. Otherwise the text is
// for people only, with a ? where something is missing.
func (k *Kernel) String() string {
	p := printer{k: k, seen: make([]bool, len(k.Regions))}
	p.header()
	p.reducers()
	p.str("{\n")
	p.region(0, 1)
	p.str("}\n")
	return p.b.String()
}

// InsText returns one instruction of k in text form, without the region of a
// For or a Cold.
func (k *Kernel) InsText(i *Ins) string {
	p := printer{k: k}
	p.ins(i)
	return p.b.String()
}

// IxText returns an index expression of k in text form.
func (k *Kernel) IxText(ix prim.Ix) string {
	p := printer{k: k}
	p.ix(ix, precSum)
	return p.b.String()
}

type printer struct {
	k    *Kernel
	b    strings.Builder
	seen []bool // regions printed; an invalid kernel may have a cycle of regions
}

func (p *printer) str(s string)                   { p.b.WriteString(s) }
func (p *printer) printf(format string, a ...any) { fmt.Fprintf(&p.b, format, a...) }

func (p *printer) header() {
	k := p.k
	p.printf("kernel %s\n", k.Name)
	if len(k.Axes) > 0 {
		p.printf("axis %s\n", strings.Join(k.Axes, " "))
	}
	if k.Params > 0 {
		p.printf("params %d\n", k.Params)
	}
	for _, b := range k.Bufs {
		p.printf("buf %s %s %s ", b.Name, b.Type.Short(), b.Mode)
		if b.Mode == Row {
			p.str("[")
			p.axes(b.Axes)
			p.str("]\n")
		} else {
			p.printf("%d\n", b.Rank)
		}
	}
	for i, t := range k.Scalars {
		p.printf("scalar s%d %s\n", i, t.Short())
	}
	for i, t := range k.Tables {
		p.printf("table t%d %s [", i, t.Type.Short())
		for j, bits := range t.Bits {
			if j > 0 {
				p.str(", ")
			}
			p.bits(t.Type, bits)
		}
		p.str("]\n")
	}
}

func (p *printer) region(r int32, depth int) {
	if r < 0 || int(r) >= len(p.seen) || p.seen[r] {
		p.indent(depth)
		p.printf("?region %d\n", r)
		return
	}
	p.seen[r] = true
	code := p.k.Regions[r].Code
	for i := range code {
		in := &code[i]
		p.indent(depth)
		p.ins(in)
		switch in.Op {
		case For:
			p.str(" {\n")
			if l, ok := element(p.k.Loops, in.Aux); ok {
				p.region(l.Body, depth+1)
			}
			p.indent(depth)
			p.str("}\n")
		case Cold:
			p.yielding(in.Aux, Value(in.Imm), depth)
		default:
			p.str("\n")
		}
	}
}

// yielding prints a region that ends with a value, from { to }.
func (p *printer) yielding(r int32, yield Value, depth int) {
	p.str(" {\n")
	p.region(r, depth+1)
	p.indent(depth + 1)
	p.printf("yield %%%d\n", yield)
	p.indent(depth)
	p.str("}\n")
}

// reducers prints the reductions that have a program.
func (p *printer) reducers() {
	for i := range p.k.Reducers {
		r := &p.k.Reducers[i]
		if r.Body < 0 {
			continue
		}
		identity, nothing := r.Bits()
		p.printf("reduction %s %s %s ", p.k.reducerName(int32(i)), word(r.Name()), r.Type.Short())
		p.bits(r.Type, identity)
		p.str(" ")
		p.bits(r.Type, nothing)
		p.printf(" %%%d %%%d", r.X, r.Y)
		p.yielding(r.Body, r.Yield, 0)
	}
}

// reducerName returns the name of a native row, or r0, r1 ... for those with a
// program.
func (k *Kernel) reducerName(n int32) string {
	r, ok := element(k.Reducers, n)
	switch {
	case !ok || r.Reduction == nil:
		return "?"
	case r.Body < 0:
		return r.Name()
	}
	return "r" + strconv.Itoa(programs(k.Reducers[:n]))
}

// programs returns the number of reductions that have a program.
func programs(list []Reducer) int {
	return lists.Count(list, func(r Reducer) bool { return r.Body >= 0 })
}

// word returns a name with _ in place of other characters than letters and
// digits.
func word(name string) string {
	w := []byte("_" + name)
	for i, c := range w {
		if !isLetter(c) && !isDigit(c) {
			w[i] = '_'
		}
	}
	if isName(string(w[1:])) {
		return string(w[1:])
	}
	return string(w)
}

func (p *printer) indent(depth int) {
	for range depth {
		p.str("  ")
	}
}

func (p *printer) ins(in *Ins) {
	if in.Dst != None {
		p.printf("%%%d = ", in.Dst)
	}
	if in.Op == For {
		l, ok := element(p.k.Loops, in.Aux)
		if !ok {
			p.printf("?loop %d", in.Aux)
			return
		}
		p.printf("%s ", l.Kind)
		p.axes(l.Axes)
		return
	}
	p.str(OpName(in.Op))
	switch in.Op {
	case Reduce:
		p.printf(" %s", p.k.reducerName(in.Aux))
	case Fault:
		p.printf(" %s", FaultKind(in.Aux))
	case Index: // always an i64
		p.str(" ")
		p.ix(prim.Ix(in.Imm), precSum)
		return
	}
	if in.Op != Fault {
		p.printf(" %s", in.Type.Short())
	}
	switch in.Op {
	case prim.Const:
		p.str(" ")
		p.bits(in.Type, in.Imm)
		p.printf(" ; %s", prim.Text(in.Type, in.Imm))
	case prim.Lookup:
		p.printf(" t%d", in.Aux)
	case Scalar:
		p.printf(" s%d", in.Aux)
	case Load:
		p.access(in.Aux)
		if a, ok := element(p.k.Access, in.Aux); ok && a.Bounds == Guarded {
			p.str(" else")
		}
	case Store:
		p.access(in.Aux)
	}
	for _, a := range in.Args[:in.NumArgs()] {
		p.printf(" %%%d", a)
	}
}

func (p *printer) access(n int32) {
	a, ok := element(p.k.Access, n)
	if !ok {
		p.printf(" ?access %d", n)
		return
	}
	name := "?"
	if b, ok := element(p.k.Bufs, a.Buf); ok {
		name = b.Name
	}
	p.printf(" %s[", name)
	for i, c := range a.Coords {
		if i > 0 {
			p.str(", ")
		}
		p.ix(c, precSum)
	}
	p.str("]")
	if a.Bounds == Clamped {
		p.str(" clamp")
	}
}

func (p *printer) axes(axes []int32) {
	for i, a := range axes {
		if i > 0 {
			p.str(" ")
		}
		p.axis(a)
	}
}

func (p *printer) axis(a int32) {
	name, ok := element(p.k.Axes, a)
	if !ok {
		name = "?axis"
	}
	p.str(name)
}

func (p *printer) bits(t dtype.Type, bits uint64) { p.printf("0x%0*x", max(1, 2*t.Size()), bits) }

// The contexts of an index expression, from the loosest to the tightest
// binding.
const (
	precSum    = iota // a sum needs no parentheses
	precTerm          // right of + or -, left of *
	precFactor        // right of *
)

func (p *printer) ix(ix prim.Ix, prec int) {
	n, ok := element(p.k.Index.Nodes, int32(ix))
	if !ok || ((n.Op >= prim.IxAdd) && (n.A >= ix || n.B >= ix)) {
		p.printf("?ix %d", ix)
		return
	}
	switch n.Op {
	case prim.IxConst:
		p.str(strconv.FormatInt(n.K, 10))
	case prim.IxParam:
		p.printf("p%d", n.K)
	case prim.IxAxis:
		p.axis(int32(n.K))
	case prim.IxValue:
		p.printf("%%%d", n.K)
	case prim.IxAdd, prim.IxMul:
		inner := precSum
		if n.Op == prim.IxMul {
			inner = precTerm
		}
		if prec > inner {
			p.str("(")
		}
		p.ix(n.A, inner)
		if n.Op == prim.IxAdd {
			p.addend(n.B)
		} else {
			p.str("*")
			p.ix(n.B, precFactor)
		}
		if prec > inner {
			p.str(")")
		}
	case prim.IxDiv, prim.IxMod:
		name := "div("
		if n.Op == prim.IxMod {
			name = "mod("
		}
		p.str(name)
		p.ix(n.A, precSum)
		p.str(", ")
		p.ix(n.B, precSum)
		p.str(")")
	default:
		p.printf("?ixop %d", n.Op)
	}
}

// addend prints an operand of a sum after the first one: "-1", "-i0", "+i0*p1".
func (p *printer) addend(ix prim.Ix) {
	n, _ := element(p.k.Index.Nodes, int32(ix))
	switch {
	case n.Op == prim.IxConst && n.K < 0 && n.K != math.MinInt64:
		p.str(strconv.FormatInt(n.K, 10))
	case n.Op == prim.IxMul && n.A < ix && p.minusOne(n.B):
		p.str("-")
		p.ix(n.A, precTerm)
	default:
		p.str("+")
		p.ix(ix, precTerm)
	}
}

func (p *printer) minusOne(ix prim.Ix) bool {
	n, ok := element(p.k.Index.Nodes, int32(ix))
	return ok && n.Op == prim.IxConst && n.K == -1
}

// element returns s[i], or false if i is out of range.
func element[T any](s []T, i int32) (v T, ok bool) {
	if i < 0 || int(i) >= len(s) {
		return v, false
	}
	return s[i], true
}
