package cu

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/oneloop/oneloop/engine/cuda/internal/dl"
	"github.com/oneloop/oneloop/internal/zero"
)

// A library is a shared library with the functions that this package calls.
type library struct {
	dl.Library
	names    []string // one for each symbol
	optional map[symbol]bool
	// check returns an error if the version is not supported. It may call functions.
	check func(fn []uintptr) error

	once   sync.Once
	opened *dl.Opened
	fn     []uintptr // addresses, one for each symbol; 0 if missing
	err    error
}

// init sets the checks, which call functions of the libraries.
func init() {
	driver.check, nvrtc.check, cublas.check, cublasLt.check = checkDriver, checkNvrtc, checkCublas, checkCublasLt
}

// A symbol is the number of a function in its library.
type symbol int

// need declares a function of the library.
func (l *library) need(name string) symbol {
	l.names = append(l.names, name)
	return symbol(len(l.names) - 1)
}

// may declares a function that the library may lack.
func (l *library) may(name string) symbol {
	s := l.need(name)
	zero.Put(&l.optional, s, true)
	return s
}

// A MissingError is the error of a library that lacks a function.
type MissingError struct {
	Library string // the path with which it was opened
	Symbol  string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s has no function %s", e.Library, e.Symbol)
}

// open searches for the library on the first call. Later calls return the same
// result.
func (l *library) open() error {
	l.once.Do(func() {
		l.opened, l.err = l.Open(func(h dl.Handle, path string) error {
			fn := make([]uintptr, len(l.names))
			for i, name := range l.names {
				p, err := dl.Symbol(h, name)
				if err != nil && !l.optional[symbol(i)] {
					return &MissingError{path, name}
				}
				fn[i] = p
			}
			l.fn = fn
			if l.check == nil {
				return nil
			}
			return l.check(fn)
		})
	})
	return l.err
}

// function returns the address of a function.
func (l *library) function(s symbol) (uintptr, error) {
	if err := l.open(); err != nil {
		return 0, err
	}
	if l.fn[s] == 0 {
		return 0, &MissingError{l.opened.Path, l.names[s]}
	}
	return l.fn[s], nil
}

// has reports whether the library is there and has all functions of a list.
func (l *library) has(list ...symbol) bool {
	return l.open() == nil && !slices.ContainsFunc(list, func(s symbol) bool { return l.fn[s] == 0 })
}

// A NotFound is the error of a library that was not found. It lists where it was
// searched.
type NotFound = dl.NotFound

// A Refusal is a file that was not used, with the reason.
type Refusal = dl.Refusal

// A LibraryInfo is the file that is used for a library, or the reason why none
// is.
type LibraryInfo struct {
	Name    string // "libcuda"
	Path    string // the path with which it was opened; empty if none was
	Version string // empty if unknown
	Refused []Refusal
	Err     error
}

func (l *library) info(version func() (string, error)) LibraryInfo {
	out := LibraryInfo{Name: l.Name, Err: l.open()}
	if out.Err != nil {
		if n, ok := out.Err.(*dl.NotFound); ok {
			out.Refused = n.Refused
		}
		return out
	}
	out.Path, out.Refused = l.opened.Path, l.opened.Refused
	if v, err := version(); err == nil {
		out.Version = v
	}
	return out
}

// Libraries returns the files of the driver, NVRTC, cuBLAS and cuBLASLt. It opens
// the libraries if no call has tried that yet.
func Libraries() []LibraryInfo {
	return []LibraryInfo{
		driver.info(func() (string, error) { v, err := DriverGetVersion(); return versionText(v), err }),
		nvrtc.info(func() (string, error) { a, b, err := NvrtcVersion(); return fmt.Sprintf("%d.%d", a, b), err }),
		cublas.info(func() (string, error) { v, err := CublasVersion(); return fmt.Sprint(v), err }),
		cublasLt.info(func() (string, error) { v, err := CublasLtVersion(); return fmt.Sprint(v), err }),
	}
}

// versionText returns the text of a CUDA version: 13.2 for 13020.
func versionText(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

// named returns the name for the platform.
func named(linux, windows string) string {
	if runtime.GOOS == "windows" {
		return windows
	}
	return linux
}
