// Package zero has what methods use to treat a nil receiver as a zero value.
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
