// Package examples has programs of the library. Some have the same program in
// NumPy beside them.
package examples
