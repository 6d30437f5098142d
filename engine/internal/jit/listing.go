package jit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

var kindNames = [...]string{"scalar code", "vec loop", "seq loop"}

var siteNames = [...]string{"same for all lanes", "unit stride", "constant stride", "scratch", "computed offsets", "index", "transposed, by tiles in registers", "unused"}

// Listing returns the machine code of the functions, in the order in which they run.
func (in *instance) Listing() ([]*listing.Function, error) {
	var out []*listing.Function
	err := in.eachFunction(in.items, 1, func(fn *function, phases []*boundPhase, times int) error {
		fn, err := in.code.gen.generate(in.code, phases, fn.variant, true)
		if err != nil {
			return err
		}
		for i, bp := range phases {
			fn.text.Phases[i].Elements = times * bp.n * bp.seqN
		}
		out = append(out, fn.text)
		return nil
	})
	return out, err
}

// eachFunction calls f with every function, its phases, and how many times a run
// executes it. It stops at the first error.
func (in *instance) eachFunction(items []boundItem, times int, f func(fn *function, phases []*boundPhase, times int) error) (err error) {
	one := func(bp *boundPhase) {
		phases := []*boundPhase{bp}
		if err == nil {
			err = f(bp.fn, phases, times)
		}
		if err == nil && bp.streamed != nil {
			err = f(bp.streamed, phases, times)
		}
	}
	for i := range items {
		switch it := &items[i]; {
		case err != nil:
		case it.scalar != nil:
			one(it.scalar)
		case it.vec != nil:
			for _, bp := range it.vec.phases {
				one(bp)
			}
		case it.rows != nil:
			err = f(it.rows.fn, it.rows.phases, times*it.n)
		default:
			err = in.eachFunction(it.par, times*it.n, f)
		}
	}
	return err
}

// symbol returns the name of a function of a kernel.
func (v variant) symbol(kernel string, phases []*boundPhase) string {
	name := fmt.Sprintf("%s.%d", kernel, phases[0].ph.id)
	if n := len(phases); n > 1 {
		name += fmt.Sprintf("-%d", phases[n-1].ph.id)
	}
	if v.stream {
		name += ".stream"
	}
	return name
}

func (v variant) String() string {
	var parts []string
	if v.rows {
		parts = append(parts, "many rows in a call")
	}
	if v.stream {
		parts = append(parts, "for aligned outputs, which it stores past the caches")
	}
	return strings.Join(parts, "; ")
}

// listing returns a description of the code of the phase.
func (f *emitter) listing() *listing.Phase {
	l := &listing.Phase{Kind: kindNames[f.ph.kind], Lanes: f.w}
	for _, id := range f.top {
		f.count(l, &f.nodes[id])
	}
	for i := range f.ph.reds {
		k := f.ph.reds[i].kern
		if k.prog == nil {
			l.Flops += ir.Flops(k.op, k.typ)
			continue
		}
		for _, id := range k.prog.top {
			l.Flops += ir.Flops(k.prog.nodes[id].op, k.prog.nodes[id].in)
		}
	}
	for i := range f.bp.sites {
		if f.bp.sites[i].kind != noSite {
			l.Accesses = append(l.Accesses, f.access(i))
		}
	}
	for id, r := range f.home {
		if r >= 0 {
			l.Kept = append(l.Kept, listing.Kept{Register: f.vecName(r, f.nodes[id].typ), Value: f.valueText(int32(id))})
		}
	}
	l.Kept = append(l.Kept, f.kept...)
	slices.SortFunc(l.Kept, func(a, b listing.Kept) int {
		return cmp.Or(len(a.Register)-len(b.Register), strings.Compare(a.Register, b.Register))
	})
	return l
}

// keepAccs records the registers of the accumulators for the listing.
func (f *emitter) keepAccs() {
	if !f.a.Listing {
		return
	}
	for i := range f.accs {
		a := &f.accs[i]
		for k, r := range a.regs {
			f.kept = append(f.kept, listing.Kept{Register: f.vecName(int8(r), a.kern.lane), Value: fmt.Sprintf("%s of %s, vector %d", a.kern.name, f.name(a.arg), k)})
		}
		for k, r := range a.idx {
			f.kept = append(f.kept, listing.Kept{Register: f.vecName(int8(r), dtype.I32), Value: fmt.Sprintf("positions for the %s of %s, vector %d", a.kern.name, f.name(a.arg), k)})
		}
	}
}

// vecName returns the name of a register as a vector of t.
func (f *emitter) vecName(r int8, t dtype.Type) string {
	return fmt.Sprintf("%smm%d", map[x86.Len]string{x86.L128: "x", x86.L256: "y", x86.L512: "z"}[f.lenOf(t)], r)
}

// count adds the bytes that a node moves and its operations, for each element, to l.
func (f *emitter) count(l *listing.Phase, n *node) {
	switch n.op {
	case ir.Load, opGather:
		if s := &f.bp.sites[n.aux]; s.kind != uniSite {
			l.Loaded += s.size
		}
	case ir.Store:
		l.Stored += f.bp.sites[n.aux].size
	default:
		l.Flops += ir.Flops(n.op, n.typ)
	}
}

// access returns a description of site i.
func (f *emitter) access(i int) listing.Access {
	s, info := &f.bp.sites[i], &f.ph.sites[i]
	k := f.c.p.k
	a := listing.Access{How: siteNames[s.kind], Slot: s.arg}
	switch {
	case info.array >= 0:
		a.What = fmt.Sprintf("values from phase to phase %d", info.array)
	case info.access < 0:
		a.What = "index " + k.IxText(info.ix)
	default:
		op := "load "
		if info.store {
			op = "store "
		}
		a.What = op + k.Bufs[info.buf].Name
	}
	if s.guard {
		a.How += ", guarded"
	}
	if s.staged {
		a.How += ", copied to scratch memory and back by the caller"
	}
	return a
}

// part begins a part of the listing.
func (f *emitter) part(format string, args ...any) {
	if f.a.Listing {
		f.a.Head(fmt.Sprintf(format, args...))
	}
}

// note adds a note to the listing: what the code from here on computes.
func (f *emitter) note(id int32) {
	text := f.nodeText(id)
	n := &f.nodes[id]
	var known []string
	for _, a := range n.args {
		if a == none || !f.uniform[a] {
			continue
		}
		switch nd := &f.nodes[a]; {
		case nd.op == prim.Const:
			known = append(known, f.name(a)+" = "+prim.Text(nd.typ, nd.imm))
		case nd.op == opCell && int(nd.aux) < len(f.c.p.k.Scalars):
			known = append(known, fmt.Sprintf("%s = s%d", f.name(a), nd.aux))
		}
	}
	if len(known) > 0 {
		text += "  where " + strings.Join(known, ", ")
	}
	if f.copies > 1 {
		text += fmt.Sprintf("  (%d vectors)", f.copies)
	}
	f.a.Note(text)
}

// name returns the name of a node in the listing: its value in the IR, if it has one.
func (f *emitter) name(id int32) string {
	if int(id) < len(f.ph.named) && f.ph.named[id] != ir.None {
		return fmt.Sprintf("%%%d", f.ph.named[id])
	}
	return fmt.Sprintf("t%d", id)
}

// nodeText returns a node in the notation of the IR.
func (f *emitter) nodeText(id int32) string {
	n := &f.nodes[id]
	k := f.c.p.k
	var b strings.Builder
	switch n.op {
	case ir.Store, ir.Fault, opExport:
	default:
		b.WriteString(f.name(id) + " = ")
	}
	switch {
	case n.op == opCell:
		fmt.Fprintf(&b, "cell %s %d", n.typ.Short(), n.aux)
	case n.op == opExport:
		fmt.Fprintf(&b, "to cell %s %d", n.typ.Short(), n.aux)
	case (n.op == ir.Load || n.op == ir.Store || n.op == opGather) && f.ph.sites[n.aux].access >= 0:
		op := ir.Load
		if n.op == ir.Store {
			op = ir.Store
		}
		b.WriteString(k.InsText(&ir.Ins{Op: op, Type: n.typ, Dst: ir.None, Args: [3]ir.Value{ir.None, ir.None, ir.None}, Aux: f.ph.sites[n.aux].access}))
		if n.op == opGather {
			b.WriteString(" at offset")
		}
	case n.op == ir.Load || n.op == ir.Store:
		fmt.Fprintf(&b, "%s %s values[%d]", ir.OpName(n.op), n.typ.Short(), f.ph.sites[n.aux].array)
	case n.op == ir.Index:
		b.WriteString("index " + k.IxText(f.ph.sites[n.aux].ix))
	case n.op == prim.Const:
		fmt.Fprintf(&b, "const %s %s", n.typ.Short(), prim.Text(n.typ, n.imm))
	case n.op == opIota:
		fmt.Fprintf(&b, "lane number * %d", int64(n.imm))
	case n.op == ir.Fault:
		fmt.Fprintf(&b, "fault %s", ir.FaultKind(n.aux))
	case n.op == prim.Lookup:
		fmt.Fprintf(&b, "lookup %s t%d", n.typ.Short(), n.aux)
	default:
		fmt.Fprintf(&b, "%s %s", ir.OpName(n.op), n.typ.Short())
	}
	for _, a := range n.args {
		if a != none {
			b.WriteString(" " + f.name(a))
		}
	}
	return b.String()
}

// valueText returns the text of a value that is the same for all elements.
func (f *emitter) valueText(id int32) string {
	text := f.nodeText(id)
	if n := &f.nodes[id]; n.op == opCell && int(n.aux) < len(f.c.p.k.Scalars) {
		text += fmt.Sprintf(", the scalar s%d", n.aux)
	}
	return text
}

// Profile writes the name of every function to the map for perf. It ignores errors: a
// program must not fail because perf cannot profile it.
func (in *instance) Profile(name string) {
	_ = in.eachFunction(in.items, 1, func(fn *function, phases []*boundPhase, _ int) error {
		return fn.code.Record(fn.variant.symbol(name, phases))
	})
}
