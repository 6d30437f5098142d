package shape

import (
	"slices"
	"testing"
)

func TestAxis(t *testing.T) {
	for _, tt := range []struct{ axis, rank, want int }{{0, 1, 0}, {-1, 3, 2}, {-3, 3, 0}, {2, 3, 2}} {
		if got, err := Axis(tt.axis, tt.rank); got != tt.want || err != nil {
			t.Errorf("Axis(%d, %d) = %d, %v", tt.axis, tt.rank, got, err)
		}
	}
	_, err := Axis(3, 2)
	wantErr(t, err, "axis 3 is out of range for rank 2")
	_, err = Axis(-3, 2)
	wantErr(t, err, "axis -3 is out of range for rank 2")
	_, err = Axis(0, 0)
	wantErr(t, err, "axis 0 is out of range for rank 0")
}

func TestAxes(t *testing.T) {
	for _, tt := range []struct {
		axes []int
		rank int
		want []int
	}{
		{nil, 3, []int{0, 1, 2}},
		{nil, 0, nil},
		{[]int{}, 3, nil},
		{[]int{-1, 0}, 3, []int{0, 2}},
		{[]int{1}, 2, []int{1}},
	} {
		if got, err := Axes(tt.axes, tt.rank); !slices.Equal(got, tt.want) || err != nil {
			t.Errorf("Axes(%v, %d) = %v, %v", tt.axes, tt.rank, got, err)
		}
	}
	_, err := Axes([]int{1, -1}, 2)
	wantErr(t, err, "axis 1 is given twice in [1 -1]")
	_, err = Axes([]int{0, 2}, 2)
	wantErr(t, err, "axis 2 is out of range for rank 2")
	arg := []int{-1, 0}
	if _, err := Axes(arg, 2); err != nil || arg[0] != -1 {
		t.Error("Axes changes its argument")
	}
}

func TestReduce(t *testing.T) {
	s := Shape{2, 3, 4}
	for _, tt := range []struct {
		axes       []int
		drop, keep Shape
	}{
		{nil, s, s},
		{[]int{1}, Shape{2, 4}, Shape{2, 1, 4}},
		{[]int{0, 2}, Shape{3}, Shape{1, 3, 1}},
		{[]int{0, 1, 2}, Shape{}, Shape{1, 1, 1}},
	} {
		if got := s.Reduce(tt.axes, false); !got.Equal(tt.drop) {
			t.Errorf("Reduce(%v) = %v", tt.axes, got)
		}
		if got := s.Reduce(tt.axes, true); !got.Equal(tt.keep) {
			t.Errorf("Reduce(%v, keep) = %v", tt.axes, got)
		}
	}
}

func TestPermute(t *testing.T) {
	s := Shape{2, 3, 4}
	for _, perm := range [][]int{{2, 0, 1}, {-1, 0, -2}} {
		got, err := s.Permute(perm)
		if err != nil || !got.Equal(Shape{4, 2, 3}) {
			t.Errorf("Permute(%v) = %v, %v", perm, got, err)
		}
		if st := s.Strides().Permute(perm); !slices.Equal(st, Strides{1, 12, 4}) {
			t.Errorf("Strides.Permute(%v) = %v", perm, st)
		}
	}
	if got, err := (Shape{}).Permute(nil); err != nil || got.Rank() != 0 {
		t.Error(got, err)
	}
	_, err := s.Permute([]int{0, 1})
	wantErr(t, err, "permutation [0 1] has 2 axes for rank 3")
	_, err = s.Permute([]int{0, 1, 1})
	wantErr(t, err, "axis 1 is given twice in [0 1 1]")
	_, err = s.Permute([]int{0, 1, 3})
	wantErr(t, err, "axis 3 is out of range for rank 3")
}
