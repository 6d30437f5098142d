package emit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

var kindNames = [...]string{"scalar code", "vec loop", "seq loop"}

var siteNames = [...]string{"same for all lanes", "unit stride", "constant stride", "scratch", "computed offsets", "index", "transposed, by tiles in registers", "short rows, laid across vectors", "unused"}

// listing returns a description of the code of the phase.
func (f *phaseCode) listing() *listing.Phase {
	l := &listing.Phase{Kind: kindNames[f.Phase.Kind], Lanes: f.W}
	for _, id := range f.top {
		f.count(l, &f.Nodes[id])
	}
	for i := range f.Phase.Reds {
		r := &f.Phase.Reds[i]
		if r.Prog == nil {
			l.Flops += ir.Flops(r.Kern.Op, r.Kern.Type)
			continue
		}
		for _, id := range r.Prog.Top {
			l.Flops += ir.Flops(r.Prog.Nodes[id].Op, r.Prog.Nodes[id].In)
		}
	}
	for i := range f.Layout.Sites {
		if f.Layout.Sites[i].Kind != layout.Unused {
			l.Accesses = append(l.Accesses, f.access(i))
		}
	}
	for id, r := range f.Home {
		if r >= 0 {
			l.Kept = append(l.Kept, listing.Kept{Register: f.Lanes.VecName(r, f.Nodes[id].Type), Value: f.valueText(int32(id))})
		}
	}
	l.Kept = append(l.Kept, f.kept...)
	slices.SortFunc(l.Kept, func(a, b listing.Kept) int {
		return cmp.Or(len(a.Register)-len(b.Register), strings.Compare(a.Register, b.Register))
	})
	return l
}

// count adds the bytes that a node moves and its operations, for each element, to l.
func (f *phaseCode) count(l *listing.Phase, n *lower.Node) {
	switch n.Op {
	case ir.Load, lower.OpGather, lower.OpTake:
		if s := &f.Layout.Sites[n.Aux]; s.Kind != layout.Uniform {
			l.Loaded += s.Size
		}
	case ir.Store:
		l.Stored += f.Layout.Sites[n.Aux].Size
	case lower.OpQuotient:
		l.Flops += ir.Flops(prim.Div, n.Type)
	default:
		l.Flops += ir.Flops(n.Op, n.Type)
	}
}

// access returns a description of site i.
func (f *phaseCode) access(i int) listing.Access {
	s, info := &f.Layout.Sites[i], &f.Phase.Sites[i]
	k := f.Program.IR
	a := listing.Access{How: siteNames[s.Kind], Slot: s.Arg}
	switch {
	case info.Array >= 0:
		a.What = fmt.Sprintf("values from phase to phase %d", info.Array)
	case info.Access < 0:
		a.What = "index " + k.IxText(info.Ix)
	default:
		op := "load "
		if info.Store {
			op = "store "
		}
		a.What = op + k.Bufs[info.Buf].Name
	}
	if s.Guard {
		a.How += ", guarded"
	}
	if s.Staged {
		a.How += ", copied to scratch memory and back by the caller"
	}
	return a
}

// part begins a part of the listing.
func (f *phaseCode) part(format string, args ...any) {
	if f.Listing {
		f.Head(fmt.Sprintf(format, args...))
	}
}

// note adds a note to the listing: what the code from here on computes.
func (f *phaseCode) note(id int32, copies int) {
	text := f.nodeText(id)
	n := &f.Nodes[id]
	var known []string
	for _, a := range n.Args {
		if a == lower.None || !f.Uniform[a] {
			continue
		}
		switch nd := &f.Nodes[a]; {
		case nd.Op == prim.Const:
			known = append(known, f.name(a)+" = "+prim.Text(nd.Type, nd.Imm))
		case nd.Op == lower.OpCell && int(nd.Aux) < len(f.Program.IR.Scalars):
			known = append(known, fmt.Sprintf("%s = s%d", f.name(a), nd.Aux))
		}
	}
	if len(known) > 0 {
		text += "  where " + strings.Join(known, ", ")
	}
	if copies > 1 {
		text += fmt.Sprintf("  (%d vectors)", copies)
	}
	f.Note(text)
}

// name returns the name of a node in the listing: its value in the IR, if it has one.
func (f *phaseCode) name(id int32) string {
	if int(id) < len(f.Phase.Named) && f.Phase.Named[id] != ir.None {
		return fmt.Sprintf("%%%d", f.Phase.Named[id])
	}
	return fmt.Sprintf("t%d", id)
}

// extremeNames are the names of the operations that choose one of two floats.
var extremeNames = [1 << 8]string{lower.OpLesser: "lesser", lower.OpGreater: "greater", lower.OpLeast: "least number", lower.OpGreatest: "greatest number"}

// nodeText returns a node in the notation of the IR.
func (f *phaseCode) nodeText(id int32) string {
	n := &f.Nodes[id]
	k := f.Program.IR
	var b strings.Builder
	switch n.Op {
	case ir.Store, ir.Fault, lower.OpExport, lower.OpLeave:
	default:
		b.WriteString(f.name(id) + " = ")
	}
	switch {
	case n.Op == lower.OpCell:
		fmt.Fprintf(&b, "cell %s %d", n.Type.Short(), n.Aux)
	case n.Op == lower.OpExport:
		fmt.Fprintf(&b, "to cell %s %d", n.Type.Short(), n.Aux)
	case (n.Op == ir.Load || n.Op == ir.Store || n.Op == lower.OpGather || n.Op == lower.OpTake) && f.Phase.Sites[n.Aux].Access >= 0:
		op := ir.Load
		if n.Op == ir.Store {
			op = ir.Store
		}
		b.WriteString(k.InsText(&ir.Ins{Op: op, Type: n.Type, Dst: ir.None, Args: [3]ir.Value{ir.None, ir.None, ir.None}, Aux: f.Phase.Sites[n.Aux].Access}))
		if n.Op == lower.OpGather {
			b.WriteString(" at offset")
		}
	case n.Op == ir.Load || n.Op == ir.Store:
		fmt.Fprintf(&b, "%s %s values[%d]", ir.OpName(n.Op), n.Type.Short(), f.Phase.Sites[n.Aux].Array)
	case n.Op == ir.Index:
		b.WriteString("index " + k.IxText(f.Phase.Sites[n.Aux].Ix))
	case n.Op == prim.Const:
		fmt.Fprintf(&b, "const %s %s", n.Type.Short(), prim.Text(n.Type, n.Imm))
	case n.Op == lower.OpIota:
		fmt.Fprintf(&b, "lane number * %d", int64(n.Imm))
	case n.Op == lower.OpLeave:
		b.WriteString("to the end of the loop if no lane has")
	case n.Op == lower.OpShift:
		b.WriteString(ir.OpName(prim.Op(n.Imm)) + ", and")
	case n.Op == lower.OpCount:
		fmt.Fprintf(&b, "count, at most %d, of", n.Imm)
	case n.Op == lower.OpShifted:
		fmt.Fprintf(&b, "%s %#x", ir.OpName(prim.Op(n.Imm)), n.Aux)
	case n.Op == lower.OpShiftUp:
		fmt.Fprintf(&b, "%s of the element %d before, or", n.Type.Short(), n.Aux)
	case n.Op == lower.OpLast:
		fmt.Fprintf(&b, "%s of the last element of", n.Type.Short())
	case n.Op == lower.OpAverage:
		b.WriteString("average, up")
	case n.Op == lower.OpTimes:
		fmt.Fprintf(&b, "%d times %s", n.Imm, n.Type.Short())
	case extremeNames[n.Op] != "":
		b.WriteString(extremeNames[n.Op] + " " + n.Type.Short())
	case n.Op == lower.OpOrdered:
		b.WriteString("no NaN of")
	case n.Op == lower.OpMulLow:
		fmt.Fprintf(&b, "mul %s of lower halves of", n.Type.Short())
	case n.Op == lower.OpQuotient:
		b.WriteString("div " + n.Type.Short())
	case n.Op == lower.OpReciprocal:
		fmt.Fprintf(&b, "reciprocal %s of", n.Type.Short())
	case n.Op == lower.OpTernary:
		fmt.Fprintf(&b, "ternary %s %#02x of", n.Type.Short(), n.Imm)
	case n.Op == prim.Fma && n.Imm != 0:
		b.WriteString([4]string{lower.NegProduct: "fnma", lower.NegAddend: "fms", lower.NegProduct | lower.NegAddend: "fnms"}[n.Imm] + " " + n.Type.Short())
	case n.Op == ir.Fault:
		fmt.Fprintf(&b, "fault %s", ir.FaultKind(n.Aux))
	case n.Op == prim.Lookup:
		fmt.Fprintf(&b, "lookup %s t%d", n.Type.Short(), n.Aux)
	default:
		fmt.Fprintf(&b, "%s %s", ir.OpName(n.Op), n.Type.Short())
	}
	for _, a := range n.Args {
		if a != lower.None {
			b.WriteString(" " + f.name(a))
		}
	}
	return b.String()
}

// valueText returns the text of a value that is the same for all elements.
func (f *phaseCode) valueText(id int32) string {
	text := f.nodeText(id)
	if n := &f.Nodes[id]; n.Op == lower.OpCell && int(n.Aux) < len(f.Program.IR.Scalars) {
		text += fmt.Sprintf(", the scalar s%d", n.Aux)
	}
	return text
}
