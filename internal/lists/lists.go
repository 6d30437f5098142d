// Package lists makes lists from others.
package lists

import "slices"

// Map returns the result of f for each element of a list.
func Map[E, R any](list []E, f func(E) R) []R {
	out := make([]R, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// Where returns the elements of a list of which f is true.
func Where[E any](list []E, f func(E) bool) (out []E) {
	for _, x := range list {
		if f(x) {
			out = append(out, x)
		}
	}
	return out
}

// Union returns a list with the elements of more that it does not have yet. It changes neither.
func Union[E comparable](list, more []E) []E {
	list = slices.Clip(list)
	for _, x := range more {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// Make returns the results of f for the numbers from 0 to n-1.
func Make[E any](n int, f func(i int) E) []E {
	out := make([]E, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// Product returns the product of the elements of a list at some places.
func Product[I int | int32](list []int, places []I) int {
	n := 1
	for _, i := range places {
		n *= list[i]
	}
	return n
}

// Sum returns the sum of the results of f for the elements of a list.
func Sum[E any, N int | float64](list []E, f func(E) N) (n N) {
	for _, x := range list {
		n += f(x)
	}
	return n
}

// Count returns the number of elements of a list of which f is true.
func Count[E any](list []E, f func(E) bool) (n int) {
	for _, x := range list {
		if f(x) {
			n++
		}
	}
	return n
}

// UpTo returns the numbers from 0 to n-1.
func UpTo(n int) []int { return Make(n, func(i int) int { return i }) }
