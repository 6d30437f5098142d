package isa

import (
	"math"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// Constants stand after the code of a function, in its pool or as tables.

// A Table is a table of constants and its place after the code.
type Table struct {
	Label x86.Label
	Bits  []byte
}

// LoadConst broadcasts a constant of register type t.
func (f *Emitter) LoadConst(d x86.Vec, t dtype.Type, x uint64) {
	f.Broadcast(d, t, f.ConstMem(t, x))
}

// ConstMem returns one element of a constant in memory.
func (f *Emitter) ConstMem(t dtype.Type, x uint64) x86.Mem {
	if Wide(t) {
		return f.Asm.Const64(x)
	}
	return f.Asm.Const32(uint32(x))
}

// ConstBcast returns a constant operand of type t, broadcast from memory.
func (f *Emitter) ConstBcast(t dtype.Type, x uint64) x86.Mem { return f.ConstMem(t, x).Bcast() }

// OneBits returns the number one of a type as an operand for all lanes.
func (f *Emitter) OneBits(t dtype.Type) x86.Operand {
	switch t {
	case dtype.F32:
		return f.ConstBcast(t, uint64(math.Float32bits(1)))
	case dtype.F64:
		return f.ConstBcast(t, math.Float64bits(1))
	}
	return f.ConstBcast(t, 1)
}

// TableLabel puts a table after the code and returns its label.
func (f *Emitter) TableLabel(t *ir.Table) x86.Label {
	var data []byte
	for _, x := range t.Bits {
		x = frame.Canonical(t.Type, x)
		for b := range max(4, t.Type.Size()) {
			data = append(data, byte(x>>(8*b)))
		}
	}
	label := f.Asm.NewLabel()
	f.Tables = append(f.Tables, Table{label, data})
	return label
}

// constOperand returns the memory operand of a constant for all lanes of type t.
func (f *Emitter) constOperand(t dtype.Type, x uint64) x86.Mem {
	if f.Target.Broadcasts() {
		return f.ConstBcast(t, x)
	}
	return f.Full(t, x)
}

// Repeat returns a byte n times.
func Repeat(b byte, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = b
	}
	return out
}

// Iota32 returns the constant first, first+1, ... in 32-bit lanes.
func (f *Emitter) Iota32(first int) x86.Mem {
	b := make([]byte, 4*f.W)
	for i := range f.W {
		x := uint32(first + i)
		b[4*i], b[4*i+1], b[4*i+2], b[4*i+3] = byte(x), byte(x>>8), byte(x>>16), byte(x>>24)
	}
	return f.Asm.Const(b)
}

// Iota64 returns the constant first, first+1, ... in 64-bit lanes.
func (f *Emitter) Iota64(first int) x86.Mem {
	b := make([]byte, 8*f.W)
	for i := range f.W {
		x := uint64(first + i)
		for k := range 8 {
			b[8*i+k] = byte(x >> (8 * k))
		}
	}
	return f.Asm.Const(b)
}

// FloatBits returns a number in the bits of a float type.
func FloatBits(t dtype.Type, x float64) uint64 {
	if t == dtype.F32 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// Full returns memory with a constant in every lane of a vector of type t.
func (f *Emitter) Full(t dtype.Type, x uint64) x86.Mem {
	if t == dtype.Bool {
		return f.Asm.Const(Repeat(byte(-(x & 1)), 32))
	}
	x = frame.Canonical(t, x)
	size := 4
	if Wide(t) {
		size = 8
	}
	b := make([]byte, int(f.LenOf(t))/8)
	for i := range b {
		b[i] = byte(x >> (8 * (i % size)))
	}
	return f.Asm.Const(b)
}

// Ones returns 32 bytes of ones.
func (f *Emitter) Ones() x86.Mem { return f.Asm.Const(Repeat(0xff, 32)) }

// Broadcast loads one element of type t into all lanes.
func (f *Emitter) Broadcast(d x86.Vec, t dtype.Type, m x86.Mem) {
	f.I(Pick(t, x86.VBROADCASTSS, x86.VBROADCASTSD), f.LenOf(t), d, m)
}

// Frame returns the memory of the frame at an offset.
func Frame(off int) x86.Mem { return x86.At(x86.RDI, int32(off)) }
