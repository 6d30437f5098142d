// Package examples has programs of the library. Some have the same program in
// NumPy beside them. TestLines compares the lengths of both: the Go program has at
// most 1.5 times as many lines. The count leaves out comments, imports, package
// clauses, empty lines, and lines that only close a bracket.
package examples
