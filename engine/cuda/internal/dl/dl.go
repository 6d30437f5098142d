// Package dl finds shared libraries, opens them and calls their functions,
// without cgo. Where the platform has no such thing everything fails with
// ErrPlatform.
package dl

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/oneloop/oneloop/internal/lists"
)

// ErrPlatform says that shared libraries cannot be opened on this platform.
var ErrPlatform = fmt.Errorf("shared libraries of CUDA are not opened on %s/%s", runtime.GOOS, runtime.GOARCH)

// A Handle is an open library. It is never closed: libraries of CUDA do not
// survive that.
type Handle uintptr

// A Refusal is a file that was found, or tried, and not used.
type Refusal struct {
	Path string
	Why  error
}

// An Opened is a library in use, and what was tried before it.
type Opened struct {
	Handle  Handle
	Path    string
	Refused []Refusal
}

// A NotFound says that a library was not found, and where it was looked for.
type NotFound struct {
	Library string
	Refused []Refusal // candidates, in the order in which they were tried
	Looked  []string  // directories that have no candidate
}

func (e *NotFound) Error() string {
	if len(e.Refused) == 1 {
		return fmt.Sprintf("%s: %s", e.Refused[0].Path, e.Refused[0].Why)
	}
	return fmt.Sprintf("%s was not found: %d candidates refused, %d directories without one", e.Library, len(e.Refused), len(e.Looked))
}

// Unwrap makes errors.Is and errors.As see why candidates were refused.
func (e *NotFound) Unwrap() []error {
	return lists.Map(e.Refused, func(r Refusal) error { return r.Why })
}

// Open opens the first candidate of a library that loads and passes check,
// which may look for symbols and versions.
func (l *Library) Open(check func(h Handle, path string) error) (*Opened, error) {
	if !supported {
		return nil, &NotFound{Library: l.Name, Refused: []Refusal{{l.Name, ErrPlatform}}}
	}
	paths, looked := l.candidates()
	var refused []Refusal
	for _, p := range paths {
		h, err := l.try(p)
		if err == nil {
			if err = check(h, p); err == nil {
				return &Opened{Handle: h, Path: p, Refused: refused}, nil
			}
		}
		refused = append(refused, Refusal{p, err})
	}
	return nil, &NotFound{Library: l.Name, Refused: refused, Looked: looked}
}

// try opens what the library needs from its own directory, then the library. If
// the former fails the latter says what it misses.
func (l *Library) try(path string) (Handle, error) {
	for _, first := range l.companions(path) {
		_, _ = open(first, true)
	}
	return open(path, false)
}

// ErrNoSymbol is matched by the error of a symbol that a library lacks.
var ErrNoSymbol = errors.New("no such symbol")

// Symbol is the address of a function.
func Symbol(h Handle, name string) (uintptr, error) {
	p, err := symbol(h, name)
	if err != nil || p == 0 {
		return 0, fmt.Errorf("%w: %s", ErrNoSymbol, name)
	}
	return p, nil
}
