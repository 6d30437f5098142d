// Package scatter combines rows of numbers with those that indices select, by machine code for AVX-512 or AVX2.
package scatter

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

// args is the argument block of a kernel: updates at from, step bytes apart, for size rows of to, toStep bytes apart.
type args struct {
	to, from, index           unsafe.Pointer
	count, step, toStep, size int
}

// callBytes is how many bytes of updates a call combines, about: the runtime waits for its end to stop the world.
const callBytes = 1 << 16

// mostBytes is the size of the longest row that a kernel combines: offsets in it are constants of 32 bits.
const mostBytes = 1 << 30

// instructions combine two vectors. Those for extremes of floats give the second operand if one is NaN or both are zeros.
var instructions = map[prim.Op]map[dtype.Type]x86.Op{
	prim.Add: {dtype.F32: x86.VADDPS, dtype.F64: x86.VADDPD, dtype.I32: x86.VPADDD, dtype.U32: x86.VPADDD, dtype.I64: x86.VPADDQ, dtype.U64: x86.VPADDQ},
	prim.Max: {dtype.F32: x86.VMAXPS, dtype.F64: x86.VMAXPD, dtype.I32: x86.VPMAXSD, dtype.U32: x86.VPMAXUD, dtype.I64: x86.VPCMPGTQ},
	prim.Min: {dtype.F32: x86.VMINPS, dtype.F64: x86.VMINPD, dtype.I32: x86.VPMINSD, dtype.U32: x86.VPMINUD, dtype.I64: x86.VPCMPGTQ},
}

// New is tree.Call.NewCombine of an instruction set.
func New(isa string, op prim.Op, t dtype.Type, width int, same bool) tree.CombineRows {
	size := t.Size()
	k := kernel{op: op, t: t, same: same, vector: map[string]int{"avx512": 64, "avx2": 32}[isa], bytes: width * size}
	if _, ok := instructions[op][t]; !ok && (op != prim.Cvt || size < 4) || k.vector == 0 || width == 0 || width > mostBytes/size {
		return nil
	}
	if op == prim.Max || op == prim.Min {
		k.vector = 32 // comparisons give vectors, not masks
	}
	code := new(exec.Lazy).Make(k.write)
	if code == nil {
		return nil
	}
	return func(to, from unsafe.Pointer, index []int64, rows, after, step int) {
		a, most := args{to: to, size: rows, toStep: after * size, step: step * size}, max(1, callBytes/k.bytes)
		for done := 0; done < len(index); done += a.count {
			a.from, a.index, a.count = unsafe.Add(from, done*a.step), unsafe.Pointer(&index[done]), min(most, len(index)-done)
			code.Call(unsafe.Pointer(&a))
		}
	}
}

const (
	to, from, index, count = x86.R8, x86.R9, x86.R10, x86.R11
	step, toStep, row, at  = x86.RSI, x86.RDX, x86.RAX, x86.RCX

	repeated = x86.Vec(12)
)

// A kernel combines rows of so many bytes. It goes in pieces that are exact: a load that follows finds the store of the same
// piece, and nothing outside of the row is touched. Another goroutine may change the indices at any time: a kernel compares an index
// after it has loaded it, and leaves out one that is outside.
type kernel struct {
	*x86.Asm
	op            prim.Op
	t             dtype.Type
	same          bool // an update is one number, which is in all lanes of repeated
	vector, bytes int
	next          x86.Vec // registers to use next
}

// piece combines n bytes at b with those at a.
func (w *kernel) piece(n int, a, b x86.Mem) {
	x, y, l := w.next, w.next+1, x86.Len(8*max(n, 16))
	move, moved := x86.VMOVUPS, l
	switch n {
	case 4:
		move, moved = x86.VMOVD, 0
	case 8:
		move, moved = x86.VMOVQ, 0
	}
	if w.same {
		w.I(x86.VMOVUPS, l, y, repeated)
	} else {
		w.I(move, moved, y, b)
	}
	if w.op != prim.Cvt {
		w.I(move, moved, x, a)
		w.combine(l, x, y)
	}
	w.I(move, moved, a, y)
	w.next = (w.next + 4) % repeated
}

// combine combines x and y in y.
func (w *kernel) combine(l x86.Len, x, y x86.Vec) {
	op, t, u, compare := instructions[w.op][w.t], x+2, x+3, x86.VCMPPS
	switch {
	case w.op == prim.Add || w.t.Size() == 4 && !w.t.IsFloat():
		w.I(op, l, y, x, y)
		return
	case w.t == dtype.I64:
		w.I(op, l, t, x, y) // x is greater
		if w.op == prim.Max {
			w.I(x86.VBLENDVPD, l, y, y, x, t)
		} else {
			w.I(x86.VBLENDVPD, l, y, x, y, t)
		}
		return
	case w.t == dtype.F64:
		compare = x86.VCMPPD
	}
	w.I(op, l, t, x, y)
	w.I(op, l, u, y, x)
	if w.op == prim.Max { // +0 of two zeros, and all bits set for NaN
		w.I(x86.VANDPS, l, t, t, u)
		w.I(compare, l, u, x, y, x86.Imm(3)) // unordered
	}
	w.I(x86.VORPS, l, y, t, u)
}

func (w *kernel) write() ([]byte, error) {
	w.Asm = x86.New()
	for i, r := range []x86.Reg{to, from, index, count, step, toStep} { // the first words of args
		w.I(x86.MOV, x86.W64, r, x86.At(x86.RDI, int32(8*i)))
	}
	rows, next := w.NewLabel(), w.NewLabel()
	w.Align(32)
	w.Bind(rows)
	w.I(x86.MOV, x86.W64, row, x86.At(index, 0))
	w.I(x86.CMP, x86.W64, row, x86.At(x86.RDI, int32(unsafe.Offsetof(args{}.size))))
	w.I(x86.JAE, 0, next)
	w.I(x86.IMUL, x86.W64, row, toStep)
	w.I(x86.ADD, x86.W64, row, to)
	if w.same {
		spread := map[int]x86.Op{4: x86.VBROADCASTSS, 8: x86.VBROADCASTSD}[w.t.Size()]
		w.I(spread, x86.Len(8*w.vector), repeated, x86.At(from, 0))
	}
	done := 0
	if block := 4 * w.vector; w.bytes >= 2*block {
		loop := w.NewLabel()
		done = w.bytes / block * block
		w.I(x86.XOR, x86.W32, at, at)
		w.Align(32)
		w.Bind(loop)
		for p := 0; p < block; p += w.vector {
			w.piece(w.vector, x86.AtX(row, at, 1, int32(p)), x86.AtX(from, at, 1, int32(p)))
		}
		w.I(x86.ADD, x86.W64, at, x86.Imm(block))
		w.I(x86.CMP, x86.W64, at, x86.Imm(done))
		w.I(x86.JNE, 0, loop)
	}
	for n := w.vector; done < w.bytes; {
		if n > w.bytes-done {
			n /= 2
			continue
		}
		w.piece(n, x86.At(row, int32(done)), x86.At(from, int32(done)))
		done += n
	}
	w.Bind(next)
	w.I(x86.ADD, x86.W64, index, x86.Imm(8))
	w.I(x86.ADD, x86.W64, from, step)
	w.I(x86.SUB, x86.W64, count, x86.Imm(1))
	w.I(x86.JNE, 0, rows)
	w.I(x86.VZEROUPPER, 0)
	w.I(x86.RET, 0)
	return w.Code()
}
