// Package failure ends a computation at its first error, by a panic. It suits functions that
// only pass errors on, such as those of commands.
package failure

import (
	"fmt"
	"os"
)

// A Stop is the panic by which an error ends a computation.
type Stop struct{ Err error }

// Check ends the computation if err is not nil.
func Check(err error) {
	if err != nil {
		panic(Stop{err})
	}
}

// Must returns v. If err is not nil it ends the computation.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// caught returns the error of a Stop that was recovered. It repeats another panic.
func caught(p any) error {
	switch p := p.(type) {
	case nil:
		return nil
	case Stop:
		return p.Err
	}
	panic(p)
}

// Catch is deferred. It sets err to the error that ended the computation, if one did.
func Catch(err *error) {
	if e := caught(recover()); e != nil {
		*err = e
	}
}

// In is deferred. It says in the error that ends the computation where that was met.
func In(what string) {
	if err := caught(recover()); err != nil {
		panic(Stop{fmt.Errorf("%s: %w", what, err)})
	}
}

// Exit is deferred by main. It prints the error that ended the computation, and exits with code 1.
func Exit() {
	if err := caught(recover()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
