package shape

// Elements are the places of the elements of an array in memory. Strides and
// Offset count elements, Size is the number of bytes of one.
type Elements struct {
	Shape   Shape
	Strides Strides
	Offset  int
	Size    int
}

// Interleaved reports whether the elements of b lie between those of a, by their
// steps: the even and the odd positions of a vector do. shift is the position of
// the memory of b in the memory of a, in bytes. Interleaved arrays share no byte.
func Interleaved(a, b Elements, shift int) bool {
	step := 0
	for _, x := range []Elements{a, b} {
		for i, d := range x.Shape {
			if d > 1 {
				step = divisor(step, x.Strides[i]*x.Size)
			}
		}
	}
	if step == 0 {
		return false
	}
	at := (b.Offset*b.Size + shift - a.Offset*a.Size) % step
	if at < 0 {
		at += step
	}
	return a.Size <= at && at+b.Size <= step
}

// divisor returns the greatest common divisor of the magnitudes.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}
