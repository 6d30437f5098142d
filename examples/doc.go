// Package examples has programs of the library. Some have the same program in
// NumPy beside them. TestLines compares the lengths of both: the Go program has at
// most 1.5 times as many lines, counted as they stand, and without comments,
// imports, package clauses, empty lines, and lines that only close a bracket.
// TestNumPy compares the results of both.
package examples
