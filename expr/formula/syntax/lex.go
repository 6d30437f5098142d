package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tEnd    tokenKind = iota
	tLine             // newline or semicolon
	tName             // identifier
	tNumber           // literal as written
	tString           // text without its quotes
	tOp               // operator or punctuation
)

type token struct {
	kind tokenKind
	text string
	pos  int
}

// is reports whether t is the operator s.
func (t token) is(s string) bool { return t.kind == tOp && t.text == s }

// describe names a token in messages.
func (t token) describe() string {
	switch t.kind {
	case tEnd:
		return "the end of the formula"
	case tLine:
		return "the end of the statement"
	case tString:
		return "a string"
	}
	if len(t.text) > 40 {
		return "\"" + strings.ToValidUTF8(t.text[:37], "") + "...\""
	}
	return "\"" + t.text + "\""
}

// operators, longest first.
var operators = []string{
	"**=", "//=", "<<=", ">>=", "...",
	"**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":=", "->", "<>", "&&", "||",
	"+", "-", "*", "/", "%", "@", "&", "|", "^", "~", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", ".", ";", "=", "!", "?",
}

// A lexer cuts text into tokens on demand. Inside brackets newlines are blanks.
type lexer struct {
	text  string
	pos   int
	depth int // of open brackets
}

func (l *lexer) next() (token, *Error) {
	l.blanks()
	start := l.pos
	if start == len(l.text) {
		return token{tEnd, "", start}, nil
	}
	c := l.text[start]
	switch {
	case c == '\n' || c == ';':
		l.pos++
		return token{tLine, l.text[start:l.pos], start}, nil
	case c >= '0' && c <= '9' || c == '.' && start+1 < len(l.text) && isDigit(l.text[start+1]):
		return l.number(), nil
	case c == '"' || c == '\'':
		return l.quoted(c)
	}
	if r, n := utf8.DecodeRuneInString(l.text[start:]); isLetter(r) {
		for isLetter(r) || unicode.IsDigit(r) {
			l.pos += n
			r, n = utf8.DecodeRuneInString(l.text[l.pos:])
		}
		return token{tName, l.text[start:l.pos], start}, nil
	}
	for _, op := range operators {
		if strings.HasPrefix(l.text[start:], op) {
			l.pos += len(op)
			switch op {
			case "(", "[":
				l.depth++
			case ")", "]":
				l.depth = max(l.depth-1, 0)
			}
			return token{tOp, op, start}, nil
		}
	}
	r, n := utf8.DecodeRuneInString(l.text[start:])
	if r == utf8.RuneError && n <= 1 {
		return token{}, Errorf(start, nil, "byte 0x%02x is no UTF-8 text", c)
	}
	return token{}, Errorf(start, nil, "character %q has no meaning in a formula", r)
}

// blanks skips what separates tokens: blanks, comments, continued lines.
func (l *lexer) blanks() {
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\n' && l.depth > 0:
			l.pos++
		case c == '#':
			for l.pos < len(l.text) && l.text[l.pos] != '\n' {
				l.pos++
			}
		case c == '\\' && strings.HasPrefix(l.text[l.pos+1:], "\n"):
			l.pos += 2
		case c == '\\' && strings.HasPrefix(l.text[l.pos+1:], "\r\n"):
			l.pos += 3
		default:
			return
		}
	}
}

// number takes everything that could belong to a number, so that 0x1g and 1.2.3
// are one mistake and not two tokens.
func (l *lexer) number() token {
	start := l.pos
	hex := strings.HasPrefix(l.text[start:], "0x") || strings.HasPrefix(l.text[start:], "0X")
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		sign := (c == '+' || c == '-') && !hex && l.pos > start && (l.text[l.pos-1] == 'e' || l.text[l.pos-1] == 'E')
		if !sign && c != '.' && c != '_' && !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
		l.pos++
	}
	return token{tNumber, l.text[start:l.pos], start}
}

func (l *lexer) quoted(quote byte) (token, *Error) {
	start := l.pos
	for i := start + 1; i < len(l.text); i++ {
		switch l.text[i] {
		case quote:
			l.pos = i + 1
			return token{tString, l.text[start+1 : i], start}, nil
		case '\n', '\\':
			i = len(l.text)
		}
	}
	return token{}, Errorf(start, nil, "the string does not end on this line, or has an escape; only names of types are strings here")
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(r rune) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80 && r != utf8.RuneError && unicode.IsLetter(r)
}
