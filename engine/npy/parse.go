package npy

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/internal/failure"
)

// A parser reads the dict literal of a header:
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//
// Strings have no escapes, integers no signs or leading zeros, and nothing is
// evaluated. A descr that is a list is only measured, to be named in an error.
// The methods end header with a *FormatError.
type parser struct {
	text    []byte
	i       int
	base    int64 // offset of text in the stream
	long    bool  // integers may end in L, as Python 2 wrote them
	shapeAt int   // where the shape stands

	refused   string // why the descr is unsupported
	refusedAt int
}

// fail ends header with an error at a place of the text.
func (p *parser) fail(at int, format string, args ...any) {
	failure.Check(formatError(p.base+int64(at), format, args...))
}

// found names what stands at the cursor.
func (p *parser) found() string {
	if p.i >= len(p.text) {
		return "the end of the header"
	}
	rest, _, _ := bytes.Cut(p.text[p.i:], []byte{'\n'})
	if len(rest) > 16 {
		rest = rest[:16]
	}
	return excerpt(rest)
}

// peek skips white space and returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	for ; p.i < len(p.text); p.i++ {
		switch c := p.text[p.i]; c {
		case ' ', '\t', '\n', '\r', '\f':
		default:
			return c
		}
	}
	return 0
}

func (p *parser) accept(c byte) bool {
	if p.peek() != c || p.i >= len(p.text) {
		return false
	}
	p.i++
	return true
}

func (p *parser) expect(c byte, where string) {
	if !p.accept(c) {
		p.fail(p.i, "expected %q %s, found %s", c, where, p.found())
	}
}

// header reads the whole text into h.
func (p *parser) header(h *Header) (err error) {
	defer failure.Catch(&err)
	p.expect('{', "at the start of the header")
	keys := []string{"descr", "fortran_order", "shape"}
	seen := map[string]bool{}
	for !p.accept('}') {
		p.peek()
		at := p.i
		key := p.str("a key")
		if seen[key] {
			p.fail(at, "the key %s is repeated", excerpt(key))
		}
		seen[key] = true
		p.expect(':', "after the key "+excerpt(key))
		switch key {
		case keys[0]:
			p.descr(h)
		case keys[1]:
			h.Fortran = p.boolean(key)
		case keys[2]:
			h.Shape = p.shape()
		default:
			p.fail(at, "the key %s is not known", excerpt(key))
		}
		if p.peek() != '}' {
			p.expect(',', "or '}' after the value of "+excerpt(key))
		}
	}
	end := p.i
	if p.peek(); p.i < len(p.text) {
		p.fail(p.i, "%s follows the header's dict", p.found())
	}
	for _, k := range keys {
		if !seen[k] {
			p.fail(end, "the header has no key %q", k)
		}
	}
	if p.refused != "" {
		e := formatError(p.base+int64(p.refusedAt), "%s", p.refused)
		e.err = ErrUnsupported
		return e
	}
	return nil
}

// str reads a string without escapes in either kind of quotes.
func (p *parser) str(what string) string {
	q := p.peek()
	if q != '\'' && q != '"' {
		p.fail(p.i, "expected %s in quotes, found %s", what, p.found())
	}
	start := p.i
	body := p.text[start+1:]
	n := bytes.IndexByte(body, q)
	if n < 0 {
		p.fail(start, "the quotes opened here are not closed")
	}
	for j, c := range body[:n] {
		if c < ' ' || c > '~' || c == '\\' {
			p.fail(start+1+j, "the byte %#02x is not allowed in a string", c)
		}
	}
	p.i = start + n + 2
	return string(body[:n])
}

// descr reads the element type. An unsupported one is kept for the end, so that
// a malformed header is called malformed.
func (p *parser) descr(h *Header) {
	c := p.peek()
	p.refusedAt = p.i
	if c == '[' || c == '(' || c == '{' {
		start := p.i
		p.skipNested()
		p.refused = structured(p.text[start:p.i])
		return
	}
	h.Type, h.BigEndian, p.refused = parseDescr(p.str("a descr"))
}

// skipNested steps over balanced brackets and the strings inside them.
func (p *parser) skipNested() {
	const closes = "])}"
	start := p.i
	var open []byte // the brackets that must close, innermost last
	for ; p.i < len(p.text); p.i++ {
		switch c := p.text[p.i]; c {
		case '[', '(', '{':
			open = append(open, closes[strings.IndexByte("[({", c)])
		case ']', ')', '}':
			if open[len(open)-1] != c {
				p.fail(p.i, "%q closes no bracket", c)
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				p.i++
				return
			}
		case '\'', '"':
			for p.i++; p.i < len(p.text) && p.text[p.i] != c; p.i++ {
				if p.text[p.i] == '\\' {
					p.i++
				}
			}
		}
	}
	p.fail(start, "the bracket opened here is not closed")
}

func (p *parser) boolean(key string) bool {
	p.peek()
	start := p.i
	for p.i < len(p.text) && isWord(p.text[p.i]) {
		p.i++
	}
	word := string(p.text[start:p.i])
	if word != "True" && word != "False" {
		p.i = start
		p.fail(start, "%s must be True or False, found %s", key, p.found())
	}
	return word == "True"
}

// shape reads a tuple: (), (3,), (3, 4) or (3, 4,).
func (p *parser) shape() []int {
	c := p.peek()
	p.shapeAt = p.i
	if c != '(' {
		p.fail(p.i, "the shape must be a tuple, found %s", p.found())
	}
	p.i++
	shape, comma := []int{}, true
	for p.peek() != ')' {
		if !comma {
			p.fail(p.i, "expected ',' or ')' in the shape, found %s", p.found())
		}
		if shape = append(shape, p.length()); len(shape) > maxAxes {
			p.fail(p.shapeAt, "the shape has more than %d axes", maxAxes)
		}
		comma = p.accept(',')
	}
	p.i++
	if len(shape) == 1 && !comma {
		p.fail(p.shapeAt, "the shape (%d) is an integer; the tuple is (%d,)", shape[0], shape[0])
	}
	return shape
}

// length reads the length of an axis.
func (p *parser) length() int {
	start := p.i
	if p.i < len(p.text) && p.text[p.i] == '-' {
		p.fail(start, "an axis has a negative length: %s", p.found())
	}
	for p.i < len(p.text) && '0' <= p.text[p.i] && p.text[p.i] <= '9' {
		p.i++
	}
	digits := p.text[start:p.i]
	if p.long && len(digits) > 0 && p.i < len(p.text) && p.text[p.i] == 'L' {
		p.i++
	}
	if len(digits) == 0 || p.i < len(p.text) && (isWord(p.text[p.i]) || p.text[p.i] == '.') {
		p.i = start
		p.fail(start, "expected a decimal integer in the shape, found %s", p.found())
	}
	if digits[0] == '0' && len(digits) > 1 {
		p.fail(start, "the integer %s has leading zeros", excerpt(digits))
	}
	n, err := strconv.Atoi(string(digits))
	if err != nil {
		p.fail(start, "the length %s overflows int", excerpt(digits))
	}
	return n
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}
