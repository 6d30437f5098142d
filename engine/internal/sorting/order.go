package sorting

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
)

// An order says how the keys of a type follow from the bits of its values.
//
// A key is bits ^ (fold if bits < 0) ^ flip. It is most, the greatest one, for values whose
// bits & fold are above limit: NaN. top has the bits that stand for most.
type order struct{ fold, flip, limit, top, most int64 }

// orderOf returns the order of a register type. Numbers of fewer bytes than 8 are extended by
// their sign.
func orderOf(t dtype.Type, descending bool) (o order) {
	least := int64(-1) << (8*t.Size() - 1)
	o.most, o.limit = ^least, ^least
	switch {
	case t == dtype.F32:
		o.fold, o.limit = ^least, int64(math.Float32bits(float32(math.Inf(1))))
	case t == dtype.F64:
		o.fold, o.limit = ^least, int64(math.Float64bits(math.Inf(1)))
	case !t.IsSigned():
		o.flip = least
	}
	if descending {
		o.flip = ^o.flip
	}
	o.top = o.most ^ o.flip
	if t.IsFloat() {
		o.top = o.limit | o.limit>>1
	}
	return o
}

// form returns the form of kernels that read, or store, values and use integers as keys.
func (o *order) form(f form) form {
	if o.fold|o.flip == 0 {
		return f &^ (enter | leave) // values are their own keys
	}
	if o.fold == 0 && f&(enter|leave) != 0 {
		return f | turned
	}
	return f
}

// key returns the key of a value with the given bits.
func (o *order) key(b int64) int64 {
	if b&o.fold > o.limit {
		return o.most
	}
	return b ^ b>>63&o.fold ^ o.flip
}

// value returns the bits of the value of a key.
func (o *order) value(k int64) int64 {
	if k == o.most {
		return o.top
	}
	k ^= o.flip
	return k ^ k>>63&o.fold
}
