package lists

import (
	"slices"
	"strconv"
	"testing"
)

func TestLists(t *testing.T) {
	if got := Map([]int{3, 1, 2}, strconv.Itoa); !slices.Equal(got, []string{"3", "1", "2"}) {
		t.Errorf("Map returns %q", got)
	}
	if got := Map(nil, strconv.Itoa); got == nil || len(got) != 0 {
		t.Errorf("Map of no elements returns %#v", got)
	}
	if got := UpTo(3); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("UpTo(3) = %v", got)
	}
	if got := UpTo(0); got == nil || len(got) != 0 {
		t.Errorf("UpTo(0) = %#v", got)
	}
}
