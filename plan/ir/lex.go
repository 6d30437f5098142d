package ir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// The limits of the text that Parse reads.
const (
	maxText   = 1 << 22 // bytes
	maxLine   = 1 << 16
	maxDepth  = 64  // regions inside regions
	maxIx     = 256 // brackets inside brackets of an index expression
	maxRank   = 64
	maxParams = 1 << 16
)

// A parser reads tokens from the front of s, which has the rest of a line. After an error
// s is empty, so that every loop ends.
type parser struct {
	lines  []string
	line   int // number of the current line, from 1
	s      string
	k      *Kernel
	axes   map[string]int32
	bufs   map[string]int32
	values map[int32]Value // by number in the text
	err    error           // the first error; parsing stops there
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("ir: line %d: %s", p.line, fmt.Sprintf(format, args...))
	}
	p.s = ""
}

// next goes to the next line that is not empty. It returns false at the end.
func (p *parser) next() bool {
	for p.err == nil && p.line < len(p.lines) {
		p.load(p.line)
		if p.s != "" {
			return true
		}
	}
	p.s = ""
	return false
}

func (p *parser) load(i int) {
	p.line = i + 1
	p.s = p.lines[i]
	if len(p.s) > maxLine {
		p.fail("more than %d bytes", maxLine)
	}
	if c := strings.IndexAny(p.s, "#;"); c >= 0 {
		p.s = p.s[:c]
	}
	p.s = strings.Trim(p.s, " \t\r")
}

// end fails if text is left on the line.
func (p *parser) end() {
	if p.s != "" {
		p.fail("unexpected %s", quote(p.s))
	}
}

func quote(s string) string {
	if s == "" {
		return "the end of the line"
	}
	if len(s) > 40 {
		s = s[:40] + "..."
	}
	return strconv.Quote(s)
}

func (p *parser) skip(n int) { p.s = strings.TrimLeft(p.s[n:], " \t") }

func (p *parser) accept(mark string) bool {
	if p.err != nil || !strings.HasPrefix(p.s, mark) {
		return false
	}
	p.skip(len(mark))
	return true
}

func (p *parser) expect(mark string) {
	if !p.accept(mark) {
		p.fail("expected %s before %s", mark, quote(p.s))
	}
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// wordLen returns the number of letters, digits and _ at the beginning of s.
func wordLen(s string) int {
	n := 0
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n])) {
		n++
	}
	return n
}

// isName reports whether s may name a kernel, an axis or a buffer.
func isName(s string) bool { return s != "" && isLetter(s[0]) && wordLen(s) == len(s) }

// isAxisName reports whether s may name an axis. Words with another meaning in
// index expressions may not.
func isAxisName(s string) bool {
	return isName(s) && s != "div" && s != "mod" && (s[0] != 'p' || len(s) == 1 || strings.Trim(s[1:], "0123456789") != "")
}

// word reads letters, digits and _. It returns "" if there are none.
func (p *parser) word() string {
	w := p.s[:wordLen(p.s)]
	p.skip(len(w))
	return w
}

// keyword reads the word w. It returns false, and reads nothing, if another
// word is next.
func (p *parser) keyword(w string) bool {
	if p.s[:wordLen(p.s)] != w {
		return false
	}
	p.skip(len(w))
	return true
}

func (p *parser) name() string {
	w := p.word()
	if !isName(w) {
		p.fail("expected a name before %s", quote(w+p.s))
	}
	return w
}

func (p *parser) dtype() dtype.Type {
	w := p.word()
	t, err := dtype.Parse(w)
	if err != nil || t.IsComplex() {
		p.fail("expected a type, not %s", quote(w))
	}
	return t
}

// count reads a number from 0 to limit.
func (p *parser) count(limit int) int {
	w := p.word()
	n, err := strconv.ParseUint(w, 10, 31)
	if err != nil || int(n) > limit {
		p.fail("expected a number up to %d, not %s", limit, quote(w))
		return 0
	}
	return int(n)
}

// ordinal reads the name of declaration n: the prefix and n.
func (p *parser) ordinal(prefix string, n int) {
	if want, w := prefix+strconv.Itoa(n), p.word(); w != want {
		p.fail("expected %s, not %s", want, quote(w))
	}
}

// reference returns the number in w, which names one of n declarations: 0 for
// s0.
func (p *parser) reference(w, prefix string, n int) int {
	i, err := strconv.ParseUint(strings.TrimPrefix(w, prefix), 10, 31)
	if err != nil || !strings.HasPrefix(w, prefix) || int(i) >= n {
		p.fail("%s is not declared", quote(w))
		return 0
	}
	return int(i)
}

func (p *parser) oneOf(what string, names []string) int32 {
	w := p.word()
	i := slices.Index(names, w)
	if i < 0 {
		p.fail("expected %s, not %s", what, quote(w))
	}
	return int32(i)
}

// valueNumber reads %N and returns N as written.
func (p *parser) valueNumber() int32 {
	if !p.accept("%") {
		p.fail("expected a %%value before %s", quote(p.s))
		return 0
	}
	w := p.word()
	n, err := strconv.ParseUint(w, 10, 31)
	if err != nil {
		p.fail("expected the number of a value, not %s", quote(w))
		return 0
	}
	return int32(n)
}

// value reads %N and returns the dense number.
func (p *parser) value() Value {
	n := p.valueNumber()
	v, ok := p.values[n]
	if !ok {
		p.fail("%%%d is not defined", n)
		return None
	}
	return v
}

// constant reads the bits of a constant of type t: 0x3f800000, or a number.
func (p *parser) constant(t dtype.Type) uint64 {
	n := 0
	for n < len(p.s) && !strings.ContainsRune(" \t,]", rune(p.s[n])) {
		n++
	}
	w := p.s[:n]
	p.skip(n)
	bits, err := parseConst(t, w)
	if err != nil {
		p.fail("%s is not a constant of type %s", quote(w), t.Short())
	}
	return bits
}

func parseConst(t dtype.Type, w string) (uint64, error) {
	size := 8 * t.Size()
	if !prim.Any.Has(t) {
		return 0, strconv.ErrSyntax
	}
	if t == dtype.Bool {
		size = 1
	}
	if hex, ok := strings.CutPrefix(w, "0x"); ok {
		return strconv.ParseUint(hex, 16, size)
	}
	switch {
	case t == dtype.Bool:
		b, err := strconv.ParseBool(w)
		if b {
			return 1, err
		}
		return 0, err
	case t.IsFloat():
		v, err := strconv.ParseFloat(w, size)
		return prim.FromFloat(t, v), err
	case t.IsSigned():
		v, err := strconv.ParseInt(w, 10, size)
		return prim.FromInt(t, v), err
	}
	return strconv.ParseUint(w, 10, size)
}

// ix reads an index expression.
func (p *parser) ix() prim.Ix { return p.sum(0) }

func (p *parser) sum(depth int) prim.Ix {
	t := &p.k.Index
	a := p.product(depth)
	for {
		switch {
		case p.accept("+"):
			a = t.Add(a, p.product(depth))
		case p.accept("-"):
			a = t.Add(a, t.Mul(p.product(depth), t.Const(-1)))
		default:
			return a
		}
	}
}

func (p *parser) product(depth int) prim.Ix {
	a := p.factor(depth)
	for p.accept("*") {
		a = p.k.Index.Mul(a, p.factor(depth))
	}
	return a
}

func (p *parser) factor(depth int) prim.Ix {
	t := &p.k.Index
	if depth > maxIx {
		p.fail("index expression more than %d deep", maxIx)
	}
	if p.err != nil || p.s == "" {
		p.fail("expected an index expression at the end of the line")
		return t.Const(0)
	}
	switch c := p.s[0]; {
	case c == '(':
		p.skip(1)
		a := p.sum(depth + 1)
		p.expect(")")
		return a
	case c == '%':
		return t.Value(prim.V{ID: p.value(), Type: dtype.I64})
	case c == '-':
		p.skip(1)
		if p.s == "" || !isDigit(p.s[0]) {
			return t.Mul(p.factor(depth+1), t.Const(-1))
		}
		return p.integer("-" + p.word())
	case isDigit(c):
		return p.integer(p.word())
	}
	return p.named(p.word(), depth)
}

func (p *parser) integer(w string) prim.Ix {
	n, err := strconv.ParseInt(w, 10, 64)
	if err != nil {
		p.fail("expected an integer, not %s", quote(w))
	}
	return p.k.Index.Const(n)
}

// named reads the rest of an index expression that starts with a word.
func (p *parser) named(w string, depth int) prim.Ix {
	t := &p.k.Index
	if a, ok := p.axes[w]; ok {
		return t.Axis(int(a))
	}
	if w == "div" || w == "mod" {
		p.expect("(")
		a := p.sum(depth + 1)
		p.expect(",")
		b := p.sum(depth + 1)
		p.expect(")")
		if w == "div" {
			return t.Div(a, b)
		}
		return t.Mod(a, b)
	}
	if w == "" {
		p.fail("expected an index expression before %s", quote(p.s))
		return t.Const(0)
	}
	if strings.HasPrefix(w, "p") {
		return t.Param(p.reference(w, "p", p.k.Params))
	}
	p.fail("%s is not an axis or a parameter", quote(w))
	return t.Const(0)
}
