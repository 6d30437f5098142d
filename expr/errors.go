package expr

import "github.com/oneloop/oneloop/expr/tree"

// The kinds of error, for errors.Is.
var (
	ErrShape       = tree.ErrShape
	ErrType        = tree.ErrType
	ErrDevice      = tree.ErrDevice
	ErrOutOfMemory = tree.ErrOutOfMemory
	ErrUnsupported = tree.ErrUnsupported
	ErrDivide      = tree.ErrDivide
	ErrIndex       = tree.ErrIndex
	ErrValue       = tree.ErrValue
)
