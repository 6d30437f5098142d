// Package shlib opens shared libraries of the machine without cgo. A library is never
// closed: it can have threads.
package shlib
