package shape

import (
	"math"
	"strconv"
)

// A Slice selects elements of one dimension as Python's start:stop:step does.
// As in Python, a part that is not given does not restrict the selection.
type Slice struct{ Start, Stop, Step Bound }

// A Bound is one part of a [Slice]. The zero value is a part that is not given.
type Bound struct {
	at    int
	given bool
}

// At returns the bound x.
func At(x int) Bound { return Bound{x, true} }

// Range returns the slice start:stop. Negative positions count from the end.
func Range(start, stop int) Slice { return Slice{Start: At(start), Stop: At(stop)} }

// From returns the slice from start to the end.
func From(start int) Slice { return Slice{Start: At(start)} }

// Until returns the slice from the beginning to stop, without stop.
func Until(stop int) Slice { return Slice{Stop: At(stop)} }

// By returns s with a step, which may be negative: By(Slice{}, -1) reverses a dimension.
func By(s Slice, step int) Slice {
	s.Step = At(step)
	return s
}

// or returns the bound, or x if it is not given.
func (b Bound) or(x int) int {
	if b.given {
		return b.at
	}
	return x
}

// MarshalText returns the number of the bound, or no text if it is not given.
func (b Bound) MarshalText() ([]byte, error) {
	if !b.given {
		return nil, nil
	}
	return strconv.AppendInt(nil, int64(b.at), 10), nil
}

// UnmarshalText reads what MarshalText returns.
func (b *Bound) UnmarshalText(text []byte) error {
	x, err := strconv.Atoi(string(text))
	switch {
	case b == nil:
		return errorf("the bound is nil")
	case len(text) == 0:
		*b = Bound{}
	case err != nil:
		return errorf("%.40q is no bound of a slice", text)
	default:
		*b = At(x)
	}
	return nil
}

// MarshalBinary returns what MarshalText returns. Package encoding/gob uses this method.
func (b Bound) MarshalBinary() ([]byte, error) { return b.MarshalText() }

// UnmarshalBinary reads what MarshalBinary returns.
func (b *Bound) UnmarshalBinary(data []byte) error { return b.UnmarshalText(data) }

// Resolve returns the selection of the slice from a dimension of extent n:
// count elements at start, start+step, and so on. Negative bounds count from
// the end, and bounds out of range are clamped, as by Python's slice.indices.
// If count is 0, start may be -1 or n, as in Python. A step of 0 is an error.
func (sl Slice) Resolve(n int) (start, count, step int, err error) {
	if n < 0 {
		return 0, 0, 0, errorf("slice of negative extent %d", n)
	}
	if step = sl.Step.or(1); step == 0 {
		return 0, 0, 0, errorf("the step of a slice is 0")
	}
	step = max(step, -math.MaxInt) // so that -step does not overflow
	lo, hi := 0, n
	start, stop := 0, n
	if step < 0 {
		lo, hi = -1, n-1
		start, stop = n-1, -1
	}
	bound := func(x int) int {
		if x < 0 {
			x += n
		}
		return min(max(x, lo), hi)
	}
	if sl.Start.given {
		start = bound(sl.Start.at)
	}
	if sl.Stop.given {
		stop = bound(sl.Stop.at)
	}
	switch {
	case step > 0 && start < stop:
		count = (stop-start-1)/step + 1
	case step < 0 && stop < start:
		count = (start-stop-1)/-step + 1
	}
	return start, count, step, nil
}
