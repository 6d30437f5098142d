// Package round rounds numbers on the way to narrower ones.
package round

import "math"

// ToOdd returns a float32 that rounds to the same half as x does: where x
// lies between two float32, the one whose last bit is set.
func ToOdd(x float64) float32 {
	f := float32(x)
	if float64(f) == x || math.IsNaN(x) || math.IsInf(float64(f), 0) {
		return f
	}
	if math.Abs(float64(f)) > math.Abs(x) {
		f = math.Nextafter32(f, 0)
	}
	return math.Float32frombits(math.Float32bits(f) | 1)
}
