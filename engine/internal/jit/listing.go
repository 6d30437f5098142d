package jit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/prim"
)

// Lister is implemented by code: Listing is the machine code made so far, as
// text.
type Lister interface{ Listing() string }

var kindNames = [...]string{"scalar code", "vec loop", "seq loop"}

var siteNames = [...]string{"same", "unit", "strided", "scratch", "computed", "index", "across", "unused"}

// Listing is the machine code of the bindings so far, with the values that the
// instructions compute.
func (c *code) Listing() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var keys []string
	for k := range c.functions {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var b strings.Builder
	if c.fallback != "" {
		fmt.Fprintf(&b, "; interpreted: %s\n", c.fallback)
	}
	for _, k := range keys {
		fn, err := c.gen.generate(c, c.functions[k].phases, c.functions[k].variant, true)
		if err != nil {
			fmt.Fprintf(&b, "; %v\n", err)
			continue
		}
		fn.write(&b)
	}
	return b.String()
}

func (fn *function) write(b *strings.Builder) {
	for _, bp := range fn.phases {
		fmt.Fprintf(b, "; phase %d: %s\n", bp.ph.id, kindNames[bp.ph.kind])
		for i := range bp.sites {
			s := &bp.sites[i]
			what := siteNames[s.kind]
			if s.guard {
				what += ", guarded"
			}
			if s.staged {
				what += ", copied"
			}
			fmt.Fprintf(b, ";   access %d at [rdi+%d]: %s\n", i, s.arg, what)
		}
	}
	fmt.Fprintf(b, "; %d lanes, %d bytes, %d spills%s%s\n", fn.lanes, len(fn.bytes), fn.spills,
		when(fn.variant.rows, ", several rows a call"), when(fn.variant.stream, ", for arrays larger than the caches"))
	for _, l := range fn.lines {
		if l.Note != "" {
			fmt.Fprintf(b, "%8s; %s\n", "", l.Note)
			continue
		}
		fmt.Fprintf(b, "%6x  %s\n", l.Offset, l.Text)
	}
}

// note says what the code from here on computes.
func (f *flow) note(id int32) {
	n := &f.nodes[id]
	var b strings.Builder
	name := func(id int32) string {
		switch {
		case int(id) < len(f.ph.named) && f.ph.named[id] != ir.None:
			return fmt.Sprintf("%%%d", f.ph.named[id])
		case f.nodes[id].op == prim.Const:
			return fmt.Sprintf("%#x", f.nodes[id].imm)
		}
		return fmt.Sprintf("n%d", id)
	}
	op := n.op.String()
	switch n.op {
	case ir.Load:
		op = "load"
	case ir.Store:
		op = "store"
	case ir.Index:
		op = "index"
	case ir.Fault:
		op = "fault"
	case ir.Cold:
		op = "cold"
	case opCell:
		op = "cell"
	case opExport:
		op = "export"
	case opGather:
		op = "gather"
	case opIota:
		op = "lane"
	}
	if n.op != ir.Store && n.op != ir.Fault && n.op != opExport {
		fmt.Fprintf(&b, "%s = ", name(id))
	}
	fmt.Fprintf(&b, "%s %s", op, n.typ.Short())
	for _, a := range n.args {
		if a != none {
			b.WriteString(" " + name(a))
			if f.uniform[a] && f.home[a] >= 0 {
				fmt.Fprintf(&b, "(v%d)", f.home[a])
			}
		}
	}
	if f.copies > 1 {
		fmt.Fprintf(&b, " (x%d)", f.copies)
	}
	f.a.Note(b.String())
}

func when(cond bool, text string) string {
	if cond {
		return text
	}
	return ""
}
