package gemm

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

// dotBlocks is the number of blocks of one long sum that a kernel computes at a
// time: a single chain would wait for each of its multiply-adds.
const dotBlocks = 16

// dotArgs is the argument block of that kernel.
type dotArgs struct {
	a, b unsafe.Pointer
	sums [dotBlocks]uint64 // of the blocks, next to each other in the element type
}

const dotSums = int32(unsafe.Offsetof(dotArgs{}.sums))

// mostDots is the largest number of elements of a tile that are summed one by one.
const mostDots = 3

// dots sums whole groups of blocks of a tile of few elements. It returns the number
// of terms that are in C.
func (e *machine) dots(t *tile, stop func() bool) int {
	const group = dotBlocks * Block
	if e.f.whole || e.halfA || e.halfB || t.m*t.n > mostDots || t.k < group || e.a.Col != e.size || e.b.Row != e.size {
		return 0
	}
	f := e.f.dot()
	if f == nil {
		return 0
	}
	whole := t.k / group * group
	var args dotArgs
	for k := 0; k < whole && !stop(); k += group {
		for i := range t.m {
			for j := range t.n {
				args.a = unsafe.Add(t.a, i*e.a.Row+k*e.size)
				args.b = unsafe.Add(t.b, j*e.b.Col+k*e.size)
				f.Call(unsafe.Pointer(&args))
				c := unsafe.Add(t.c, i*t.ldc+j*e.size)
				if e.size == 4 {
					addUp((*float32)(c), (*[dotBlocks]float32)(unsafe.Pointer(&args.sums)), k == 0)
				} else {
					addUp((*float64)(c), (*[dotBlocks]float64)(unsafe.Pointer(&args.sums)), k == 0)
				}
			}
		}
	}
	return whole
}

// addUp adds the sums of blocks to c, in order. The first of all is c.
func addUp[T float32 | float64](c *T, sums *[dotBlocks]T, first bool) {
	rest := sums[:]
	total := *c
	if first {
		total, rest = rest[0], rest[1:]
	}
	for _, x := range rest {
		total += x
	}
	*c = total
}

// dot returns the kernel of long sums; nil if there is no memory for it.
func (f *family) dot() *exec.Code {
	return f.long.Make(func() ([]byte, error) {
		w := writer{Asm: x86.New(), f: f}
		w.writeDot()
		return w.Code()
	})
}

// writeDot writes the kernel: lane by lane, blocks of contiguous terms, of which
// four at a time are transposed.
func (w *writer) writeDot() {
	const a, b, count = x86.RSI, x86.RDX, x86.RCX
	const sums = x86.Vec(12)
	w.l = x86.L256
	blocks := int(w.l) / 8 / w.f.size // of a register
	groups := dotBlocks / blocks
	w.I(x86.MOV, x86.W64, a, x86.At(x86.RDI, 0))
	w.I(x86.MOV, x86.W64, b, x86.At(x86.RDI, 8))
	w.I(x86.MOV, x86.W32, count, x86.Imm(Block/transposeTerms))
	for g := range groups {
		w.I(x86.VXORPS, w.l, sums+x86.Vec(g), sums+x86.Vec(g), sums+x86.Vec(g))
	}
	loop := w.NewLabel()
	w.Align(32)
	w.Bind(loop)
	for g := range groups {
		row := func(base x86.Reg) func(i int, disp int32) x86.Mem {
			return func(i int, disp int32) x86.Mem {
				return x86.At(base, disp+int32((g*blocks+i)*Block*w.f.size))
			}
		}
		w.transpose(row(a), func(i int, last func(to x86.Vec)) { last(x86.Vec(8 + i)) })
		w.transpose(row(b), func(i int, last func(to x86.Vec)) {
			last(0)
			w.I(w.f.mul, w.l, sums+x86.Vec(g), x86.Vec(8+i), x86.Vec(0))
		})
	}
	w.I(x86.ADD, x86.W64, a, x86.Imm(transposeTerms*w.f.size))
	w.I(x86.ADD, x86.W64, b, x86.Imm(transposeTerms*w.f.size))
	w.I(x86.SUB, x86.W32, count, x86.Imm(1))
	w.I(x86.JNE, 0, loop)
	for g := range groups {
		w.I(x86.VMOVUPS, w.l, x86.At(x86.RDI, dotSums+int32(g*int(w.l)/8)), sums+x86.Vec(g))
	}
	w.end()
}
