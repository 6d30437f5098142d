// Package arm64 assembles the instructions of 64-bit Arm processors that package isa/neon emits:
// general registers, loads and stores, branches, and vectors of 8 and 16 bytes. A row of one
// table describes an instruction: its name, its bits, and its operands.
package arm64
