package prim

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

// A Block runs a program on many values at once, instruction by instruction. It
// is several times faster than [Program.Call]; exhaustive sweeps use it. Only
// one goroutine may use a Block at a time.
type Block struct {
	p     *Program
	n     int
	slots [][]uint64
}

// NewBlock returns a Block for up to n values.
func (p *Program) NewBlock(n int) *Block {
	b := &Block{p: p, n: n, slots: make([][]uint64, len(p.slots))}
	for i := range b.slots {
		b.slots[i] = make([]uint64, n)
		for j := range b.slots[i] {
			b.slots[i][j] = p.slots[i]
		}
	}
	return b
}

// Arg returns the memory of parameter i. The caller fills it before
// [Block.Run].
func (b *Block) Arg(i int) []uint64 { return b.slots[i] }

// Run returns the first n results. They are valid until the next Run.
func (b *Block) Run(n int) []uint64 {
	steps := b.p.steps
	var ends []*step // ends of the open cold regions
	for i := 0; i < len(steps); i++ {
		s := &steps[i]
		dst := b.slots[s.dst][:n]
		x, y, z := b.slots[s.args[0]][:n], b.slots[s.args[1]][:n], b.slots[s.args[2]][:n]
		switch s.kind {
		case plain:
			blockStep(s, dst, x, y, z)
		case lookup:
			t := b.p.tables[s.ins.Imm]
			mask := uint64(len(t) - 1)
			for j := range dst {
				dst[j] = t[x[j]&mask]
			}
		case jump:
			copy(dst, y)
			any := uint64(0)
			for _, v := range x {
				any |= v
			}
			if any == 0 {
				i = s.to - 1
				continue
			}
			ends = append(ends, s)
		case move:
			cond := b.slots[ends[len(ends)-1].args[0]][:n]
			ends = ends[:len(ends)-1]
			for j, c := range cond {
				if c != 0 {
					dst[j] = x[j]
				}
			}
		}
	}
	return b.slots[b.p.result.ID][:n]
}

// blockStep runs one instruction on a block. The most frequent instructions
// have loops of their own; the others go through evalCode.
func blockStep(s *step, dst, x, y, z []uint64) {
	x, y, z = x[:len(dst)], y[:len(dst)], z[:len(dst)]
	switch {
	case s.ins.Op == Select:
		for i := range dst {
			if x[i] != 0 {
				dst[i] = y[i]
			} else {
				dst[i] = z[i]
			}
		}
	case s.ins.Op == Bitcast:
		copy(dst, x)
	case !blockF32(s.code, dst, x, y, z) && !blockF64(s.code, dst, x, y, z) && !blockInt(s.code, dst, x, y):
		for i := range dst {
			dst[i], _ = evalCode(s.code, &s.ins, x[i], y[i], z[i])
		}
	}
}

// blockF32 runs an instruction on float32. It returns false if it has no loop for it.
func blockF32(c code, dst, x, y, z []uint64) bool {
	f32 := func(v uint64) float32 { return math.Float32frombits(uint32(v)) }
	switch c {
	case makeCode(Add, dtype.F32):
		for i := range dst {
			dst[i] = uint64(math.Float32bits(f32(x[i]) + f32(y[i])))
		}
	case makeCode(Sub, dtype.F32):
		for i := range dst {
			dst[i] = uint64(math.Float32bits(f32(x[i]) - f32(y[i])))
		}
	case makeCode(Mul, dtype.F32):
		for i := range dst {
			dst[i] = uint64(math.Float32bits(f32(x[i]) * f32(y[i])))
		}
	case makeCode(Div, dtype.F32):
		for i := range dst {
			dst[i] = uint64(math.Float32bits(f32(x[i]) / f32(y[i])))
		}
	case makeCode(Fma, dtype.F32):
		for i := range dst {
			r, ok := scalar.FastFma32(f32(x[i]), f32(y[i]), f32(z[i]))
			if !ok {
				r = scalar.Fma32(f32(x[i]), f32(y[i]), f32(z[i]))
			}
			dst[i] = uint64(math.Float32bits(r))
		}
	case makeCode(Lt, dtype.F32):
		for i := range dst {
			dst[i] = scalar.FromBool[uint64](f32(x[i]) < f32(y[i]))
		}
	case makeCode(Scale, dtype.F32):
		for i := range dst {
			dst[i] = uint64(math.Float32bits(scalar.Ldexp32(f32(x[i]), int32(y[i]))))
		}
	default:
		return false
	}
	return true
}

// blockF64 runs an instruction on float64. It returns false if it has no loop for it.
func blockF64(c code, dst, x, y, z []uint64) bool {
	f64 := math.Float64frombits
	switch c {
	case makeCode(Add, dtype.F64):
		for i := range dst {
			dst[i] = math.Float64bits(f64(x[i]) + f64(y[i]))
		}
	case makeCode(Sub, dtype.F64):
		for i := range dst {
			dst[i] = math.Float64bits(f64(x[i]) - f64(y[i]))
		}
	case makeCode(Mul, dtype.F64):
		for i := range dst {
			dst[i] = math.Float64bits(f64(x[i]) * f64(y[i]))
		}
	case makeCode(Fma, dtype.F64):
		for i := range dst {
			dst[i] = math.Float64bits(math.FMA(f64(x[i]), f64(y[i]), f64(z[i])))
		}
	default:
		return false
	}
	return true
}

// blockInt runs an instruction on 32-bit integers. It returns false if it has no loop for it.
func blockInt(c code, dst, x, y []uint64) bool {
	switch c {
	case makeCode(Add, dtype.I32), makeCode(Add, dtype.U32):
		for i := range dst {
			dst[i] = uint64(uint32(x[i]) + uint32(y[i]))
		}
	case makeCode(Sub, dtype.I32), makeCode(Sub, dtype.U32):
		for i := range dst {
			dst[i] = uint64(uint32(x[i]) - uint32(y[i]))
		}
	case makeCode(And, dtype.I32), makeCode(And, dtype.U32):
		for i := range dst {
			dst[i] = x[i] & y[i]
		}
	case makeCode(Or, dtype.I32), makeCode(Or, dtype.U32):
		for i := range dst {
			dst[i] = x[i] | y[i]
		}
	case makeCode(Xor, dtype.I32), makeCode(Xor, dtype.U32):
		for i := range dst {
			dst[i] = x[i] ^ y[i]
		}
	default:
		return false
	}
	return true
}
