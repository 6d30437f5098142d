//go:build !race

package testlevel

// Race tells whether the race detector runs. It keeps memory of its own.
const Race = false
