// Package reuse keeps the programs of statements for later statements of the same
// structure.
//
// A [Key] has everything that the program for some statements depends on. An
// [Entry] is a program for copies of statements with arrays and cells of its own.
// Before a run the arrays get the bytes, and the cells the values, of the
// statements to carry out. A [Cache] keeps the entries that are not running. See
// docs/adr/0006.
package reuse
