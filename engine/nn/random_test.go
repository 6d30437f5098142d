package nn

import (
	"math"
	mathbits "math/bits"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
)

// reference is Philox4x32-10 in Go.
func reference(c [4]uint32, k [2]uint32) uint32 {
	for range 10 {
		h0, l0 := mathbits.Mul32(0xD2511F53, c[0])
		h1, l1 := mathbits.Mul32(0xCD9E8D57, c[2])
		c = [4]uint32{h1 ^ c[1] ^ k[0], l1, h0 ^ c[3] ^ k[1], l0}
		k[0] += 0x9E3779B9
		k[1] += 0xBB67AE85
	}
	return c[0]
}

func TestBits(t *testing.T) {
	if got := reference([4]uint32{}, [2]uint32{}); got != 0x6627e8d5 { // a known answer of Random123
		t.Fatalf("the reference gives %x", got)
	}
	for _, c := range [][3]uint32{{0, 0, 0}, {1, 2, 3}, {math.MaxUint32, 7, 1 << 31}} {
		step, seed := expr.NewParam(c[0]), expr.NewParam(c[1])
		out := engine.Zeros[uint32](5, 40)
		if err := out.Assign(bits(step, seed, c[2], out.Shape())); err != nil {
			t.Fatal(err)
		}
		for i, got := range out.Data() {
			if want := reference([4]uint32{uint32(i), c[2], c[0], 0}, [2]uint32{c[1], 0}); got != want {
				t.Fatalf("%v: word %d is %x, want %x", c, i, got, want)
			}
		}
	}
}
