//go:build !amd64

package cpucache

func read() Sizes { return Sizes{} }
