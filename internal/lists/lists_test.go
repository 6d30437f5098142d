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
	even := func(x int) bool { return x%2 == 0 }
	if got := Where([]int{3, 2, 1, 0}, even); !slices.Equal(got, []int{2, 0}) {
		t.Errorf("Where returns %v", got)
	}
	list := append(make([]int, 0, 9), 1, 2)
	if got := Union(list, []int{2, 5, 5, 1}); !slices.Equal(got, []int{1, 2, 5}) || list[:3][2] == 5 {
		t.Errorf("Union returns %v, and leaves %v", got, list[:3])
	}
	if got := Sum([]string{"a", "", "bcd"}, func(s string) int { return len(s) }); got != 4 {
		t.Errorf("Sum returns %d", got)
	}
	if got := Count([]int{3, 2, 1, 0}, even); got != 2 {
		t.Errorf("Count returns %d", got)
	}
	if got := UpTo(3); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("UpTo(3) = %v", got)
	}
	if got := UpTo(0); got == nil || len(got) != 0 {
		t.Errorf("UpTo(0) = %#v", got)
	}
}
