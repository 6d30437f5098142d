// Package failure ends the commands of scripts at their first error.
package failure

import (
	"fmt"
	"log"
)

// A failure is the panic by which an error ends the program.
type failure struct{ error }

// Check ends the program if err is not nil. Deferred calls are made first.
func Check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Must returns v. If err is not nil it ends the program, as Check does.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Exit is deferred by main. It prints the error that ends the program.
func Exit() {
	switch e := recover().(type) {
	case nil:
	case failure:
		log.Fatal(e.error)
	default:
		panic(e)
	}
}

// In is deferred. It says in the error that ends the program where that was met.
func In(what string) {
	switch e := recover().(type) {
	case nil:
	case failure:
		panic(failure{fmt.Errorf("%s: %w", what, e.error)})
	default:
		panic(e)
	}
}
