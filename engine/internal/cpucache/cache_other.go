//go:build !amd64

package cpucache

func read() Sizes { return Sizes{} }

// Model returns nothing: the processor does not tell its name.
func Model() string { return "" }

// Halves reports whether the processor takes vectors of 512 bits in two halves.
func Halves() bool { return false }

// Copies reports whether one instruction moves bytes fast.
func Copies() bool { return false }
