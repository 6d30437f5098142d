package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/oneloop/oneloop/expr/formula"
)

// A usageError is a mistake in the flags or arguments.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

var errInterrupted = errors.New("interrupted")

func codeOf(err error) int {
	var u *usageError
	if errors.As(err, &u) {
		return exitUsage
	}
	return exitFailure
}

// sourceLine is the place in a Go program, here in this one, that the library
// adds to its errors.
var sourceLine = regexp.MustCompile(` \([\pL\pN_.]+\.go:\d+\)`)

// describe is what is printed of an error: one line, and for a mistake in a
// formula the place below it.
func describe(err error) string {
	if errors.Is(err, context.Canceled) {
		err = errInterrupted
	}
	text := sourceLine.ReplaceAllString(strings.ReplaceAll(err.Error(), "oneloop: ", ""), "")
	text = "exprbench: " + oneLine(text) + "\n"
	var f *formula.Error
	if errors.As(err, &f) {
		text += f.Caret() + "\n"
	}
	return text
}

// oneLine makes control characters visible, new lines among them.
func oneLine(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
