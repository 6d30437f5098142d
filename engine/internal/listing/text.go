package listing

import (
	"cmp"
	"fmt"
	"strings"
)

// String returns the code of the kernel as text.
func (k *Kernel) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s, %s\n", k.Name, k.Backend)
	fmt.Fprintf(&b, "falls back to the interpreter: %s\n", cmp.Or(k.Fallback, "none"))
	if len(k.Functions) == 0 {
		b.WriteString("no machine code: the interpreter runs the loop as it is\n")
	}
	for _, f := range k.Functions {
		b.WriteString("\n")
		f.write(&b)
	}
	return b.String()
}

func (f *Function) write(b *strings.Builder) {
	vectors, masks := f.Registers()
	fmt.Fprintf(b, "%s: %d bytes of code", f.Name, f.Text)
	if f.Variant != "" {
		fmt.Fprintf(b, ", %s", f.Variant)
	}
	fmt.Fprintf(b, "\n  registers  %d vector, %d mask; %d spills\n", len(vectors), len(masks), f.Spills)
	for _, p := range f.Phases {
		p.write(b)
	}
	for _, l := range f.Lines {
		switch l.Kind {
		case Insn:
			fmt.Fprintf(b, "  %6x    %s\n", l.Offset, l.Text)
		case Note:
			fmt.Fprintf(b, "  %6s  ; %s\n", "", l.Text)
		case Head:
			fmt.Fprintf(b, "  -- %s\n", l.Text)
		case Label:
			fmt.Fprintf(b, "  %s:\n", l.Text)
		case Data:
			fmt.Fprintf(b, "  %6x    (%d bytes of data)\n", l.Offset, l.Size)
		}
	}
}

func (p *Phase) write(b *strings.Builder) {
	fmt.Fprintf(b, "  %s, %d lanes\n", p.Kind, p.Lanes)
	fmt.Fprintf(b, "  elements   %d; each: %d bytes loaded, %d stored, %d flops; %.3g flops/byte\n", p.Elements, p.Loaded, p.Stored, p.Flops, p.Intensity())
	for i, k := range p.Kept {
		fmt.Fprintf(b, "  %-9s  %s: %s\n", title(i, "kept"), k.Register, k.Value)
	}
	for i, a := range p.Accesses {
		fmt.Fprintf(b, "  %-9s  %s: %s, address at [rdi%+d]\n", title(i, "accesses"), a.What, a.How, a.Slot)
	}
}

// title returns s for the first of several lines, i = 0, and "" for the others.
func title(i int, s string) string {
	if i > 0 {
		return ""
	}
	return s
}
