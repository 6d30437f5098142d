package shape

import "testing"

// Arrays of a small memory are interleaved only if no byte belongs to both, and
// interleaved if their steps show it.
func TestInterleaved(t *testing.T) {
	found := 0
	for _, as := range []int{1, 2, 4} {
		for _, bs := range []int{1, 2, 4} {
			for k := range 6 * 6 * 5 * 5 * 4 {
				a := Elements{Shape{3}, Strides{k % 6}, k / 6 % 5, as}
				b := Elements{Shape{2}, Strides{k/30%6 - 2}, k / 180 % 5, bs}
				shift := k/900 - 2
				bytes, shared := map[int]bool{}, false
				for i := range 3 * as {
					bytes[(a.Offset+i/as*a.Strides[0])*as+i%as] = true
				}
				for i := range 2 * bs {
					shared = shared || bytes[(b.Offset+i/bs*b.Strides[0])*bs+i%bs+shift]
				}
				apart := Interleaved(a, b, shift)
				if apart && shared {
					t.Fatalf("%v and %v at %d share a byte", a, b, shift)
				}
				if apart {
					found++
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("%d pairs are interleaved", found)
	}
	even, odd := Elements{Shape{4, 5}, Strides{10, 2}, 0, 8}, Elements{Shape{4, 5}, Strides{10, 2}, 1, 8}
	if !Interleaved(even, odd, 0) || !Interleaved(odd, even, 0) || Interleaved(even, odd, 4) || Interleaved(even, even, 0) {
		t.Error("the parts of complex numbers are not told apart")
	}
}
