package limits

import (
	"runtime"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/lists"
)

// args is the argument block of the probes.
type args struct {
	array [MaxArrays]unsafe.Pointer // the arrays read, then those updated, then those written
	bytes int                       // bytes of each array, a multiple of unit
	times int
	last  int // if not 0, the call waits for its stores that bypass the caches
}

// Offsets in the argument block.
const (
	argBytes = 8 * MaxArrays
	argTimes = argBytes + 8
	argLast  = argTimes + 8
)

// A code has the probes as machine code. The first use of a probe makes its code.
type code struct {
	isa    string
	vector int                // bytes of a vector
	made   map[any]*exec.Code // by move, or by the type of arithmetic
}

// newCode returns code for the best instruction set of the machine, or nil if
// there is none. The probes exist for amd64.
func newCode() *code {
	if runtime.GOARCH != "amd64" {
		return nil
	}
	for _, isa := range jit.ISAs {
		if _, err := jit.New(isa); err != nil {
			continue
		}
		c := &code{isa: isa, vector: 32, made: map[any]*exec.Code{}}
		if isa == "avx512" {
			c.vector = 64
		}
		return c
	}
	return nil
}

func (c *code) release() {
	if c != nil {
		for _, x := range c.made {
			x.Release()
		}
	}
}

// probe returns the probe of a key, or nil for plain Go.
func (c *code) probe(key any, write func(*x86.Asm)) *exec.Code {
	if c == nil {
		return nil
	}
	if x := c.made[key]; x != nil {
		return x
	}
	a := x86.New()
	write(a)
	a.I(x86.VZEROUPPER, 0)
	a.I(x86.RET, 0)
	o, err := a.Finish()
	if err != nil {
		return nil
	}
	x, err := exec.Install(o.Code)
	if err != nil {
		return nil
	}
	c.made[key] = x
	return x
}

// A move is a probe of memory. vector is the size of a vector, step the bytes of
// each array in one iteration.
type move struct {
	Traffic
	vector, step int
}

// inner is the working set, in bytes, from which Bandwidth also tries narrow
// loops. They can be faster outside the inner caches, because they leave more
// line-fill buffers to other instructions.
const inner = 1 << 20

// memory returns the probes of memory for a working set of so many bytes. A nil
// probe stands for plain Go.
func (c *code) memory(t Traffic, bytes int) []*exec.Code {
	if c == nil {
		return []*exec.Code{nil}
	}
	moves := []move{{t, c.vector, unit}}
	if bytes >= inner {
		moves = append(moves, move{t, 32, 64})
	}
	return lists.Map(moves, func(m move) *exec.Code { return c.probe(m, m.write) })
}

// arithmetic returns the probe of arithmetic, or nil for plain Go.
func (c *code) arithmetic(t dtype.Type) *exec.Code {
	return c.probe(t, func(a *x86.Asm) { c.multiply(a, t) })
}

var arrayRegs = [MaxArrays]x86.Reg{x86.R8, x86.R9, x86.R10, x86.R11, x86.R12, x86.R13, x86.RAX, x86.RBX, x86.RCX}

// write emits the probe: it goes over all bytes of the arrays, times times. It
// stores the bitwise and of what it loads.
func (m move) write(a *x86.Asm) {
	t := m.Traffic
	for k := range t.Arrays() {
		a.I(x86.MOV, x86.W64, arrayRegs[k], x86.At(x86.RDI, int32(8*k)))
	}
	a.I(x86.MOV, x86.W64, x86.RDX, x86.At(x86.RDI, argTimes))
	again, loop := a.NewLabel(), a.NewLabel()
	a.Bind(again)
	a.I(x86.XOR, x86.W32, x86.RSI, x86.RSI)
	a.Align(64)
	a.Bind(loop)
	for k := range m.step / m.vector {
		m.one(a, func(array int) x86.Mem { return x86.AtX(arrayRegs[array], x86.RSI, 1, int32(k*m.vector)) }, x86.Vec(k%4))
	}
	a.I(x86.ADD, x86.W64, x86.RSI, x86.Imm(m.step))
	a.I(x86.CMP, x86.W64, x86.RSI, x86.At(x86.RDI, argBytes))
	a.I(x86.JL, 0, loop)
	a.I(x86.SUB, x86.W64, x86.RDX, x86.Imm(1))
	a.I(x86.JNE, 0, again)
	if t.Stream {
		done := a.NewLabel()
		a.I(x86.CMP, x86.W64, x86.At(x86.RDI, argLast), x86.Imm(0))
		a.I(x86.JE, 0, done)
		a.I(x86.SFENCE, 0)
		a.Bind(done)
	}
}

// one emits the instructions for one vector of each array.
func (m move) one(a *x86.Asm, at func(array int) x86.Mem, v x86.Vec) {
	t, l := m.Traffic, x86.Len(m.vector*8)
	for k := range t.Reads {
		switch {
		case k == 0 || t.Updates+t.Writes == 0: // no instruction uses the loaded value
			a.I(x86.VMOVUPS, l, v, at(k))
		default:
			a.I(x86.VANDPS, l, v, v, at(k))
		}
	}
	for k := t.Reads; k < t.Reads+t.Updates; k++ {
		u := v
		if t.Reads > 0 {
			u = v + 4
			a.I(x86.VANDPS, l, u, v, at(k))
		} else {
			a.I(x86.VMOVUPS, l, u, at(k))
		}
		a.I(x86.VMOVUPS, l, at(k), u)
	}
	store := x86.VMOVUPS
	if t.Stream {
		store = x86.VMOVNTPS
	}
	for k := t.Reads + t.Updates; k < t.Arrays(); k++ {
		a.I(store, l, at(k), v)
	}
}

// chains is the number of independent multiply-adds, enough to hide the latency
// of two units. iterations is the number of times that a call executes them.
const (
	chains     = 12
	iterations = 2000
)

// multiply emits the probe of arithmetic.
func (c *code) multiply(a *x86.Asm, t dtype.Type) {
	l, op := x86.Len(c.vector*8), x86.VFMADD231PS
	if t == dtype.F64 {
		op = x86.VFMADD231PD
	}
	for v := range x86.Vec(chains + 2) {
		a.I(x86.VXORPS, x86.L256, v, v, v)
	}
	a.I(x86.MOV, x86.W32, x86.RDX, x86.Imm(iterations))
	loop := a.NewLabel()
	a.Align(64)
	a.Bind(loop)
	for v := range x86.Vec(chains) {
		a.I(op, l, v, x86.Vec(chains), x86.Vec(chains+1))
	}
	a.I(x86.SUB, x86.W32, x86.RDX, x86.Imm(1))
	a.I(x86.JNE, 0, loop)
}

// pass makes passes over arrays of so many bytes each, in calls of at most block
// bytes.
func pass(probe *exec.Code, t Traffic, a args, bytes, passes int) {
	if probe == nil {
		for range passes {
			goMove(t, &a, bytes)
		}
		return
	}
	if bytes <= block { // a call makes several passes
		for a.bytes = bytes; passes > 0; passes -= a.times {
			a.times = min(passes, max(1, block/bytes))
			a.last = 1
			probe.Call(unsafe.Pointer(&a))
		}
		return
	}
	for ; passes > 0; passes-- {
		b := a
		b.times = 1
		for at := 0; at < bytes; at += block {
			for k := range t.Arrays() {
				b.array[k] = unsafe.Add(a.array[k], at)
			}
			b.bytes = min(block, bytes-at)
			if passes == 1 && at+block >= bytes {
				b.last = 1
			}
			probe.Call(unsafe.Pointer(&b))
		}
	}
}
