// Package files has the errors of packages that read and write files.
package files

import (
	"strings"

	"github.com/oneloop/oneloop/expr/tree"
)

// An Error is an error of a package with the path of its file.
type Error struct {
	Package string // such as "csv"
	Path    string
	Err     error
}

func (e *Error) Error() string {
	own := e.Package + ": "
	text := strings.TrimPrefix(e.Err.Error(), "oneloop: ")
	if t, ok := e.Err.(*tree.Error); ok { // the mistake is in the file, not in a function or at a place of the program
		text = t.Msg
	}
	return "oneloop: " + own + e.Path + ": " + strings.TrimPrefix(text, own)
}

// Unwrap returns the error without the path.
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an error of what a file holds. It names no function and no place of the
// program, where no mistake is.
func Errorf(name string, kind error, format string, args ...any) error {
	e := tree.NewError(kind, "", name+": "+format, args...)
	e.Op, e.File = "", ""
	return e
}
