package gemm

import (
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
)

// A Save says what becomes of a result C and the sums S of a product. Each
// operation rounds to the element type. C is not read if it is replaced.
type Save uint8

// The savers. Div is for floats only.
const (
	Set Save = iota // C = alpha*S
	Add             // C = beta*C + alpha*S
	Sub             // C = beta*C - alpha*S
	Mul             // C = C * (alpha*S)
	Div             // C = C / (alpha*S)
)

// A saver is what kernels do with sums.
type saver uint8

const (
	keep  saver = iota // the sums are the result, or are added to those of earlier blocks
	scale              // C = alpha*S
	add                // C = beta*C + alpha*S
	mul
	div
	stream // the sums are the result; their stores bypass the caches
	savers
)

// A combination is how sums and a part of a result are combined.
type combination struct {
	save        saver
	out         unsafe.Pointer // the first element of the result
	ldo         int            // bytes between its rows
	alpha, beta uint64         // bits of the element type
}

// saver returns what kernels do with the sums. Subtraction is addition with the
// opposite alpha: the opposite of a rounded product is a rounded product.
func (p *Problem) saver() saver {
	if p.Save == Set && !p.Scaled {
		return keep
	}
	return [...]saver{Set: scale, Add: add, Sub: add, Mul: mul, Div: div}[p.Save]
}

// scalars returns alpha and beta of a run.
func (d *Product) scalars() (alpha, beta uint64) {
	alpha, beta = d.one, d.one
	if d.p.Scaled {
		alpha, beta = d.bind.Scalars[0], d.bind.Scalars[1]
	}
	if d.p.Save == Sub {
		alpha = d.negative(alpha)
	}
	return alpha, beta
}

// one returns the bits of 1 in an element type.
func one(t dtype.Type) uint64 {
	switch t {
	case dtype.F32:
		return 0x3f800000
	case dtype.F64:
		return 0x3ff0000000000000
	}
	return 1
}

// negative returns the bits of the opposite number.
func (d *Product) negative(x uint64) uint64 {
	if d.p.Type.IsFloat() {
		return x ^ 1<<(8*d.size-1)
	}
	return -x
}

// combine combines sums at t.c with the result, whose elements of a row are step
// bytes apart. It defines what kernels do.
func combine[S, T number](t *tile, step int) {
	alpha, beta := fromBits[T](t.alpha), fromBits[T](t.beta)
	for i := range t.m {
		sums := unsafe.Slice((*S)(unsafe.Add(t.c, i*t.ldc)), t.n)
		row := unsafe.Add(t.out, i*t.ldo)
		if t.save == keep {
			for j, sum := range sums {
				*(*T)(unsafe.Add(row, j*step)) = T(sum)
			}
			continue
		}
		for j, sum := range sums {
			c := (*T)(unsafe.Add(row, j*step))
			switch s := T(alpha * T(sum)); t.save {
			case scale:
				*c = s
			case add:
				*c = T(beta**c) + s
			case mul:
				*c *= s
			case div:
				*c /= s
			}
		}
	}
}

// fromBits returns the number with the given bits.
func fromBits[T number](x uint64) T {
	var y T
	switch unsafe.Sizeof(y) {
	case 1:
		u := uint8(x)
		return *(*T)(unsafe.Pointer(&u))
	case 2:
		u := uint16(x)
		return *(*T)(unsafe.Pointer(&u))
	case 4:
		u := uint32(x)
		return *(*T)(unsafe.Pointer(&u))
	}
	return *(*T)(unsafe.Pointer(&x))
}
