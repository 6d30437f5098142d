// Package listing describes machine code: the instructions with the values that
// they compute, the registers, the bytes that they move, and the arithmetic.
package listing

import (
	"regexp"
	"slices"
	"strconv"
)

// A Kernel is the machine code of one stage of a program.
type Kernel struct {
	Stage     int // number of the stage in the plan
	Name      string
	Backend   string
	Fallback  string // why the interpreter runs it; empty if it does not
	Functions []*Function
}

// A Function is the machine code of one or more consecutive phases of a kernel.
type Function struct {
	Name    string // name of the symbol
	Variant string // the cases that it covers; empty if it covers all
	Spills  int    // number of values kept in memory for lack of registers
	Phases  []*Phase
	Object
}

// An Object is finished code, to be placed at a multiple of 64.
type Object struct {
	Lines  []Line
	Code   []byte // machine code; from Text on, constants
	Text   int
	Consts []int32 // offsets of the constants; in the text they are C0, C1 and so on
}

// A Phase is one loop of a kernel, or scalar code.
type Phase struct {
	Kind     string // "scalar code", "vec loop" or "seq loop"
	Lanes    int    // elements in a vector
	Elements int    // elements that the phase computes in one run of the kernel
	Loaded   int    // bytes that instructions load for each element, outside cold regions
	Stored   int    // bytes that instructions store for each element
	Flops    int    // operations for each element outside cold regions, counted as in package ir
	Accesses []Access
	Kept     []Kept // values in pinned registers
}

// An Access is an array of the kernel, and the access form of the code.
type Access struct {
	What string // name of the array in the kernel
	How  string
	Slot int // offset of the array's address in the argument block
}

// A Kept is a value in a pinned register: one register for the whole loop.
type Kept struct{ Register, Value string }

// A Kind is the kind of a line.
type Kind uint8

// The kinds of lines.
const (
	Insn  Kind = iota // an instruction, in Intel's syntax or in that of GNU as for arm64
	Note              // the value that the next instructions compute
	Head              // the title of the next part of the function
	Label             // a label
	Pad               // padding
	Data              // bytes
)

// A Line is a line of a listing. Size is the number of its bytes in the code.
type Line struct {
	Kind   Kind
	Offset int
	Size   int
	Text   string
}

var (
	vectorName = regexp.MustCompile(`\b(?:[xyz]mm|[vqdsh])(\d+)\b`)
	maskName   = regexp.MustCompile(`\bk([0-7])\b`)
)

// Registers returns the numbers of the vector and mask registers in the code, in
// ascending order.
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

// Intensity returns the flops for each byte that instructions load or store.
func (p *Phase) Intensity() float64 { return float64(p.Flops) / float64(max(p.Loaded+p.Stored, 1)) }
