package formula

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/oneloop/oneloop/expr"
)

// An Error says what is wrong with a formula, and where.
type Error struct {
	Pos       int // offset in Source, in bytes
	Line, Col int // from 1; columns count characters
	Msg       string
	Source    string // the whole text
	Err       error  // the kind: expr.ErrShape, expr.ErrType ..., or nil for a mistake in the text
}

// Error is one line.
func (e *Error) Error() string {
	return fmt.Sprintf("oneloop: formula %d:%d: %s", e.Line, e.Col, e.Msg)
}

// Unwrap makes errors.Is(err, expr.ErrShape) and the like work.
func (e *Error) Unwrap() error { return e.Err }

// maxCaret bounds how much of a long line Caret shows on each side.
const maxCaret = 60

// Caret is the line of the source with a ^ below the place of the mistake; a
// long line is shown around it.
func (e *Error) Caret() string {
	start := strings.LastIndexByte(e.Source[:e.Pos], '\n') + 1
	line, _, _ := strings.Cut(e.Source[start:], "\n")
	at := e.Pos - start
	head, tail := []rune(line[:at]), []rune(line[at:])
	left, right := "", ""
	if len(head) > maxCaret {
		head, left = head[len(head)-maxCaret:], "..."
	}
	if len(tail) > maxCaret {
		tail, right = tail[:maxCaret], "..."
	}
	var b strings.Builder
	b.WriteString(left + string(head) + string(tail) + right + "\n" + strings.Repeat(" ", len(left)))
	for _, r := range head {
		if r != '\t' {
			r = ' '
		}
		b.WriteRune(r)
	}
	b.WriteByte('^')
	return b.String()
}

// quote puts text of a formula in quotation marks, cut to a readable length.
func quote(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "..."
	}
	return strconv.Quote(s)
}

// errorAt makes an Error at an offset of text.
func errorAt(text string, pos int, format string, args ...any) *Error {
	pos = min(pos, len(text))
	before := text[:pos]
	start := strings.LastIndexByte(before, '\n') + 1
	return &Error{
		Pos: pos, Source: text, Msg: fmt.Sprintf(format, args...),
		Line: strings.Count(before, "\n") + 1,
		Col:  utf8.RuneCountInString(before[start:]) + 1,
	}
}

// kindError is errorAt with a kind.
func kindError(text string, pos int, kind error, format string, args ...any) *Error {
	e := errorAt(text, pos, format, args...)
	e.Err = kind
	return e
}

// fromTree places the error of a tree.
func fromTree(text string, pos int, err error) *Error {
	var x *expr.Error
	if errors.As(err, &x) {
		return kindError(text, pos, x.Kind, "%s", x.Msg)
	}
	return kindError(text, pos, err, "%s", err)
}
