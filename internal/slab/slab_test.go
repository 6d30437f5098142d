package slab

import (
	"testing"

	"github.com/oneloop/oneloop/internal/testlevel"
)

func TestSlab(t *testing.T) {
	var s Slab[int]
	a, b := s.List(3, 4), s.List(2, 4) // b does not fit into the block of a
	a = append(a, 7)
	for i := range b {
		b[i] = i + 1
	}
	x, y := s.New(4), s.New(4)
	if *x != 0 || *y != 0 {
		t.Errorf("new values are %d and %d", *x, *y)
	}
	*x, *y = 5, 6
	if len(a) != 4 || a[0] != 0 || a[3] != 7 || len(b) != 2 || b[0] != 1 || b[1] != 2 || *x != 5 || *y != 6 {
		t.Errorf("lists are %v and %v, values %d and %d", a, b, *x, *y)
	}
	if n := testlevel.Allocs(20, func() {
		var s Slab[int]
		for range 16 {
			s.List(1, 16)
		}
	}); n != 1 {
		t.Errorf("%v allocations for one block", n)
	}
}
