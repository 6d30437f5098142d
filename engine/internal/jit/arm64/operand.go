package arm64

import (
	"fmt"

	"github.com/oneloop/oneloop/engine/internal/jit/reg"
)

// A Reg is a general register. Its width is that of the instruction.
type Reg uint8

// ZR reads as zero, and drops what is written to it.
const ZR Reg = 31

// A Vec is a vector register, 0 to 31.
type Vec = reg.Vec

// A Label is a place in the code.
type Label = reg.Label

// An Imm is a number.
type Imm int64

// A Lane is a lane of a vector.
type Lane struct {
	V Vec
	I int
}

// A Cond is a condition, by its number in instructions.
type Cond uint8

// The conditions on signed numbers.
const (
	EQ Cond = 0
	NE Cond = 1
	GE Cond = 10
	LT Cond = 11
	GT Cond = 12
	LE Cond = 13
)

// A Mem is the memory at Base + Disp or, if Indexed, at Base + Index << Shift. An instruction takes
// a displacement that is a multiple of its size, up to 4095 times the size, or from -256 to 255.
// Shift is 0 or the logarithm of the size.
type Mem struct {
	Base, Index Reg
	Indexed     bool
	Shift       uint8
	Disp        int
}

// An Operand is a Reg, Vec, Imm, Lane, Cond, Mem or Label. The destination stands first.
type Operand interface{ Operand() }

// Operand marks the operands of instructions.
func (Reg) Operand() {}

// Operand marks the operands of instructions.
func (Imm) Operand() {}

// Operand marks the operands of instructions.
func (Lane) Operand() {}

// Operand marks the operands of instructions.
func (Cond) Operand() {}

// Operand marks the operands of instructions.
func (Mem) Operand() {}

// An Arr is the arrangement of the lanes of a vector, or the width of general registers.
type Arr uint8

// The arrangements: twice the logarithm of the size of a lane, and 1 for 16 bytes. Then the
// widths.
const (
	B8 Arr = iota
	B16
	H4
	H8
	S2
	S4
	D1
	D2
	W
	X
)

// Size returns the logarithm of the size of a lane.
func (r Arr) Size() int { return int(r >> 1) }

// wide returns the arrangement of 16 bytes with lanes of twice the size.
func (r Arr) wide() Arr { return r&^1 + 3 }

func (r Arr) String() string {
	return [...]string{"8b", "16b", "4h", "8h", "2s", "4s", "1d", "2d", "w", "x"}[r]
}

// name returns a general register of a width.
func (r Reg) name(w Arr) string {
	if r == ZR {
		return w.String() + "zr"
	}
	return fmt.Sprintf("%s%d", w, r)
}

func (c Cond) String() string {
	return map[Cond]string{EQ: "eq", NE: "ne", GE: "ge", LT: "lt", GT: "gt", LE: "le"}[c]
}

// fits reports whether instructions of a size, a logarithm, take the displacement of m.
func (m Mem) fits(size int) bool {
	return m.Disp&(1<<size-1) == 0 && 0 <= m.Disp && m.Disp>>size < 1<<12 || -256 <= m.Disp && m.Disp < 256
}

// Fits reports whether loads and stores of so many bytes take the displacement of m.
func (m Mem) Fits(bytes int) bool {
	size := 0
	for 1<<size < bytes {
		size++
	}
	return m.fits(size)
}
