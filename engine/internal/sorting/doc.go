// Package sorting sorts rows of numbers with machine code: a quicksort whose partitions
// and small sorts are kernels for AVX-512 or AVX2.
//
// A key is a value as a signed integer that has its order. Kernels make keys from values
// where they read them first, and values from keys where they store them last. All NaNs
// have one key. Equal keys have equal bits, so the result has one form whatever the
// machine, the pivots and the number of workers.
package sorting
