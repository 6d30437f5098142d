package arm64

import (
	"fmt"
	"strings"
)

// text returns an instruction in the syntax of GNU as.
func (a *Asm) text(in *insn, r Arr, ops []Operand) string {
	var b strings.Builder
	b.WriteString(in.name)
	if strings.ContainsAny(in.ops, "DN") && r&1 != 0 {
		b.WriteString("2")
	}
	sep := " "
	for i, letter := range []byte(in.ops) {
		var text string
		if letter == 'z' {
			text = "#0x0"
		} else if text = printed(in, r, letter, ops[i]); text == "" {
			continue
		}
		if i == 0 && (in.class == address || in.class == memory && letter == 'v') {
			sep = "" // the name ends with the kind of the register
		}
		b.WriteString(sep + text)
		sep = ", "
	}
	return b.String()
}

// printed returns the text of an operand; none for a shift by 0.
func printed(in *insn, r Arr, letter byte, op Operand) string {
	switch x := op.(type) {
	case Vec:
		return vector(in, r, letter, x)
	case Reg:
		switch letter {
		case 'x':
			if in.ops == "px" || in.ops == "qx" {
				return "[" + x.name(X) + "]"
			}
			return x.name(X)
		case 'y':
			return x.name(X)
		case 'g', 'h', '4':
			if letter != '4' && r.Size() == 3 {
				return x.name(X)
			}
			return x.name(W)
		case 'v':
			return fmt.Sprint(uint8(x))
		}
		return x.name(r)
	case Lane:
		if letter == 'p' {
			return fmt.Sprintf("{v%d.%c}[%d]", x.V, "bhsd"[r.Size()], x.I)
		}
		return fmt.Sprintf("v%d.%c[%d]", x.V, "bhsd"[r.Size()], x.I)
	case Imm:
		switch {
		case letter == 'f' || letter == 'l':
			if x == 0 {
				return ""
			}
			return fmt.Sprintf("lsl #%d", x)
		}
		return fmt.Sprintf("#%d", x)
	case Label:
		if x < 0 {
			return fmt.Sprintf("C%d", -1-x)
		}
		return fmt.Sprintf("L%d", x)
	case Mem:
		return x.text()
	}
	return fmt.Sprint(op)
}

func vector(in *insn, r Arr, letter byte, x Vec) string {
	switch letter {
	case 'D', 'N':
		return fmt.Sprintf("v%d.%s", x, r.wide())
	case 'q':
		return fmt.Sprintf("{v%d.%s}", x, r)
	case 'v':
		return fmt.Sprint(uint8(x))
	case '1', '3':
		return fmt.Sprintf("s%d", x)
	case 'S':
		return fmt.Sprintf("%c%d", "bhsd"[r.Size()], x)
	}
	if strings.HasSuffix(in.ops, "z") {
		return fmt.Sprintf("v%d.%s", x, map[string]string{"movi": "2d", "mvni": "4s"}[in.name])
	}
	return fmt.Sprintf("v%d.%s", x, r)
}

func (m Mem) text() string {
	switch {
	case m.Indexed && m.Shift != 0:
		return fmt.Sprintf("[%s, %s, lsl #%d]", base(m.Base), m.Index.name(X), m.Shift)
	case m.Indexed:
		return fmt.Sprintf("[%s, %s]", base(m.Base), m.Index.name(X))
	case m.Disp != 0:
		return fmt.Sprintf("[%s, #%d]", base(m.Base), m.Disp)
	}
	return "[" + base(m.Base) + "]"
}

func base(r Reg) string { return fmt.Sprintf("x%d", r) }
