package x86

import (
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"
)

// TestDisassemble has golang.org/x/arch read every case back.
func TestDisassemble(t *testing.T) {
	cases := someCases(t)
	shown := map[Op]int{}
	bad := 0
	for _, c := range cases {
		inst, err := x86asm.Decode(c.bytes, 64)
		have := ""
		if err == nil {
			have = x86asm.IntelSyntax(inst, 0, nil)
		}
		if err == nil && inst.Len == len(c.bytes) && canonical(have, &c) == canonical(c.text, &c) {
			continue
		}
		bad++
		if shown[c.in.op]++; shown[c.in.op] <= 2 {
			t.Errorf("%s: % x: %s, %v\n\t%s\n\t%s", c.text, c.bytes, have, err, canonical(c.text, &c), canonical(have, &c))
		}
	}
	t.Logf("%d instructions, %d differ", len(cases), bad)
}

var (
	sizeWord  = regexp.MustCompile(`(byte|word|dword|qword|[xyz]mmword|far) ptr `)
	address   = regexp.MustCompile(`\[[^\]]*\]`)
	term      = regexp.MustCompile(`[+-]?[^+-]+`)
	width     = regexp.MustCompile(`[xyz]mm`)
	broadcast = regexp.MustCompile(`\{1to[0-9]+\}`)
	immediate = regexp.MustCompile(`,-?(0x)?[0-9a-f]+$`)
)

// conditions are the names this disassembler has for ours.
var conditions = map[string]string{"ae": "nb", "e": "z", "ne": "nz", "a": "nbe", "ge": "nl", "g": "nle"}

// vcmpNames are the names of VEX comparisons with their predicates.
var vcmpNames = func() map[string]int {
	m := map[string]int{}
	for i, p := range strings.Fields("eq lt le unord neq nlt nle ord") {
		for _, t := range []string{"ps", "pd", "ss", "sd"} {
			m["vcmp"+p+t] = i
		}
	}
	return m
}()

// canonical is one spelling of an instruction's text: ours and the
// disassembler's differ in numbers, in the order of terms, in sizes left out.
func canonical(s string, c *testCase) string {
	f := &forms[c.form]
	name, rest, _ := strings.Cut(s, " ")
	for _, p := range []string{"cmov", "set", "j"} {
		if cc, ok := strings.CutPrefix(name, p); ok && conditions[cc] != "" {
			name = p + conditions[cc]
		}
	}
	switch {
	case f.ops[0] == patRel: // the offset is for other tests
		return name
	case f.ops[1] == patI8:
		rest = strings.ReplaceAll(rest, "-0x8000000000000000", "-9223372036854775808")
	}
	if p, ok := vcmpNames[name]; ok {
		name = "vcmp" + name[len(name)-2:]
		rest += fmt.Sprintf(", %d", p)
	}
	switch f.op {
	case VPMOVM2B, VPMOVM2W, VPMOVM2D, MOVSB: // takes the source for a write mask, and writes operands that are no choice
		return name
	case LEA:
		rest = strings.ReplaceAll(rest, "ptr ", "")
	case VCVTDQ2PD, VCVTPD2PS, VCVTPH2PS, VCVTPS2PD, VCVTPS2PH, VCVTQQ2PS,
		VCVTTPD2DQ, VCVTTPD2UDQ, VCVTTPS2QQ, VCVTTPS2UQQ, VCVTUDQ2PD, VCVTUQQ2PS: // gets the narrower register wrong, and the size of scalars
		rest = broadcast.ReplaceAllString(width.ReplaceAllString(sizeWord.ReplaceAllString(rest, ""), "mm"), "{1to}")
	}
	if f.ops[0] == patK { // leaves the broadcast out
		rest = broadcast.ReplaceAllString(rest, "")
	}
	if f.op == VCMPPS || f.op == VCMPPD {
		rest = sizeWord.ReplaceAllString(rest, "")
	}
	if sized := f.evex != 0 || f.ops[0] == patGM || f.ops[1] == patGM; !sized || f.flags&flagVSIB != 0 {
		rest = sizeWord.ReplaceAllString(rest, "")
	}
	rest = strings.ReplaceAll(rest, " ", "")
	rest = address.ReplaceAllStringFunc(rest, func(a string) string {
		var terms []string
		var disp int64
		for _, t := range term.FindAllString(a[1:len(a)-1], -1) {
			if n, err := strconv.ParseInt(t, 0, 64); err == nil {
				disp += n
				continue
			}
			t = strings.TrimPrefix(t, "+")
			if t == "L0" { // relative to the beginning of the instruction
				disp -= int64(len(c.bytes))
				continue
			}
			if t == "rip" { // which the disassembler does not write
				continue
			}
			if x, y, ok := strings.Cut(t, "*"); ok {
				if len(x) == 1 {
					x, y = y, x
				}
				if t = x + "*" + y; y == "1" {
					t = x
				}
			}
			terms = append(terms, t)
		}
		sort.Strings(terms)
		return fmt.Sprintf("[%s%+d]", strings.Join(terms, "+"), int32(disp))
	})
	if last := f.ops[max(c.in.n-1, 0)]; last >= patI && last <= patI8 {
		rest = immediate.ReplaceAllStringFunc(rest, func(i string) string {
			n, err := strconv.ParseInt(i[1:], 0, 64)
			if err != nil {
				u, _ := strconv.ParseUint(i[1:], 0, 64)
				n = int64(u)
			}
			switch bits := c.in.len; {
			case last == patI, last == patI1, last == patIZ && bits == W8:
				n = int64(int8(n))
			case last == patIZ && bits == W16:
				n = int64(int16(n))
			case last == patIZ:
				n = int64(int32(n))
			}
			return fmt.Sprintf(",%d", n)
		})
	}
	return name + " " + rest
}
