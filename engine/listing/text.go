package listing

import (
	"fmt"
	"strings"
)

// String is the kernel's code for people.
func (k *Kernel) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s, %s\n", k.Name, k.Backend)
	fmt.Fprintf(&b, "falls back to the interpreter: %s\n", orNone(k.Fallback))
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
	fmt.Fprintf(b, "%s: %s, %d lanes, %d bytes of code\n", f.Name, f.Kind, f.Lanes, f.Text)
	fmt.Fprintf(b, "  elements   %d; each: %d bytes loaded, %d stored, %d flops; %.3g flops/byte\n", f.Elements, f.Loaded, f.Stored, f.Flops, f.Intensity())
	fmt.Fprintf(b, "  registers  %d vector, %d mask; %d spills\n", len(vectors), len(masks), f.Spills)
	for i, k := range f.Kept {
		fmt.Fprintf(b, "  %-9s  %s: %s\n", title(i, "kept"), k.Register, k.Value)
	}
	for i, a := range f.Accesses {
		fmt.Fprintf(b, "  %-9s  %s: %s, address at [rdi%+d]\n", title(i, "accesses"), a.What, a.How, a.Slot)
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

// title is s on the first of several lines.
func title(i int, s string) string {
	if i > 0 {
		return ""
	}
	return s
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
