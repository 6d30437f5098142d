// Package listing shows machine code: the instructions with the values that
// they compute, the registers they use, and what they move and calculate.
package listing

import (
	"regexp"
	"slices"
	"strconv"
)

// A Kernel is the machine code of one stage of a program.
type Kernel struct {
	Stage     int // its number in the plan
	Name      string
	Backend   string
	Fallback  string // why the interpreter runs it, or empty
	Functions []*Function
}

// A Function is the machine code of a phase: a piece of straight code of a
// kernel, with the loop around it.
type Function struct {
	Name     string // a symbol
	Kind     string // "scalar code", "vec loop" or "seq loop"
	Lanes    int    // elements in a vector
	Elements int    // that one run of the kernel computes here
	Loaded   int    // bytes that instructions load for each element, outside cold regions
	Stored   int    // bytes that instructions store for each element
	Flops    int    // for each element, as package ir counts them, outside cold regions
	Spills   int    // values that did not find a register
	Accesses []Access
	Kept     []Kept // values that keep a register throughout the loop

	Lines  []Line
	Code   []byte // and, from Text on, constants
	Text   int
	Consts []int32 // offsets of the constants, which texts call C0, C1 and so on
}

// An Access is an array of the kernel, and how the code reaches its elements.
type Access struct {
	What string // as the kernel names it
	How  string
	Slot int // offset of its address in the argument block
}

// A Kept is a value that is in one register throughout the loop.
type Kept struct{ Register, Value string }

// A Kind is what a line is.
type Kind uint8

// The kinds of lines.
const (
	Insn  Kind = iota // an instruction, in Intel's syntax
	Note              // the value that the instructions from here on compute
	Head              // the part of the function that begins here
	Label             // the place of a label
	Pad               // padding
	Data              // bytes given as they are
)

// A Line is a line of a listing. Size is the number of its bytes in the code.
type Line struct {
	Kind   Kind
	Offset int
	Size   int
	Text   string
}

var (
	vectorName = regexp.MustCompile(`\b[xyz]mm(\d+)\b`)
	maskName   = regexp.MustCompile(`\bk([0-7])\b`)
)

// Registers are the numbers of the vector and mask registers that the code
// names, in order.
func (f *Function) Registers() (vectors, masks []int) {
	find := func(list []int, re *regexp.Regexp, text string) []int {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			if n, err := strconv.Atoi(m[1]); err == nil && !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
		return list
	}
	for _, l := range f.Lines {
		if l.Kind == Insn {
			vectors, masks = find(vectors, vectorName, l.Text), find(masks, maskName, l.Text)
		}
	}
	slices.Sort(vectors)
	slices.Sort(masks)
	return vectors, masks
}

// Intensity is the flops for each byte that instructions move.
func (f *Function) Intensity() float64 {
	return float64(f.Flops) / float64(max(f.Loaded+f.Stored, 1))
}
