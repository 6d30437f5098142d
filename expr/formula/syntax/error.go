package syntax

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/oneloop/oneloop/internal/zero"
)

// An Error says what is wrong with a formula, and where.
type Error struct {
	Pos       int // offset in Source, in bytes
	Line, Col int // from 1; columns count characters
	Msg       string
	Source    string // the whole text
	Err       error  // the kind: expr.ErrShape, expr.ErrType ..., or nil for a mistake in the text
}

// Errorf returns an error at an offset of a text that [Error.In] states.
func Errorf(pos int, kind error, format string, args ...any) *Error {
	return &Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Err: kind}
}

// In returns e with its line and its column in text.
func (e *Error) In(text string) *Error {
	out := *zero.IfNil(e)
	out.Source, out.Pos = text, min(max(out.Pos, 0), len(text))
	before := text[:out.Pos]
	start := strings.LastIndexByte(before, '\n') + 1
	out.Line, out.Col = strings.Count(before, "\n")+1, utf8.RuneCountInString(before[start:])+1
	return &out
}

// Error returns one line.
func (e *Error) Error() string {
	e = zero.IfNil(e)
	return fmt.Sprintf("oneloop: formula %d:%d: %s", e.Line, e.Col, e.Msg)
}

// Unwrap makes errors.Is(err, expr.ErrShape) and the like work.
func (e *Error) Unwrap() error { return zero.IfNil(e).Err }

// Caret returns the line of the source with a ^ below the place of the mistake, also
// below characters that are two columns wide. It shows at most 60 characters on each
// side of the place.
func (e *Error) Caret() string {
	const most = 60
	e = zero.IfNil(e)
	pos := min(max(e.Pos, 0), len(e.Source))
	start := strings.LastIndexByte(e.Source[:pos], '\n') + 1
	line, _, _ := strings.Cut(e.Source[start:], "\n")
	at := min(pos-start, len(line))
	head, tail := []rune(line[:at]), []rune(line[at:])
	left, right := "", ""
	if len(head) > most {
		head, left = head[len(head)-most:], "..."
	}
	if len(tail) > most {
		tail, right = tail[:most], "..."
	}
	var b strings.Builder
	b.WriteString(left + string(head) + string(tail) + right + "\n" + strings.Repeat(" ", len(left)))
	for _, r := range head {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana):
			r = '\u3000' // a space as wide as these
		case r != '\t':
			r = ' '
		}
		b.WriteRune(r)
	}
	b.WriteByte('^')
	return b.String()
}

// Quote returns text of a formula in quotation marks, cut to 40 characters.
func Quote(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "..."
	}
	return strconv.Quote(s)
}
