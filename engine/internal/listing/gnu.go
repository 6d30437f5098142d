package listing

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/internal/lists"
)

// GNU returns the code of kernels as a source file for GNU as. as makes the same
// bytes of it. Each function begins at a multiple of 64.
func GNU(kernels []*Kernel) string {
	b := &strings.Builder{}
	kernels = slices.DeleteFunc(slices.Clone(kernels), func(k *Kernel) bool { return k == nil })
	if !slices.ContainsFunc(kernels, func(k *Kernel) bool { return k.Backend == "neon" }) {
		b.WriteString("\t.intel_syntax noprefix\n")
	}
	b.WriteString("\t.text\n")
	n := 0
	for _, k := range kernels {
		s := syntaxes[k.Backend == "neon"]
		fmt.Fprintf(b, "\n%s stage %d, kernel %s, %s; falls back to the interpreter: %s\n", s.comment, k.Stage, k.Name, k.Backend, cmp.Or(comment(k.Fallback), "none"))
		for _, f := range k.Functions {
			f.gnu(b, s, fmt.Sprintf("stage%d.%s", k.Stage, f.Name), n)
			n++
		}
	}
	b.WriteString("\n\t.section .note.GNU-stack, \"\", @progbits\n")
	return b.String()
}

var (
	localName = regexp.MustCompile(`\b([LC]\d+)\b`)
	// A move between registers has two encodings. The code has the one of a load,
	// which {load} selects.
	vectorMove = regexp.MustCompile(`^vmov\w+ [xyz]mm\d+(\{k\d\}(\{z\})?)?, [xyz]mm\d+$`)
	// For these instructions as chooses a shorter encoding, and no prefix
	// prevents that.
	shorter = regexp.MustCompile(`^(mov \w+|(add|or|and|sub|xor|cmp|test) [er]?ax), -?\d+$`)
)

// A syntax says how as writes comments, and where the argument block is.
type syntax struct{ comment, args string }

// syntaxes are those of amd64 and of arm64.
var syntaxes = map[bool]syntax{false: {"#", "rdi"}, true: {"//", "x0"}}

// gnu writes the function under a symbol. number distinguishes its labels from
// those of other functions.
func (f *Function) gnu(b *strings.Builder, s syntax, symbol string, number int) {
	fmt.Fprintf(b, "\n%s argument block in %s\n", s.comment, s.args)
	for _, p := range f.Phases {
		fmt.Fprintf(b, "%s %s, %d lanes\n", s.comment, p.Kind, p.Lanes)
	}
	fmt.Fprintf(b, "\t.p2align 6, 0xcc\n\t.globl \"%s\"\n\t.type \"%s\", @function\n\"%s\":\n", symbol, symbol, symbol)
	local := func(name string) string { return fmt.Sprintf(".L%d_%s", number, name) }
	for _, l := range f.Lines {
		switch l.Kind {
		case Insn:
			code, note, _ := strings.Cut(l.Text, " # ")
			code = localName.ReplaceAllStringFunc(code, local)
			switch {
			case vectorMove.MatchString(code):
				code = "{load} " + code
			case code[0] == 'j' && l.Size > 2: // as may choose a shorter encoding
				code = "{disp32} " + code
			case shorter.MatchString(code):
				code, note = bytesText(f.Code[l.Offset:l.Offset+l.Size]), code
			}
			if note != "" {
				code += "\t" + s.comment + " " + note
			}
			fmt.Fprintf(b, "\t%s\n", code)
		case Note:
			fmt.Fprintf(b, "\t%s %s\n", s.comment, comment(l.Text))
		case Head:
			fmt.Fprintf(b, "\n\t%s %s\n", s.comment, comment(l.Text))
		case Label:
			fmt.Fprintf(b, "%s:\n", local(l.Text))
		case Pad, Data:
			data(b, f.Code[l.Offset:l.Offset+l.Size])
		}
	}
	f.constants(b, local)
	fmt.Fprintf(b, "\t.size \"%s\", . - \"%s\"\n", symbol, symbol)
}

// constants writes the bytes after the code, with a label at the offset of each
// constant.
func (f *Function) constants(b *strings.Builder, local func(string) string) {
	order := lists.UpTo(len(f.Consts))
	slices.SortFunc(order, func(i, j int) int { return int(f.Consts[i] - f.Consts[j]) })
	at := f.Text
	for _, i := range order {
		data(b, f.Code[at:f.Consts[i]])
		at = int(f.Consts[i])
		fmt.Fprintf(b, "%s:\n", local(fmt.Sprintf("C%d", i)))
	}
	data(b, f.Code[at:])
}

// data writes bytes. It writes a repeated word of 4 bytes as one line.
func data(b *strings.Builder, p []byte) {
	for len(p) > 0 {
		n := min(len(p), 16)
		unit := p[:min(len(p), 4)]
		if k := len(p) / 4 * 4; k > 16 && len(unit) == 4 && bytes.Equal(p[:k], bytes.Repeat(unit, k/4)) {
			fmt.Fprintf(b, "\t.fill %d, 4, %#x\n", k/4, uint32(unit[0])|uint32(unit[1])<<8|uint32(unit[2])<<16|uint32(unit[3])<<24)
			p = p[k:]
			continue
		}
		fmt.Fprintf(b, "\t%s\n", bytesText(p[:n]))
		p = p[n:]
	}
}

func bytesText(p []byte) string {
	return ".byte " + strings.ReplaceAll(fmt.Sprintf("% #02x", p), " ", ", ")
}

// comment returns s on one line.
func comment(s string) string { return strings.Join(strings.Fields(s), " ") }
