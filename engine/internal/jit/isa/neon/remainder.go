package neon

import (
	"math"

	"github.com/oneloop/oneloop/engine/internal/jit/arm64"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
)

// The remainder of floats, exact as math.Mod. Significands are divided as integers of general
// registers, 11 bits of the quotient at a time. That of float32 is computed in float64.

// A remainder has vectors of float64: magnitudes, the significand of the result, and two factors
// whose product is its unit, later temporaries.
type remainder struct{ x, y, r, p, q isa.Vec }

func (f *neon) remainder(n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	v := remainder{f.Tmp(), f.Tmp(), f.Tmp(), f.Tmp(), f.Tmp()}
	if isa.Wide(n.In) {
		f.remainder64(v, x, y)
		f.CopyVec(n.Type, f.Dst(), v.r)
		return
	}
	u := f.Tmp()
	d := f.Dst()
	for half := range arm64.Arr(f.W / 2) {
		f.I(arm64.VFCVTL, arm64.S2+half, u, x)
		f.I(arm64.VFCVTL, arm64.S2+half, v.y, y)
		f.remainder64(v, u, v.y)
		f.I(arm64.VFCVTN, arm64.S2+half, d, v.r)
	}
}

// remainder64 sets v.r to the remainders of two float64.
func (f *neon) remainder64(v remainder, x, y isa.Vec) {
	const two = arm64.D2
	k, c := v.p, v.q
	f.I(arm64.VFABS, two, v.x, x)
	f.I(arm64.VFABS, two, v.y, y)
	for i := range 2 {
		f.remainderLane(v, i)
	}
	f.I(arm64.VUCVTF, two, v.r, v.r)
	f.I(arm64.VFMUL, two, v.r, v.r, v.p)
	f.I(arm64.VFMUL, two, v.r, v.r, v.q)
	f.I(arm64.VFCMGT, two, k, v.y, v.x) // x is less than y
	f.I(arm64.VBIT, arm64.B16, v.r, x, k)
	f.Constant(k, dtype.F64, 1<<63)
	f.I(arm64.VBIT, arm64.B16, v.r, x, k)
	f.Constant(c, dtype.F64, math.Float64bits(math.Inf(1)))
	f.I(arm64.VFCMGT, two, k, c, v.x) // x is finite
	f.I(arm64.VFCMEQ, two, v.x, v.y, v.y)
	f.I(arm64.VAND, arm64.B16, k, k, v.x)
	f.Constant(c, dtype.F64, 0)
	f.I(arm64.VFCMEQ, two, c, v.y, c)
	f.I(arm64.VBIC, arm64.B16, k, k, c)
	f.Constant(c, dtype.F64, math.Float64bits(math.NaN()))
	f.I(arm64.VBIF, arm64.B16, v.r, c, k)
}

// remainderLane computes the significand of the result and its unit for a lane with x >= y > 0.
func (f *neon) remainderLane(v remainder, i int) {
	const mant, bias, bits = 52, 1023, 11 // of a quotient: 64 less those of a significand
	ex, ey, t, mx, my := regs[isa.T0.N()], regs[isa.T1.N()], regs[isa.T2.N()], x16, x17
	lane := func(x isa.Vec) arm64.Lane { return arm64.Lane{V: x, I: i} }
	parts := func(e, m arm64.Reg, x isa.Vec) { // a subnormal number has the exponent 1
		f.I(arm64.VUMOV, arm64.D2, m, lane(x))
		f.I(arm64.LSR, arm64.X, e, m, arm64.Imm(mant))
		f.I(arm64.LSL, arm64.X, m, m, arm64.Imm(64-mant))
		f.I(arm64.LSR, arm64.X, m, m, arm64.Imm(64-mant))
		f.I(arm64.CMPI, arm64.X, e, arm64.Imm(0))
		f.I(arm64.CSET, arm64.X, t, arm64.NE)
		f.I(arm64.ADD, arm64.X, m, m, t, arm64.Imm(mant))
		f.I(arm64.CSET, arm64.X, t, arm64.EQ)
		f.I(arm64.ADD, arm64.X, e, e, t, arm64.Imm(0))
	}
	reduce := func() {
		f.I(arm64.UDIV, arm64.X, t, mx, my)
		f.I(arm64.MSUB, arm64.X, mx, t, my, mx)
	}
	parts(ex, mx, v.x)
	parts(ey, my, v.y)
	f.I(arm64.SUB, arm64.X, ex, ex, ey)
	reduce()
	f.asm.number(x15, bits)
	loop, done := f.NewLabel(), f.NewLabel()
	f.Bind(loop)
	f.I(arm64.CMPI, arm64.X, ex, arm64.Imm(0))
	f.I(arm64.BLE, 0, done)
	f.I(arm64.CMP, arm64.X, ex, x15)
	f.I(arm64.CSEL, arm64.X, t, ex, x15, arm64.LT)
	f.I(arm64.LSLV, arm64.X, mx, mx, t)
	f.I(arm64.SUB, arm64.X, ex, ex, t)
	reduce()
	f.I(arm64.B, 0, loop)
	f.Bind(done)
	f.I(arm64.VINS, arm64.D2, lane(v.r), mx)
	f.I(arm64.SUBI, arm64.X, ey, ey, arm64.Imm(mant+bias))
	f.I(arm64.ASR, arm64.X, t, ey, arm64.Imm(1)) // the unit may be subnormal, its two factors are not
	f.I(arm64.SUB, arm64.X, ey, ey, t)
	for _, power := range []struct {
		d isa.Vec
		e arm64.Reg
	}{{v.p, t}, {v.q, ey}} {
		f.I(arm64.ADDI, arm64.X, power.e, power.e, arm64.Imm(bias))
		f.I(arm64.LSL, arm64.X, power.e, power.e, arm64.Imm(mant))
		f.I(arm64.VINS, arm64.D2, lane(power.d), power.e)
	}
}
