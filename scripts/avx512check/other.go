//go:build !linux

package main

import "log"

func main() {
	log.Fatal("avx512check is the first program of a Linux kernel: see scripts/avx512-check")
}
