// Package files has the errors of packages that read and write files.
package files

import (
	"path/filepath"
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

// writers names what writes files of other extensions.
var writers = map[string]string{
	".npz": "; see npy.WriteArchiveFile", ".csv": "; see csv.WriteFile", ".png": "; see package picture", ".jpg": "; see package picture",
}

// CheckExtension returns an error for the path of an .npy file to write that has another extension. One without an extension is none.
func CheckExtension(path string) error {
	ext := filepath.Ext(path)
	if ext == "" || strings.EqualFold(ext, ".npy") {
		return nil
	}
	format, _, _ := strings.Cut(strings.ToLower(ext), ":") // of .npz:x too
	return tree.NewError(tree.ErrValue, "", "writing %s: the file is an .npy file, not %s%s", path, ext, writers[format])
}
