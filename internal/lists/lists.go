// Package lists makes lists from others.
package lists

// Map returns the result of f for each element of a list.
func Map[E, R any](list []E, f func(E) R) []R {
	out := make([]R, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// UpTo returns the numbers from 0 to n-1.
func UpTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
