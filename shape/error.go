package shape

import (
	"errors"
	"fmt"
)

// Err matches every error of this package: errors.Is(err, shape.Err).
var Err = errors.New("shape error")

// An Error describes in one line, without a prefix, a mistake in a shape.
type Error struct{ Msg string }

func (e *Error) Error() string {
	if e == nil {
		return "<nil>"
	}
	return e.Msg
}

// Is reports whether target is [Err].
func (e *Error) Is(target error) bool { return target == Err }

func errorf(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }
