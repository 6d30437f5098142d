package cli

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
	"unicode"

	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
)

// A usageError is a mistake in the flags or arguments.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// An interruptedError is the end of a run by a signal.
type interruptedError struct{ signal os.Signal }

func (e *interruptedError) Error() string {
	if e.signal == os.Interrupt {
		return "interrupted"
	}
	return e.signal.String()
}

// codeOf returns the exit code of an error. A signal has 128 and its number, as
// in shells.
func codeOf(err error) int {
	var u *usageError
	if errors.As(err, &u) {
		return exitUsage
	}
	var i *interruptedError
	if errors.As(err, &i) {
		if n, ok := i.signal.(syscall.Signal); ok {
			return 128 + int(n)
		}
	}
	return exitFailure
}

// sourceLine is the place in a Go program, here in this one, that the library
// adds to its errors.
var sourceLine = regexp.MustCompile(` \([\pL\pN_.]+\.go:\d+\)`)

// plain returns the text of an error without what tells a Go programmer where it comes from.
func plain(err error) string {
	text := err.Error()
	var e *tree.Error
	if errors.As(err, &e) && strings.Contains(e.Op, ".") {
		text = strings.Replace(text, e.Op+": ", "", 1)
	}
	return sourceLine.ReplaceAllString(strings.ReplaceAll(text, "oneloop: ", ""), "")
}

// describe returns the text to print for an error: one line, and for a mistake in a
// formula the place below it.
func describe(err error) string {
	text := "exprbench: " + shortened(oneLine(plain(err))) + "\n"
	var f *formula.Error
	if errors.As(err, &f) && strings.TrimSpace(f.Source) != "" {
		text += f.Caret() + "\n"
	}
	return text
}

// shortened leaves out the middle of a long message, which repeats what the user
// gave.
func shortened(s string) string {
	const head, tail = 300, 200
	r := []rune(s)
	if len(r) <= head+tail+100 {
		return s
	}
	return fmt.Sprintf("%s ... (%d characters left out) ... %s", string(r[:head]), len(r)-head-tail, string(r[len(r)-tail:]))
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
