package npy

import (
	"bytes"
	"strconv"
	"strings"
)

// A parser reads the dict literal of a header:
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//
// Strings have no escapes, integers no signs or leading zeros, and nothing is
// evaluated. A descr that is a list is only measured, to be named in an error.
type parser struct {
	text    []byte
	i       int
	base    int64 // offset of text in the stream
	long    bool  // integers may end in L, as Python 2 wrote them
	shapeAt int   // where the shape stands

	refused   string // why the descr is unsupported
	refusedAt int
}

func (p *parser) fail(at int, format string, args ...any) error {
	return formatError(p.base+int64(at), format, args...)
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

func (p *parser) expect(c byte, where string) error {
	if !p.accept(c) {
		return p.fail(p.i, "expected %q %s, found %s", c, where, p.found())
	}
	return nil
}

// header reads the whole text into h.
func (p *parser) header(h *Header) error {
	if err := p.expect('{', "at the start of the header"); err != nil {
		return err
	}
	keys := []string{"descr", "fortran_order", "shape"}
	seen := map[string]bool{}
	for !p.accept('}') {
		p.peek()
		at := p.i
		key, err := p.str("a key")
		if err != nil {
			return err
		}
		if seen[key] {
			return p.fail(at, "the key %s is repeated", excerpt(key))
		}
		seen[key] = true
		if err := p.expect(':', "after the key "+excerpt(key)); err != nil {
			return err
		}
		switch key {
		case keys[0]:
			err = p.descr(h)
		case keys[1]:
			h.Fortran, err = p.boolean(key)
		case keys[2]:
			h.Shape, err = p.shape()
		default:
			err = p.fail(at, "the key %s is not known", excerpt(key))
		}
		if err != nil {
			return err
		}
		if p.peek() != '}' {
			if err := p.expect(',', "or '}' after the value of "+excerpt(key)); err != nil {
				return err
			}
		}
	}
	end := p.i
	if p.peek(); p.i < len(p.text) {
		return p.fail(p.i, "%s follows the header's dict", p.found())
	}
	for _, k := range keys {
		if !seen[k] {
			return p.fail(end, "the header has no key %q", k)
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
func (p *parser) str(what string) (string, error) {
	q := p.peek()
	if q != '\'' && q != '"' {
		return "", p.fail(p.i, "expected %s in quotes, found %s", what, p.found())
	}
	start := p.i
	body := p.text[start+1:]
	n := bytes.IndexByte(body, q)
	if n < 0 {
		return "", p.fail(start, "the quotes opened here are not closed")
	}
	for j, c := range body[:n] {
		if c < ' ' || c > '~' || c == '\\' {
			return "", p.fail(start+1+j, "the byte %#02x is not allowed in a string", c)
		}
	}
	p.i = start + n + 2
	return string(body[:n]), nil
}

// descr reads the element type. An unsupported one is kept for the end, so that
// a malformed header is called malformed.
func (p *parser) descr(h *Header) error {
	c := p.peek()
	p.refusedAt = p.i
	if c == '[' || c == '(' || c == '{' {
		start := p.i
		if err := p.skipNested(); err != nil {
			return err
		}
		p.refused = structured(p.text[start:p.i])
		return nil
	}
	d, err := p.str("a descr")
	if err != nil {
		return err
	}
	h.Type, h.BigEndian, p.refused = parseDescr(d)
	return nil
}

// skipNested steps over balanced brackets and the strings inside them.
func (p *parser) skipNested() error {
	const closes = "])}"
	start := p.i
	var open []byte // the brackets that must close, innermost last
	for ; p.i < len(p.text); p.i++ {
		switch c := p.text[p.i]; c {
		case '[', '(', '{':
			open = append(open, closes[strings.IndexByte("[({", c)])
		case ']', ')', '}':
			if open[len(open)-1] != c {
				return p.fail(p.i, "%q closes no bracket", c)
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				p.i++
				return nil
			}
		case '\'', '"':
			for p.i++; p.i < len(p.text) && p.text[p.i] != c; p.i++ {
				if p.text[p.i] == '\\' {
					p.i++
				}
			}
		}
	}
	return p.fail(start, "the bracket opened here is not closed")
}

func (p *parser) boolean(key string) (bool, error) {
	p.peek()
	start := p.i
	for p.i < len(p.text) && isWord(p.text[p.i]) {
		p.i++
	}
	switch string(p.text[start:p.i]) {
	case "True":
		return true, nil
	case "False":
		return false, nil
	}
	p.i = start
	return false, p.fail(start, "%s must be True or False, found %s", key, p.found())
}

// shape reads a tuple: (), (3,), (3, 4) or (3, 4,).
func (p *parser) shape() ([]int, error) {
	c := p.peek()
	p.shapeAt = p.i
	if c != '(' {
		return nil, p.fail(p.i, "the shape must be a tuple, found %s", p.found())
	}
	p.i++
	shape, comma := []int{}, true
	for p.peek() != ')' {
		if !comma {
			return nil, p.fail(p.i, "expected ',' or ')' in the shape, found %s", p.found())
		}
		d, err := p.length()
		if err != nil {
			return nil, err
		}
		if shape = append(shape, d); len(shape) > maxAxes {
			return nil, p.fail(p.shapeAt, "the shape has more than %d axes", maxAxes)
		}
		comma = p.accept(',')
	}
	p.i++
	if len(shape) == 1 && !comma {
		return nil, p.fail(p.shapeAt, "the shape (%d) is an integer; the tuple is (%d,)", shape[0], shape[0])
	}
	return shape, nil
}

// length reads the length of an axis.
func (p *parser) length() (int, error) {
	start := p.i
	if p.i < len(p.text) && p.text[p.i] == '-' {
		return 0, p.fail(start, "an axis has a negative length: %s", p.found())
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
		return 0, p.fail(start, "expected a decimal integer in the shape, found %s", p.found())
	}
	if digits[0] == '0' && len(digits) > 1 {
		return 0, p.fail(start, "the integer %s has leading zeros", excerpt(digits))
	}
	n, err := strconv.Atoi(string(digits))
	if err != nil {
		return 0, p.fail(start, "the length %s overflows int", excerpt(digits))
	}
	return n, nil
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}
