// Package zero has what methods use to work on zero values, and on nil receivers as zero
// values.
package zero

// IfNil returns p, or a new zero value if p is nil. A method that only reads its
// receiver needs no other check of nil: what it does with a zero value is right for
// nil too.
func IfNil[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

// Put sets (*m)[k] to v. It makes the map if that is nil.
func Put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}
