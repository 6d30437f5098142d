package pb

import (
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/expr/tree"
)

// UnmarshalText reads the text form into the struct that x points to, which
// should be zero. Braces or angle brackets enclose messages, a list in square
// brackets stands for repeated values, and # begins a comment. A field that the
// struct does not have is an error. The error is [expr.ErrValue] and names line
// and column.
func UnmarshalText(text []byte, x any) error {
	p := &parser{text: string(text), budget: newBudget()}
	p.next()
	p.message(structOf(x), "")
	return p.err
}

// A parser reads text tokens. After an error the token is empty.
type parser struct {
	text string
	at   int    // the end of the token
	tok  string // "" at the end of the text
	cut  bool   // a comma or semicolon stands before the token
	err  error
	*budget
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		start := p.at - len(p.tok)
		line := 1 + strings.Count(p.text[:start], "\n")
		col := start - strings.LastIndexByte(p.text[:start], '\n')
		p.err = tree.NewError(tree.ErrValue, "", "%d:%d: "+format, append([]any{line, col}, args...)...)
	}
	p.tok, p.at = "", len(p.text)
}

// next reads the next token: a name or number, a quoted string, or one character.
func (p *parser) next() {
	p.cut = false
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case strings.IndexByte(" \t\r\n,;", c) >= 0:
			p.cut = p.cut || c == ',' || c == ';'
			p.at++
		case c == '#':
			end := strings.IndexByte(p.text[p.at:], '\n')
			if end < 0 {
				end = len(p.text) - p.at
			}
			p.at += end
		default:
			p.scan(c)
			return
		}
	}
	p.tok = ""
}

func (p *parser) scan(c byte) {
	start := p.at
	p.at++
	switch {
	case isWord(c):
		for p.at < len(p.text) && isWord(p.text[p.at]) {
			p.at++
		}
	case c == '"' || c == '\'':
		for p.at < len(p.text) && p.text[p.at] != c && p.text[p.at] != '\n' {
			if p.text[p.at] == '\\' {
				p.at++
			}
			p.at++
		}
		if p.at >= len(p.text) || p.text[p.at] != c {
			p.at, p.tok = start, ""
			p.fail("a string has no end")
			return
		}
		p.at++
	}
	p.tok = p.text[start:p.at]
}

func isWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("_.+-", c) >= 0
}

// message reads fields up to the token end.
func (p *parser) message(v reflect.Value, end string) {
	if err := p.enter(); err != nil {
		p.fail("%s", err)
		return
	}
	defer p.leave()
	m := messageOf(v.Type())
	for p.tok != end {
		if p.tok == "" {
			p.fail("the text ends before %q", end)
			return
		}
		f := m.byName[p.tok]
		if f == nil {
			p.fail("there is no field %q", p.tok)
			return
		}
		p.next()
		p.field(v.Field(f.index))
		if p.err != nil {
			return
		}
	}
}

// field reads what follows the name of a field.
func (p *parser) field(v reflect.Value) {
	colon := p.tok == ":"
	if colon {
		p.next()
	}
	isStruct := element(v.Type()).Kind() == reflect.Struct
	if !colon && !isStruct {
		p.fail("expected a colon")
		return
	}
	if p.tok != "[" {
		p.value(v, isStruct)
		return
	}
	if v.Kind() != reflect.Slice {
		p.fail("a list for a field that is not repeated")
		return
	}
	for p.next(); p.tok != "]" && p.err == nil; {
		p.value(v, isStruct)
	}
	p.next()
}

func (p *parser) value(v reflect.Value, isStruct bool) {
	if !isStruct {
		p.scalar(slot(v))
		return
	}
	end, ok := map[string]string{"{": "}", "<": ">"}[p.tok]
	if !ok {
		p.fail("expected a brace")
		return
	}
	p.next()
	p.message(slot(v), end)
	p.next()
}

func (p *parser) scalar(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		p.string(v)
		return
	case reflect.Bool:
		x, err := strconv.ParseBool(strings.ToLower(p.tok))
		p.check(err, "true or false")
		v.SetBool(x)
	case reflect.Float32, reflect.Float64:
		x, err := parseFloat(p.tok, v.Type().Bits())
		p.check(err, "a number")
		v.SetFloat(x)
	case reflect.Uint32:
		x, err := strconv.ParseUint(p.tok, 0, 32)
		p.check(err, "a positive integer of 32 bits")
		v.SetUint(x)
	default:
		x, err := strconv.ParseInt(p.tok, 0, v.Type().Bits())
		p.check(err, "an integer of "+strconv.Itoa(v.Type().Bits())+" bits")
		v.SetInt(x)
	}
	p.next()
}

func (p *parser) check(err error, what string) {
	if err != nil {
		p.fail("%q is not %s", p.tok, what)
	}
}

// parseFloat reads a number, which may end in f. One that is too large is
// infinite, as in protobuf.
func parseFloat(s string, bits int) (float64, error) {
	if t := strings.ToLower(s); !strings.HasSuffix(t, "inf") && !strings.HasPrefix(t, "0x") {
		s = strings.TrimSuffix(t, "f")
	}
	x, err := strconv.ParseFloat(s, bits)
	if math.IsInf(x, 0) {
		err = nil
	}
	return x, err
}

// string reads one string, or several without a comma, which it joins.
func (p *parser) string(v reflect.Value) {
	if !p.quoted() {
		p.fail("expected a string")
		return
	}
	var b []byte
	for joined := true; joined; joined = p.quoted() && !p.cut {
		rest, ok := p.tok[1:len(p.tok)-1], true
		for rest != "" && ok {
			b, rest, ok = unescape(b, rest)
		}
		if !ok {
			p.fail("an escape of the string is not known")
			return
		}
		p.next()
	}
	v.SetString(string(b))
}

func (p *parser) quoted() bool { return p.tok != "" && (p.tok[0] == '"' || p.tok[0] == '\'') }

// unescape appends the first character of s to b, and returns the rest of s.
func unescape(b []byte, s string) ([]byte, string, bool) {
	if s[0] != '\\' {
		return append(b, s[0]), s[1:], true
	}
	if len(s) < 2 {
		return b, s, false
	}
	c := s[1]
	if at := strings.IndexByte(`abfnrtv\'"?`, c); at >= 0 {
		return append(b, "\a\b\f\n\r\t\v\\'\"?"[at]), s[2:], true
	}
	digits, base, most := s[1:], 8, 3
	if c == 'x' || c == 'X' {
		digits, base, most = s[2:], 16, 2
	}
	for n := min(most, len(digits)); n > 0; n-- {
		if x, err := strconv.ParseUint(digits[:n], base, 8); err == nil {
			return append(b, byte(x)), digits[n:], true
		}
	}
	return b, s, false
}
