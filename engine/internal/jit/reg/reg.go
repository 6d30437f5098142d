// Package reg has the operands that all encoders share, so that the allocation of
// registers does not know the instruction set.
package reg

// A Vec is the number of a vector register.
type Vec uint8

// A Mask is the number of a mask register.
type Mask uint8

// A Label is a place in the code: the target of a jump, or data.
type Label int32

// Operand marks the operands of instructions.
func (Vec) Operand() {}

// Operand marks the operands of instructions.
func (Mask) Operand() {}

// Operand marks the operands of instructions.
func (Label) Operand() {}
