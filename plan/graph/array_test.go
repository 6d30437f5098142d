package graph

import (
	"testing"

	"github.com/oneloop/oneloop/shape"
)

// TestMeet compares what meet says of small arrays with their elements.
func TestMeet(t *testing.T) {
	apart := 0
	for k := range 2 * 3 * 3 * 3 * 3 * 41 * 3 {
		a, b := shape.Shape{1 + k%2, 1 + k/2%3, 1 + k/6%3}, shape.Shape{2, 1 + k/18%3, 1 + k/54%3}
		strides := [...]shape.Strides{{20, 5, 1}, {24, 6, 2}, {9, 4, 1}}[k/162%3]
		behind := k/486 - 20
		seen, shared := map[int]bool{}, false
		each := func(s shape.Shape, visit func(at int)) {
			for i := range s.Size() {
				visit(i/(s[1]*s[2])*strides[0] + i/s[2]%s[1]*strides[1] + i%s[2]*strides[2])
			}
		}
		each(a, func(at int) { seen[at] = true })
		each(b, func(at int) { shared = shared || seen[at+behind] })
		switch shares := meet(a, b, strides, behind); {
		case shared && !shares, !shared && shares && k/162%3 < 2:
			t.Fatalf("%v and %v, %d behind, with strides %v: %t", a, b, behind, strides, shares)
		case !shares:
			apart++
		}
	}
	if apart < 1000 || meet(shape.Shape{0}, shape.Shape{1}, shape.Strides{1}, 0) || !meet(shape.Shape{2}, shape.Shape{2}, shape.Strides{-1}, 5) {
		t.Errorf("%d pairs are apart", apart)
	}
}
