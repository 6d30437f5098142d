package npy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/internal/zero"
)

// ErrUnsupported is matched by the errors about files that are well formed but
// hold an element type that package dtype does not have, pickles included.
var ErrUnsupported = errors.New("unsupported element type")

// A FormatError reports a file that is malformed, cut short or of an
// unsupported type. Its text is one line.
type FormatError struct {
	Path   string // the file's name; empty for a stream
	Offset int64  // bytes from the start of the stream to the fault
	Msg    string

	err error // what errors.Is sees: ErrUnsupported, io.ErrUnexpectedEOF or nil
}

// Error gives the path, the offset and the fault.
func (e *FormatError) Error() string {
	e = zero.IfNil(e)
	at := ""
	if e.Path != "" {
		at = oneLine(e.Path) + ": "
	}
	return fmt.Sprintf("oneloop: npy: %soffset %d: %s", at, e.Offset, e.Msg)
}

// Unwrap gives [ErrUnsupported] for an unsupported element type and
// io.ErrUnexpectedEOF for a file that was cut short.
func (e *FormatError) Unwrap() error { return zero.IfNil(e).err }

func formatError(at int64, format string, args ...any) *FormatError {
	return &FormatError{Offset: at, Msg: fmt.Sprintf(format, args...)}
}

// oneLine returns s, in quotes if it is empty or would break the line.
func oneLine(s string) string {
	if q := strconv.Quote(s); s == "" || q != `"`+s+`"` {
		return q
	}
	return s
}

// excerpt quotes the beginning of s for an error message.
func excerpt[T string | []byte](s T) string {
	const most = 48
	if len(s) > most {
		return strconv.QuoteToASCII(string(s[:most])) + "..."
	}
	return strconv.QuoteToASCII(string(s))
}

// A fileError is an error with the file, or the member of an archive, that it is about.
type fileError struct {
	about string // what follows "oneloop: "
	err   error
}

func (e *fileError) Error() string {
	text := strings.TrimPrefix(e.err.Error(), "oneloop: ")
	return "oneloop: " + e.about + ": " + strings.TrimPrefix(text, "npy: ")
}

func (e *fileError) Unwrap() error { return e.err }
