// Package slab allocates many short lists, or single values, at once.
package slab

// A Slab hands out parts of blocks that it allocates. The memory of a block is freed
// when nothing refers to any part of it. The zero value is an empty slab. Concurrent
// calls need a lock.
type Slab[T any] struct{ rest []T }

// Of returns a slab whose first block is block.
func Of[T any](block []T) Slab[T] { return Slab[T]{block} }

// List returns n zero values. Appending to the list copies it. If the present block
// has no room, List allocates one of at least size values.
func (s *Slab[T]) List(n, size int) []T {
	if n > len(s.rest) {
		s.rest = make([]T, max(n, size))
	}
	out := s.rest[:n:n]
	s.rest = s.rest[n:]
	return out
}

// New returns a pointer to a zero value. If the present block has no room, New
// allocates one of at least size values.
func (s *Slab[T]) New(size int) *T { return &s.List(1, size)[0] }
