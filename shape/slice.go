package shape

import "math"

// A Slice selects along one dimension as Python's start:stop:step does. The
// zero value selects everything. A Step of 0 stands for 1; who reads steps from
// a user rejects an explicit 0.
type Slice struct {
	Start, Stop, Step int
	HasStart, HasStop bool
}

// Resolve applies the slice to a dimension of extent n: it selects count
// elements, start, start+step, and so on. Negative bounds count from the end
// and bounds out of range are clamped, as by Python's slice.indices. With count
// 0, start is Python's too and may be -1 or n, which is no element.
func (sl Slice) Resolve(n int) (start, count, step int, err error) {
	if n < 0 {
		return 0, 0, 0, errorf("slice of negative extent %d", n)
	}
	step = sl.Step
	if step == 0 {
		step = 1
	}
	step = max(step, -math.MaxInt) // so that -step exists
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
	if sl.HasStart {
		start = bound(sl.Start)
	}
	if sl.HasStop {
		stop = bound(sl.Stop)
	}
	switch {
	case step > 0 && start < stop:
		count = (stop-start-1)/step + 1
	case step < 0 && stop < start:
		count = (start-stop-1)/-step + 1
	}
	return start, count, step, nil
}
