package shape

import (
	"math"
	"math/big"
	"math/bits"
	"testing"
)

// TestBoundsOfLargeStrides compares Bounds with numbers of any size.
func TestBoundsOfLargeStrides(t *testing.T) {
	const half = 1 << (bits.UintSize/2 - 1)
	sizes := []int{1, 2, half, half + 1, half + 2, 2 * half, math.MaxInt/2 + 1, math.MaxInt}
	strides := []int{0, 1, 2, half, half + 1, 2 * half, math.MaxInt/2 + 1, math.MaxInt, math.MinInt + 1}
	for _, d := range sizes {
		for _, e := range []int{1, 2, half} {
			for _, a := range append(strides, -1, -half, -half-1) {
				for _, b := range []int{0, 1, -half, math.MaxInt} {
					lo, hi := big.NewInt(7), big.NewInt(7)
					for _, x := range [][2]int{{d, a}, {e, b}} {
						span := new(big.Int).Mul(big.NewInt(int64(x[0]-1)), big.NewInt(int64(x[1])))
						if span.Sign() < 0 {
							lo.Add(lo, span)
						} else {
							hi.Add(hi, span)
						}
					}
					fits := lo.Cmp(big.NewInt(math.MinInt)) >= 0 && hi.Cmp(big.NewInt(math.MaxInt)) <= 0
					l, h := Bounds(Shape{d, e}, Strides{a, b}, 7)
					if fits && (int64(l) != lo.Int64() || int64(h) != hi.Int64()) || !fits && (l != math.MinInt || h != math.MaxInt) {
						t.Fatalf("%d x %d with strides %d, %d: %d..%d, want %v..%v", d, e, a, b, l, h, lo, hi)
					}
				}
			}
		}
	}
}
