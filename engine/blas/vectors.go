package blas

import (
	"math"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

// The numbers of elements from which the kernels are faster than gonum's code: of 8 bytes, half of those of 4 bytes; and from which
// they add magnitudes and products faster than one by one.
const (
	leastVector = 160
	leastSum    = 32
	leastDot    = 16
)

// simple reports whether kernels take a vector of at least some elements.
func simple[T float](n, least int, x []T, inc int) bool {
	return enough(n, least) && whole(n, x, inc)
}

// enough reports whether there are kernels, and at least some elements for them.
func enough(n, least int) bool { return n >= least && isa() != "" }

// whole reports whether the elements of a vector are neighbours. One of float64 with too few of them for the kernels goes to gonum's
// package floats: a call of gonum's BLAS from here takes 1 to 3 ns longer.
func whole[T float](n int, x []T, inc int) bool { return inc == 1 && n > 0 && n <= len(x) }

// An operation on vectors.
type operation uint8

const (
	toScale   operation = iota // x = alpha*x
	toAdd                      // y += alpha*x
	toDot                      // the sum of x*y
	toAsum                     // the sum of |x|
	toAddRows                  // x += the sum of rows of y times factors
	operations
)

const (
	width = 64 // bytes of a vector of AVX-512
	sums  = 4  // registers for sums: an addition waits four cycles for the one before it
)

// vectorArgs is the argument block of kernels.
type vectorArgs struct {
	x, y  unsafe.Pointer
	n     int // bytes, a multiple of a vector
	alpha uint64
	out   uint64 // the bits of a sum
	// Of the rows of y.
	factors    unsafe.Pointer
	rows, step int // how many, at least one, and the bytes between them
}

const (
	argX     = int32(unsafe.Offsetof(vectorArgs{}.x))
	argY     = int32(unsafe.Offsetof(vectorArgs{}.y))
	argN     = int32(unsafe.Offsetof(vectorArgs{}.n))
	argAlpha = int32(unsafe.Offsetof(vectorArgs{}.alpha))
	argOut   = int32(unsafe.Offsetof(vectorArgs{}.out))
	argTimes = int32(unsafe.Offsetof(vectorArgs{}.factors))
	argRows  = int32(unsafe.Offsetof(vectorArgs{}.rows))
	argStep  = int32(unsafe.Offsetof(vectorArgs{}.step))
)

// vectorKernels are the kernels by operation, for float32 and float64.
var vectorKernels [operations][2]exec.Lazy

// call runs a kernel on the first whole vectors of x and y, which have the same
// length. It returns the number of elements that the kernel has done.
func call[T float](op operation, alpha T, x, y []T, args *vectorArgs) int {
	size := int(unsafe.Sizeof(alpha))
	code := vectorKernels[op][size/8].Make(func() ([]byte, error) { return vectorKernel(op, size) })
	if code == nil {
		return 0
	}
	args.x, args.y, args.alpha = unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y)), bits(alpha)
	args.n = len(x) * size &^ (width - 1)
	code.Call(unsafe.Pointer(args))
	return args.n / size
}

// vectorKernel returns the code of a kernel.
func vectorKernel(op operation, size int) ([]byte, error) {
	w := vectorWriter{Asm: x86.New(), size: size, l: x86.L256, bytes: width / 2}
	if isa() == "avx512" {
		w.l, w.bytes = x86.L512, width
	}
	w.write(op)
	return w.Code()
}

// A vectorWriter writes a kernel.
type vectorWriter struct {
	*x86.Asm
	size, bytes int // of an element and of a vector
	l           x86.Len
}

// of returns the instruction for the element type.
func (w *vectorWriter) of(single, double x86.Op) x86.Op {
	if w.size == 4 {
		return single
	}
	return double
}

// The registers of the arguments x, y and n.
const regX, regY, regN = x86.RSI, x86.RDX, x86.RCX

// write writes the kernel of an operation.
func (w *vectorWriter) write(op operation) {
	w.I(x86.MOV, x86.W64, regX, x86.At(x86.RDI, argX))
	w.I(x86.MOV, x86.W64, regY, x86.At(x86.RDI, argY))
	w.I(x86.MOV, x86.W64, regN, x86.At(x86.RDI, argN))
	if op == toAddRows {
		w.addRows()
	} else {
		w.elements(op)
	}
	w.I(x86.VZEROUPPER, 0)
	w.I(x86.RET, 0)
}

// blocks writes loops over the n bytes of x and y: over blocks of most bytes, and then of width.
func (w *vectorWriter) blocks(most int, block func(bytes int)) {
	for _, bytes := range []int{most, width} {
		loop, done := w.NewLabel(), w.NewLabel()
		w.I(x86.SUB, x86.W64, regN, x86.Imm(bytes))
		w.I(x86.JL, 0, done)
		w.Align(32)
		w.Bind(loop)
		block(bytes)
		w.I(x86.ADD, x86.W64, regX, x86.Imm(bytes))
		w.I(x86.ADD, x86.W64, regY, x86.Imm(bytes))
		w.I(x86.SUB, x86.W64, regN, x86.Imm(bytes))
		w.I(x86.JGE, 0, loop)
		w.Bind(done)
		w.I(x86.ADD, x86.W64, regN, x86.Imm(bytes))
	}
}

// elements writes the loop of an operation on elements, four vectors of 64 bytes at a time.
func (w *vectorWriter) elements(op operation) {
	const constant, loaded = x86.Vec(15), x86.Vec(8)
	switch op {
	case toAsum:
		w.I(w.of(x86.VBROADCASTSS, x86.VBROADCASTSD), w.l, constant, w.magnitude())
	case toScale, toAdd:
		w.I(w.of(x86.VBROADCASTSS, x86.VBROADCASTSD), w.l, constant, x86.At(x86.RDI, argAlpha))
	}
	for v := range x86.Vec(sums) {
		w.I(x86.VXORPS, x86.L256, v, v, v)
	}
	one := func(v x86.Vec, at int) {
		px, py, t := x86.At(regX, int32(at)), x86.At(regY, int32(at)), loaded+v
		w.I(x86.VMOVUPS, w.l, t, px)
		switch op {
		case toScale:
			w.I(w.of(x86.VMULPS, x86.VMULPD), w.l, t, t, constant)
			w.I(x86.VMOVUPS, w.l, px, t)
		case toAdd:
			w.I(w.of(x86.VFMADD213PS, x86.VFMADD213PD), w.l, t, constant, py)
			w.I(x86.VMOVUPS, w.l, py, t)
		case toDot:
			w.I(w.of(x86.VFMADD231PS, x86.VFMADD231PD), w.l, v, t, py)
		case toAsum:
			w.I(w.of(x86.VANDPS, x86.VANDPD), w.l, t, t, constant)
			w.I(w.of(x86.VADDPS, x86.VADDPD), w.l, v, v, t)
		}
	}
	w.blocks(sums*width, func(bytes int) {
		for at := 0; at < bytes; at += w.bytes {
			one(x86.Vec(at/w.bytes%sums), at)
		}
	})
	if op == toDot || op == toAsum {
		w.fold()
	}
}

// addRows writes the loop that adds rows. Each time it takes some vectors of all rows.
func (w *vectorWriter) addRows() {
	const factor, left, row, step = x86.RAX, x86.RBX, x86.R8, x86.R9
	const constant = x86.Vec(8)
	w.I(x86.MOV, x86.W64, step, x86.At(x86.RDI, argStep))
	w.blocks(8*w.bytes, func(bytes int) {
		vecs, rows := bytes/w.bytes, w.NewLabel()
		w.I(x86.MOV, x86.W64, factor, x86.At(x86.RDI, argTimes))
		w.I(x86.MOV, x86.W64, left, x86.At(x86.RDI, argRows))
		w.I(x86.MOV, x86.W64, row, regY)
		for v := range vecs {
			w.I(x86.VMOVUPS, w.l, x86.Vec(v), x86.At(regX, int32(v*w.bytes)))
		}
		w.Align(32)
		w.Bind(rows)
		w.I(w.of(x86.VBROADCASTSS, x86.VBROADCASTSD), w.l, constant, x86.At(factor, 0))
		for v := range vecs {
			w.I(w.of(x86.VFMADD231PS, x86.VFMADD231PD), w.l, x86.Vec(v), constant, x86.At(row, int32(v*w.bytes)))
		}
		w.I(x86.ADD, x86.W64, factor, x86.Imm(w.size))
		w.I(x86.ADD, x86.W64, row, step)
		w.I(x86.SUB, x86.W64, left, x86.Imm(1))
		w.I(x86.JNE, 0, rows)
		for v := range vecs {
			w.I(x86.VMOVUPS, w.l, x86.At(regX, int32(v*w.bytes)), x86.Vec(v))
		}
	})
}

// fold adds all lanes of the registers of sums, and stores the total.
func (w *vectorWriter) fold() {
	plus := w.of(x86.VADDPS, x86.VADDPD)
	const a, b = x86.Vec(0), x86.Vec(1)
	w.I(plus, w.l, a, a, b)
	w.I(plus, w.l, b+1, b+1, b+2)
	w.I(plus, w.l, a, a, b+1)
	if w.bytes == width {
		w.I(x86.VEXTRACTF64X4, w.l, b, a, x86.Imm(1))
		w.I(plus, x86.L256, a, a, b)
	}
	w.I(x86.VEXTRACTF128, x86.L256, b, a, x86.Imm(1))
	w.I(plus, x86.L128, a, a, b)
	w.I(x86.VUNPCKHPD, x86.L128, b, a, a)
	w.I(plus, x86.L128, a, a, b)
	if w.size == 4 {
		w.I(x86.VSHUFPS, x86.L128, b, a, a, x86.Imm(1))
		w.I(plus, x86.L128, a, a, b)
	}
	w.I(w.of(x86.VMOVSS, x86.VMOVSD), x86.L128, x86.At(x86.RDI, argOut), a)
}

// magnitude returns a constant with all bits but the sign.
func (w *vectorWriter) magnitude() x86.Mem {
	if w.size == 4 {
		return w.Const32(math.MaxInt32)
	}
	return w.Const64(math.MaxInt64)
}

// scale multiplies x by alpha.
func scale[T float](alpha T, x []T) {
	if alpha == 1 {
		return
	}
	var args vectorArgs
	for i := call(toScale, alpha, x, nil, &args); i < len(x); i++ {
		x[i] *= alpha
	}
}

// axpy adds alpha*x to y.
func axpy[T float](alpha T, x, y []T) {
	var args vectorArgs
	for i := call(toAdd, alpha, x, y, &args); i < len(x); i++ {
		y[i] += alpha * x[i]
	}
}

// addRows adds the sum of rows times factors to x.
func addRows[T float](factors []T, rows matrix[T], x []T) {
	args := vectorArgs{factors: unsafe.Pointer(&factors[0]), rows: len(factors), step: rows.row * int(unsafe.Sizeof(factors[0]))}
	n := call(toAddRows, 0, x, rows.slice(0), &args)
	for i, f := range factors {
		if n == len(x) {
			return
		}
		y := rows.slice(i)
		for j := n; j < len(x); j++ {
			x[j] += f * y[j]
		}
	}
}

// dot returns the sum of the products of x and y.
func dot[T float](x, y []T) (sum T) {
	first := 0
	if enough(len(x), leastDot) {
		var args vectorArgs
		first = call(toDot, 0, x, y, &args)
		sum = total[T](&args)
	}
	for i := first; i < len(x); i++ {
		sum += x[i] * y[i]
	}
	return sum
}

// asum returns the sum of the magnitudes.
func asum[T float](x []T) T {
	var args vectorArgs
	n := call(toAsum, 0, x, nil, &args)
	sum := total[T](&args)
	for _, v := range x[n:] {
		sum += max(v, -v)
	}
	return sum
}

// total returns the sum of a kernel.
func total[T float](args *vectorArgs) T { return *(*T)(unsafe.Pointer(&args.out)) }
